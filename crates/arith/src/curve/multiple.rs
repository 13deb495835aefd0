//! Multiples of points: by signed windows from tables that are read whole, and by the methods of exponentiation.

use super::formulas::Formulas;
use super::jacobian::{Jacobian, Sum};
use super::weierstrass::{Curve, Point};
use crate::field::{Fe, Field, Multiply, Portable, Residue, invert_batch};
use crate::group::Group;
use crate::modulus::pow::sliding_rl;
use crate::plan::choose;
use crate::{Cpu, Limb, Nat};
use carrysave_kernels::{fp::MAX_LIMBS, mpn::TabSelect};
use core::marker::PhantomData;
use zeroize::Zeroize;

#[cfg(target_arch = "x86_64")]
use crate::field::MulxAdx;

/// The bits of a window, and of one for which there is a table of the base point.
const WINDOW: usize = 5;
pub(super) const BASE_WINDOW: usize = 6;
/// The largest digits.
const DIGITS: usize = 1 << (WINDOW - 1);
pub(super) const BASE_DIGITS: usize = 1 << (BASE_WINDOW - 1);

/// The windows of a number of so many bits: the highest digit is not negative.
pub(super) fn windows(width: usize, bits: usize) -> usize {
    bits / width + 1
}

/// The digit of a number at a window of w bits, from -2^(w - 1) to 2^(w - 1), as its magnitude and 1 where it is
/// negative (Booth 1951): a window's bits and the one below them.
pub(super) fn digit(scalar: &[Limb], width: usize, window: usize) -> (Limb, Limb) {
    let limb = |i: usize| scalar.get(i).copied().unwrap_or(0);
    let bits = match (width * window).checked_sub(1) {
        None => limb(0) << 1,
        Some(at) if at % 64 == 0 => limb(at / 64),
        Some(at) => limb(at / 64) >> (at % 64) | limb(at / 64 + 1) << (64 - at % 64),
    };
    let bits = bits & ((2 << width) - 1);
    let (value, sign) = ((bits + 1) >> 1, bits >> width);
    let mask = sign.wrapping_neg();
    // -value + 2^w where it is negative.
    let magnitude = (value ^ mask)
        .wrapping_sub(mask)
        .wrapping_add(mask & 1 << width);
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
    /// 1 to N times a point.
    fn multiples<const N: usize>(&self, p: &Point<C, M>) -> [Point<C, M>; N] {
        let mut table = [*p; N];
        for i in 1..N {
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
    /// Only the last addition can meet an equal or opposite point: at an earlier window the sum is 32 times a number
    /// that is not 0, so that with or without the digit, which is at most 16, it is between 0 and n/32 + 33, for the
    /// order n above 64. Multiples of infinity are infinity whatever the formulas make of it, which is chosen at the
    /// end.
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
        for window in (1..windows(WINDOW, <C::Scalar as Field>::Residue::BITS)).rev() {
            let (entry, none) = lookup(&table, digit(&limbs, WINDOW, window));
            sum.add(&entry, none);
            sum.double_times(WINDOW);
        }
        let (mut entry, none) = lookup(&table, digit(&limbs, WINDOW, 0));
        let product = sum.add_last(&entry, none);
        let identity = Point::<C>::identity().by(product.x.multiplier());
        let product = Point::select(&product, &identity, infinite);
        entry.zeroize();
        table.zeroize();
        limbs.zeroize();
        k.zeroize();
        product
    }

    /// The sum of some points times as many secret numbers, all of as many limbs: of each point its multiples, and 1
    /// where the number is negative. Wipes the multiples.
    fn combination<const K: usize>(
        &self,
        points: &mut [([Point<C, M>; DIGITS], Limb); K],
        scalars: &[&[Limb]; K],
    ) -> Point<C, M> {
        let identity = Point::<C>::identity().by(points[0].0[0].x.multiplier());
        let last = windows(WINDOW, 64 * scalars[0].len()) - 1;
        let mut r = identity;
        for window in (0..=last).rev() {
            if window < last {
                r = self.double_times(&r, WINDOW);
            }
            for ((table, negative), scalar) in points.iter().zip(scalars) {
                let (magnitude, sign) = digit(scalar, WINDOW, window);
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

/// Multiples of a curve's base point, with which its product with a secret number takes a third of the time or less:
/// all that a digit can stand for (Brickell, Gordon, McCurley, Wilson, EUROCRYPT 1992).
///
/// ```
/// use carrysave_arith::{Cpu, curve::{BaseTable, P256, Point}, field::Fe};
/// let table = BaseTable::<P256>::new(Cpu::native());
/// assert_eq!(table.mul(&Fe::from_limb(1001)), Point::generator().mul(Cpu::native(), &[1001]));
/// ```
pub struct BaseTable<C: Curve> {
    /// Of each window its rows: 1 to 32 times 2^6j times the base point, as the limbs of x and y.
    multiples: Vec<Vec<Limb>>,
    cpu: Cpu,
    curve: PhantomData<C>,
}

impl<C: Curve> BaseTable<C> {
    /// Limbs of a coordinate.
    const LIMBS: usize = <C::Base as Field>::Residue::BITS.div_ceil(64);

    /// Works them out.
    pub fn new(cpu: Cpu) -> Self {
        let formulas = Formulas::new(Portable);
        let mut at = Point::<C>::generator();
        let mut points = vec![];
        for _ in 0..Self::windows() {
            let multiples = formulas.multiples::<BASE_DIGITS>(&at);
            points.extend(multiples);
            at = formulas.double(&multiples[BASE_DIGITS - 1]);
        }
        let mut inverses: Vec<_> = points.iter().map(|point| point.z).collect();
        invert_batch(&mut inverses);
        let points: Vec<_> = points.iter().zip(&inverses).collect();
        let rows = |window: &[(&Point<C>, &Fe<C::Base>)]| {
            let coordinates = window
                .iter()
                .flat_map(|(p, inverse)| [p.x, p.y].map(|x| x * **inverse));
            coordinates
                .flat_map(|x| x.form().into_iter().take(Self::LIMBS))
                .collect()
        };
        BaseTable {
            multiples: points.chunks(BASE_DIGITS).map(rows).collect(),
            cpu,
            curve: PhantomData,
        }
    }

    fn windows() -> usize {
        windows(BASE_WINDOW, <C::Scalar as Field>::Residue::BITS)
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

    /// From the top. At a window above the lowest the sum stands for 64 k and the entry for a digit of at most 32, both
    /// times a power of 64, and k is not negative. As the order n is a prime above 64, they are equal or opposite only
    /// if n divides 64 k plus or minus the digit: for k > 0 that lies between 0 and n/64 + 65. So only the last
    /// addition can meet such points.
    fn mul_by<M: Multiply>(&self, m: M, scalar: &Fe<C::Scalar>) -> Point<C, M> {
        let (formulas, select) = (Formulas::new(m), TabSelect::best(self.cpu));
        let (mut limbs, mut row) = (scalar.to_limbs(), [0; 2 * MAX_LIMBS]);
        let mut entry = |window: usize| {
            let (magnitude, sign) = digit(&limbs, BASE_WINDOW, window);
            let row = &mut row[..2 * Self::LIMBS];
            // Of 0 some row, which nobody adds.
            let index = magnitude.wrapping_sub(1) as usize % BASE_DIGITS;
            select.call(row, &self.multiples[window], index);
            let (x, y) = row.split_at(Self::LIMBS);
            let [x, y] = [x, y].map(|limbs| Fe::from_form(limbs).by(m));
            let mut entry = Jacobian::from_affine(x, y);
            entry.negate_if(sign);
            (entry, equal(0, magnitude))
        };
        let mut sum = Sum::new(&formulas);
        for window in (1..Self::windows()).rev() {
            let (entry, none) = entry(window);
            sum.add_affine(&entry, none);
        }
        let (mut last, none) = entry(0);
        let product = sum.add_last(&last, none);
        last.zeroize();
        limbs.zeroize();
        row.zeroize();
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
        for (low, width) in edges
            .into_iter()
            .chain(random.iter().copied())
            .flat_map(|low| [(low, WINDOW), (low, BASE_WINDOW)])
        {
            for high in edges {
                let windows = windows(width, 128);
                let sum = (0..windows).rev().fold(0_i128, |sum, window| {
                    let (magnitude, sign) = digit(&[low, high], width, window);
                    assert!(magnitude <= 1 << (width - 1) && sign <= 1);
                    let digit = magnitude as i128 * if sign == 1 { -1 } else { 1 };
                    assert!(window + 1 < windows || digit >= 0);
                    sum.wrapping_mul(1 << width).wrapping_add(digit)
                });
                assert_eq!(sum as u128, u128::from(high) << 64 | u128::from(low));
            }
        }
    }
}
