//! As a product.

use crate::{Limb, fp::nist_mul};

/// # Safety
/// The contract of `fp_nist_sqr`.
pub unsafe fn kernel(r: *mut Limb, a: *const Limb, n: usize) {
    // SAFETY: operands have n limbs, 4 or 6.
    unsafe { nist_mul::portable::kernel(r, a, a, n) }
}
