//! Plain Rust: double-word products.

use crate::{Limb, mpn::word::mac};

/// # Safety
/// The contract of `mpn_mul_1`.
pub unsafe fn kernel(r: *mut Limb, a: *const Limb, n: usize, b: Limb) -> Limb {
    let mut high = 0;
    for i in 0..n {
        // SAFETY: i < n, the length of both.
        unsafe {
            (*r.add(i), high) = mac(*a.add(i), b, high, 0);
        }
    }
    high
}
