//! One 64-bit lane, the carry from the top bits of operands and result.

use crate::{Limb, mpn::majority};
use core::arch::x86_64::_mm_setzero_si128;

/// # Safety
/// The contract of `mpn_sub_n`.
#[target_feature(enable = "sse2")]
pub unsafe fn kernel(r: *mut Limb, a: *const Limb, b: *const Limb, n: usize) -> Limb {
    // SAFETY: the same contract.
    unsafe { majority::singles::<true>(r, a, b, (0, n), _mm_setzero_si128()) }
}
