//! Division.

use super::mul::mul;
use super::toom::{add_at, sub_at};
use super::{LIMB_BITS, Nat};
use crate::plan::Plan;
use carrysave_kernels::{Limb, mpn::Mpn};

impl Nat {
    /// Quotient and remainder: `self = q * d + r`, `r < d`; `q` has the width of `self`, `r` that of `d`.
    ///
    /// Recursive division with the products of [`Nat::mul`] (Brent, Zimmermann, Modern Computer Arithmetic, algorithms
    /// 1.8 and 1.9; Burnikel, Ziegler, MPI-I-98-1-022), and Knuth's algorithm D (TAOCP 2, 4.3.1) below.
    ///
    /// # Panics
    /// If `d` is 0.
    pub fn div_rem_vartime(&self, d: &Nat) -> (Nat, Nat) {
        self.div_rem_vartime_with(d, Plan::native())
    }

    /// [`Nat::div_rem_vartime`] by the methods of a plan.
    ///
    /// # Panics
    /// If `d` is 0, or the plan is not well formed: see [`Plan::check`].
    pub fn div_rem_vartime_with(&self, d: &Nat, plan: &Plan) -> (Nat, Nat) {
        let bits = d.bits_vartime();
        assert!(bits > 0, "division by zero");
        let n = bits.div_ceil(LIMB_BITS);
        let mut q = Nat::zeros(self.width());
        let width = self.bits_vartime().div_ceil(LIMB_BITS);
        if width < n {
            return (q, self.truncate(d.width()));
        }
        // D1: normalise, so that the divisor's top bit is set; what is divided gets a limb more.
        let s = n * LIMB_BITS - bits;
        let v = d.truncate(n).shl(s).truncate(n);
        let mut u = self.truncate(width).shl(s).truncate(width + 1);
        let divider = Divider::new(v.limbs(), plan);
        let mut end = width + 1 - n;
        let digits = q.limbs_mut();
        // As many digits as the divisor has, or what is left over at the top.
        while end > 0 {
            let start = (end - 1) / n * n;
            let u = &mut u.limbs_mut()[start..end + n];
            divider.divide(u, v.limbs(), &mut digits[start..end]);
            end = start;
        }
        (q, u.truncate(n).shr(s).truncate(d.width()))
    }

    /// Quotient and remainder, one bit at a time: `self = q * d + r`, `r < d`.
    ///
    /// Slow: a pass over `d` for every bit of `self`. For secrets that are divided once, as when a key is made.
    ///
    /// # Panics
    /// If `d` is 0.
    pub fn div_rem(&self, d: &Nat) -> (Nat, Nat) {
        assert!(!d.is_zero(), "division by zero");
        let mpn = Mpn::native();
        let width = d.width() + 1;
        let divisor = d.truncate(width);
        let (mut q, mut r) = (Nat::zeros(self.width()), Nat::zeros(width));
        let mut reduced = Nat::zeros(width);
        for i in (0..self.width() * LIMB_BITS).rev() {
            mpn.lshift.call_in_place(r.limbs_mut(), 1);
            r.limbs_mut()[0] |= self.limbs()[i / LIMB_BITS] >> (i % LIMB_BITS) & 1;
            let below = mpn
                .sub_n
                .call(reduced.limbs_mut(), r.limbs(), divisor.limbs());
            mpn.cnd_select
                .call_in_place(1 ^ below, r.limbs_mut(), reduced.limbs());
            q.limbs_mut()[i / LIMB_BITS] |= (1 ^ below) << (i % LIMB_BITS);
        }
        (q, r.truncate(d.width()))
    }

    /// `self mod d`, one bit at a time, as [`Nat::div_rem`].
    ///
    /// # Panics
    /// If `d` is 0.
    pub fn rem(&self, d: &Nat) -> Nat {
        self.div_rem(d).1
    }

    /// `self mod d` for one limb.
    ///
    /// # Panics
    /// If `d` is 0.
    pub fn rem_limb_vartime(&self, d: Limb) -> Limb {
        assert!(d > 0, "division by zero");
        let d = u128::from(d);
        self.limbs().iter().rev().fold(0, |r, &x| {
            (((u128::from(r) << 64) | u128::from(x)) % d) as Limb
        })
    }
}

/// Division of many numbers by one whose top bit is set, and by the numbers that are its upper limbs.
struct Divider<'a> {
    mpn: &'static Mpn,
    plan: &'a Plan,
    reciprocal: Reciprocal,
}

