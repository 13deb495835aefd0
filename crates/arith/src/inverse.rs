//! Modular inverses and the extended Euclidean algorithm.

use crate::divsteps;
use crate::nat::{LIMB_BITS, Nat};
use carrysave_kernels::{Limb, mpn::Mpn};

/// An integer: a magnitude and whether it is negative.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signed {
    /// Whether the number is below zero.
    pub negative: bool,
    /// Its absolute value.
    pub magnitude: Nat,
}

/// `(g, x, y)` with `g = gcd(a, b) = a x + b y`: the extended Euclidean algorithm (Knuth, TAOCP 2, 4.5.2, X), by Lehmer's
/// method.
///
/// ```
/// use carrysave_arith::{Nat, xgcd_vartime};
/// let (g, x, y) = xgcd_vartime(&Nat::from_limb(240), &Nat::from_limb(46));
/// assert_eq!(g, Nat::from_limb(2));
/// // 240 * -9 + 46 * 47 = 2
/// assert!(x.negative && x.magnitude == Nat::from_limb(9));
/// assert!(!y.negative && y.magnitude == Nat::from_limb(47));
/// ```
pub fn xgcd_vartime(a: &Nat, b: &Nat) -> (Nat, Signed, Signed) {
    let (g, x) = euclid_vartime(a, b);
    if b.is_zero() {
        let y = Signed {
            negative: false,
            magnitude: Nat::zero(),
        };
        return (g, x, y);
    }
    // b y = g - a x
    let ax = a.mul(&x.magnitude);
    let (negative, by) = match x.negative {
        true => (false, g.add(&ax)),
        false => match ax.sub(&g) {
            Some(by) => (true, by),
            None => (false, g.sub(&ax).expect("the other way round")),
        },
    };
    let magnitude = by.div_rem_vartime(b).0.trim_vartime();
    let y = Signed {
        negative: negative && !magnitude.is_zero(),
        magnitude,
    };
    (g, x, y)
}

/// `(g, x)` with `g = gcd(a, b) = a x  (mod b)`, `|x| <= b`.
pub(crate) fn euclid_vartime(a: &Nat, b: &Nat) -> (Nat, Signed) {
    let (mut r0, mut r1) = (a.clone().trim_vartime(), b.clone().trim_vartime());
    // x0 and x1 have opposite signs, so their magnitudes add up: the new sign is that of x0.
    let (mut x0, mut x1) = (Nat::one(), Nat::zero());
    let mut odd_step = false;
    while !r1.is_zero() {
        if let Some(Steps64 { matrix, odd }) = Steps64::of(&r0, &r1) {
            let [[a, b], [c, d]] = matrix;
            (r0, r1) = match odd {
                true => (r1.difference(b, &r0, a), r0.difference(c, &r1, d)),
                false => (r0.difference(a, &r1, b), r1.difference(d, &r0, c)),
            };
            (x0, x1) = (x0.sum(a, &x1, b), x0.sum(c, &x1, d));
            odd_step ^= odd;
        } else {
            let (q, r) = r0.div_rem_vartime(&r1);
            let x = x0.add(&q.trim_vartime().mul(&x1)).trim_vartime();
            (r0, r1) = (r1, r.trim_vartime());
            (x0, x1) = (x1, x);
            odd_step = !odd_step;
        }
    }
    let x = Signed {
        negative: odd_step && !x0.is_zero(),
        magnitude: x0,
    };
    (r0, x)
}

/// Steps of Euclid's algorithm that the highest bits of two numbers decide (Lehmer 1938; HAC 14.57): together they take
/// (r0, r1) to `(a r0 - b r1, d r1 - c r0)`, or after an odd number of them to `(b r1 - a r0, c r0 - d r1)`.
struct Steps64 {
    matrix: [[Limb; 2]; 2],
    odd: bool,
}

impl Steps64 {
    /// The steps from `r0`, whose top limb is not 0, and `r1`; `None` if `r1` is larger, or their highest bits do not
    /// decide one.
    fn of(r0: &Nat, r1: &Nat) -> Option<Steps64> {
        let width = r0.width();
        if width < 2 || r0.lt(r1) {
            return None;
        }
        let shift = r0.limbs()[width - 1].leading_zeros();
        // The highest 62 bits, at the place where r0 has them.
        let top = |r: &Nat| {
            let limb = |i: usize| u128::from(r.limbs().get(i).copied().unwrap_or(0));
            (((limb(width - 1) << LIMB_BITS | limb(width - 2)) << shift) >> 66) as i64
        };
        let (mut x, mut y) = (top(r0), top(r1));
        let ([mut a, mut b], [mut c, mut d]) = ([1i64, 0], [0, 1i64]);
        let mut odd = false;
        // The quotient must be the same for any value of the bits cut off.
        while y + c > 0 && y + d > 0 {
            let q = (x + a) / (y + c);
            if q == 0 || q != (x + b) / (y + d) {
                break;
            }
            let next = |above: i64, here: i64| above.checked_sub(q.checked_mul(here)?);
            let (Some(next_c), Some(next_d)) = (next(a, c), next(b, d)) else {
                break;
            };
            (a, b, c, d) = (c, d, next_c, next_d);
            (x, y) = (y, x - q * y);
            odd = !odd;
        }
        let matrix = [[a, b], [c, d]].map(|row| row.map(i64::unsigned_abs));
        (b != 0).then_some(Steps64 { matrix, odd })
    }
}

