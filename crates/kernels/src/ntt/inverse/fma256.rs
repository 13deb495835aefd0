//! Floating-point numbers, four a vector.

use crate::{
    Limb,
    ntt::{
        fma::Fma256,
        transform::{Points, inverse},
    },
};

/// # Safety
/// The contract of `ntt_inverse`; the processor has AVX2 and FMA.
#[target_feature(enable = "avx2,fma")]
pub unsafe fn kernel(x: *mut Limb, y: *const Limb, w: *const Limb, n: usize, s: usize) {
    let points = Points { y, sum: None };
    // SAFETY: the caller's word.
    unsafe { inverse::<Fma256>(x, points, w, n, s) }
}
