//! Points and their sums.

use super::{BASE, D, TWICE_D, element, formulas};
use crate::field::{F25519, Fe, Multiply, Portable, invert_batch};
use crate::{Limb, publish};
use core::fmt;
use zeroize::Zeroize;

/// A point of Edwards25519: (X : Y : Z : T) with x = X/Z, y = Y/Z and xy = T/Z. M multiplies coordinates.
///
/// ```
/// use carrysave_arith::curve::Edwards25519Point;
/// let b = Edwards25519Point::base();
/// assert_eq!(b.add(&b), b.double());
/// assert_eq!(b.add(&b.neg()), Edwards25519Point::identity());
/// ```
#[derive(Clone, Copy)]
pub struct Edwards25519Point<M = Portable> {
    pub(super) x: Fe<F25519, M>,
    pub(super) y: Fe<F25519, M>,
    pub(super) z: Fe<F25519, M>,
    pub(super) t: Fe<F25519, M>,
}

/// A point without T.
pub(super) type Projective<M> = formulas::Projective<Fe<F25519, M>>;
/// A sum of points.
type Completed<M> = formulas::Completed<Fe<F25519, M>>;

/// y + x, y - x and 2dxy of a point.
#[derive(Clone, Copy)]
pub(super) struct Addend<M>(pub(super) [Fe<F25519, M>; 3]);

/// Y + X, Y - X, 2dT and 2Z of a point.
#[derive(Clone, Copy)]
pub(super) struct Cached<M>([Fe<F25519, M>; 4]);

impl Edwards25519Point {
    /// The neutral element: x = 0, y = 1.
    pub fn identity() -> Self {
        let [zero, one] = [0, 1].map(Fe::from_limb);
        Edwards25519Point {
            x: zero,
            y: one,
            z: one,
            t: zero,
        }
    }

    /// The base point B (RFC 8032, 5.1).
    pub fn base() -> Self {
        let [x, y] = BASE.map(|limbs| element(Portable, &limbs));
        Edwards25519Point::affine(x, y)
    }

    /// The sum of any two points.
    ///
    /// # Timing
    /// Depends on nothing.
    #[must_use]
    pub fn add(&self, other: &Self) -> Self {
        self.plus_cached(&other.cached()).extended()
    }

    /// Twice the point.
    ///
    /// # Timing
    /// Depends on nothing.
    #[must_use]
    pub fn double(&self) -> Self {
        self.projective().double().extended()
    }

    /// The point with the other x.
    #[must_use]
    pub fn neg(&self) -> Self {
        Edwards25519Point {
            x: -self.x,
            t: -self.t,
            ..*self
        }
    }

    /// Eight times the point: the cofactor times it.
    ///
    /// # Timing
    /// Depends on nothing.
    #[must_use]
    pub fn mul_by_cofactor(&self) -> Self {
        let four = (0..2).fold(self.projective(), |p, _| p.double().projective());
        four.double().extended()
    }

    /// Whether it is the neutral element.
    ///
    /// # Timing
    /// Depends on nothing.
    pub fn is_identity(&self) -> bool {
        self.x.zero_bit() & self.y.equals(&self.z) == 1
    }

    /// Whether its order is 1, 2, 4 or 8.
    ///
    /// # Timing
    /// Depends on nothing.
    ///
    /// ```
    /// use carrysave_arith::curve::Edwards25519Point;
    /// assert!(Edwards25519Point::identity().is_small_order());
    /// assert!(!Edwards25519Point::base().is_small_order());
    /// ```
    pub fn is_small_order(&self) -> bool {
        self.mul_by_cofactor().is_identity()
    }
}

impl Edwards25519Point {
    /// Whether the coordinates are those of a point of the curve: a fault has changed them otherwise. Zeros are not.
    ///
    /// # Timing
    /// Depends on nothing.
    ///
    /// ```
    /// use carrysave_arith::curve::Edwards25519Point;
    /// assert!(Edwards25519Point::base().is_on_curve());
    /// ```
    pub fn is_on_curve(&self) -> bool {
        let Edwards25519Point { x, y, z, t } = self;
        let right = z.sqr() + element(Portable, &D) * t.sqr();
        let fits = (y.sqr() - x.sqr()).equals(&right) & (*x * *y).equals(&(*z * *t));
        publish(fits & (1 ^ z.zero_bit())) == 1
    }
}

impl<M: Multiply> Edwards25519Point<M> {
    /// The point with these coordinates.
    pub(super) fn affine(x: Fe<F25519, M>, y: Fe<F25519, M>) -> Self {
        let z = Fe::one().by(x.multiplier());
        Edwards25519Point { x, y, z, t: x * y }
    }

