//! AVX-512 IFMA on 512-bit vectors: the rows of both in turn, all accumulators in registers.

use crate::{
    Limb,
    radix52::ifma::{Rows512, by_registers},
};

/// # Safety
/// The contract of `radix52_amm_x2`; the processor has AVX-512 F and IFMA.
#[target_feature(enable = "avx512f,avx512ifma")]
pub unsafe fn kernel(
    r: *mut Limb,
    a: *const Limb,
    b: *const Limb,
    n: *const Limb,
    k0: *const Limb,
    blocks: usize,
    m: usize,
) {
    let d = 8 * blocks;
    // SAFETY: the same contract.
    unsafe { by_registers!(blocks, fixed(r, a, b, n, k0, d, m), 1 2 3 4 5) }
}

#[target_feature(enable = "avx512f,avx512ifma")]
unsafe fn fixed<const Z: usize>(
    r: *mut Limb,
    a: *const Limb,
    b: *const Limb,
    n: *const Limb,
    k0: *const Limb,
    d: usize,
    m: usize,
) {
    // SAFETY: each half of a, n and r has Z registers of digits; i < m, at most the length of each half of b.
    unsafe {
        let (b, c) = (b, b.add(d));
        let mut x = Rows512::<Z>::new(a, n, *k0);
        let mut y = Rows512::<Z>::new(a.add(d), n.add(d), *k0.add(1));
        let odd = m % 2;
        if odd == 1 {
            x.row(b);
            y.row(c);
        }
        for i in (odd..m).step_by(2) {
            x.two_rows(b.add(i));
            y.two_rows(c.add(i));
        }
        x.finish(r);
        y.finish(r.add(d));
    }
}
