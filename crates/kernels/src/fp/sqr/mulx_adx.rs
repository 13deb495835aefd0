//! Products of different limbs once, doubled by one chain while another adds the squares of limbs.

use crate::{
    Limb,
    fp::{load, mulx_adx, store},
};

/// # Safety
/// The contract of `fp_sqr`; the processor has BMI2 and ADX.
pub unsafe fn kernel(r: *mut Limb, a: *const Limb, n: usize, d: Limb) {
    // SAFETY: operands have n limbs, 2 or 4; the processor as above.
    unsafe {
        if n == 2 {
            store(r, mulx_adx::sqr_2(&load(a), d));
        } else {
            store(r, mulx_adx::sqr_4_by(&load(a), d));
        }
    }
}
