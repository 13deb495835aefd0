//! Plain Rust: the products are independent of each other, only two subtractions a limb wait for those before.

use crate::{
    Limb,
    mpn::word::{mac, sbb},
};

/// # Safety
/// The contract of `mpn_bdiv_dbm1`.
pub unsafe fn kernel(r: *mut Limb, a: *const Limb, n: usize, s: Limb) {
    let mut h: Limb = 0;
    for i in 0..n {
        // SAFETY: i < n, the length of both.
        unsafe {
            let (low, high) = mac(*a.add(i), s, 0, 0);
            let (limb, borrow) = sbb(h, low, 0);
            *r.add(i) = limb;
            // A multiple of s below 2^64, as s divides 2^64 - 1: nothing is borrowed here.
            h = limb.wrapping_sub(high).wrapping_sub(borrow);
        }
    }
}
