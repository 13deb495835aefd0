//! Through radix 2^52 on AVX-512 IFMA, in parts of limited length; few limbs go to `mulx_adx`.

use crate::{
    Limb,
    mpn::{
        add_1, add_n,
        mul_basecase::mulx_adx,
        product52::{MOST, mul},
    },
};

/// Below this many limbs the change of radix costs more than it saves.
const FEW: usize = 17;

/// # Safety
/// The contract of `mpn_mul_basecase`; the processor has BMI2, ADX, AVX-512 F and IFMA.
pub unsafe fn kernel(r: *mut Limb, a: *const Limb, n: usize, b: *const Limb, m: usize) {
    // SAFETY: the same contract; the parts lie in a and b, their products in r.
    unsafe {
        if m < FEW {
            return mulx_adx::kernel::<true>(r, a, n, b, m);
        }
        if n <= MOST {
            return mul(r, a, n, b, m);
        }
        let mut part = [0; 2 * MOST];
        r.write_bytes(0, n + m);
        for j in (0..m).step_by(MOST) {
            for i in (0..n).step_by(MOST) {
                let (x, y) = ((n - i).min(MOST), (m - j).min(MOST));
                mul(part.as_mut_ptr(), a.add(i), x, b.add(j), y);
                let (low, high) = (r.add(i + j), r.add(i + j + x + y));
                let carry = add_n::adc(low, low, part.as_ptr(), x + y);
                let above = n + m - (i + j + x + y);
                if above > 0 {
                    add_1::portable::kernel(high, high, above, carry);
                }
            }
        }
        crate::wipe(&mut part, 0);
    }
}
