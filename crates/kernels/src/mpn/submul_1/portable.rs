//! Plain Rust: r - a * b = not (not r + a * b), limb by limb.

use crate::{Limb, mpn::word::mac};

/// # Safety
/// The contract of `mpn_submul_1`.
pub unsafe fn kernel(r: *mut Limb, a: *const Limb, n: usize, b: Limb) -> Limb {
    let mut carry = 0;
    for i in 0..n {
        // SAFETY: i < n, the length of both.
        unsafe {
            let (low, high) = mac(*a.add(i), b, !*r.add(i), carry);
            *r.add(i) = !low;
            carry = high;
        }
    }
    carry
}
