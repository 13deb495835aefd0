//! Sums of points by formulas without exceptions (Renes, Costello, Batina, ePrint 2015/1060).

use super::weierstrass::{A, Curve, Point};
use crate::field::{Fe, Fes, Field, InLanes, Multiply, Portable};
use carrysave_kernels::fp8::Lanes;
use core::ops::{Add, Mul, Sub};

/// The curve's parameters in the form that the formulas use.
pub(super) struct Formulas<C: Curve, M> {
    pub(super) a: Fe<C::Base, M>,
    /// `b`, or `3 b` for any a.
    b: Fe<C::Base, M>,
}

impl<C: Curve> Point<C> {
    /// The sum.
    #[must_use]
    pub fn add(&self, other: &Self) -> Self {
        Formulas::new(Portable).add(self, other)
    }
}

/// What the formulas calculate with: an element, or elements in lanes.
pub(super) trait Coordinate:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self>
{
    /// The product with a small number.
    fn times(self, limb: u32) -> Self;
    /// The square.
    fn squared(self) -> Self;
}

impl<F: Field, M: Multiply> Coordinate for Fe<F, M> {
    #[inline(always)]
    fn times(self, limb: u32) -> Self {
        self.mul_small(limb)
    }

    #[inline(always)]
    fn squared(self) -> Self {
        self.sqr()
    }
}

impl<F: Field, L: Lanes> Coordinate for Fes<F, L>
where
    F::Residue: InLanes,
{
    #[inline(always)]
    fn times(self, limb: u32) -> Self {
        self.mul_small(limb)
    }

    #[inline(always)]
    fn squared(self) -> Self {
        self.sqr()
    }
}

/// Twice an element.
#[inline(always)]
fn twice<T: Coordinate>(a: T) -> T {
    a + a
}

/// Three times an element.
#[inline(always)]
fn thrice<T: Coordinate>(a: T) -> T {
    a + a + a
}

/// `a`, and `b` or `3 b` for any a.
pub(super) fn parameters<C: Curve>() -> [Fe<C::Base>; 2] {
    let b = C::b();
    [C::a(), if C::A == A::Any { thrice(b) } else { b }]
}

/// The sum of any two points, given the [`parameters`] (algorithms 1, 4 and 7).
#[inline(always)]
pub(super) fn sum<T: Coordinate>(kind: A, a: T, b: T, p: [T; 3], q: [T; 3]) -> [T; 3] {
    let (xx, yy, zz) = (p[0] * q[0], p[1] * q[1], p[2] * q[2]);
    let (xy, yz) = (
        (p[0] + p[1]) * (q[0] + q[1]) - xx - yy,
        (p[1] + p[2]) * (q[1] + q[2]) - yy - zz,
    );
    let xz = (p[0] + p[2]) * (q[0] + q[2]) - xx - zz;
    let [s, tangent, t] = slopes(kind, [a, b], xx, zz, xz);
    let (less, more) = (yy - s, yy + s);
    [
        xy * less - yz * t,
        less * more + tangent * t,
        yz * more + xy * tangent,
    ]
}

/// a xz + 3b zz, 3 xx + a zz, and a (xx - a zz) + 3b xz, where xx is x1 x2, xz is x1 z2 + x2 z1, and so on.
#[inline(always)]
fn slopes<T: Coordinate>(kind: A, [a, b]: [T; 2], xx: T, zz: T, xz: T) -> [T; 3] {
    match kind {
        A::Zero { b3 } => [zz.times(b3), thrice(xx), xz.times(b3)],
        A::MinusThree => [
            thrice(b * zz - xz),
            thrice(xx - zz),
            thrice(b * xz - xx - thrice(zz)),
        ],
        A::Any => {
            let azz = a * zz;
            [a * xz + b * zz, thrice(xx) + azz, a * (xx - azz) + b * xz]
        }
    }
}

impl<C: Curve, M: Multiply> Formulas<C, M> {
    pub(super) fn new(m: M) -> Self {
        let [a, b] = parameters::<C>().map(|x| x.by(m));
        Formulas { a, b }
    }

    /// The sum of any two points.
    pub(super) fn add(&self, p: &Point<C, M>, q: &Point<C, M>) -> Point<C, M> {
        let (p, q) = ([p.x, p.y, p.z], [q.x, q.y, q.z]);
        let [x, y, z] = sum(C::A, self.a, self.b, p, q);
        Point { x, y, z }
    }

    /// Twice a point: the formula of the sum, with doubled mixed products and z = 8 y^3 z (algorithms 3, 6 and 9).
    pub(super) fn double(&self, p: &Point<C, M>) -> Point<C, M> {
        let (yy, zz) = (p.y.sqr(), p.z.sqr());
        let (xy, yz) = (twice(p.x * p.y), twice(p.y * p.z));
        let z = twice(twice(yy * yz));
        if let A::Zero { b3 } = C::A {
            // With x^3 = y^2 z - b z^3.
            let w = zz.mul_small(b3);
            let less = yy - thrice(w);
            let yyw = twice(yy * w);
            return Point {
                x: xy * less,
                y: less * (yy + w) + twice(twice(yyw)),
                z,
            };
        }
        let (xx, xz) = (p.x.sqr(), twice(p.x * p.z));
        let [s, tangent, t] = slopes(C::A, [self.a, self.b], xx, zz, xz);
        let (less, more) = (yy - s, yy + s);
        Point {
            x: xy * less - yz * t,
            y: less * more + tangent * t,
            z,
        }
    }

    /// A point times a power of two.
    pub(super) fn double_times(&self, p: &Point<C, M>, times: usize) -> Point<C, M> {
        (0..times).fold(*p, |p, _| self.double(&p))
    }
}
