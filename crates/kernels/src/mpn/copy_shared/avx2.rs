//! AVX2: 4 words at a time.

use crate::{Limb, mpn::shared::copy_registers};

/// # Safety
/// The contract of `mpn_copy_shared`; the processor has AVX2.
pub unsafe fn kernel(r: *mut Limb, a: *const Limb, n: usize) {
    // SAFETY: reads a[n] and writes r[n].
    unsafe { copy_registers!("vmovdqu", "ymm0", 4, r, a, n) }
}
