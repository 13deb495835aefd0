//! AVX-512 IFMA on 512-bit vectors: eight digits a register, one instance for each number of registers up to 20. The
//! accumulators stay in registers for as long as the compiler unrolls the rows; above 20 they are in memory.

use crate::{
    Limb,
    radix52::{
        blocks::square,
        rows::{SCALAR, by_vectors},
    },
    simd::Zmm,
};

/// # Safety
/// The contract of `radix52_ams`; the processor has [`IFMA`](crate::radix52::IFMA).
#[target_feature(enable = "avx512f,avx512vl,avx512ifma,bmi2")]
pub unsafe fn kernel(
    r: *mut Limb,
    a: *const Limb,
    n: *const Limb,
    blocks: usize,
    m: usize,
    k0: Limb,
) {
    // SAFETY: the same contract.
    unsafe { run::<SCALAR>(r, a, n, blocks, m, k0) }
}

/// The kernel, its quotient digits found as `HOW` says.
///
/// # Safety
/// As for [`kernel`].
#[target_feature(enable = "avx512f,avx512vl,avx512ifma,bmi2")]
pub(super) unsafe fn run<const HOW: u8>(
    r: *mut Limb,
    a: *const Limb,
    n: *const Limb,
    blocks: usize,
    m: usize,
    k0: Limb,
) {
    // SAFETY: the same contract.
    unsafe {
        if blocks > 20 {
            return square::<{ crate::radix52::Amm::MAX_BLOCKS }>(r, a, n, blocks, m, k0);
        }
        by_vectors!(blocks, Zmm, square<HOW> (r, a, n, m, k0); 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20)
    }
}
