//! Plain Rust: residues as integers.

use crate::{
    Limb,
    ntt::{transform::negacyclic_forward, words::Words},
};

/// # Safety
/// The contract of `ntt_negacyclic_forward`.
pub unsafe fn kernel(x: *mut Limb, w: *const Limb, n: usize, s: usize) {
    // SAFETY: the caller's word.
    unsafe { negacyclic_forward::<Words>(x, w, n, s) }
}
