//! Plain Rust: block by block, all rounds written out, subkeys made where they are added.

use crate::{Limb, threefish::rounds::code};

/// # Safety
/// The contract of `threefish_encrypt`.
pub unsafe fn kernel(
    r: *mut Limb,
    x: *const Limb,
    key: *const Limb,
    t: *const Limb,
    n: usize,
    m: usize,
    s: Limb,
) {
    // SAFETY: the same contract.
    unsafe { code::<false>(r, x, key, t, n, m, s) }
}
