//! Plain Rust: residues as integers.

use crate::{
    Limb,
    ntt::{
        transform::{Points, inverse},
        words::Words,
    },
};

/// # Safety
/// The contract of `ntt_inverse`.
pub unsafe fn kernel(x: *mut Limb, y: *const Limb, w: *const Limb, n: usize, s: usize) {
    let points = Points { y, sum: None };
    // SAFETY: the caller's word.
    unsafe { inverse::<Words>(x, points, w, n, s) }
}
