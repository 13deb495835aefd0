//! Sums of points by formulas without exceptions (Renes, Costello, Batina, ePrint 2015/1060).

use super::weierstrass::{A, Curve, Point};
use crate::field::{Fe, Field, Multiply};

/// The curve's parameters as the formulas want them.
pub(super) struct Formulas<C: Curve, M> {
    a: Fe<C::Base, M>,
    /// `b`, or `3 b` for any a.
    b: Fe<C::Base, M>,
}

/// The products of two points' coordinates: `xx` is x1 x2, `xy` is x1 y2 + x2 y1, and so on.
struct Products<C: Curve, M> {
    xx: Fe<C::Base, M>,
    yy: Fe<C::Base, M>,
    zz: Fe<C::Base, M>,
    xy: Fe<C::Base, M>,
    xz: Fe<C::Base, M>,
    yz: Fe<C::Base, M>,
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

impl<C: Curve, M: Multiply> Formulas<C, M> {
    pub(super) fn new(m: M) -> Self {
        let b = C::b();
        Formulas {
            a: C::a().by(m),
            b: if C::A == A::Any { thrice(b) } else { b }.by(m),
        }
    }

    /// The sum of any two points (algorithms 1, 4 and 7).
    pub(super) fn add(&self, p: &Point<C, M>, q: &Point<C, M>) -> Point<C, M> {
        let (xx, yy, zz) = (p.x * q.x, p.y * q.y, p.z * q.z);
        self.sum(&Products {
            xx,
            yy,
            zz,
            xy: (p.x + p.y) * (q.x + q.y) - xx - yy,
            xz: (p.x + p.z) * (q.x + q.z) - xx - zz,
            yz: (p.y + p.z) * (q.y + q.z) - yy - zz,
        })
    }

    /// The sum of any point and one that is not at infinity (algorithms 2, 5 and 8).
    pub(super) fn add_affine(
        &self,
        p: &Point<C, M>,
        (x, y): (Fe<C::Base, M>, Fe<C::Base, M>),
    ) -> Point<C, M> {
        let (xx, yy) = (p.x * x, p.y * y);
        self.sum(&Products {
            xx,
            yy,
            zz: p.z,
            xy: (p.x + p.y) * (x + y) - xx - yy,
            xz: x * p.z + p.x,
            yz: y * p.z + p.y,
        })
    }

    #[inline(always)]
    fn sum(&self, products: &Products<C, M>) -> Point<C, M> {
        let [s, tangent, t] = self.slopes(products);
        let Products { yy, xy, yz, .. } = *products;
        let (less, more) = (yy - s, yy + s);
        Point {
            x: xy * less - yz * t,
            y: less * more + tangent * t,
            z: yz * more + xy * tangent,
        }
    }

    /// Twice a point: the same, where the mixed products are twice a product, and z is 8 y^3 z (algorithms 3, 6 and 9).
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
        let products = Products {
            xx,
            yy,
            zz,
            xy,
            xz,
            yz,
        };
        let [s, tangent, t] = self.slopes(&products);
        let (less, more) = (yy - s, yy + s);
        Point {
            x: xy * less - yz * t,
            y: less * more + tangent * t,
            z,
        }
    }

    /// A point times a power of two. Where a is -3 it is taken to Jacobian coordinates, (X/Z^2, Y/Z^3), in between: eight
    /// products and squares a doubling (Bernstein, Lange, Explicit-Formulas Database, dbl-2001-b), which has no
    /// exception where no point has order 2.
    pub(super) fn double_times(&self, p: &Point<C, M>, times: usize) -> Point<C, M> {
        if C::A != A::MinusThree {
            return (0..times).fold(*p, |p, _| self.double(&p));
        }
        // Infinity as (1 : 1 : 0), which stays as it is.
        let (one, infinity) = (Fe::<C::Base>::one().by(p.x.multiplier()), p.z.zero_bit());
        let mut x = Fe::select(&(p.x * p.z), &one, infinity);
        let mut y = Fe::select(&(p.y * p.z.sqr()), &one, infinity);
        let mut z = p.z;
        for _ in 0..times {
            let (yy, zz) = (twice(y.sqr()), z.sqr());
            let s = twice(x * yy);
            let tangent = thrice((x + zz) * (x - zz));
            z = twice(y * z);
            x = tangent.sqr() - twice(s);
            y = tangent * (s - x) - twice(yy.sqr());
        }
        Point {
            x: x * z,
            y,
            z: z.sqr() * z,
        }
    }

    /// a xz + 3b zz, 3 xx + a zz, and a (xx - a zz) + 3b xz.
    #[inline(always)]
    fn slopes(&self, products: &Products<C, M>) -> [Fe<C::Base, M>; 3] {
        let Products { xx, zz, xz, .. } = *products;
        match C::A {
            A::Zero { b3 } => [zz.mul_small(b3), thrice(xx), xz.mul_small(b3)],
            A::MinusThree => [
                thrice(self.b * zz - xz),
                thrice(xx - zz),
                thrice(self.b * xz - xx - thrice(zz)),
            ],
            A::Any => {
                let azz = self.a * zz;
                [
                    self.a * xz + self.b * zz,
                    thrice(xx) + azz,
                    self.a * (xx - azz) + self.b * xz,
                ]
            }
        }
    }
}
