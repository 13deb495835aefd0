//! Division of many numbers by one: digit by digit, and recursively (Brent, Zimmermann, Modern Computer Arithmetic,
//! algorithms 1.8 and 1.9; Burnikel, Ziegler, MPI-I-98-1-022).

use super::LIMB_BITS;
use super::carry::{add_at, sub_at};
use super::inverse::Inverse;
use super::mul::mul;
use crate::plan::Plan;
use crate::work::note;
use carrysave_kernels::{Limb, mpn::Mpn};
use core::cell::OnceCell;

/// Division of many numbers by one whose top bit is set.
pub(super) struct Divider<'a> {
    mpn: &'static Mpn,
    plan: &'a Plan,
    v: &'a [Limb],
    top: Top,
    /// Makes the reciprocal; `None` if this division serves to find it.
    make: Option<Make>,
    inverse: OnceCell<Inverse>,
}

/// Makes the reciprocal of a number.
type Make = fn(&Mpn, &Plan, &[Limb]) -> Inverse;

impl<'a> Divider<'a> {
    /// The division by `v`, with the reciprocal from `make` where that pays.
    pub(super) fn new(v: &'a [Limb], plan: &'a Plan, make: Option<Make>) -> Divider<'a> {
        Divider {
            mpn: Mpn::native(),
            plan,
            v,
            top: Top::new(v),
            make,
            inverse: OnceCell::new(),
        }
    }

    /// Prepares for several quotients as long as `v`.
    pub(super) fn prepare(&self) {
        self.inverse_if(Inverse::pays_for_several);
    }

    /// The reciprocal, if it is there already or pays.
    fn inverse_if(&self, pays: fn(&Plan, usize) -> bool) -> Option<&Inverse> {
        if let Some(inverse) = self.inverse.get() {
            return Some(inverse);
        }
        let make = self.make.filter(|_| pays(self.plan, self.v.len()))?;
        let new = || make(self.mpn, self.plan, self.v);
        Some(self.inverse.get_or_init(new))
    }

    /// Divides by the upper limbs of the number only: two at least.
    fn upper(&self, limbs: usize) -> Divider<'a> {
        Divider {
            v: &self.v[self.v.len() - limbs..],
            inverse: OnceCell::new(),
            ..*self
        }
    }

    /// `q := u / v` and `u := u mod v` for `u` as long as `v` and `q` together, its upper part below `v`, and `q` not
    /// longer than `v`.
    pub(super) fn divide(&self, u: &mut [Limb], q: &mut [Limb]) {
        let mut scratch = match q.len() < self.plan.divide {
            true => vec![],
            false => vec![0; self.v.len()],
        };
        self.divide_in(u, q, &mut scratch);
    }

    /// [`Divider::divide`] in scratch as long as `v`.
    fn divide_in(&self, u: &mut [Limb], q: &mut [Limb], scratch: &mut [Limb]) {
        let (n, m) = (self.v.len(), q.len());
        if m < self.plan.divide {
            self.schoolbook(u, q);
        } else if m == n
            && let Some(inverse) = self.inverse_if(Inverse::pays)
        {
            inverse.divide(self.mpn, self.plan, self.v, u, Some(q));
            let (low, high) = u.split_at_mut(n);
            low.copy_from_slice(high);
            high.fill(0);
        } else if m == n {
            let k = n / 2;
            self.divide_in(&mut u[k..], &mut q[k..], scratch);
            self.divide_in(&mut u[..n + k], &mut q[..k], scratch);
        } else {
            // By the upper m limbs of v only; then the share of the lower limbs is subtracted.
            let (v0, v1) = self.v.split_at(n - m);
            let high = &mut u[n - m..];
            if high[m..] == *v1 {
                // The quotient would have a digit more: u - (2^(64m) - 1) v
                q.fill(Limb::MAX);
                high[m..].fill(0);
                add_at(self.mpn, high, v1);
            } else {
                self.upper(m).divide_in(high, q, scratch);
            }
            let product = &mut scratch[..n];
            mul(self.mpn, self.plan, product, q, v0);
            let u = &mut u[..n + 1];
            let mut borrow = sub_at(self.mpn, u, product);
            while borrow == 1 {
                self.mpn.sub_1.call_in_place(q, 1);
                borrow -= add_at(self.mpn, u, self.v);
            }
        }
    }

    /// [`Divider::divide`] digit by digit: Knuth's algorithm D. Each digit comes from three limbs by two, so it is
    /// rarely too large, and then by one.
    fn schoolbook(&self, u: &mut [Limb], q: &mut [Limb]) {
        let [n, m] = [self.v.len(), q.len()];
        note("division by digits", n * m);
        if n == 1 {
            for j in (0..m).rev() {
                let (digit, rest) = self.top.div([0, u[j], u[j + 1]]);
                (q[j], u[j], u[j + 1]) = (digit, (rest >> LIMB_BITS) as Limb, 0);
            }
            return;
        }
        let v = &self.v[..n - 2];
        for (j, place) in q.iter_mut().enumerate().rev() {
            let u = &mut u[j..=j + n];
            let top = [u[n - 2], u[n - 1], u[n]];
            if wide(top[1], top[2]) == self.top.d {
                *place = Limb::MAX;
                u[n] -= self.mpn.submul_1.call(&mut u[..n], self.v, Limb::MAX);
                continue;
            }
            let (mut digit, mut rest) = self.top.div(top);
            if !v.is_empty() {
                // D4, D6: subtract, and add back if it was too much.
                let borrow = self.mpn.submul_1.call(&mut u[..n - 2], v, digit);
                let (left, negative) = rest.overflowing_sub(borrow.into());
                rest = left;
                if negative {
                    digit -= 1;
                    let carry = self.mpn.add_n.call_in_place(&mut u[..n - 2], v);
                    rest = rest.wrapping_add(self.top.d).wrapping_add(carry.into());
                }
            }
            (u[n - 2], u[n - 1], u[n]) = (rest as Limb, (rest >> LIMB_BITS) as Limb, 0);
            *place = digit;
        }
    }
}

