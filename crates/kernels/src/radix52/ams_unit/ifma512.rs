//! AVX-512 IFMA on 512-bit vectors: eight rows at a time, the accumulators in memory.

use crate::{
    Limb,
    radix52::{amm::Amm, blocks::square},
};

/// # Safety
/// The contract of `radix52_ams_unit`; the processor has
/// [`IFMA`](crate::radix52::IFMA).
#[target_feature(enable = "avx512f,avx512vl,avx512ifma,bmi2")]
pub unsafe fn kernel(r: *mut Limb, a: *const Limb, n: *const Limb, blocks: usize, m: usize) {
    // SAFETY: the same contract.
    unsafe { square::<{ Amm::MAX_BLOCKS }, true>(r, a, n, blocks, m, 1) }
}
