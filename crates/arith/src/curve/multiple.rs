//! Multiples of points: by signed windows from tables that are read whole, and by the methods of exponentiation.

use super::formulas::Formulas;
use super::jacobian::{Jacobian, Sum};
use super::weierstrass::{Affine, Curve, Point};
use crate::field::{Fe, Field, Multiply, Portable, Residue, invert_batch};
use crate::group::Group;
use crate::modulus::pow::sliding_rl;
use crate::plan::choose;
use crate::{Cpu, Limb, Nat};
use carrysave_kernels::fp::MAX_LIMBS;
use zeroize::Zeroize;

#[cfg(target_arch = "x86_64")]
use crate::field::MulxAdx;

/// The bits of a window.
pub(super) const WINDOW: usize = 5;
/// The largest digit.
pub(super) const DIGITS: usize = 1 << (WINDOW - 1);

/// The windows of a number of so many bits: the highest digit is not negative.
pub(super) fn windows(bits: usize) -> usize {
    bits / WINDOW + 1
}

/// The digit of a number at a window, from -16 to 16, as its magnitude and 1 where it is negative (Booth 1951): a window's
/// bits and the one below them.
pub(super) fn digit(scalar: &[Limb], window: usize) -> (Limb, Limb) {
    let limb = |i: usize| scalar.get(i).copied().unwrap_or(0);
    let bits = match (WINDOW * window).checked_sub(1) {
        None => limb(0) << 1,
        Some(at) if at % 64 == 0 => limb(at / 64),
        Some(at) => limb(at / 64) >> (at % 64) | limb(at / 64 + 1) << (64 - at % 64),
    };
    let bits = bits & ((2 << WINDOW) - 1);
    let (value, sign) = ((bits + 1) >> 1, bits >> WINDOW);
    let mask = sign.wrapping_neg();
    // -value + 32 where it is negative.
    let magnitude = (value ^ mask)
        .wrapping_sub(mask)
        .wrapping_add(mask & 1 << WINDOW);
    (magnitude, sign)
}

/// 1 where they are equal; both are below 2^63.
fn equal(a: Limb, b: Limb) -> Limb {
    (a ^ b).wrapping_sub(1) >> 63
}

/// A number modulo the order of the base point.
pub(super) fn residue<C: Curve>(scalar: &[Limb]) -> Fe<C::Scalar> {
    let word = |limb| {
        let mut limbs = [0; MAX_LIMBS];
        limbs[0] = limb;
        Fe::<C::Scalar>::below_power(&limbs)
    };
    let (zero, radix) = (Fe::zero(), word(1 << 32).sqr());
    let limbs = scalar.iter().rev();
    limbs.fold(zero, |k, &limb| k * radix + word(limb))
}

/// What a digit stands for, from a table of 1 to 16 times a point: a multiple, and 1 where it is none.
fn lookup<C: Curve, M: Multiply>(
    table: &[Jacobian<C, M>; DIGITS],
    (magnitude, sign): (Limb, Limb),
) -> (Jacobian<C, M>, Limb) {
    let mut entry = table[0];
    for (i, point) in (1..).zip(table) {
        entry = Jacobian::select(&entry, point, equal(i, magnitude));
    }
    entry.negate_if(sign);
    (entry, equal(0, magnitude))
}

impl<C: Curve, M: Multiply> Formulas<C, M> {
    /// 1 to 16 times a point.
    fn multiples(&self, p: &Point<C, M>) -> [Point<C, M>; DIGITS] {
        let mut table = [*p; DIGITS];
        for i in 1..DIGITS {
            table[i] = match i % 2 {
                1 => self.double(&table[i / 2]),
                _ => self.add(&table[i - 1], p),
            };
        }
        table
    }

    /// A point times a secret number, by two of half its length where the curve knows how.
    pub(super) fn mul(&self, p: &Point<C, M>, scalar: &[Limb]) -> Point<C, M> {
        let endomorphism = match C::endomorphism() {
            Some(endomorphism) => endomorphism,
            None if C::PRIME_ORDER => return self.mul_below_order(p, scalar),
            None => return self.combination(&mut [(self.multiples(p), 0)], &[scalar]),
        };
        let mut halves = endomorphism.split(scalar);
        let [(sign, x), (other_sign, y)] = &halves;
        let multiples = self.multiples(p);
        let beta = endomorphism.beta.by(p.x.multiplier());
        let others = multiples.map(|point| Point {
            x: point.x * beta,
            ..point
        });
        let product = self.combination(&mut [(multiples, *sign), (others, *other_sign)], &[x, y]);
        halves.iter_mut().for_each(|half| half.zeroize());
        product
    }

