//! `mulx` products on two carry chains, eight limbs a turn.

use crate::{Limb, mpn::mulx_adx};

/// # Safety
/// The contract of `mpn_submul_1`; the processor has BMI2 and ADX.
pub unsafe fn kernel(r: *mut Limb, a: *const Limb, n: usize, b: Limb) -> Limb {
    // SAFETY: the same contract.
    unsafe { mulx_adx::submul_1(r, a, n, b) }
}
