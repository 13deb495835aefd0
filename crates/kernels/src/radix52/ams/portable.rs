//! Plain Rust: the number times itself.

use crate::{Limb, radix52::amm};

/// # Safety
/// The contract of `radix52_ams`.
pub unsafe fn kernel(
    r: *mut Limb,
    a: *const Limb,
    n: *const Limb,
    blocks: usize,
    m: usize,
    k0: Limb,
) {
    // SAFETY: the contract of `radix52_amm` holds for b = a.
    unsafe { amm::portable::kernel(r, a, a, n, blocks, m, k0) }
}
