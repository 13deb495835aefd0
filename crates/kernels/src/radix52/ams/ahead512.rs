//! As `ifma512`, with what the quotient digits are found from worked out in scalar registers before the vectors have it:
//! the least waiting, and more instructions.

use super::ifma512;
use crate::{Limb, radix52::ifma::AHEAD};

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
    unsafe { ifma512::run::<AHEAD>(r, a, n, blocks, m, k0) }
}
