//! Plain Rust: the limb is the first carry.

use crate::{Limb, mpn::word::adc};

/// # Safety
/// The contract of `mpn_add_1`.
pub unsafe fn kernel(r: *mut Limb, a: *const Limb, n: usize, b: Limb) -> Limb {
    // SAFETY: n >= 1; i < n, the length of both.
    unsafe {
        let (sum, mut carry) = adc(*a, b, 0);
        *r = sum;
        for i in 1..n {
            let (sum, c) = adc(*a.add(i), 0, carry);
            *r.add(i) = sum;
            carry = c;
        }
        carry
    }
}
