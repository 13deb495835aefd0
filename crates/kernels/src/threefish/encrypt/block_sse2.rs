//! SSE2 within a block, all subkeys made beforehand. For comparison.

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
    unsafe { code::<Sse2, Sse2, true, false>(r, x, key, t, n, m, s) }
}
