//! One `adc` chain through the carry flag.

use crate::{Limb, mpn::chain::carry_chain};

/// # Safety
/// The contract of `mpn_add_n`.
pub unsafe fn kernel(r: *mut Limb, a: *const Limb, b: *const Limb, n: usize) -> Limb {
    // SAFETY: reads a[n] and b[n], writes r[n], each limb after its sources were read.
    unsafe { carry_chain!("adc", r, a, b, n) }
}
