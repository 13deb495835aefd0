//! AVX-512 IFMA on 512-bit vectors: eight digits a register, all accumulators in registers
//! up to 20 registers of digits, in memory above.

use crate::{
    Limb,
    radix52::ifma::{Rows512, amm_in_memory, by_registers},
};

/// # Safety
/// The contract of `radix52_amm`; the processor has AVX-512 F and IFMA.
#[target_feature(enable = "avx512f,avx512ifma")]
pub unsafe fn kernel(
    r: *mut Limb,
    a: *const Limb,
    b: *const Limb,
    n: *const Limb,
    blocks: usize,
    m: usize,
    k0: Limb,
) {
    // SAFETY: the same contract.
    unsafe {
        if blocks > 20 {
            return amm_in_memory::<{ super::Amm::MAX_BLOCKS }>(r, a, b, n, blocks, m, k0);
        }
        by_registers!(blocks, fixed(r, a, b, n, m, k0), 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20)
    }
}

#[target_feature(enable = "avx512f,avx512ifma")]
unsafe fn fixed<const Z: usize>(
    r: *mut Limb,
    a: *const Limb,
    b: *const Limb,
    n: *const Limb,
    m: usize,
    k0: Limb,
) {
    // SAFETY: a, n and r have Z registers of digits; i + 1 < m, at most the length of b.
    unsafe {
        let mut x = Rows512::<Z>::new(a, n, k0);
        let odd = m % 2;
        if odd == 1 {
            x.row(b);
        }
        for i in (odd..m).step_by(2) {
            x.two_rows(b.add(i));
        }
        x.finish(r);
    }
}
