//! One `sbb` chain through the carry flag.

use crate::{Limb, mpn::chain::carry_chain};

/// # Safety
/// The contract of `mpn_sub_n`.
pub unsafe fn kernel(r: *mut Limb, a: *const Limb, b: *const Limb, n: usize) -> Limb {
    // SAFETY: reads a[n] and b[n], writes r[n], each limb after its sources were read.
    unsafe { carry_chain!("sbb", r, a, b, n) }
}
