//! AVX-512: eight 64-bit lanes, all their carries from one integer addition.

use crate::{Limb, mpn::lookahead};

/// # Safety
/// The contract of `mpn_add_n`; the processor has AVX-512 F.
#[target_feature(enable = "avx512f")]
pub unsafe fn kernel(r: *mut Limb, a: *const Limb, b: *const Limb, n: usize) -> Limb {
    // SAFETY: the same contract.
    unsafe { lookahead::vectors::<false>(r, a, b, n) }
}
