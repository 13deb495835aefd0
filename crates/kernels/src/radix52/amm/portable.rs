//! Plain Rust: double-word products, carries paid at once.

use crate::{Limb, radix52::word::amm};

/// # Safety
/// The contract of `radix52_amm`.
pub unsafe fn kernel(
    r: *mut Limb,
    a: *const Limb,
    b: *const Limb,
    n: *const Limb,
    blocks: usize,
    m: usize,
    k0: Limb,
) {
    let d = 8 * blocks;
    let mut t = [0; 8 * super::Amm::MAX_BLOCKS];
    // SAFETY: the contract; t has room for the largest d and is apart from the sources.
    unsafe {
        amm(t.as_mut_ptr(), a, b, n, d, m, k0);
        core::ptr::copy_nonoverlapping(t.as_ptr(), r, d);
    }
    crate::wipe(&mut t[..d], 0);
}
