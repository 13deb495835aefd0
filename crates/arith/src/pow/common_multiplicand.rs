//! Square and multiply from the right where product and square share work: both have the multiplicand s (Yen, Laih,
//! Electronics Letters 29(17), 1993; for Montgomery's form Ha, Moon, Information Processing Letters 66, 1998).

use crate::modulus::Context;
use crate::nat::Nat;
use crate::ring::{Ring, Words};
use carrysave_kernels::Limb;

/// The power to a public exponent.
pub(super) fn power(ring: &dyn Ring, base: &[Limb], exp: &Nat, t: &mut [Limb]) -> Words {
    let mut r = ring.one();
    let mut s = Words::new(base.to_vec()); // base^(2^i)
    let Some(top) = exp.bits_vartime().checked_sub(1) else {
        return r;
    };
    for i in 0..top {
        match exp.bit(i) {
            true => ring.mul_and_sqr(&mut r, &mut s, t),
            false => ring.sqr(&mut s, t),
        }
    }
    ring.mul(&mut r, &s, t);
    r
}

/// Limbs that [`mul_and_sqr`] works in for numbers of k limbs.
pub(crate) const fn scratch(k: usize) -> usize {
    3 * k + 7
}

/// `r := r s / R` and `s := s^2 / R` mod n with 3 k^2 products of words instead of 4 k^2.
///
/// With B = 2^64 and digits b_j, `b s / R` is the sum of `b_j s B^(j-k)`. The quotients s, s / B, s / B^2, ... mod n
/// are found once for both sums. The sums are of B^2 times that, so that two steps of reduction make them small; the
/// first term is then `b_(k-1) s B`, which no quotient is needed for.
pub(crate) fn mul_and_sqr(c: &Context, r: &mut [Limb], s: &mut [Limb], t: &mut [Limb]) {
    let k = s.len();
    let (a, sums) = t[..scratch(k)].split_at_mut(k + 1);
    a[..k].copy_from_slice(s);
    sums.fill(0);
    let (x, y) = sums.split_at_mut(k + 3);
    for (sum, b) in [(&mut *x, &*r), (&mut *y, &*s)] {
        addmul(c, &mut sum[1..], &a[..k], b[k - 1]);
    }
    for j in (0..k - 1).rev() {
        addmul(c, x, &a[..k], r[j]);
        addmul(c, y, &a[..k], s[j]);
        if j > 0 {
            // a := a / B mod n: below n, as a was.
            a[k] = 0;
            reduce(c, a);
            a.copy_within(1.., 0);
        }
    }
    for (sum, b) in [(x, r), (y, s)] {
        // Below n B^2 + k n B, so below 3 n after two steps.
        reduce(c, sum);
        reduce(c, &mut sum[1..]);
        let rest = &mut sum[2..];
        for _ in 0..2 {
            let (low, top) = rest.split_at_mut(k);
            let borrow = c.mpn.sub_n.call_in_place(low, c.n.limbs());
            let borrow = c.mpn.sub_1.call_in_place(top, borrow);
            let carry = c.mpn.cnd_add_n.call_in_place(borrow, low, c.n.limbs());
            c.mpn.add_1.call_in_place(top, carry);
        }
        b.copy_from_slice(&rest[..k]);
    }
}

/// `sum += a * limb`, the carry running on.
fn addmul(c: &Context, sum: &mut [Limb], a: &[Limb], limb: Limb) {
    let (low, high) = sum.split_at_mut(a.len());
    let carry = c.mpn.addmul_1.call(low, a, limb);
    c.mpn.add_1.call_in_place(high, carry);
}

/// Adds the multiple of n that makes the lowest limb zero.
fn reduce(c: &Context, sum: &mut [Limb]) {
    let q = sum[0].wrapping_mul(c.n0);
    addmul(c, sum, c.n.limbs(), q);
}
