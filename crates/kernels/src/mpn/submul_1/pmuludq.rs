//! SSE2: products of 32-bit words in two lanes, carries resolved by the majority of top bits.

use crate::{
    Limb,
    mpn::pmuludq::{SUBMUL, two},
};

/// # Safety
/// The contract of `mpn_submul_1`.
#[target_feature(enable = "sse2")]
pub unsafe fn kernel(r: *mut Limb, a: *const Limb, n: usize, b: Limb) -> Limb {
    // SAFETY: the same contract.
    unsafe { two::row::<SUBMUL>(r, a, n, b) }
}
