//! Eight 16-bit words, the carry from a comparison with the saturated result.

use crate::{Limb, mpn::saturate};

/// # Safety
/// The contract of `mpn_sub_n`, but for timing.
#[target_feature(enable = "sse2")]
pub unsafe fn kernel(r: *mut Limb, a: *const Limb, b: *const Limb, n: usize) -> Limb {
    // SAFETY: the same contract.
    unsafe { saturate::vectors::<true>(r, a, b, n) }
}
