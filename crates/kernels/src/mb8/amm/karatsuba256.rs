//! `ifma256` by Karatsuba's method, where the digits have halves.

use crate::{Limb, mb8::ifma::ymm};

/// # Safety
/// The contract of `mb8_amm`; the processor has [`IFMA`](crate::mb8::IFMA).
pub unsafe fn kernel(
    r: *mut Limb,
    a: *const Limb,
    b: *const Limb,
    n: *const Limb,
    k0: *const Limb,
    t: *mut Limb,
    digits: usize,
) {
    // SAFETY: the same contract.
    unsafe { ymm::amm::<true>(r, a, b, n, k0, t, digits) }
}
