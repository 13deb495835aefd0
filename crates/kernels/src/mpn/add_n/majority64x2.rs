//! Two 64-bit lanes, the carry from the top bits, passed on from the low lane to the high one.

use crate::{Limb, mpn::majority};

/// # Safety
/// The contract of `mpn_add_n`.
#[target_feature(enable = "sse2")]
pub unsafe fn kernel(r: *mut Limb, a: *const Limb, b: *const Limb, n: usize) -> Limb {
    // SAFETY: the same contract.
    unsafe { majority::pairs::<false>(r, a, b, n) }
}
