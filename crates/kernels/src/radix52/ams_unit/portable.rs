//! Plain Rust: the number times itself.

use crate::{Limb, radix52::amm_unit};

/// # Safety
/// The contract of `radix52_ams_unit`.
pub unsafe fn kernel(r: *mut Limb, a: *const Limb, n: *const Limb, blocks: usize, m: usize) {
    // SAFETY: the contract of `radix52_amm_unit` holds for b = a.
    unsafe { amm_unit::portable::kernel(r, a, a, n, blocks, m) }
}
