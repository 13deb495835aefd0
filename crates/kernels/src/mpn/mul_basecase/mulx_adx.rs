//! 8 x 8 blocks on `mulx`, `adcx`, `adox`; rows of one limb for what the blocks leave.

use crate::{
    Limb,
    mpn::mulx_adx::{addmul_1, mul_8},
};

/// # Safety
/// The contract of `mpn_mul_basecase`; the processor has BMI2 and ADX.
pub unsafe fn kernel(r: *mut Limb, a: *const Limb, n: usize, b: *const Limb, m: usize) {
    let (n8, m8) = (n & !7, m & !7);
    // SAFETY: the blocks write r[.. n8 + m8]; row j below writes r[j .. j + n8] and then r[j + n8], which nothing has
    // reached before; column i likewise r[i .. i + m] and r[i + m].
    unsafe {
        if m8 > 0 {
            mul_8(r, a, n8 / 8, b, m8 / 8);
        } else {
            r.write_bytes(0, n8.max(m));
        }
        if n8 > 0 {
            for j in m8..m {
                *r.add(j + n8) = addmul_1(r.add(j), a, n8, *b.add(j));
            }
        }
        for i in n8..n {
            *r.add(i + m) = addmul_1(r.add(i), b, m, *a.add(i));
        }
    }
}
