//! AVX-512: eight blocks a vector; of Threefish-256 six vectors are in flight, of -512 three, of -1024 one.

use crate::{Limb, threefish::sliced::zmm::code};

/// # Safety
/// The contract of `threefish_decrypt`; the processor has AVX-512 F.
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
