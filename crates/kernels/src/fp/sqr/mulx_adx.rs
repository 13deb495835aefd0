//! Products of different limbs once, doubled by one chain; another adds the squares of limbs, of two limbs by `adcx` and
//! `adox` at the same time, of four after the first. As `square_mulx` if d has more than 62 bits.

use crate::{
    Limb,
    fp::{load, mulx_adx, store},
};

/// # Safety
/// The contract of `fp_sqr`; the processor has BMI2 and ADX.
pub unsafe fn kernel(r: *mut Limb, a: *const Limb, n: usize, d: Limb) {
    // SAFETY: operands have n limbs, 2 or 4; the processor as above.
    unsafe {
        let folded = if n == 2 {
            mulx_adx::sqr_2(&load(a), d).map(|square| store(r, square))
        } else {
            mulx_adx::sqr_4(&load(a), d).map(|square| store(r, square))
        };
        if folded.is_none() {
            super::square_mulx(r, a, n, d);
        }
    }
}
