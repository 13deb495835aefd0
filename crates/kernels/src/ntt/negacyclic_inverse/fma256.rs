//! Floating-point numbers, four a vector.

use crate::{
    Limb,
    ntt::{fma::Fma256, transform::negacyclic_inverse},
};

/// # Safety
/// The contract of `ntt_negacyclic_inverse`; the processor has AVX2 and FMA.
#[target_feature(enable = "avx2,fma")]
pub unsafe fn kernel(x: *mut Limb, y: *const Limb, w: *const Limb, n: usize, s: usize) {
    // SAFETY: the caller's word.
    unsafe { negacyclic_inverse::<Fma256>(x, y, w, n, s) }
}
