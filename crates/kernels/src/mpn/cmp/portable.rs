//! Plain Rust: the borrows of a - b and of b - a, both over the whole length.

use crate::{Limb, mpn::word::sbb};

/// # Safety
/// The contract of `mpn_cmp`.
pub unsafe fn kernel(a: *const Limb, b: *const Limb, n: usize) -> Limb {
    let (mut below, mut above) = (0, 0);
    for i in 0..n {
        // SAFETY: i < n, the length of both.
        let (x, y) = unsafe { (*a.add(i), *b.add(i)) };
        below = sbb(x, y, below).1;
        above = sbb(y, x, above).1;
    }
    above.wrapping_sub(below)
}
