//! Plain Rust: one word after the other.

use crate::{Limb, radix52::word::MASK};

/// # Safety
/// The contract of `radix52_add`.
pub unsafe fn kernel(r: *mut Limb, a: *const Limb, b: *const Limb, n: usize) -> Limb {
    let mut carry = 0;
    for i in 0..8 * n {
        // SAFETY: i < 8n.
        unsafe {
            let word = *a.add(i) + *b.add(i);
            let sum = (word & MASK) + carry;
            *r.add(i) = sum & MASK;
            carry = (word >> 52) + (sum >> 52);
        }
    }
    carry
}