impl Nat {
    /// `a self - b other`, which is not negative and no wider than the wider one.
    fn difference(&self, a: Limb, other: &Nat, b: Limb) -> Nat {
        let width = self.width().max(other.width());
        let mut r = Nat::zeros(width);
        let mpn = Mpn::native();
        let carry = mpn
            .mul_1
            .call(r.limbs_mut(), self.truncate(width).limbs(), a);
        let borrow = mpn
            .submul_1
            .call(r.limbs_mut(), other.truncate(width).limbs(), b);
        debug_assert_eq!(carry, borrow);
        r.trim_vartime()
    }

    /// `a self + b other`.
    fn sum(&self, a: Limb, other: &Nat, b: Limb) -> Nat {
        self.mul_limb(a).add(&other.mul_limb(b)).trim_vartime()
    }
}

/// The most limbs of a modulus for which division steps are faster than Lehmer's method.
const DIVISION_STEPS: usize = 256;

/// `a^-1 mod m`, of the width of `m`, or `None` if `a` has none. Any `m` above 1. By division steps, as [`inv_mod`], or
/// by Lehmer's method for longer moduli.
///
/// # Timing
/// Depends on both numbers.
///
/// ```
/// use carrysave_arith::{Nat, inv_mod_vartime};
/// assert_eq!(inv_mod_vartime(&Nat::from_limb(3), &Nat::from_limb(10)), Some(Nat::from_limb(7)));
/// assert_eq!(inv_mod_vartime(&Nat::from_limb(4), &Nat::from_limb(10)), None);
/// ```
pub fn inv_mod_vartime(a: &Nat, m: &Nat) -> Option<Nat> {
    if m.is_zero() || m.is_one() || !m.is_odd() && !a.is_odd() {
        return None;
    }
    match m.width() <= DIVISION_STEPS {
        true => inv_mod(&a.div_rem_vartime(m).1, m),
        false => lehmer_vartime(a, m),
    }
}

/// `a^-1 mod m`, of the width of `m`, or `None` if `a` has none, by Euclid's algorithm with the quotients of leading limbs
/// (Lehmer 1938).
///
/// # Timing
/// Depends on both numbers.
///
/// ```
/// use carrysave_arith::{Nat, published::inverse::lehmer_vartime};
/// assert_eq!(lehmer_vartime(&Nat::from_limb(3), &Nat::from_limb(10)), Some(Nat::from_limb(7)));
/// ```
pub fn lehmer_vartime(a: &Nat, m: &Nat) -> Option<Nat> {
    if m.is_zero() || m.is_one() {
        return None;
    }
    let (g, x) = euclid_vartime(&a.div_rem_vartime(m).1, m);
    if !g.is_one() {
        return None;
    }
    let x = if x.negative {
        m.sub(&x.magnitude)?
    } else {
        x.magnitude.clone()
    };
    x.resize(m.width())
}

/// `a^-1 mod m`, of the width of `m`, or `None` if `a` has none.
///
/// By division steps, their number fixed by the width (Bernstein, Yang, CHES 2019): for secrets, and for even moduli
/// such as lcm(p - 1, q - 1).
///
/// # Panics
/// If `a` and `m` are both even (the algorithm cannot detect that no inverse exists), or `m` is 0.
///
/// # Timing
/// Depends on the widths; whether `a < m`, and whether an inverse exists, are made public.
///
/// ```
/// use carrysave_arith::{Nat, inv_mod};
/// let d = inv_mod(&Nat::from_limb(17), &Nat::from_limb(3120)).unwrap();
/// assert_eq!(d, Nat::from_limb(2753));
/// ```
pub fn inv_mod(a: &Nat, m: &Nat) -> Option<Nat> {
    assert!(
        m.is_odd() || a.is_odd(),
        "an inverse needs an odd number or an odd modulus"
    );
    if m.is_one() {
        return None;
    }
    let width = m.width();
    let a = if a.lt(m) { a.truncate(width) } else { a.rem(m) };
    if m.is_odd() {
        let (gcd, x) = divsteps::inverse(&a, m);
        return gcd.is_one().then_some(x);
    }
    if !a.is_odd() {
        return None;
    }
    // The other way round: with y = -m^-1 modulo a, x = (m y + 1) / a.
    let (gcd, minus_y) = divsteps::inverse(&m.rem(&a), &a);
    let y = a.sub(&minus_y).filter(|_| gcd.is_one())?;
    // y = a happens for a = 1 only.
    let y = y.select(y.equal(&a), &Nat::zeros(width));
    let (x, _) = m.mul(&y).add_limb(1).div_rem(&a);
    Some(x.truncate(width))
}
