//! Sums of points by formulas without exceptions (Renes, Costello, Batina, ePrint 2015/1060).

use super::weierstrass::{A, Curve, Point};
use crate::field::{Fe, Field, Multiply, Portable};

/// The curve's parameters in the form that the formulas use.
pub(super) struct Formulas<C: Curve, M> {
    pub(super) a: Fe<C::Base, M>,
    /// `b`, or `3 b` for any a.
    b: Fe<C::Base, M>,
}

impl<C: Curve> Point<C> {
    /// The sum, of any points whose difference is not of order 2 (see [`Curve::PRIME_ORDER`]).
    #[must_use]
    pub fn add(&self, other: &Self) -> Self {
        Formulas::new(Portable).add(self, other)
    }
}

/// Twice an element.
#[inline(always)]
fn twice<F: Field, M: Multiply>(a: Fe<F, M>) -> Fe<F, M> {
    a + a
}

/// Three times an element.
#[inline(always)]
fn thrice<F: Field, M: Multiply>(a: Fe<F, M>) -> Fe<F, M> {
    a + a + a
}

/// `a`, and `b` or `3 b` for any a.
pub(super) fn parameters<C: Curve>() -> [Fe<C::Base>; 2] {
    let b = C::b();
    [C::a(), if C::A == A::Any { thrice(b) } else { b }]
}

impl<C: Curve, M: Multiply> Formulas<C, M> {
    pub(super) fn new(m: M) -> Self {
        let [a, b] = parameters::<C>().map(|x| x.by(m));
        Formulas { a, b }
    }

    /// The sum of any two points (algorithms 1, 4 and 7).
    pub(super) fn add(&self, p: &Point<C, M>, q: &Point<C, M>) -> Point<C, M> {
        let (xx, yy, zz) = (p.x * q.x, p.y * q.y, p.z * q.z);
        let (xy, yz) = (
            (p.x + p.y) * (q.x + q.y) - xx - yy,
            (p.y + p.z) * (q.y + q.z) - yy - zz,
        );
        let xz = (p.x + p.z) * (q.x + q.z) - xx - zz;
        let [s, tangent, t] = self.slopes(xx, zz, xz);
        let (less, more) = (yy - s, yy + s);
        Point {
            x: xy * less - yz * t,
            y: less * more + tangent * t,
            z: yz * more + xy * tangent,
        }
    }

    /// a xz + 3b zz, 3 xx + a zz, and a (xx - a zz) + 3b xz, where xx is x1 x2, xz is x1 z2 + x2 z1, and so on.
    #[inline(always)]
    fn slopes(
        &self,
        xx: Fe<C::Base, M>,
        zz: Fe<C::Base, M>,
        xz: Fe<C::Base, M>,
    ) -> [Fe<C::Base, M>; 3] {
        let (a, b) = (self.a, self.b);
        match C::A {
            A::Zero { b3 } => [zz.mul_small(b3), thrice(xx), xz.mul_small(b3)],
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
        let [s, tangent, t] = self.slopes(xx, zz, xz);
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
