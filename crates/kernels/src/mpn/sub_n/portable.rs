//! Plain Rust: one limb at a time, the borrow as a word.

use crate::{Limb, mpn::word::sbb};

/// # Safety
/// The contract of `mpn_sub_n`.
pub unsafe fn kernel(r: *mut Limb, a: *const Limb, b: *const Limb, n: usize) -> Limb {
    let mut borrow = 0;
    for i in 0..n {
        // SAFETY: i < n, the length of all three.
        unsafe {
            let (difference, c) = sbb(*a.add(i), *b.add(i), borrow);
            *r.add(i) = difference;
            borrow = c;
        }
    }
    borrow
}
