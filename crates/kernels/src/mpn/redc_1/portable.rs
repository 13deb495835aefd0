//! Plain Rust: one limb of quotient per row, then the final subtraction.

use crate::{
    Limb,
    mpn::{addmul_1, montgomery::subtract_once, sub_n, word::adc},
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
        subtract_once(sub_n::portable::kernel, r, t, n, k, top);
    }
}
