//! Floating-point products on AVX2 and FMA: four lanes, then the other four.

use crate::{Limb, mb8::fma};

/// # Safety
/// The contract of `mb8_amm`; the processor has [`FMA`](crate::mb8::FMA).
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
    unsafe { fma::amm(r, a, b, n, k0, t, digits) }
}