impl<'a> Divider<'a> {
    fn new(v: &[Limb], plan: &'a Plan) -> Divider<'a> {
        Divider {
            mpn: Mpn::native(),
            plan,
            reciprocal: Reciprocal::new(v[v.len() - 1]),
        }
    }

    /// `q := u / v` and `u := u mod v` for `u` as long as `v` and `q` together, its upper part below `v`, and `q` not longer
    /// than `v`.
    fn divide(&self, u: &mut [Limb], v: &[Limb], q: &mut [Limb]) {
        let (n, m) = (v.len(), q.len());
        if m < self.plan.divide {
            self.schoolbook(u, v, q);
        } else if m == n {
            let k = n / 2;
            self.divide(&mut u[k..], v, &mut q[k..]);
            self.divide(&mut u[..n + k], v, &mut q[..k]);
        } else {
            // By the upper m limbs of v alone; then what the lower ones are worth is taken off.
            let (v0, v1) = v.split_at(n - m);
            let high = &mut u[n - m..];
            if high[m..] == *v1 {
                // The quotient would have a digit more: u - (2^(64m) - 1) v
                q.fill(Limb::MAX);
                high[m..].fill(0);
                add_at(self.mpn, high, v1);
            } else {
                self.divide(high, v1, q);
            }
            let mut product = vec![0; n];
            mul(self.mpn, self.plan, &mut product, q, v0);
            let u = &mut u[..n + 1];
            let mut borrow = sub_at(self.mpn, u, &product);
            while borrow == 1 {
                self.mpn.sub_1.call_in_place(q, 1);
                borrow -= add_at(self.mpn, u, v);
            }
        }
    }

    /// D3: a quotient digit from the top limbs of u and v; it is hardly ever too large, and then by one.
    fn digit(&self, top: Limb, low: &[Limb], v: &[Limb]) -> Limb {
        let n = v.len();
        if top >= v[n - 1] {
            return Limb::MAX;
        }
        let (mut digit, mut rest) = self.reciprocal.div(top, low[n - 1]);
        // From two limbs of u and one of v it is at most two too large; the next limb of each tells.
        let (below, second) = match n {
            1 => (0, 0),
            _ => (low[n - 2], v[n - 2]),
        };
        let left = |rest: Limb| u128::from(rest) << 64 | u128::from(below);
        while u128::from(digit) * u128::from(second) > left(rest) {
            digit -= 1;
            let (sum, over) = rest.overflowing_add(v[n - 1]);
            if over {
                break;
            }
            rest = sum;
        }
        digit
    }

    /// The same digit by digit: Knuth's algorithm D.
    fn schoolbook(&self, u: &mut [Limb], v: &[Limb], q: &mut [Limb]) {
        let n = v.len();
        for (j, place) in q.iter_mut().enumerate().rev() {
            let (low, top) = u[j..].split_at_mut(n);
            let mut digit = self.digit(top[0], low, v);
            // D4, D6: subtract, and add back while it was too much.
            let borrow = self.mpn.submul_1.call(low, v, digit);
            let (mut high, below) = top[0].overflowing_sub(borrow);
            let mut negative = below;
            while negative {
                digit -= 1;
                let carry = self.mpn.add_n.call_in_place(low, v);
                let (sum, over) = high.overflowing_add(carry);
                high = sum;
                negative = !over;
            }
            top[0] = high;
            *place = digit;
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
        let mut digit = ((q >> 64) as Limb).wrapping_add(1);
        let mut r = low.wrapping_sub(digit.wrapping_mul(self.d));
        if r > q as Limb {
            digit = digit.wrapping_sub(1);
            r = r.wrapping_add(self.d);
        }
        if r >= self.d {
            (digit.wrapping_add(1), r - self.d)
        } else {
            (digit, r)
        }
    }

    /// `floor(2^64 a / d)` for the limb as it was, and a below it.
    pub(super) fn fraction(&self, a: Limb) -> Limb {
        self.div(a << self.shift, 0).0
    }

    /// `u := u / d` for the limb as it was; returns the remainder.
    pub(super) fn div_in_place(&self, u: &mut [Limb]) -> Limb {
        // What a limb hands down when all of u is shifted; in two steps, as the shift may be 0.
        let out = |limb: Limb| limb >> 1 >> (Limb::BITS - 1 - self.shift);
        let mut r = u.last().map_or(0, |&top| out(top));
        for i in (0..u.len()).rev() {
            let below = if i > 0 { out(u[i - 1]) } else { 0 };
            (u[i], r) = self.div(r, u[i] << self.shift | below);
        }
        r >> self.shift
    }
}

#[cfg(test)]
mod tests {
    use super::super::mul::tests::patterns;
    use super::*;

    /// Every quotient and remainder of divisors whose parts are all ones or zeros, which makes the guesses too large.
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
                        Divider::new(&v, &recursive).divide(&mut u, &v, &mut quotient);
                        assert!(quotient == q && u[..n] == r, "{n} limbs, quotient of {m}");
                    }
                }
            }
        }
    }
}
