//! By rows on `mulx`, `adcx` and `adox`.

use crate::{
    Limb,
    fp::{load, mulx_adx, store},
};

/// # Safety
/// The contract of `fp_mont_mul`; the processor has BMI2 and ADX.
pub unsafe fn kernel(r: *mut Limb, a: *const Limb, b: *const Limb, n: *const Limb, n0: Limb) {
    // SAFETY: operands have four limbs; the processor as above.
    unsafe {
        let [n_0, n_1, n_2, n_3] = load(n);
        let n = [n_0, n_1, n_2, n_3, n0];
        store(r, mulx_adx::mont_mul_4(&load(a), &load(b), &n));
    }
}
