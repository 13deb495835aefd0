//! SOS on `mulx`, `adcx`, `adox`, the square first and then its reduction; eight limbs in one piece.

use crate::{
    Limb,
    mpn::{mulx_adx::mont_sqr_8, redc_1, sqr_basecase},
};

/// # Safety
/// The contract of `mpn_mont_sqr`; the processor has BMI2 and ADX.
pub unsafe fn kernel<const SPACED: bool>(
    r: *mut Limb,
    a: *const Limb,
    n: *const Limb,
    k: usize,
    n0: Limb,
    t: *mut Limb,
    m: usize,
) {
    // SAFETY: t has 2k limbs; a^2 < n * R.
    unsafe {
        if k == 8 {
            return mont_sqr_8::<SPACED>(r, a, n, n0, t, m);
        }
        let mut from = a;
        for _ in 0..m {
            sqr_basecase::mulx_adx::kernel::<SPACED>(t, from, k);
            redc_1::mulx_adx::kernel::<SPACED>(r, t, n, k, n0);
            from = r;
        }
    }
}
