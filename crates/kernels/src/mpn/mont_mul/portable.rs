//! Plain Rust: SOS, the product first and then its reduction.

use crate::{
    Limb,
    mpn::{mul_basecase, redc_1},
};

/// # Safety
/// The contract of `mpn_mont_mul`.
pub unsafe fn kernel(
    r: *mut Limb,
    a: *const Limb,
    b: *const Limb,
    n: *const Limb,
    k: usize,
    n0: Limb,
    t: *mut Limb,
) {
    // SAFETY: t has 2k limbs; a * b < n^2 < n * R.
    unsafe {
        mul_basecase::portable::kernel(t, a, k, b, k);
        redc_1::portable::kernel(r, t, n, k, n0);
    }
}