    /// A point times a secret number modulo the order of both point and curve.
    ///
    /// Only the last addition can meet an equal or opposite point: at an earlier window the sum is 32 times a number that is not
    /// 0, so that with or without the digit, which is at most 16, it is between 0 and n/32 + 33, for the order n above 64.
    /// Multiples of infinity are infinity whatever the formulas make of it, which is chosen at the end.
    fn mul_below_order(&self, p: &Point<C, M>, scalar: &[Limb]) -> Point<C, M> {
        const { assert!(<C::Scalar as Field>::Residue::BITS > 6) };
        let mut k = residue::<C>(scalar);
        let mut limbs = k.to_limbs();
        let infinite = p.z.zero_bit();
        let p = Jacobian::new(p);
        let mut table = [p; DIGITS];
        for i in 1..DIGITS {
            table[i] = match i % 2 {
                1 => {
                    let mut point = table[i / 2];
                    point.double(self);
                    point
                }
                _ => table[i - 1].add(&p),
            };
        }
        let mut sum = Sum::new(self);
        for window in (1..windows(<C::Scalar as Field>::Residue::BITS)).rev() {
            let (entry, none) = lookup(&table, digit(&limbs, window));
            sum.add(&entry, none);
            sum.double_times(WINDOW);
        }
        let (mut entry, none) = lookup(&table, digit(&limbs, 0));
        let product = sum.add_last(&entry, none);
        let identity = Point::<C>::identity().by(product.x.multiplier());
        let product = Point::select(&product, &identity, infinite);
        entry.zeroize();
        table.zeroize();
        limbs.zeroize();
        k.zeroize();
        product
    }

    /// The sum of some points times as many secret numbers, all of as many limbs: of each point its multiples, and 1 where
    /// the number is negative. Wipes the multiples.
    fn combination<const K: usize>(
        &self,
        points: &mut [([Point<C, M>; DIGITS], Limb); K],
        scalars: &[&[Limb]; K],
    ) -> Point<C, M> {
        let identity = Point::<C>::identity().by(points[0].0[0].x.multiplier());
        let last = windows(64 * scalars[0].len()) - 1;
        let mut r = identity;
        for window in (0..=last).rev() {
            if window < last {
                r = self.double_times(&r, WINDOW);
            }
            for ((table, negative), scalar) in points.iter().zip(scalars) {
                let (magnitude, sign) = digit(scalar, window);
                let mut entry = identity;
                for (i, point) in (1..).zip(table) {
                    entry = Point::select(&entry, point, equal(i, magnitude));
                }
                entry.y = Fe::select(&entry.y, &-entry.y, sign ^ negative);
                r = self.add(&r, &entry);
            }
        }
        points.iter_mut().for_each(|(table, _)| table.zeroize());
        r
    }
}

/// Multiples of a curve's base point, with which its product with a secret number takes a third of the time or less: those
/// with every other window's digits (Lim, Lee 1994).
///
/// ```
/// use carrysave_arith::{Cpu, curve::{BaseTable, P256, Point}, field::Fe};
/// let table = BaseTable::<P256>::new(Cpu::native());
/// assert_eq!(table.mul(&Fe::from_limb(1001)), Point::generator().mul(Cpu::native(), &[1001]));
/// ```
pub struct BaseTable<C: Curve> {
    /// 1 to 16 times 2^10j times the base point.
    multiples: Vec<[Affine<C>; DIGITS]>,
    cpu: Cpu,
}

impl<C: Curve> BaseTable<C> {
    /// Works them out.
    pub fn new(cpu: Cpu) -> Self {
        let formulas = Formulas::new(Portable);
        let mut at = Point::<C>::generator();
        let mut points = vec![];
        for _ in 0..Self::windows().div_ceil(2) {
            let multiples = formulas.multiples(&at);
            points.extend(multiples);
            at = formulas.double_times(&multiples[DIGITS - 1], WINDOW + 1);
        }
        let mut inverses: Vec<_> = points.iter().map(|point| point.z).collect();
        invert_batch(&mut inverses);
        let affine =
            |(point, inverse): (&Point<C>, &Fe<C::Base>)| (point.x * *inverse, point.y * *inverse);
        let affine: Vec<Affine<C>> = points.iter().zip(&inverses).map(affine).collect();
        let (multiples, _) = affine.as_chunks();
        BaseTable {
            multiples: multiples.to_vec(),
            cpu,
        }
    }

    fn windows() -> usize {
        windows(<C::Scalar as Field>::Residue::BITS)
    }

    /// The base point times a secret number.
    ///
    /// # Timing
    /// Depends on the curve only.
    #[must_use]
    pub fn mul(&self, scalar: &Fe<C::Scalar>) -> Point<C> {
        #[cfg(target_arch = "x86_64")]
        if let Some(m) = MulxAdx::new(self.cpu) {
            return self.mul_by(m, scalar).by(Portable);
        }
        self.mul_by(Portable, scalar)
    }

