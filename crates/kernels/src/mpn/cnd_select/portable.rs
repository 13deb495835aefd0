//! Plain Rust: the difference behind a mask.

use crate::{Limb, mpn::word::mask};

/// # Safety
/// The contract of `mpn_cnd_select`.
pub unsafe fn kernel(c: Limb, r: *mut Limb, a: *const Limb, b: *const Limb, n: usize) {
    let take_a = mask(c);
    for i in 0..n {
        // SAFETY: i < n, the length of all three.
        unsafe {
            let (x, y) = (*a.add(i), *b.add(i));
            *r.add(i) = y ^ ((x ^ y) & take_a);
        }
    }
}
