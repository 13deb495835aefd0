//! The schoolbook method by rows on `mulx`, `adcx` and `adox`; as `schoolbook_mulx` if d has more than 62 bits.

use crate::{
    Limb,
    fp::{load, mulx_adx, store},
};

/// # Safety
/// The contract of `fp_mul`; the processor has BMI2 and ADX.
#[inline(always)]
pub unsafe fn kernel(r: *mut Limb, a: *const Limb, b: *const Limb, n: usize, d: Limb) {
    // SAFETY: operands have n limbs, 2 or 4; the processor as above.
    unsafe {
        let folded = if n == 2 {
            mulx_adx::mul_2(&load(a), &load(b), d).map(|product| store(r, product))
        } else {
            mulx_adx::mul_4(&load(a), &load(b), d).map(|product| store(r, product))
        };
        if folded.is_none() {
            super::schoolbook_mulx(r, a, b, n, d);
        }
    }
}
