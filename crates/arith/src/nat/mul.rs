//! Products: schoolbook below the plan's thresholds, Karatsuba above.

use super::Nat;
use crate::plan::Plan;
use carrysave_kernels::{Limb, mpn::Mpn};
use zeroize::Zeroizing;

impl Nat {
    /// `self * other`, as wide as both together.
    pub fn mul(&self, other: &Nat) -> Nat {
        let mut r = Nat::zeros(self.width() + other.width());
        let (mpn, plan) = (Mpn::native(), Plan::native());
        mul(mpn, plan, r.limbs_mut(), self.limbs(), other.limbs());
        r
    }

    /// `self^2`, twice as wide.
    pub fn sqr(&self) -> Nat {
        let mut r = Nat::zeros(2 * self.width());
        sqr(Mpn::native(), Plan::native(), r.limbs_mut(), self.limbs());
        r
    }

    /// `self * limb`, one limb wider.
    pub fn mul_limb(&self, limb: Limb) -> Nat {
        let mut r = Nat::zeros(self.width() + 1);
        let (top, low) = r.limbs_mut().split_last_mut().expect("two limbs at least");
        *top = Mpn::native().mul_1.call(low, self.limbs(), limb);
        r
    }
}

/// `r := a * b` for any widths; `r` is as wide as both together.
pub(crate) fn mul(mpn: &Mpn, plan: &Plan, r: &mut [Limb], a: &[Limb], b: &[Limb]) {
    let (a, b) = if a.len() >= b.len() { (a, b) } else { (b, a) };
    let m = b.len();
    if m < plan.mul_toom22 {
        return mpn.mul_basecase.call(r, a, b);
    }
    if a.len() == m {
        let mut scratch = Zeroizing::new(vec![0; scratch_len(m, plan.mul_toom22)]);
        return toom22(mpn, plan, r, a, b, &mut scratch);
    }
    // Slices of a as long as b, each product added at its place.
    r.fill(0);
    let mut part = Zeroizing::new(vec![0; 2 * m]);
    for (i, slice) in a.chunks(m).enumerate() {
        let product = &mut part[..slice.len() + m];
        mul(mpn, plan, product, slice, b);
        add_at(mpn, &mut r[i * m..], product);
    }
}

/// `r := a^2`; `r` is twice as wide.
pub(crate) fn sqr(mpn: &Mpn, plan: &Plan, r: &mut [Limb], a: &[Limb]) {
    if a.len() < plan.sqr_toom22 {
        return mpn.sqr_basecase.call(r, a);
    }
    let mut scratch = Zeroizing::new(vec![0; scratch_len(a.len(), plan.sqr_toom22)]);
    toom22(mpn, plan, r, a, a, &mut scratch);
}

/// What [`toom22`] works in: 4 (h + 1) limbs per level, h at most half of the width plus one half.
fn scratch_len(n: usize, threshold: usize) -> usize {
    if n < threshold {
        return 0;
    }
    let h = n.div_ceil(2);
    4 * (h + 1) + scratch_len(h + 1, threshold)
}

/// Karatsuba's method (Knuth, TAOCP 2, 4.3.3) on two numbers of one width: with a = a1 B + a0,
/// `r := z2 B^2 + (z1 - z2 - z0) B + z0`, z1 = (a0 + a1)(b0 + b1), no branch on the sums' carries.
fn toom22(mpn: &Mpn, plan: &Plan, r: &mut [Limb], a: &[Limb], b: &[Limb], scratch: &mut [Limb]) {
    let n = a.len();
    let square = core::ptr::eq(a, b);
    if square && n < plan.sqr_toom22 {
        return mpn.sqr_basecase.call(r, a);
    }
    if !square && n < plan.mul_toom22 {
        return mpn.mul_basecase.call(r, a, b);
    }
    let h = n.div_ceil(2);
    let (a0, a1) = a.split_at(h);
    let (b0, b1) = b.split_at(h);
    let (sums, rest) = scratch.split_at_mut(2 * (h + 1));
    let (z1, rest) = rest.split_at_mut(2 * (h + 1));
    let (sa, sb) = sums.split_at_mut(h + 1);
    add_halves(mpn, sa, a0, a1);
    if square {
        toom22(mpn, plan, z1, sa, sa, rest);
    } else {
        add_halves(mpn, sb, b0, b1);
        toom22(mpn, plan, z1, sa, sb, rest);
    }
    let (z0, z2) = r.split_at_mut(2 * h);
    if square {
        toom22(mpn, plan, z0, a0, a0, rest);
        toom22(mpn, plan, z2, a1, a1, rest);
    } else {
        toom22(mpn, plan, z0, a0, b0, rest);
        toom22(mpn, plan, z2, a1, b1, rest);
    }
    sub_at(mpn, z1, z0);
    sub_at(mpn, z1, z2);
    // The middle term is below 2 B^2, and the whole below B^(n/h): what z1 holds above r's end is zero.
    let room = (2 * n - h).min(z1.len());
    add_at(mpn, &mut r[h..], &z1[..room]);
}

/// `r := low + high` for halves of nearly one width; `r` is one limb wider than `low`.
fn add_halves(mpn: &Mpn, r: &mut [Limb], low: &[Limb], high: &[Limb]) {
    let (top, sum) = r.split_last_mut().expect("one limb wider");
    sum.copy_from_slice(low);
    *top = 0;
    add_at(mpn, r, high);
}

/// `r += a` at r's low end, the carry running on.
fn add_at(mpn: &Mpn, r: &mut [Limb], a: &[Limb]) {
    let (low, high) = r.split_at_mut(a.len());
    let carry = mpn.add_n.call_in_place(low, a);
    if !high.is_empty() {
        mpn.add_1.call_in_place(high, carry);
    }
}

/// `r -= a` at r's low end, the borrow running on.
fn sub_at(mpn: &Mpn, r: &mut [Limb], a: &[Limb]) {
    let (low, high) = r.split_at_mut(a.len());
    let borrow = mpn.sub_n.call_in_place(low, a);
    if !high.is_empty() {
        mpn.sub_1.call_in_place(high, borrow);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{NEVER, PLANS};

    /// Products by one plan alone: schoolbook, and Karatsuba's method down to the least width that it takes.
    #[test]
    fn products_are_equal_under_every_plan() {
        let at = |toom22| Plan {
            mul_toom22: toom22,
            sqr_toom22: toom22,
            ..PLANS[0].clone()
        };
        let schoolbook = at(NEVER);
        let plans: Vec<Plan> = PLANS.iter().cloned().chain([at(4)]).collect();
        let mpn = Mpn::native();
        for (m, n) in [
            (4, 4),
            (5, 5),
            (7, 6),
            (23, 16),
            (97, 96),
            (100, 100),
            (200, 61),
        ] {
            // Runs of ones and zeros, so that the half sums carry.
            let limbs = |width: usize, seed: usize| -> Vec<Limb> {
                let ones = |i: usize| ((i * i + seed) / 5 % 3 > 0) as Limb;
                (0..width)
                    .map(|i| ones(i).wrapping_neg() ^ (i == seed) as Limb)
                    .collect()
            };
            let (a, b) = (limbs(m, 3), limbs(n, 8));
            let products = |plan: &Plan| {
                let (mut product, mut square) = (vec![0; m + n], vec![0; 2 * m]);
                mul(mpn, plan, &mut product, &a, &b);
                sqr(mpn, plan, &mut square, &a);
                (product, square)
            };
            let expected = products(&schoolbook);
            for plan in &plans {
                assert_eq!(products(plan), expected, "{m} x {n} limbs, {plan:?}");
            }
        }
    }
}
