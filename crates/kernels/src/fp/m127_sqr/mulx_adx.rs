//! `mulx`, and a fold that shifts nothing across two limbs.

use crate::{
    Limb,
    fp::{load, mulx_adx, store},
};

/// # Safety
/// The contract of `fp_m127_sqr`; the processor has what the row says.
pub unsafe fn kernel(r: *mut Limb, a: *const Limb) {
    // SAFETY: operands have two limbs; the processor as above.
    unsafe { store(r, mulx_adx::sqr_127(load(a))) }
}
