//! One `sbb` chain through the carry flag.

use crate::{Limb, mpn::chain::ripple_chain};

/// # Safety
/// The contract of `mpn_sub_1`.
pub unsafe fn kernel(r: *mut Limb, a: *const Limb, n: usize, b: Limb) -> Limb {
    // SAFETY: reads a[n], writes r[n], each limb after its source was read.
    unsafe { ripple_chain!("sbb", r, a, n, b) }
}
