//! Plain Rust, from the bottom up, so that r = a works.

use crate::Limb;

/// # Safety
/// The contract of `mpn_rshift`.
pub unsafe fn kernel(r: *mut Limb, a: *const Limb, n: usize, s: u32) -> Limb {
    // SAFETY: n >= 1; i and i + 1 are below n, the length of both.
    unsafe {
        let out = *a << (64 - s);
        for i in 0..n - 1 {
            *r.add(i) = *a.add(i) >> s | *a.add(i + 1) << (64 - s);
        }
        *r.add(n - 1) = *a.add(n - 1) >> s;
        out
    }
}
