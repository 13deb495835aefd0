//! Edwards448 (Hamburg, ePrint 2015/625; RFC 8032, 5.2): `x^2 + y^2 = 1 + d x^2 y^2` modulo 2^448 - 2^224 - 1, with
//! d = -39081, for Ed448, one point at a time.
//!
//! The group has 4 L elements. Its base point B has the prime order L; a multiple of B plus a point of order 1, 2 or 4 is
//! what the other points are. d is no square, so the sums here have no exceptions.

mod base;

use crate::field::{Fe, Field, Goldilocks, limbs_from_hex};
use crate::word::{equal, window};
use crate::{Limb, publish};
pub use base::Edwards448Table;
use carrysave_kernels::fp::{MAX_LIMBS, Residue};
use core::fmt;
use zeroize::Zeroize;

/// Modulo 2^448 - 2^224 - 1: the field of X448 and Ed448 (RFC 7748, 4.2).
#[derive(Clone, Copy, Debug)]
pub struct Curve448Field;

impl Field for Curve448Field {
    const NAME: &'static str = "2^448 - 2^224 - 1";
    type Residue = Goldilocks;
    type Bytes = [u8; 56];
    const ZERO_BYTES: [u8; 56] = [0; 56];
}

crate::prime_field! {
    /// The field of the scalars of Edwards448: modulo
    /// L = 2^446 - 13818066809895115352007386748515426880336692474882178609894547503885 (RFC 8032, 5.2).
    pub struct Edwards448Order = "L of Edwards448", 7 limbs, 56 bytes,
        "3fffffffffffffffffffffffffffffffffffffffffffffffffffffff7cca23e9c44edb49aed63690216cc2728dc58f552378c292ab5844f3";
}

type Element = Fe<Curve448Field>;
type Scalar = Fe<Edwards448Order>;

/// -d
const MINUS_D: u32 = 39_081;
/// The coordinates of B.
const BASE: [[Limb; 7]; 2] = [
    limbs_from_hex(
        "4f1970c66bed0ded221d15a622bf36da9e146570470f1767ea6de324a3d3a46412ae1af72ab66511433b80e18b00938e2626a82bc70cc05e",
    ),
    limbs_from_hex(
        "693f46716eb6bc248876203756c9c7624bea73736ca3984087789c1e05a0c2d73ad3ff1ce67c39c4fdbd132c4ed7c8ad9808795bf230fa14",
    ),
];

/// Bits of a digit of a scalar.
const WIDTH: usize = 4;
/// Multiples of a point: one for each digit.
const MULTIPLES: usize = 1 << WIDTH;
/// Bits of a scalar.
const BITS: usize = <<Edwards448Order as Field>::Residue as Residue>::BITS;
/// Digits of a scalar.
const DIGITS: usize = BITS.div_ceil(WIDTH);

/// A point of Edwards448: (X : Y : Z) with x = X/Z and y = Y/Z.
///
/// ```
/// use carrysave_arith::curve::Edwards448Point;
/// let b = Edwards448Point::base();
/// assert_eq!(b.add(&b), b.double());
/// assert_eq!(b.add(&b.neg()), Edwards448Point::identity());
/// ```
#[derive(Clone, Copy)]
pub struct Edwards448Point {
    x: Element,
    y: Element,
    z: Element,
}

impl Edwards448Point {
    /// The neutral element: x = 0, y = 1.
    pub fn identity() -> Self {
        Edwards448Point {
            x: Fe::zero(),
            y: Fe::one(),
            z: Fe::one(),
        }
    }

    /// The base point B (RFC 8032, 5.2).
    pub fn base() -> Self {
        let [x, y] = BASE.map(|limbs| {
            let mut wide = [0; MAX_LIMBS];
            wide[..limbs.len()].copy_from_slice(&limbs);
            Fe::below_power(&wide)
        });
        let z = Fe::one();
        Edwards448Point { x, y, z }
    }

    /// The sum of any two points (RFC 8032, 5.2.4).
    ///
    /// # Timing
    /// Depends on nothing.
    #[must_use]
    pub fn add(&self, other: &Self) -> Self {
        let a = self.z * other.z;
        let b = a.sqr();
        let (c, d) = (self.x * other.x, self.y * other.y);
        // -E
        let e = (c * d).mul_small(MINUS_D);
        let (f, g) = (b + e, b - e);
        let h = (self.x + self.y) * (other.x + other.y);
        Edwards448Point {
            x: a * f * (h - c - d),
            y: a * g * (d - c),
            z: f * g,
        }
    }

    /// Twice the point (RFC 8032, 5.2.4).
    ///
    /// # Timing
    /// Depends on nothing.
    #[must_use]
    pub fn double(&self) -> Self {
        let b = (self.x + self.y).sqr();
        let (c, d, h) = (self.x.sqr(), self.y.sqr(), self.z.sqr());
        let e = c + d;
        let j = e - (h + h);
        Edwards448Point {
            x: (b - e) * j,
            y: e * (c - d),
            z: e * j,
        }
    }

    /// The point with the other x.
    #[must_use]
    pub fn neg(&self) -> Self {
        Edwards448Point {
            x: -self.x,
            ..*self
        }
    }

