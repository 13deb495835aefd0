//! Plain Rust: residues as integers.

use crate::{
    Limb,
    ntt::{transform::negacyclic_inverse, words::Words},
};

/// # Safety
/// The contract of `ntt_negacyclic_inverse`.
pub unsafe fn kernel(x: *mut Limb, y: *const Limb, w: *const Limb, n: usize, s: usize) {
    // SAFETY: the caller's word.
    unsafe { negacyclic_inverse::<Words>(x, y, w, n, s) }
}
