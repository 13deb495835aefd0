//! Plain Rust: SOS, the square first and then its reduction.

use crate::{
    Limb,
    mpn::{redc_1, sqr_basecase},
};

/// # Safety
/// The contract of `mpn_mont_sqr`.
pub unsafe fn kernel(
    r: *mut Limb,
    a: *const Limb,
    n: *const Limb,
    k: usize,
    n0: Limb,
    t: *mut Limb,
    m: usize,
) {
    // SAFETY: t has 2k limbs; a^2 < n * R.
    unsafe {
        let mut from = a;
        for _ in 0..m {
            sqr_basecase::portable::kernel(t, from, k);
            redc_1::portable::kernel(r, t, n, k, n0);
            from = r;
        }
    }
}
