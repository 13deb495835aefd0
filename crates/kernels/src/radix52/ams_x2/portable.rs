//! Plain Rust: the numbers times themselves.

use crate::{Limb, radix52::amm_x2};

/// # Safety
/// The contract of `radix52_ams_x2`.
pub unsafe fn kernel(
    r: *mut Limb,
    a: *const Limb,
    n: *const Limb,
    k0: *const Limb,
    blocks: usize,
    m: usize,
) {
    // SAFETY: the contract of `radix52_amm_x2` holds for b = a.
    unsafe { amm_x2::portable::kernel(r, a, a, n, k0, blocks, m) }
}
