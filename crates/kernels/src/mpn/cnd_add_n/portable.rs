//! Plain Rust: b behind a mask.

use crate::{
    Limb,
    mpn::word::{adc, mask},
};

/// # Safety
/// The contract of `mpn_cnd_add_n`.
pub unsafe fn kernel(c: Limb, r: *mut Limb, a: *const Limb, b: *const Limb, n: usize) -> Limb {
    let keep = mask(c);
    let mut carry = 0;
    for i in 0..n {
        // SAFETY: i < n, the length of all three.
        unsafe {
            let (sum, out) = adc(*a.add(i), *b.add(i) & keep, carry);
            *r.add(i) = sum;
            carry = out;
        }
    }
    carry
}
