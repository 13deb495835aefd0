//! By rows on `mulx`, `adcx` and `adox`, and then the lower half reduced by what is special in the prime.

use crate::{
    Limb,
    fp::{
        load,
        mulx_adx::{p256, p384},
        store,
    },
};

/// # Safety
/// The contract of `fp_nist_mul`; the processor has BMI2 and ADX.
pub unsafe fn kernel(r: *mut Limb, a: *const Limb, b: *const Limb, n: usize) {
    // SAFETY: operands have n limbs, 4 or 6; the processor as above.
    unsafe {
        match n {
            4 => store(r, p256::mul(&load(a), &load(b))),
            _ => p384::mul(r, a, b),
        }
    }
}
