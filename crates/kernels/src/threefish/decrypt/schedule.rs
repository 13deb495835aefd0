//! Plain Rust, all subkeys made beforehand. For comparison.

use crate::{Limb, threefish::block::code};

/// # Safety
/// The contract of `threefish_decrypt`.
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
    unsafe { code::<Limb, Limb, true, true>(r, x, key, t, n, m, s) }
}
