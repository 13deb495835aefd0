//! Floating-point numbers, four a vector.

use crate::{
    Limb,
    ntt::{coefficients::split, fma::Fma256},
};

/// # Safety
/// The contract of `ntt_split`; the processor has AVX2 and FMA.
#[target_feature(enable = "avx2,fma")]
pub unsafe fn kernel(r: *mut Limb, a: *const Limb, n: usize, m: usize, s: usize) {
    // SAFETY: the caller's word.
    unsafe { split::<Fma256>(r, a, n, m, s) }
}
