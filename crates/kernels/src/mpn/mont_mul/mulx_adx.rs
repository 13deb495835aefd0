//! SOS on `mulx`, `adcx`, `adox`, the product first and then its reduction; eight limbs in one piece.

use crate::{
    Limb,
    mpn::{mul_basecase, mulx_adx::mont_mul_8, redc_1},
};

/// # Safety
/// The contract of `mpn_mont_mul`; the processor has BMI2 and ADX.
pub unsafe fn kernel<const SPACED: bool>(
    r: *mut Limb,
    a: *const Limb,
    b: *const Limb,
    n: *const Limb,
    k: usize,
    n0: Limb,
    t: *mut Limb,
) {
    // SAFETY: t has 2k limbs; a * b < n^2 < n * R.
    unsafe {
        if k == 8 {
            return mont_mul_8::<SPACED>(r, a, b, n, n0, t);
        }
        mul_basecase::mulx_adx::kernel::<SPACED>(t, a, k, b, k);
        redc_1::mulx_adx::kernel::<SPACED>(r, t, n, k, n0);
    }
}
