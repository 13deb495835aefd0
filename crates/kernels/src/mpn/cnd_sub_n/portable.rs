//! Plain Rust: b behind a mask.

use crate::{
    Limb,
    mpn::word::{mask, sbb},
};

/// # Safety
/// The contract of `mpn_cnd_sub_n`.
pub unsafe fn kernel(c: Limb, r: *mut Limb, a: *const Limb, b: *const Limb, n: usize) -> Limb {
    let keep = mask(c);
    let mut borrow = 0;
    for i in 0..n {
        // SAFETY: i < n, the length of all three.
        unsafe {
            let (difference, out) = sbb(*a.add(i), *b.add(i) & keep, borrow);
            *r.add(i) = difference;
            borrow = out;
        }
    }
    borrow
}
