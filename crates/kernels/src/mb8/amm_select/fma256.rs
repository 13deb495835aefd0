//! Floating-point products on AVX2 and FMA: four lanes, then the other four.

use crate::{Limb, mb8::fma};

/// # Safety
/// The contract of `mb8_amm_select`; the processor has [`FMA`](crate::mb8::FMA).
#[allow(clippy::too_many_arguments)]
pub unsafe fn kernel(
    r: *mut Limb,
    a: *const Limb,
    table: *const Limb,
    index: *const Limb,
    n: *const Limb,
    k0: *const Limb,
    t: *mut Limb,
    digits: usize,
    m: usize,
) {
    // SAFETY: the same contract.
    unsafe { fma::amm_select(r, a, table, index, n, k0, t, digits, m) }
}
