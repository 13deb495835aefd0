//! As `ifma512`, the quotient digits found in vectors too: less waiting, more instructions. For processors that
//! execute 512-bit instructions whole.

use super::ifma512;
use crate::{Limb, radix52::ifma::VECTOR};

/// # Safety
/// The contract of `radix52_ams`; the processor has
/// [`IFMA`](crate::radix52::IFMA).
#[target_feature(enable = "avx512f,avx512vl,avx512ifma,bmi2")]
pub unsafe fn kernel(
    r: *mut Limb,
    a: *const Limb,
    n: *const Limb,
    blocks: usize,
    m: usize,
    k0: Limb,
) {
    // SAFETY: the same contract.
    unsafe { ifma512::run::<VECTOR>(r, a, n, blocks, m, k0) }
}
