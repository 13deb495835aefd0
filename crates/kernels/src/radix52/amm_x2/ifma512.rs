//! AVX-512 IFMA: the rows of both in turn, all accumulators in registers.

use crate::{
    Limb,
    radix52::ifma::Rows,
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
    // SAFETY: the same contract.
    unsafe {
        match blocks {
            1 => fixed::<1>(r, a, b, n, k0, m),
            2 => fixed::<2>(r, a, b, n, k0, m),
            3 => fixed::<3>(r, a, b, n, k0, m),
            4 => fixed::<4>(r, a, b, n, k0, m),
            5 => fixed::<5>(r, a, b, n, k0, m),
            _ => unreachable!("checked in the fence"),
        }
    }
}

#[target_feature(enable = "avx512f,avx512ifma")]
unsafe fn fixed<const Z: usize>(
    r: *mut Limb,
    a: *const Limb,
    b: *const Limb,
    n: *const Limb,
    k0: *const Limb,
    m: usize,
) {
    let d = 8 * Z;
    // SAFETY: each half of a, n and r has Z blocks; i + 1 < m <= 8 Z, the length of each half of b.
    unsafe {
        let (b, c) = (b, b.add(d));
        let mut x = Rows::<Z>::new(a, n, *k0, *b);
        let mut y = Rows::<Z>::new(a.add(d), n.add(d), *k0.add(1), *c);
        for i in 0..m - 1 {
            x.row(*b.add(i), *b.add(i + 1));
            y.row(*c.add(i), *c.add(i + 1));
        }
        x.row(*b.add(m - 1), 0);
        y.row(*c.add(m - 1), 0);
        x.finish(r);
        y.finish(r.add(d));
    }
}
