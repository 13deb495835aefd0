//! Floating-point numbers, eight a vector.

use crate::{
    Limb,
    ntt::{coefficients::split, fma512::Fma512},
};

/// # Safety
/// The contract of `ntt_split`; the processor has AVX-512F, AVX2 and FMA.
#[target_feature(enable = "avx512f,avx2,fma")]
pub unsafe fn kernel(r: *mut Limb, a: *const Limb, n: usize, m: usize, s: usize) {
    // SAFETY: the caller's word.
    unsafe { split::<Fma512>(r, a, n, m, s) }
}
