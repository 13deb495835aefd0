//! AVX-512: eight 64-bit lanes with b behind a mask, all their carries from one integer addition.

use crate::{Limb, mpn::lookahead};

/// # Safety
/// The contract of `mpn_cnd_add_n`; the processor has AVX-512 F.
#[target_feature(enable = "avx512f")]
pub unsafe fn kernel(c: Limb, r: *mut Limb, a: *const Limb, b: *const Limb, n: usize) -> Limb {
    // SAFETY: the same contract.
    unsafe { lookahead::masked::<false>(c, r, a, b, n) }
}
