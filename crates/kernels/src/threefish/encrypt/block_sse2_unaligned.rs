//! The same as `block_sse2` with subkeys at odd multiples of eight bytes. For comparison.

use crate::{
    Limb,
    threefish::block::{code, x86::Sse2},
};

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
    unsafe { code::<Sse2, Sse2, false, false>(r, x, key, t, n, m, s) }
}