/// Two limbs as one number.
fn wide(low: Limb, high: Limb) -> u128 {
    u128::from(high) << LIMB_BITS | u128::from(low)
}

/// The two highest limbs of a number whose top bit is set, the lower one 0 if there is but one, with their reciprocal
/// (Möller, Granlund, IEEE ToC 2011): divides three limbs.
#[derive(Clone, Copy)]
struct Top {
    d: u128,
    v: Limb,
}

impl Top {
    /// Algorithm 6.
    fn new(v: &[Limb]) -> Top {
        let [d0, d1] = match *v {
            [.., d0, d1] => [d0, d1],
            [d1] => [0, d1],
            [] => unreachable!("a divisor has a limb"),
        };
        let mut v = Reciprocal::new(d1).v;
        let (mut p, over) = d1.wrapping_mul(v).overflowing_add(d0);
        if over {
            v -= 1;
            if p >= d1 {
                v -= 1;
                p -= d1;
            }
            p = p.wrapping_sub(d1);
        }
        let t = u128::from(v) * u128::from(d0);
        let (p, over) = p.overflowing_add((t >> LIMB_BITS) as Limb);
        let d = wide(d0, d1);
        if over {
            v -= 1;
            v -= Limb::from(wide(t as Limb, p) >= d);
        }
        Top { d, v }
    }

    /// Algorithm 4: quotient and remainder of three limbs, the highest two below the number.
    fn div(&self, [u0, u1, u2]: [Limb; 3]) -> (Limb, u128) {
        let [d0, d1] = [self.d as Limb, (self.d >> LIMB_BITS) as Limb];
        let q = u128::from(self.v) * u128::from(u2) + wide(u1, u2);
        let digit = (q >> LIMB_BITS) as Limb;
        let r1 = u1.wrapping_sub(digit.wrapping_mul(d1));
        let t = u128::from(d0) * u128::from(digit);
        let r = wide(u0, r1).wrapping_sub(t).wrapping_sub(self.d);
        // Unpredictable, so without a branch.
        let over = u128::from((r >> LIMB_BITS) as Limb >= q as Limb).wrapping_neg();
        let digit = digit.wrapping_add(1).wrapping_add(over as Limb);
        let r = r.wrapping_add(over & self.d);
        if r >= self.d {
            (digit.wrapping_add(1), r - self.d)
        } else {
            (digit, r)
        }
    }
}

