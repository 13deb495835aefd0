//! Plain Rust: as `radix52_addmul`, in some of the columns.

use crate::{Limb, radix52::addmul::portable::columns};

/// # Safety
/// The contract of `radix52_addmul_high`.
pub unsafe fn kernel(t: *mut Limb, a: *const Limb, n: usize, b: *const Limb, m: usize) {
    // SAFETY: the same contract.
    unsafe { columns(t.wrapping_sub(8 * (m - 1)), a, n, b, m, m - 1, n + m) }
}
