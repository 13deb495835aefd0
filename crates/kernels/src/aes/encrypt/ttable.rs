//! Plain Rust, by tables: the form of most programs before processors had instructions for it. For comparison.

use crate::{Limb, aes::tables::ENCRYPT};

/// # Safety
/// The contract of `aes_encrypt`, except that its time depends on the values.
pub unsafe fn kernel(r: *mut Limb, x: *const Limb, keys: *const Limb, n: usize, m: usize) {
    // SAFETY: the same contract.
    unsafe { ENCRYPT.blocks(1, r, x, keys, n, m) }
}
