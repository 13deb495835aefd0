//! Plain Rust: the number times itself.

use crate::{Limb, radix52::addmul};

/// # Safety
/// The contract of `radix52_sqr`.
pub unsafe fn kernel(t: *mut Limb, a: *const Limb, n: usize) {
    // SAFETY: t has 16n words; the contract of `radix52_addmul` holds for b = a.
    unsafe {
        t.write_bytes(0, 16 * n);
        addmul::portable::kernel(t, a, n, a, n);
    }
}
