//! Plain Rust: residues as integers.

use crate::{
    Limb,
    ntt::{transform::forward, words::Words},
};

/// # Safety
/// The contract of `ntt_forward`.
pub unsafe fn kernel(x: *mut Limb, w: *const Limb, n: usize, m: usize, s: usize) {
    // SAFETY: the caller's word.
    unsafe { forward::<Words>(x, w, n, m, s) }
}
