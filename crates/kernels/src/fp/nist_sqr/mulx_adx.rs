//! Products of different limbs once, doubled by one chain while another adds the squares of limbs; reduced as products are.

use crate::{
    Limb,
    fp::{
        load,
        mulx_adx::{p256, p384},
        store,
    },
};

/// # Safety
/// The contract of `fp_nist_sqr`; the processor has BMI2 and ADX.
pub unsafe fn kernel(r: *mut Limb, a: *const Limb, n: usize) {
    // SAFETY: operands have n limbs, 4 or 6; the processor as above.
    unsafe {
        match n {
            4 => store(r, p256::sqr(&load(a))),
            _ => p384::sqr(r, a),
        }
    }
}
