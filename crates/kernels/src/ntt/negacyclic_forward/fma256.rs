//! Floating-point numbers, four a vector.

use crate::{
    Limb,
    ntt::{fma::Fma256, transform::negacyclic_forward},
};

/// # Safety
/// The contract of `ntt_negacyclic_forward`; the processor has AVX2 and FMA.
#[target_feature(enable = "avx2,fma")]
pub unsafe fn kernel(x: *mut Limb, w: *const Limb, n: usize, s: usize) {
    // SAFETY: the caller's word.
    unsafe { negacyclic_forward::<Fma256>(x, w, n, s) }
}