/// A limb shifted so that its top bit is set, with its reciprocal (Möller, Granlund, IEEE ToC 2011): divides two limbs
/// without a division.
pub(super) struct Reciprocal {
    d: Limb,
    shift: u32,
    v: Limb,
}

impl Reciprocal {
    /// The reciprocal of a limb that is not 0.
    pub(super) fn new(d: Limb) -> Reciprocal {
        let shift = d.leading_zeros();
        let d = d << shift;
        let v = (u128::MAX / u128::from(d) - (1 << 64)) as Limb;
        Reciprocal { d, shift, v }
    }

    /// Quotient and remainder of `(high, low)` by the shifted limb, for `high` below it.
    fn div(&self, high: Limb, low: Limb) -> (Limb, Limb) {
        let q =
            u128::from(self.v) * u128::from(high) + ((u128::from(high) << 64) | u128::from(low));
        let digit = ((q >> 64) as Limb).wrapping_add(1);
        let r = low.wrapping_sub(digit.wrapping_mul(self.d));
        // Unpredictable, so without a branch.
        let over = Limb::from(r > q as Limb).wrapping_neg();
        let (digit, r) = (digit.wrapping_add(over), r.wrapping_add(over & self.d));
        if r >= self.d {
            (digit.wrapping_add(1), r - self.d)
        } else {
            (digit, r)
        }
    }

    /// `floor(2^64 a / d)` for the unshifted limb d and a below it.
    pub(super) fn fraction(&self, a: Limb) -> Limb {
        self.div(a << self.shift, 0).0
    }

    /// Replaces numbers of one width by their digits to the base of the unshifted limb, the lowest first. The numbers
    /// alternate, to hide latency.
    pub(super) fn digits<const N: usize>(&self, mut numbers: [&mut [Limb]; N]) {
        let n = numbers[0].len();
        // A limb of the shifted number; decimal digits need no shift.
        let shifted = |u: &[Limb], i: usize, end: usize| match self.shift {
            0 => u[i],
            s if i > end => u[i] << s | u[i - 1] >> (Limb::BITS - s),
            s => u[i] << s,
        };
        for k in 0..n {
            let mut rest = numbers.each_ref().map(|u| shifted(u, n - 1, k));
            for i in (k..n - 1).rev() {
                for (u, rest) in numbers.iter_mut().zip(&mut rest) {
                    // The quotient is a limb shorter, and follows the digit.
                    (u[i + 1], *rest) = self.div(*rest, shifted(u, i, k));
                }
            }
            for (u, rest) in numbers.iter_mut().zip(rest) {
                u[k] = rest >> self.shift;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::mul::tests::patterns;
    use super::*;

    /// Every quotient and remainder for divisors whose parts are all ones or zeros, which makes the estimates too
    /// large.
    #[test]
    fn recursive_division_inverts_multiplication() {
        let (mpn, native) = (Mpn::native(), Plan::native());
        let recursive = Plan {
            divide: 2,
            ..native.clone()
        };
        for (n, m) in [
            (1, 1),
            (2, 2),
            (3, 2),
            (3, 3),
            (8, 8),
            (9, 4),
            (17, 17),
            (40, 33),
            (64, 64),
        ] {
            for mut v in patterns(n) {
                v[n - 1] |= 1 << 63;
                for q in patterns(m) {
                    for mut r in patterns(n) {
                        while r.iter().rev().cmp(v.iter().rev()).is_ge() {
                            mpn.rshift.call_in_place(&mut r, 1);
                        }
                        let mut product = vec![0; n + m];
                        mul(mpn, native, &mut product, &v, &q);
                        assert_eq!(add_at(mpn, &mut product, &r), 0);
                        let (mut u, mut quotient) = (product, vec![Limb::MAX; m]);
                        Divider::new(&v, &recursive, None).divide(&mut u, &mut quotient);
                        assert!(quotient == q && u[..n] == r, "{n} limbs, quotient of {m}");
                    }
                }
            }
        }
    }
}