    /// From the top in both halves. What the sum and an entry stand for, added or subtracted, are digits of different windows,
    /// which make 0 only if all of them are 0. In the first half that number is below the order n, in the second it is a
    /// multiple of 32 below 32 n, and as n is odd it divides no such number but 0. So only the last addition can meet
    /// an equal or opposite point.
    fn mul_by<M: Multiply>(&self, m: M, scalar: &Fe<C::Scalar>) -> Point<C, M> {
        let formulas = Formulas::new(m);
        let mut limbs = scalar.to_limbs();
        let mut sum = Sum::new(&formulas);
        let entry = |window: usize| {
            let digit = digit(&limbs, window);
            let (mut x, mut y) = self.multiples[window / 2][0];
            for (i, point) in (1..).zip(&self.multiples[window / 2]) {
                let chosen = equal(i, digit.0);
                x = Fe::select(&x, &point.0, chosen);
                y = Fe::select(&y, &point.1, chosen);
            }
            let mut entry = Jacobian::from_affine(x.by(m), y.by(m));
            entry.negate_if(digit.1);
            (entry, equal(0, digit.0))
        };
        for odd in [1, 0] {
            for window in (1..Self::windows()).rev().filter(|i| i % 2 == odd) {
                let (entry, none) = entry(window);
                sum.add_affine(&entry, none);
            }
            if odd == 1 {
                sum.double_times(WINDOW);
            }
        }
        let (last, none) = entry(0);
        let product = sum.add_last(&last, none);
        limbs.zeroize();
        product
    }
}

impl<C: Curve> core::fmt::Debug for BaseTable<C> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "BaseTable({})", C::NAME)
    }
}

/// The points of a curve as a group, for the methods of exponentiation: their time depends on the exponent.
///
/// ```
/// use carrysave_arith::{Cpu, Nat, curve::{P256, Point, Points}, team::{Serial, pow::Version}};
/// let (g, group) = (Point::<P256>::generator(), || Points::new(Cpu::native()));
/// let power = Version::V2.power_vartime(&Serial, &group, &g, &Nat::from_limb(1001));
/// assert_eq!(power, g.mul(Cpu::native(), &[1001]));
/// ```
pub struct Points<C: Curve> {
    portable: Formulas<C, Portable>,
    #[cfg(target_arch = "x86_64")]
    mulx_adx: Option<(MulxAdx, Formulas<C, MulxAdx>)>,
}

impl<C: Curve> Points<C> {
    /// The group on a processor.
    pub fn new(cpu: Cpu) -> Self {
        let _ = cpu;
        Points {
            portable: Formulas::new(Portable),
            #[cfg(target_arch = "x86_64")]
            mulx_adx: MulxAdx::new(cpu).map(|m| (m, Formulas::new(m))),
        }
    }

    /// A point times a public number, by sliding windows from the right.
    pub(super) fn power_vartime(&mut self, point: &Point<C>, scalar: &Nat) -> Point<C> {
        let width = choose(sliding_rl::AVERAGE_CASE, scalar.bits_vartime());
        sliding_rl::powers(self, point, &[(scalar, width)]).remove(0)
    }
}

impl<C: Curve> Group for Points<C> {
    type Element = Point<C>;

    fn one(&self) -> Point<C> {
        Point::identity()
    }

    fn square(&mut self, x: &mut Point<C>) {
        #[cfg(target_arch = "x86_64")]
        if let Some((m, formulas)) = &self.mulx_adx {
            *x = formulas.double(&x.by(*m)).by(Portable);
            return;
        }
        *x = self.portable.double(x);
    }

    fn mul(&mut self, x: &mut Point<C>, y: &Point<C>) {
        #[cfg(target_arch = "x86_64")]
        if let Some((m, formulas)) = &self.mulx_adx {
            *x = formulas.add(&x.by(*m), &y.by(*m)).by(Portable);
            return;
        }
        *x = self.portable.add(x, y);
    }
}

impl<C: Curve> core::fmt::Debug for Points<C> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "Points({})", C::NAME)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_add_up() {
        let mut x = 0x9e37_79b9_7f4a_7c15_u64;
        let mut next = || {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            x
        };
        let edges = [0, 1, 15, 16, 17, 31, 32, u64::MAX, u64::MAX - 1, 1 << 63];
        let random: Vec<u64> = (0..100).map(|_| next()).collect();
        for low in edges.into_iter().chain(random.iter().copied()) {
            for high in edges {
                let windows = windows(128);
                let sum = (0..windows).rev().fold(0_i128, |sum, window| {
                    let (magnitude, sign) = digit(&[low, high], window);
                    assert!(magnitude <= DIGITS as Limb && sign <= 1);
                    let digit = magnitude as i128 * if sign == 1 { -1 } else { 1 };
                    assert!(window + 1 < windows || digit >= 0);
                    sum.wrapping_mul(32).wrapping_add(digit)
                });
                assert_eq!(sum as u128, u128::from(high) << 64 | u128::from(low));
            }
        }
    }
}
