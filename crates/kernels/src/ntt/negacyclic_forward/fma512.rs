//! Floating-point numbers, eight a vector, and four in short transforms.

use crate::{
    Limb,
    ntt::{fma::Fma256, fma512::Fma512, transform::negacyclic_forward},
};

/// # Safety
/// The contract of `ntt_negacyclic_forward`; the processor has AVX-512F, AVX2 and FMA.
#[target_feature(enable = "avx512f,avx2,fma")]
pub unsafe fn kernel(x: *mut Limb, w: *const Limb, n: usize, s: usize) {
    // SAFETY: the caller's word.
    unsafe {
        if n < Fma512::LEAST {
            negacyclic_forward::<Fma256>(x, w, n, s)
        } else {
            negacyclic_forward::<Fma512>(x, w, n, s)
        }
    }
}
