//! SOS on `mulx`, `adcx`, `adox`, the square first and then its reduction.

use crate::{
    Limb,
    mpn::{redc_1, sqr_basecase},
};

/// # Safety
/// The contract of `mpn_mont_sqr`; the processor has BMI2 and ADX.
pub unsafe fn kernel(
    r: *mut Limb,
    a: *const Limb,
    n: *const Limb,
    k: usize,
    n0: Limb,
    t: *mut Limb,
) {
    // SAFETY: t has 2k limbs; a^2 < n * R.
    unsafe {
        sqr_basecase::mulx_adx::kernel(t, a, k);
        redc_1::mulx_adx::kernel(r, t, n, k, n0);
    }
}
