//! Plain Rust: one limb at a time, the carry as a word.

use crate::{Limb, mpn::word::adc};

/// # Safety
/// The contract of `mpn_add_n`.
pub unsafe fn kernel(r: *mut Limb, a: *const Limb, b: *const Limb, n: usize) -> Limb {
    let mut carry = 0;
    for i in 0..n {
        // SAFETY: i < n, the length of all three.
        unsafe {
            let (sum, c) = adc(*a.add(i), *b.add(i), carry);
            *r.add(i) = sum;
            carry = c;
        }
    }
    carry
}
