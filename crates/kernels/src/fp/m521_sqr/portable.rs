//! As a product.

use crate::{Limb, fp::m521_mul};

/// # Safety
/// The contract of `fp_m521_sqr`.
pub unsafe fn kernel(r: *mut Limb, a: *const Limb) {
    // SAFETY: operands have nine limbs.
    unsafe { m521_mul::portable::kernel(r, a, a) }
}
