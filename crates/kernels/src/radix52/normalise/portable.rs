//! Plain Rust: one word after the other.

use crate::{Limb, radix52::word::MASK};

/// # Safety
/// The contract of `radix52_normalise`.
pub unsafe fn kernel(r: *mut Limb, t: *const Limb, n: usize) -> Limb {
    let mut carry = 0;
    for i in 0..8 * n {
        // SAFETY: i < 8n.
        unsafe {
            let (low, high) = (*t.add(i) & MASK, *t.add(i) >> 52);
            let sum = low + carry;
            *r.add(i) = sum & MASK;
            carry = high + (sum >> 52);
        }
    }
    carry
}
