//! Plain Rust: the product with itself.

use crate::{Limb, mb8::amm};

/// # Safety
/// The contract of `mb8_ams`.
pub unsafe fn kernel(
    r: *mut Limb,
    a: *const Limb,
    n: *const Limb,
    k0: *const Limb,
    t: *mut Limb,
    digits: usize,
) {
    // SAFETY: the contract of `mb8_amm` with b = a.
    unsafe { amm::portable::kernel(r, a, a, n, k0, t, digits) }
}
