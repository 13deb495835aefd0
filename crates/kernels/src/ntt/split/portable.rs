//! Plain Rust: residues as integers.

use crate::{
    Limb,
    ntt::{coefficients::split, words::Words},
};

/// # Safety
/// The contract of `ntt_split`.
pub unsafe fn kernel(r: *mut Limb, a: *const Limb, n: usize, m: usize, s: usize) {
    // SAFETY: the caller's word.
    unsafe { split::<Words>(r, a, n, m, s) }
}
