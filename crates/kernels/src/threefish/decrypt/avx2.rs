//! AVX2: four blocks a vector; of Threefish-256 two vectors are in flight, of the others one, which fills the registers.

use crate::{Limb, threefish::sliced::ymm::code};

/// # Safety
/// The contract of `threefish_decrypt`; the processor has AVX2.
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
    unsafe { code::<true>(r, x, key, t, n, m, s) }
}
