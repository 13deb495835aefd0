//! Products modulo 2^(64n) - 1, which are cheaper than whole ones.
//!
//! With B = 2^(64h) and n = 2h the modulus is (B - 1)(B + 1): a product of half the width modulo either factor, and the
//! Chinese remainder theorem, instead of a whole product. GMP, mpn_mulmod_bnm1.

use super::mul::mul;
use crate::plan::Plan;
use carrysave_kernels::{Limb, mpn::Mpn};
use zeroize::Zeroizing;

/// `r := a * b mod 2^(64n) - 1` for numbers of n limbs; 0 may come as all ones, until [`settle`].
pub(crate) fn mul_bnm1(mpn: &Mpn, plan: &Plan, r: &mut [Limb], a: &[Limb], b: &[Limb]) {
    let n = r.len();
    let mut work = Zeroizing::new(vec![0; 3 * n]);
    if n % 2 == 1 || n < plan.bnm1 {
        let product = &mut work[..2 * n];
        mul(mpn, plan, product, a, b);
        return fold(mpn, r, product);
    }
    let h = n / 2;
    let (product, work) = work.split_at_mut(n);
    let (x, work) = work.split_at_mut(h);
    let (y, work) = work.split_at_mut(h);
    let (minus, plus) = work.split_at_mut(h);
    // Modulo B - 1, where B is 1.
    fold(mpn, x, a);
    fold(mpn, y, b);
    mul_bnm1(mpn, plan, minus, x, y);
    // Modulo B + 1, where B is -1: a is x + ca, b is y + cb.
    let ca = mpn.sub_n.call(x, &a[..h], &a[h..]);
    let cb = mpn.sub_n.call(y, &b[..h], &b[h..]);
    mul(mpn, plan, product, x, y);
    let borrow = mpn.sub_n.call(plus, &product[..h], &product[h..]);
    let carry = mpn.cnd_add_n.call_in_place(ca, plus, y) + mpn.cnd_add_n.call_in_place(cb, plus, x);
    // The product is plus + e, from -2 to 2.
    let e = (borrow + (ca & cb)) as i64 - carry as i64;
    // s := (minus + plus + e) / 2 mod B - 1, and the product is s + (s - plus - e) B.
    let (s, high) = r.split_at_mut(h);
    let carry = mpn.add_n.call(s, minus, plus) as i64;
    add_folded(mpn, s, carry + e);
    let odd = s[0] & 1;
    mpn.rshift.call_in_place(s, 1);
    s[h - 1] |= odd << (Limb::BITS - 1);
    let borrow = mpn.sub_n.call(high, s, plus) as i64;
    let carry = add_small(mpn, high, -e) - borrow;
    add_folded(mpn, r, carry);
}

/// `r := a mod 2^(64n) - 1` for an r of n limbs and an a of 2n: the sum of its halves, the carry added at the bottom.
fn fold(mpn: &Mpn, r: &mut [Limb], a: &[Limb]) {
    let (low, high) = a.split_at(r.len());
    let carry = mpn.add_n.call(r, low, high);
    mpn.add_1.call_in_place(r, carry);
}

/// `r += k` for a k from -2 to 3; returns the carry, which is -1 for a borrow.
fn add_small(mpn: &Mpn, r: &mut [Limb], k: i64) -> i64 {
    let carry = mpn.add_1.call_in_place(r, (k + 2) as Limb);
    carry as i64 - mpn.sub_1.call_in_place(r, 2) as i64
}

/// `r += k mod 2^(64n) - 1` for a k from -2 to 3.
pub(crate) fn add_folded(mpn: &Mpn, r: &mut [Limb], k: i64) {
    let carry = add_small(mpn, r, k);
    add_small(mpn, r, carry);
}

/// `r := 0` where r is all ones.
pub(crate) fn settle(mpn: &Mpn, r: &mut [Limb]) {
    let carry = mpn.add_1.call_in_place(r, 1);
    mpn.sub_1.call_in_place(r, 1 ^ carry);
}

#[cfg(test)]
mod tests {
    use super::super::mul::tests::patterns;
    use super::*;

    #[test]
    fn products_are_those_of_whole_products_folded() {
        let mpn = Mpn::native();
        let halving = Plan {
            bnm1: 2,
            ..Plan::native().clone()
        };
        for n in [2, 4, 6, 8, 16, 20, 24, 32, 48, 100, 128] {
            let patterns = patterns(n);
            for (a, b) in patterns
                .iter()
                .flat_map(|a| patterns.iter().map(move |b| (a, b)))
            {
                let (mut product, mut expected) = (vec![0; 2 * n], vec![0; n]);
                mul(mpn, &halving, &mut product, a, b);
                fold(mpn, &mut expected, &product);
                let mut r = vec![Limb::MAX; n];
                mul_bnm1(mpn, &halving, &mut r, a, b);
                settle(mpn, &mut r);
                settle(mpn, &mut expected);
                assert!(r == expected, "{n} limbs");
            }
        }
    }
}
