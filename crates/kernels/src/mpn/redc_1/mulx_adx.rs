//! Eight quotient limbs at a time on 8 x 8 blocks; rows of one limb for what the blocks leave.

use crate::{
    Limb,
    mpn::{
        montgomery::subtract_once,
        mulx_adx::{addmul_1, redc_8, subtract_once_8},
        sub_n,
        word::adc,
    },
};

/// # Safety
/// The contract of `mpn_redc_1`; the processor has BMI2 and ADX.
pub unsafe fn kernel(r: *mut Limb, t: *mut Limb, n: *const Limb, k: usize, n0: Limb) {
    let k8 = k & !7;
    let p = k8 / 8;
    // SAFETY: block i touches t[i .. i + k + 8], i + 8 <= k8; row i touches t[i .. i + k] and t[i + k], i < k.
    unsafe {
        if k == k8 {
            let top = redc_8(t, p, n, p, n0);
            return subtract_once_8(r, t.add(k), n, p, top);
        }
        let mut top = 0; // owed at t[i + k]; t / R < 2n, so that it never exceeds 1
        for i in (0..k8).step_by(8) {
            // The columns of n above k8 reach further up: every carry is passed on to t[i + k + 8].
            let end = i + k + 8;
            let mut over = ripple(t, i + k, end, top);
            let carry = redc_8(t.add(i), 1, n, p, n0);
            over += ripple(t, i + k8 + 8, end, carry);
            for j in k8..k {
                let carry = addmul_1(t.add(i + j), t.add(i), 8, *n.add(j)); // the quotients are in t
                over += ripple(t, i + j + 8, end, carry);
            }
            top = over;
        }
        for i in k8..k {
            let q = (*t.add(i)).wrapping_mul(n0);
            let carry = addmul_1(t.add(i), n, k, q);
            (*t.add(i + k), top) = adc(*t.add(i + k), carry, top);
        }
        subtract_once(sub_n::sbb::kernel, r, t, n, k, top);
    }
}

/// `t[from .. to] += limb`; returns the carry out.
///
/// # Safety
/// `t` has at least `to` limbs.
unsafe fn ripple(t: *mut Limb, from: usize, to: usize, limb: Limb) -> Limb {
    let mut carry = limb;
    for i in from..to {
        // SAFETY: i < to.
        unsafe {
            let (sum, out) = adc(*t.add(i), carry, 0);
            *t.add(i) = sum;
            carry = out;
        }
    }
    carry
}
