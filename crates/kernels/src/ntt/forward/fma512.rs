//! Floating-point numbers, eight a vector, and four in short transforms.

use crate::{
    Limb,
    ntt::{fma::Fma256, fma512::Fma512, transform::forward},
};

/// # Safety
/// The contract of `ntt_forward`; the processor has AVX-512F, AVX2 and FMA.
#[target_feature(enable = "avx512f,avx2,fma")]
pub unsafe fn kernel(x: *mut Limb, w: *const Limb, n: usize, m: usize, s: usize) {
    // SAFETY: the caller's word.
    unsafe {
        if n < Fma512::LEAST {
            forward::<Fma256>(x, w, n, m, s)
        } else {
            forward::<Fma512>(x, w, n, m, s)
        }
    }
}
