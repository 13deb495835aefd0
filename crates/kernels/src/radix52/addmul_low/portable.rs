//! Plain Rust: as `radix52_addmul`, in some of the columns.

use crate::{Limb, radix52::addmul::portable::columns};

/// # Safety
/// The contract of `radix52_addmul_low`.
pub unsafe fn kernel(t: *mut Limb, a: *const Limb, n: usize, b: *const Limb, m: usize) {
    // SAFETY: the same contract.
    unsafe { columns(t, a, n, b, m, 0, n) }
}
