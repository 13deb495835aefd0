//! Sum and difference in registers, one of them chosen by `cmov`.

use crate::{
    Limb,
    fp::{adc, load, store},
};

/// # Safety
/// The contract of `fp_add`.
pub unsafe fn kernel(r: *mut Limb, a: *const Limb, b: *const Limb, n: *const Limb) {
    // SAFETY: operands have four limbs.
    unsafe { store(r, adc::add_4(&load(a), &load(b), &load(n))) }
}
