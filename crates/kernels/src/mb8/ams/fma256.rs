//! Floating-point products on AVX2 and FMA: four lanes, then the other four.

use crate::{Limb, mb8::fma};

/// # Safety
/// The contract of `mb8_ams`; the processor has [`FMA`](crate::mb8::FMA).
pub unsafe fn kernel(
    r: *mut Limb,
    a: *const Limb,
    n: *const Limb,
    k0: *const Limb,
    t: *mut Limb,
    digits: usize,
) {
    // SAFETY: the same contract.
    unsafe { fma::ams(r, a, n, k0, t, digits) }
}
