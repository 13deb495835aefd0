//! AVX2 within a block, all subkeys made beforehand; of Threefish-256 only half a vector. For comparison.

use crate::{
    Limb,
    threefish::block::{
        code,
        x86::{Xmm, Ymm},
    },
};

/// # Safety
/// The contract of `threefish_encrypt`; the processor has AVX2.
#[target_feature(enable = "avx2")]
pub unsafe fn kernel(
    r: *mut Limb,
    x: *const Limb,
    key: *const Limb,
    t: *const Limb,
    n: usize,
    m: usize,
    s: Limb,
) {
    // SAFETY: the same contract.
    unsafe { code::<Xmm, Ymm, true, false>(r, x, key, t, n, m, s) }
}
