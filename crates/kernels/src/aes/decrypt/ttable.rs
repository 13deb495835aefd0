//! Plain Rust, by tables: the form of most programs before processors had instructions for it. For comparison.

use crate::{Limb, aes::tables::DECRYPT};

/// # Safety
/// The contract of `aes_decrypt`, except that its time depends on the values.
pub unsafe fn kernel(r: *mut Limb, x: *const Limb, keys: *const Limb, n: usize, m: usize) {
    // SAFETY: the same contract.
    unsafe { DECRYPT.blocks(3, r, x, keys, n, m) }
}
