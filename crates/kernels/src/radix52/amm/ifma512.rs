//! AVX-512 IFMA on 512-bit vectors: eight digits a register, one instance for each number of registers up to 20. The
//! accumulators stay in registers for as long as the compiler unrolls the rows; above 20 they are in memory. In long
//! rows there is enough to do until a quotient digit is found: in vectors they are found up to 5 registers, ahead up to 10.

use crate::{
    Limb,
    radix52::{
        blocks::multiply,
        rows::{AHEAD, SCALAR, by_vectors},
    },
    simd::Zmm,
};

/// # Safety
/// The contract of `radix52_amm`; the processor has [`IFMA`](crate::radix52::IFMA).
#[target_feature(enable = "avx512f,avx512vl,avx512ifma,bmi2")]
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
    unsafe { run::<SCALAR>(r, a, b, n, blocks, m, k0) }
}

/// The kernel, its quotient digits found as `HOW` says where it gains something.
///
/// # Safety
/// As for [`kernel`].
#[target_feature(enable = "avx512f,avx512vl,avx512ifma,bmi2")]
pub(super) unsafe fn run<const HOW: u8>(
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
        if blocks <= 5 {
            by_vectors!(blocks, Zmm, one<HOW> (r, a, b, n, m, k0); 1 2 3 4 5)
        } else if blocks <= 10 && HOW == AHEAD {
            by_vectors!(blocks, Zmm, one<AHEAD> (r, a, b, n, m, k0); 6 7 8 9 10)
        } else if blocks <= 20 {
            by_vectors!(blocks, Zmm, one<SCALAR> (r, a, b, n, m, k0); 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20)
        } else {
            multiply::<{ super::Amm::MAX_BLOCKS }>(r, a, b, n, blocks, m, k0)
        }
    }
}
