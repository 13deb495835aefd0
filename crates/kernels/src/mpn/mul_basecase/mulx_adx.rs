//! Strips of eight limbs on `mulx`, `adcx`, `adox`; rows of one limb for what the strips leave.

use crate::{
    Limb,
    mpn::mulx_adx::{addmul_1, addmul_8},
};

/// # Safety
/// The contract of `mpn_mul_basecase`; the processor has BMI2 and ADX.
pub unsafe fn kernel<const SPACED: bool>(
    r: *mut Limb,
    a: *const Limb,
    n: usize,
    b: *const Limb,
    m: usize,
) {
    // A strip of fewer rows takes longer than these rows alone.
    let n8 = if m < 4 { 0 } else { n & !7 };
    // SAFETY: the strips write r[.. n8 + m]; row i below adds to r[i .. i + m] and writes r[i + m], which nothing has
    // reached before.
    unsafe {
        r.write_bytes(0, m);
        if n8 > 0 {
            addmul_8::<SPACED>(r, a, n8 / 8, b, m);
        }
        for i in n8..n {
            *r.add(i + m) = addmul_1(r.add(i), b, m, *a.add(i));
        }
    }
}
