//! `ifma256` by Karatsuba's method, where the digits have halves.

use crate::{Limb, mb8::ifma::ymm};

/// # Safety
/// The contract of `mb8_ams`; the processor has [`IFMA`](crate::mb8::IFMA).
pub unsafe fn kernel(
    r: *mut Limb,
    a: *const Limb,
    n: *const Limb,
    k0: *const Limb,
    t: *mut Limb,
    digits: usize,
) {
    // SAFETY: the same contract.
    unsafe { ymm::ams::<true>(r, a, n, k0, t, digits) }
}
