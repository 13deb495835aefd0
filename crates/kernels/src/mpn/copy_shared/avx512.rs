//! AVX-512 F: 8 words at a time.

use crate::{Limb, mpn::shared::copy_registers};

/// # Safety
/// The contract of `mpn_copy_shared`; the processor has AVX-512 F.
pub unsafe fn kernel(r: *mut Limb, a: *const Limb, n: usize) {
    // SAFETY: reads a[n] and writes r[n].
    unsafe { copy_registers!("vmovdqu64", "zmm0", 8, r, a, n) }
}
