//! Floating-point numbers, eight a vector, and four in short transforms.

use crate::{
    Limb,
    ntt::{
        fma::Fma256,
        fma512::Fma512,
        transform::{Points, inverse},
    },
};

/// # Safety
/// The contract of `ntt_inverse`; the processor has AVX-512F, AVX2 and FMA.
#[target_feature(enable = "avx512f,avx2,fma")]
pub unsafe fn kernel(x: *mut Limb, y: *const Limb, w: *const Limb, n: usize, s: usize) {
    let points = Points { y, sum: None };
    // SAFETY: the caller's word.
    unsafe {
        if n < Fma512::LEAST {
            inverse::<Fma256>(x, points, w, n, s)
        } else {
            inverse::<Fma512>(x, points, w, n, s)
        }
    }
}
