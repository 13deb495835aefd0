//! Plain Rust: the limb is the first borrow.

use crate::{Limb, mpn::word::sbb};

/// # Safety
/// The contract of `mpn_sub_1`.
pub unsafe fn kernel(r: *mut Limb, a: *const Limb, n: usize, b: Limb) -> Limb {
    // SAFETY: n >= 1; i < n, the length of both.
    unsafe {
        let (difference, mut borrow) = sbb(*a, b, 0);
        *r = difference;
        for i in 1..n {
            let (difference, c) = sbb(*a.add(i), 0, borrow);
            *r.add(i) = difference;
            borrow = c;
        }
        borrow
    }
}
