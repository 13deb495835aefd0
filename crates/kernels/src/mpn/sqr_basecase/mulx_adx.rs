//! Cross products once: triangles on the diagonal, 8 x 8 blocks off it; then one pass doubles and adds the squares.

use crate::{
    Limb,
    mpn::mulx_adx::{addmul_1, addmul_8, double_add_squares, triangle_8},
};

/// # Safety
/// The contract of `mpn_sqr_basecase`; the processor has BMI2 and ADX.
pub unsafe fn kernel(r: *mut Limb, a: *const Limb, n: usize) {
    let n8 = n & !7;
    let mut w = [0; 8];
    // SAFETY: block i writes r[2i .. n8 + i + 8], its upper eight limbs for the first time; row i writes
    // r[i .. 2i] and then r[2i], which nothing has reached before.
    unsafe {
        core::slice::from_raw_parts_mut(r, 2 * n).fill(0);
        for i in (0..n8).step_by(8) {
            let (t, x) = (r.add(2 * i), a.add(i));
            triangle_8(t, x, w.as_mut_ptr());
            addmul_8(t.add(8), x.add(8), (n8 - i) / 8 - 1, x, w.as_ptr(), 0);
        }
        for i in n8.max(1)..n {
            *r.add(2 * i) = addmul_1(r.add(i), a, i, *a.add(i));
        }
        double_add_squares(r, a, n);
    }
    crate::wipe(&mut w);
}
