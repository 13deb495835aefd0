//! Montgomery reduction by products, so that it costs two of them where products are better than schoolbook.
//!
//! Montgomery 1985, with one digit of k limbs; GMP, mpn_redc_n.

use super::Context;
use super::ring::Words;
use crate::nat::{Barrett, LIMB_BITS, Nat, mul, mul_bnm1, settle};
use crate::plan::Plan;
use carrysave_kernels::{Limb, mpn::Mpn};

/// `-n^-1 mod R` for an odd n of k limbs, R = 2^(64k).
pub(super) struct RedcN(Words);

impl RedcN {
    /// By Newton's iteration x (n x + 2), which doubles the limbs that are right, from `n0` on.
    pub(super) fn new(mpn: &Mpn, plan: &Plan, n: &[Limb], n0: Limb) -> RedcN {
        let k = n.len();
        let mut x = Words::new(vec![0; k]);
        x[0] = n0;
        let mut right = 1;
        while right < k {
            let next = (2 * right).min(k);
            let (x, new) = x[..next].split_at_mut(right);
            // n x + 1 is zero in the limbs that are right; above it is the part that x lacks, over x.
            let mut product = Words::new(vec![0; next + right]);
            mul(mpn, plan, &mut product, &n[..next], x);
            let mut rest = Words::new(product[right..next].to_vec());
            mpn.add_1.call_in_place(&mut rest, 1);
            mul(mpn, plan, &mut product[..next], x, &rest);
            new.copy_from_slice(&product[..next - right]);
            right = next;
        }
        RedcN(x)
    }

    /// It as limbs.
    pub(super) fn inverse(&self) -> &[Limb] {
        &self.0
    }

    /// `r := t / R mod n` for `t` below n R, which is destroyed.
    pub(super) fn call(&self, mpn: &Mpn, plan: &Plan, r: &mut [Limb], t: &mut [Limb], n: &[Limb]) {
        let k = n.len();
        let mut products = Words::new(vec![0; 4 * k]);
        let (q, qn) = products.split_at_mut(2 * k);
        mul(mpn, plan, q, &t[..k], &self.0);
        let carry = if k.is_multiple_of(2) && k >= plan.bnm1 {
            // Modulo R - 1 the sum t + q n, whose lower half is 0, is the upper half, if q n takes the lower of t.
            let sum = &mut qn[..k];
            mul_bnm1(mpn, plan, sum, &q[..k], n);
            let carry = mpn.add_n.call_in_place(sum, &t[..k]);
            mpn.add_1.call_in_place(sum, carry);
            settle(mpn, sum);
            mpn.add_n.call_in_place(&mut t[k..], sum)
        } else {
            mul(mpn, plan, qn, &q[..k], n);
            mpn.add_n.call_in_place(t, qn)
        };
        let borrow = mpn.sub_n.call(r, &t[k..], n);
        mpn.cnd_add_n.call_in_place(borrow & (1 ^ carry), r, n);
    }
}

/// The context for Barrett's reduction, without a division: n may be secret.
///
/// With v = n 2^s, whose top bit is set, and w = R^2 / 2^s mod n, the remainder of R^2 by v is w 2^s. So the reciprocal
/// is (R^2 / 2^s - w) / n without a remainder, which modulo R is -w / n.
pub(super) fn barrett(c: &Context) -> Barrett {
    let n = c.n.limbs();
    let mut w = c.r2.clone();
    for _ in 0..n.len() * LIMB_BITS - c.bits {
        // Nothing is carried: the top bit of n is not set.
        let w = w.limbs_mut();
        c.mpn.cnd_add_n.call_in_place(w[0] & 1, w, n);
        c.mpn.rshift.call_in_place(w, 1);
    }
    let RedcN(inverse) = match &c.redc_n {
        Some(known) => known,
        None => &RedcN::new(&c.mpn, c.plan, n, c.n0),
    };
    let mut product = Words::new(vec![0; 2 * n.len()]);
    mul(&c.mpn, c.plan, &mut product, w.limbs(), inverse);
    let reciprocal = Nat::from_limbs(&product[..n.len()]);
    Barrett::with_reciprocal(c.mpn.clone(), c.plan, &c.n, c.bits, reciprocal)
}
