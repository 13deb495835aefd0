//! `adc` chains of four limbs, with b behind a mask.

use crate::{Limb, mpn::chain::masked_chain};

/// # Safety
/// The contract of `mpn_cnd_add_n`.
pub unsafe fn kernel(c: Limb, r: *mut Limb, a: *const Limb, b: *const Limb, n: usize) -> Limb {
    // SAFETY: reads a[n] and b[n], writes r[n], each limb after its sources were read.
    unsafe { masked_chain!("adc", c, r, a, b, n) }
}
