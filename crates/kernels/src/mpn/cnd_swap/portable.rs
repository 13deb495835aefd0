//! Plain Rust: the difference behind a mask.

use crate::{Limb, mpn::word::mask};

/// # Safety
/// The contract of `mpn_cnd_swap`.
pub unsafe fn kernel(c: Limb, a: *mut Limb, b: *mut Limb, n: usize) {
    let swap = mask(c);
    for i in 0..n {
        // SAFETY: i < n, the length of both.
        unsafe {
            let d = (*a.add(i) ^ *b.add(i)) & swap;
            *a.add(i) ^= d;
            *b.add(i) ^= d;
        }
    }
}
