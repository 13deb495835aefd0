//! AVX-512: eight 64-bit lanes, all their carries from one integer addition; what is shorter in plain Rust.

use crate::{Limb, mpn::lookahead};

/// # Safety
/// The contract of `mpn_add_1`; the processor has AVX-512 F.
#[target_feature(enable = "avx512f")]
pub unsafe fn kernel(r: *mut Limb, a: *const Limb, n: usize, b: Limb) -> Limb {
    // SAFETY: the same contract.
    unsafe {
        match n {
            ..8 => super::portable::kernel(r, a, n, b),
            _ => lookahead::ripple::<false>(r, a, n, b),
        }
    }
}
