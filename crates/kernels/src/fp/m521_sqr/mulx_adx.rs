//! Products of different limbs once, doubled by one chain while another adds the squares of limbs.

use crate::{Limb, fp::mulx_adx::p521};

/// # Safety
/// The contract of `fp_m521_sqr`; the processor has BMI2 and ADX.
pub unsafe fn kernel(r: *mut Limb, a: *const Limb) {
    // SAFETY: operands have nine limbs; the processor as above.
    unsafe { p521::sqr(r, a) }
}
