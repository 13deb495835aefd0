//! AVX2: products of 32-bit words in four lanes, carries resolved by look-ahead.

use crate::{
    Limb,
    mpn::pmuludq::{SUBMUL, four},
};

/// # Safety
/// The contract of `mpn_submul_1`; the processor has AVX2.
#[target_feature(enable = "avx2")]
pub unsafe fn kernel(r: *mut Limb, a: *const Limb, n: usize, b: Limb) -> Limb {
    // SAFETY: the same contract.
    unsafe { four::row::<SUBMUL>(r, a, n, b) }
}
