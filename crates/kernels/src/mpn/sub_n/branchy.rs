//! The carry as a word, by branches and conditional moves: for processors with a slow `sbb`.

use crate::{Limb, mpn::chain::carry_branches};

/// # Safety
/// The contract of `mpn_sub_n`, but for timing.
pub unsafe fn kernel(r: *mut Limb, a: *const Limb, b: *const Limb, n: usize) -> Limb {
    // SAFETY: reads a[n] and b[n], writes r[n], each limb after its sources were read.
    unsafe { carry_branches!("sub", r, a, b, n) }
}
