//! Short Weierstrass curves y^2 = x^3 + a x + b.
//!
//! Points are projective, and one formula adds any two of a group of odd order: equal, opposite or at infinity (Renes,
//! Costello, Batina, ePrint 2015/1060, algorithms 1, 4 and 7; doublings are 3, 6 and 9). So a multiplication has no exceptional case, and takes the same
//! steps for every scalar and every point.

use crate::field::{Fe, Field, Multiply, Portable};
use crate::{Cpu, Limb, publish};
use core::fmt;
use zeroize::Zeroize;

/// A curve, with a base point of odd prime order.
///
/// ```
/// use carrysave_arith::{Cpu, curve::{Curve, P256, Point}};
/// let g = Point::<P256>::generator();
/// assert_eq!(g.add(&g), g.mul(Cpu::native(), &[2]));
/// assert_eq!(P256::NAME, "P-256");
/// ```
pub trait Curve: Copy + fmt::Debug + 'static {
    /// The usual name.
    const NAME: &'static str;
    /// The field of the coordinates.
    type Base: Field;
    /// The field modulo the order of the base point.
    type Scalar: Field;
    /// What is known of `a`, so that it need not be multiplied by.
    const A: A = A::Any;
    /// `a`
    fn a() -> Fe<Self::Base>;
    /// `b`
    fn b() -> Fe<Self::Base>;
    /// The coordinates of the base point.
    fn g() -> Affine<Self>;
}

/// The parameter `a` of a curve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum A {
    /// 0, where `3 b` fits 32 bits.
    Zero {
        /// `3 b`
        b3: u32,
    },
    /// -3
    MinusThree,
    /// Any other.
    Any,
}

/// The coordinates x and y of a point.
pub type Affine<C> = (Fe<<C as Curve>::Base>, Fe<<C as Curve>::Base>);

/// A point of a curve: (X : Y : Z) for (X/Z, Y/Z), and (0 : Y : 0) at infinity. M multiplies coordinates.
pub struct Point<C: Curve, M = Portable> {
    x: Fe<C::Base, M>,
    y: Fe<C::Base, M>,
    z: Fe<C::Base, M>,
}

impl<C: Curve, M: Copy> Clone for Point<C, M> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<C: Curve, M: Copy> Copy for Point<C, M> {}

impl<C: Curve> Point<C> {
    /// The point at infinity.
    pub fn identity() -> Self {
        Point {
            x: Fe::zero(),
            y: Fe::one(),
            z: Fe::zero(),
        }
    }

    /// The base point.
    pub fn generator() -> Self {
        let (x, y) = C::g();
        Point { x, y, z: Fe::one() }
    }

    /// The point with these coordinates, if it is on the curve.
    ///
    /// # Timing
    /// Whether it is on the curve is made public, nothing else.
    pub fn from_affine(x: Fe<C::Base>, y: Fe<C::Base>) -> Option<Self> {
        let on = y.sqr().equals(&((x.sqr() + C::a()) * x + C::b()));
        (publish(on) == 1).then(|| Point { x, y, z: Fe::one() })
    }

    /// The point that octets stand for (SEC 1, 2.3.4): 04 and both coordinates, or 02 or 03, for an even or odd y, and x.
    /// `None` for all else, the point at infinity included.
    ///
    /// # Timing
    /// Depends on the octets: they are public.
    ///
    /// ```
    /// use carrysave_arith::curve::{P256, Point};
    /// let g = Point::<P256>::generator();
    /// assert_eq!(Point::from_sec1_vartime(&g.to_sec1().unwrap()), Some(g));
    /// ```
    pub fn from_sec1_vartime(octets: &[u8]) -> Option<Self> {
        let (&tag, coordinates) = octets.split_first()?;
        let len = C::Base::ZERO_BYTES.as_ref().len();
        let x = Fe::from_be_bytes(coordinates.get(..len)?)?;
        match (tag, &coordinates[len..]) {
            (4, y) => Point::from_affine(x, Fe::from_be_bytes(y)?),
            (2 | 3, []) => {
                let y = ((x.sqr() + C::a()) * x + C::b()).sqrt()?;
                let y = if y.is_odd() == (tag == 3) { y } else { -y };
                // Where y is 0, one of the tags is wrong.
                (y.is_odd() == (tag == 3)).then_some(())?;
                Point::from_affine(x, y)
            }
            _ => None,
        }
    }

    /// 04 and both coordinates (SEC 1, 2.3.3); `None` at infinity.
    ///
    /// # Timing
    /// Whether it is at infinity is made public, nothing else.
    pub fn to_sec1(&self) -> Option<Vec<u8>> {
        let (x, y) = self.to_affine()?;
        let octets = [&[4], x.to_be_bytes().as_ref(), y.to_be_bytes().as_ref()].concat();
        Some(octets)
    }

