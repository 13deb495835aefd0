//! Plain Rust: one limb of quotient per row, then the final subtraction.

use crate::{
    Limb,
    mpn::{
        addmul_1, cnd_select, sub_n,
        word::{adc, sbb},
    },
};

/// # Safety
/// The contract of `mpn_redc_1`.
pub unsafe fn kernel(r: *mut Limb, t: *mut Limb, n: *const Limb, k: usize, n0: Limb) {
    // SAFETY: row i touches t[i .. i + k] and t[i + k], i < k.
    unsafe {
        let mut top = 0; // owed at t[i + k]; t / R < 2n, so that it never exceeds 1
        for i in 0..k {
            let q = (*t.add(i)).wrapping_mul(n0);
            let carry = addmul_1::portable::kernel(t.add(i), n, k, q);
            (*t.add(i + k), top) = adc(*t.add(i + k), carry, top);
        }
        let high = t.add(k);
        let borrow = sub_n::portable::kernel(t, high, n, k);
        let below = sbb(top, 0, borrow).1; // top * R + high < n
        cnd_select::portable::kernel(below, r, high, t, k);
    }
}
