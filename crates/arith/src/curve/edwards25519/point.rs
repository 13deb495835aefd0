//! Points and their sums, in extended coordinates (Hisil, Wong, Carter, Dawson, ASIACRYPT 2008).

use super::{BASE, TWICE_D, element};
use crate::Limb;
use crate::field::{F25519, Fe, Multiply, Portable, invert_batch};
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

/// A point without T, which may be doubled.
#[derive(Clone, Copy)]
pub(super) struct Projective<M> {
    x: Fe<F25519, M>,
    y: Fe<F25519, M>,
    z: Fe<F25519, M>,
}

/// A sum: x = e / g, y = h / f.
#[derive(Clone, Copy)]
pub(super) struct Completed<M> {
    e: Fe<F25519, M>,
    f: Fe<F25519, M>,
    g: Fe<F25519, M>,
    h: Fe<F25519, M>,
}

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

    /// The sum with any point of Z = 1 (ibid., 3.1).
    #[inline(always)]
    pub(super) fn plus(&self, Addend(addend): &Addend<M>) -> Completed<M> {
        self.plus_of(addend, self.z + self.z)
    }

    /// The sum with any point (ibid., 3.1).
    #[inline(always)]
    pub(super) fn plus_cached(&self, Cached([a, b, c, z]): &Cached<M>) -> Completed<M> {
        self.plus_of(&[*a, *b, *c], self.z * *z)
    }

    #[inline(always)]
    fn plus_of(
        &self,
        [sum, difference, product]: &[Fe<F25519, M>; 3],
        d: Fe<F25519, M>,
    ) -> Completed<M> {
        let a = (self.y - self.x) * *difference;
        let b = (self.y + self.x) * *sum;
        let c = self.t * *product;
        Completed {
            e: b - a,
            f: d - c,
            g: d + c,
            h: b + a,
        }
    }
}

impl<M: Multiply> Projective<M> {
    /// Twice the point (ibid., 3.3), with all signs changed.
    #[inline(always)]
    pub(super) fn double(&self) -> Completed<M> {
        let (a, b) = (self.x.sqr(), self.y.sqr());
        let c = self.z.sqr();
        let h = a + b;
        let g = a - b;
        Completed {
            e: h - (self.x + self.y).sqr(),
            f: c + c + g,
            g,
            h,
        }
    }
}

impl<M: Multiply> Completed<M> {
    #[inline(always)]
    pub(super) fn extended(&self) -> Edwards25519Point<M> {
        Edwards25519Point {
            x: self.e * self.f,
            y: self.g * self.h,
            z: self.f * self.g,
            t: self.e * self.h,
        }
    }

    #[inline(always)]
    pub(super) fn projective(&self) -> Projective<M> {
        Projective {
            x: self.e * self.f,
            y: self.g * self.h,
            z: self.f * self.g,
        }
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
