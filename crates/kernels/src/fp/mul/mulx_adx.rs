//! The schoolbook method by rows on `mulx`, `adcx` and `adox`.

use crate::{
    Limb,
    fp::{load, mulx_adx, store},
};

/// # Safety
/// The contract of `fp_mul`; the processor has BMI2 and ADX.
pub unsafe fn kernel(r: *mut Limb, a: *const Limb, b: *const Limb, n: usize, d: Limb) {
    // SAFETY: operands have n limbs, 2 or 4; the processor as above.
    unsafe {
        if n == 2 {
            store(r, mulx_adx::mul_2(&load(a), &load(b), d));
        } else {
            store(r, mulx_adx::mul_4_by(&load(a), &load(b), d));
        }
    }
}
