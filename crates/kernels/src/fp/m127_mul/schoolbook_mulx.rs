//! `portable` compiled for `mulx`.

use crate::{
    Limb,
    fp::mersenne127::{self, load, store},
};

/// # Safety
/// The contract of `fp_m127_mul`; the processor has what the row says.
#[target_feature(enable = "bmi2")]
pub unsafe fn kernel(r: *mut Limb, a: *const Limb, b: *const Limb) {
    // SAFETY: operands have two limbs.
    unsafe { store(r, mersenne127::mul(load(a), load(b))) }
}
