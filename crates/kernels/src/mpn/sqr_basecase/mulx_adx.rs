//! Cross products once: a triangle on the diagonal for each eight limbs, and a strip above it; then one pass doubles and
//! adds the squares.

use crate::{
    Limb,
    mpn::mulx_adx::{addmul_1, cross_8, double_add_squares},
};

/// # Safety
/// The contract of `mpn_sqr_basecase`; the processor has BMI2 and ADX.
pub unsafe fn kernel<const SPACED: bool>(r: *mut Limb, a: *const Limb, n: usize) {
    let n8 = n & !7;
    // SAFETY: the strips add to r[8 .. n8] and write the rest of r[.. 2 * n8]; row i writes r[i .. 2i] and then r[2i] and
    // r[2i + 1], which nothing has reached before.
    unsafe {
        r.write_bytes(0, n8.max(2));
        if n8 > 0 {
            cross_8::<SPACED>(r, a, n8 / 8);
        }
        for i in n8.max(1)..n {
            *r.add(2 * i) = addmul_1(r.add(i), a, i, *a.add(i));
            *r.add(2 * i + 1) = 0;
        }
        double_add_squares(r, a, n);
    }
}
