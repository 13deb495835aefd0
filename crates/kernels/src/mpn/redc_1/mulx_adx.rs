//! Eight quotient limbs at a time on `mulx`, `adcx`, `adox`; rows of one limb for the last ones.

use crate::{
    Limb,
    mpn::{
        montgomery::subtract_once,
        mulx_adx::{addmul_1, redc_8, subtract_once_8},
        sub_n,
        word::adc,
    },
};

/// # Safety
/// The contract of `mpn_redc_1`; the processor has BMI2 and ADX.
pub unsafe fn kernel<const SPACED: bool>(
    r: *mut Limb,
    t: *mut Limb,
    n: *const Limb,
    k: usize,
    n0: Limb,
) {
    let k8 = k & !7;
    // SAFETY: the rounds of eight touch t[.. k8 + k]; row i touches t[i .. i + k] and t[i + k], i < k.
    unsafe {
        let mut top = 0; // owed at t[i + k]; t / R < 2n, so that it never exceeds 1
        if k8 > 0 {
            top = redc_8::<SPACED>(t, k8 / 8, n, k, n0);
        }
        if k == k8 {
            return subtract_once_8(r, t.add(k), n, k / 8, top);
        }
        for i in k8..k {
            let q = (*t.add(i)).wrapping_mul(n0);
            let carry = addmul_1(t.add(i), n, k, q);
            (*t.add(i + k), top) = adc(*t.add(i + k), carry, top);
        }
        subtract_once(sub_n::sbb, r, t, n, k, top);
    }
}
