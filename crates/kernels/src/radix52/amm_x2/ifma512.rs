//! AVX-512 IFMA on 512-bit vectors: the rows of both in turn, the accumulators in registers where they fit.

use crate::{
    Limb,
    radix52::rows::{SCALAR, by_vectors},
    simd::Zmm,
};

/// # Safety
/// The contract of `radix52_amm_x2`; the processor has [`IFMA`](crate::radix52::IFMA).
#[target_feature(enable = "avx512f,avx512vl,avx512ifma,bmi2")]
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
    unsafe { run::<SCALAR>(r, a, b, n, k0, blocks, m) }
}

/// The kernel, its quotient digits found as `HOW` says.
///
/// # Safety
/// As for [`kernel`].
#[target_feature(enable = "avx512f,avx512vl,avx512ifma,bmi2")]
pub(super) unsafe fn run<const HOW: u8>(
    r: *mut Limb,
    a: *const Limb,
    b: *const Limb,
    n: *const Limb,
    k0: *const Limb,
    blocks: usize,
    m: usize,
) {
    // SAFETY: the same contract.
    unsafe { by_vectors!(blocks, Zmm, pair<HOW> (r, a, b, n, k0, 8 * blocks, m); 1 2 3 4 5) }
}