    /// Both coordinates; `None` at infinity.
    ///
    /// # Timing
    /// Whether it is at infinity is made public, nothing else.
    pub fn to_affine(&self) -> Option<Affine<C>> {
        let inverse = self.z.inv();
        (publish(self.z.zero_bit()) == 0).then(|| (self.x * inverse, self.y * inverse))
    }

    /// The sum.
    #[must_use]
    pub fn add(&self, other: &Self) -> Self {
        Formulas::new(Portable).add(self, other)
    }

    /// The point with the other y.
    #[must_use]
    pub fn neg(&self) -> Self {
        Point {
            y: -self.y,
            ..*self
        }
    }

    /// The point times a scalar, whose limbs, the lowest first, are secret; it need not be below the order.
    ///
    /// # Timing
    /// Depends on the number of limbs only.
    #[must_use]
    pub fn mul(&self, cpu: Cpu, scalar: &[Limb]) -> Self {
        #[cfg(target_arch = "x86_64")]
        if let Some(m) = crate::field::MulxAdx::new(cpu) {
            return Formulas::new(m).mul(&self.by(m), scalar).by(Portable);
        }
        let _ = cpu;
        Formulas::new(Portable).mul(self, scalar)
    }
}

impl<C: Curve, M> Point<C, M> {
    fn by<N: Multiply>(self, m: N) -> Point<C, N> {
        Point {
            x: self.x.by(m),
            y: self.y.by(m),
            z: self.z.by(m),
        }
    }
}

/// In constant time.
impl<C: Curve> PartialEq for Point<C> {
    fn eq(&self, other: &Self) -> bool {
        let [x, y] = [
            (self.x * other.z).equals(&(other.x * self.z)),
            (self.y * other.z).equals(&(other.y * self.z)),
        ];
        x & y & (1 ^ self.z.zero_bit() ^ other.z.zero_bit()) == 1
    }
}

impl<C: Curve> Eq for Point<C> {}

impl<C: Curve, M> Zeroize for Point<C, M> {
    fn zeroize(&mut self) {
        self.x.zeroize();
        self.y.zeroize();
        self.z.zeroize();
    }
}

/// Without the coordinates.
impl<C: Curve, M> fmt::Debug for Point<C, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Point({})", C::NAME)
    }
}

/// The curve's parameters as the formulas want them.
struct Formulas<C: Curve, M> {
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
    fn new(m: M) -> Self {
        let b = C::b();
        Formulas {
            a: C::a().by(m),
            b: if C::A == A::Any { thrice(b) } else { b }.by(m),
        }
    }

    /// The sum of any two points.
    fn add(&self, p: &Point<C, M>, q: &Point<C, M>) -> Point<C, M> {
        let (xx, yy, zz) = (p.x * q.x, p.y * q.y, p.z * q.z);
        let products = Products {
            xx,
            yy,
            zz,
            xy: (p.x + p.y) * (q.x + q.y) - xx - yy,
            xz: (p.x + p.z) * (q.x + q.z) - xx - zz,
            yz: (p.y + p.z) * (q.y + q.z) - yy - zz,
        };
        let [s, tangent, t] = self.slopes(&products);
        let Products { yy, xy, yz, .. } = products;
        let (less, more) = (yy - s, yy + s);
        Point {
            x: xy * less - yz * t,
            y: less * more + tangent * t,
            z: yz * more + xy * tangent,
        }
    }

    /// Twice a point: the same, where the mixed products are twice a product, and z is 8 y^3 z.
    fn double(&self, p: &Point<C, M>) -> Point<C, M> {
        let (yy, zz) = (p.y.sqr(), p.z.sqr());
        let (xy, yz) = (twice(p.x * p.y), twice(p.y * p.z));
        let z = twice(twice(yy * yz));
        if let A::Zero { b3 } = C::A {
            // With x^3 = y^2 z - b z^3 (the paper's algorithm 9).
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

    /// By windows of four bits from a table that is read whole.
    fn mul(&self, p: &Point<C, M>, scalar: &[Limb]) -> Point<C, M> {
        let identity = Point::<C>::identity().by(p.x.multiplier());
        let mut table = [identity; 16];
        for i in 1..16 {
            table[i] = self.add(&table[i - 1], p);
        }
        let mut r = identity;
        for limb in scalar.iter().rev() {
            for window in (0..16).rev() {
                for _ in 0..4 {
                    r = self.double(&r);
                }
                let digit = limb >> (4 * window) & 15;
                let mut entry = identity;
                for (i, point) in table.iter().enumerate() {
                    // 1 where i is the digit, without a comparison.
                    let chosen = ((i as Limb ^ digit).wrapping_sub(1) >> 63) & 1;
                    entry = Point {
                        x: Fe::select(&entry.x, &point.x, chosen),
                        y: Fe::select(&entry.y, &point.y, chosen),
                        z: Fe::select(&entry.z, &point.z, chosen),
                    };
                }
                r = self.add(&r, &entry);
            }
        }
        table.zeroize();
        r
    }
}
