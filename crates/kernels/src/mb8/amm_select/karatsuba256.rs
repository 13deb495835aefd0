//! `ifma256` by Karatsuba's method, where the digits have halves.

use crate::{Limb, mb8::ifma::ymm};

/// # Safety
/// The contract of `mb8_amm_select`; the processor has [`IFMA`](crate::mb8::IFMA).
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
    unsafe { ymm::amm_select::<true>(r, a, table, index, n, k0, t, digits, m) }
}