    /// The point times a secret number.
    ///
    /// # Timing
    /// Depends on nothing.
    ///
    /// ```
    /// use carrysave_arith::{curve::Edwards448Point, field::Fe};
    /// let b = Edwards448Point::base();
    /// assert_eq!(b.mul(&Fe::from_limb(3)), b.double().add(&b));
    /// ```
    #[must_use]
    pub fn mul(&self, scalar: &Scalar) -> Self {
        let mut multiples = self.multiples();
        let mut limbs = scalar.to_limbs();
        let mut product = Edwards448Point::identity();
        let mut entry = product;
        for i in (0..DIGITS).rev() {
            product = product.double_times(WIDTH);
            let digit = window(&limbs, WIDTH * i, WIDTH);
            for (j, multiple) in multiples.iter().enumerate() {
                entry = Edwards448Point::select(&entry, multiple, equal(j as Limb, digit));
            }
            product = product.add(&entry);
        }
        multiples.zeroize();
        limbs.zeroize();
        entry.zeroize();
        product
    }

    /// 0 to 15 times the point.
    fn multiples(&self) -> [Self; MULTIPLES] {
        let mut multiples = [Edwards448Point::identity(); MULTIPLES];
        for i in 1..MULTIPLES {
            multiples[i] = multiples[i - 1].add(self);
        }
        multiples
    }

    /// The point times 1, 3, 5, and so on.
    fn odd_multiples(&self, count: usize) -> Vec<Self> {
        let twice = self.double();
        let multiples = core::iter::successors(Some(*self), |point| Some(point.add(&twice)));
        multiples.take(count).collect()
    }

    fn double_times(&self, times: usize) -> Self {
        (0..times).fold(*self, |point, _| point.double())
    }

    /// `a` for 0, `b` for 1.
    fn select(a: &Self, b: &Self, bit: Limb) -> Self {
        Edwards448Point {
            x: Fe::select(&a.x, &b.x, bit),
            y: Fe::select(&a.y, &b.y, bit),
            z: Fe::select(&a.z, &b.z, bit),
        }
    }

    /// Whether the coordinates are those of a point of the curve: a fault has changed them otherwise. Zeros are not.
    ///
    /// # Timing
    /// Depends on nothing.
    ///
    /// ```
    /// use carrysave_arith::curve::Edwards448Point;
    /// assert!(Edwards448Point::base().is_on_curve());
    /// ```
    pub fn is_on_curve(&self) -> bool {
        let Edwards448Point { x, y, z } = *self;
        let (xx, yy, zz) = (x.sqr(), y.sqr(), z.sqr());
        let right = zz.sqr() - (xx * yy).mul_small(MINUS_D);
        let fits = ((xx + yy) * zz).equals(&right);
        publish(fits & (1 ^ z.zero_bit())) == 1
    }

    /// Whether it is the neutral element.
    ///
    /// # Timing
    /// Depends on nothing.
    pub fn is_identity(&self) -> bool {
        *self == Edwards448Point::identity()
    }

    /// The point's only encoding (RFC 8032, 5.2.2): y, and the lowest bit of x as the highest bit.
    ///
    /// # Timing
    /// Depends on nothing.
    pub fn to_octets(&self) -> [u8; 57] {
        let mut inverse = self.z.inv();
        let mut octets = [0; 57];
        octets[..56].copy_from_slice(&(self.y * inverse).to_le_bytes());
        octets[56] = u8::from((self.x * inverse).is_odd()) << 7;
        inverse.zeroize();
        octets
    }

    /// Decodes a point from its encoding (RFC 8032, 5.2.3); `None` for anything else.
    ///
    /// # Timing
    /// Depends on the octets, which are public.
    ///
    /// ```
    /// use carrysave_arith::curve::Edwards448Point;
    /// let b = Edwards448Point::base();
    /// assert_eq!(Edwards448Point::from_octets_vartime(&b.to_octets()), Some(b));
    /// assert_eq!(Edwards448Point::from_octets_vartime(&[0xff; 57]), None);
    /// ```
    pub fn from_octets_vartime(octets: &[u8; 57]) -> Option<Self> {
        let [y @ .., sign] = octets;
        if sign & 0x7f != 0 {
            return None;
        }
        let (y, z) = (Fe::from_le_bytes(y)?, Fe::one());
        // x^2 = u / v
        let square = y.sqr();
        let (u, v) = (z - square, z + square.mul_small(MINUS_D));
        // u^3 v (u^5 v^3)^((p - 3) / 4)
        let u3v = u.sqr() * u * v;
        let x = u3v * (u3v * (u * v).sqr()).pow_half_odd();
        let signed = sign >> 7 == 1;
        if v * x.sqr() != u || signed && x.is_zero() {
            return None;
        }
        let x = if x.is_odd() == signed { x } else { -x };
        Some(Edwards448Point { x, y, z })
    }
}

/// In constant time.
impl PartialEq for Edwards448Point {
    fn eq(&self, other: &Self) -> bool {
        let [x, y] = [
            (self.x * other.z).equals(&(other.x * self.z)),
            (self.y * other.z).equals(&(other.y * self.z)),
        ];
        x & y == 1
    }
}

impl Eq for Edwards448Point {}

impl Zeroize for Edwards448Point {
    fn zeroize(&mut self) {
        self.x.zeroize();
        self.y.zeroize();
        self.z.zeroize();
    }
}

/// Without the coordinates.
impl fmt::Debug for Edwards448Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Edwards448Point")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_point_is_not_on_the_curve() {
        let p = Edwards448Point::base().double();
        assert!(p.is_on_curve() && Edwards448Point::identity().is_on_curve());
        let zero = Fe::zero();
        for wrong in [
            Edwards448Point { x: p.y, ..p },
            Edwards448Point { y: p.x, ..p },
            Edwards448Point { z: p.x, ..p },
            Edwards448Point {
                x: zero,
                y: zero,
                z: zero,
            },
        ] {
            assert!(!wrong.is_on_curve());
        }
    }
}
