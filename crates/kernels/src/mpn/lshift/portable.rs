//! Plain Rust, from the top down, so that r = a works.

use crate::Limb;

/// # Safety
/// The contract of `mpn_lshift`.
pub unsafe fn kernel(r: *mut Limb, a: *const Limb, n: usize, s: u32) -> Limb {
    // SAFETY: n >= 1; i and i - 1 are below n, the length of both.
    unsafe {
        let out = *a.add(n - 1) >> (64 - s);
        for i in (1..n).rev() {
            *r.add(i) = *a.add(i) << s | *a.add(i - 1) >> (64 - s);
        }
        *r = *a << s;
        out
    }
}