    #[inline(always)]
    pub(super) fn by<N: Multiply>(&self, m: N) -> Edwards25519Point<N> {
        Edwards25519Point {
            x: self.x.by(m),
            y: self.y.by(m),
            z: self.z.by(m),
            t: self.t.by(m),
        }
    }

    #[inline(always)]
    pub(super) fn projective(&self) -> Projective<M> {
        let Edwards25519Point { x, y, z, .. } = *self;
        Projective { x, y, z }
    }

    #[inline(always)]
    pub(super) fn cached(&self) -> Cached<M> {
        let twice_d = element(self.x.multiplier(), &TWICE_D);
        Cached([
            self.y + self.x,
            self.y - self.x,
            self.t * twice_d,
            self.z + self.z,
        ])
    }

    /// The sum with any point of Z = 1.
    #[inline(always)]
    pub(super) fn plus(&self, Addend(addend): &Addend<M>) -> Completed<M> {
        Completed::sum([self.x, self.y, self.t], addend, self.z + self.z)
    }

    /// The sum with any point.
    #[inline(always)]
    pub(super) fn plus_cached(&self, Cached([a, b, c, z]): &Cached<M>) -> Completed<M> {
        Completed::sum([self.x, self.y, self.t], &[*a, *b, *c], self.z * *z)
    }
}

impl<M: Multiply> Completed<M> {
    #[inline(always)]
    pub(super) fn extended(&self) -> Edwards25519Point<M> {
        let [x, y, z, t] = self.coordinates();
        Edwards25519Point { x, y, z, t }
    }
}

impl<M: Multiply> Addend<M> {
    fn new(x: Fe<F25519, M>, y: Fe<F25519, M>) -> Self {
        let twice_d = element(x.multiplier(), &TWICE_D);
        Addend([y + x, y - x, twice_d * x * y])
    }

    /// Makes addends of points, with one inversion.
    pub(super) fn of(points: &[Edwards25519Point<M>]) -> Vec<Self> {
        let mut inverses: Vec<_> = points.iter().map(|point| point.z).collect();
        invert_batch(&mut inverses);
        let addend =
            |(p, z): (&Edwards25519Point<M>, &Fe<F25519, M>)| Self::new(p.x * *z, p.y * *z);
        points.iter().zip(&inverses).map(addend).collect()
    }

    #[inline(always)]
    pub(super) fn by<N: Multiply>(&self, m: N) -> Addend<N> {
        Addend(self.0.map(|element| element.by(m)))
    }

    /// The point's negative for 1.
    #[inline(always)]
    pub(super) fn negated_if(&self, negative: Limb) -> Self {
        let Addend([sum, difference, product]) = self;
        Addend([
            Fe::select(sum, difference, negative),
            Fe::select(difference, sum, negative),
            Fe::select(product, &-*product, negative),
        ])
    }
}

impl<M: Multiply> Cached<M> {
    /// The point's negative.
    #[inline(always)]
    pub(super) fn neg(&self) -> Self {
        let Cached([sum, difference, product, z]) = *self;
        Cached([difference, sum, -product, z])
    }
}

/// In constant time.
impl PartialEq for Edwards25519Point {
    fn eq(&self, other: &Self) -> bool {
        let [x, y] = [
            (self.x * other.z).equals(&(other.x * self.z)),
            (self.y * other.z).equals(&(other.y * self.z)),
        ];
        x & y == 1
    }
}

impl Eq for Edwards25519Point {}

impl<M> Zeroize for Edwards25519Point<M> {
    fn zeroize(&mut self) {
        self.x.zeroize();
        self.y.zeroize();
        self.z.zeroize();
        self.t.zeroize();
    }
}

/// Without the coordinates.
impl<M> fmt::Debug for Edwards25519Point<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Edwards25519Point")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_point_is_not_on_the_curve() {
        let b = Edwards25519Point::base();
        assert!(b.is_on_curve() && b.double().is_on_curve());
        assert!(Edwards25519Point::identity().is_on_curve());
        let zero = Fe::zero();
        let zeros = Edwards25519Point {
            x: zero,
            y: zero,
            z: zero,
            t: zero,
        };
        assert!(!zeros.is_on_curve());
        let p = b.double();
        for wrong in [
            Edwards25519Point { x: p.y, ..p },
            Edwards25519Point { y: p.x, ..p },
            Edwards25519Point { z: p.x, ..p },
            Edwards25519Point { t: p.x, ..p },
            // Where one of the two equations holds.
            Edwards25519Point { t: -p.t, ..p },
            Edwards25519Point {
                x: p.x + p.x,
                t: p.t + p.t,
                ..p
            },
        ] {
            assert!(!wrong.is_on_curve());
        }
    }
}
