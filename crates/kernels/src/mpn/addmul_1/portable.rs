//! Plain Rust: double-word products; a * b + r + carry fits two words.

use crate::{Limb, mpn::word::mac};

/// # Safety
/// The contract of `mpn_addmul_1`.
pub unsafe fn kernel(r: *mut Limb, a: *const Limb, n: usize, b: Limb) -> Limb {
    let mut carry = 0;
    for i in 0..n {
        // SAFETY: i < n, the length of both.
        unsafe {
            (*r.add(i), carry) = mac(*a.add(i), b, *r.add(i), carry);
        }
    }
    carry
}
