//! Short Weierstrass curves y^2 = x^3 + a x + b.
//!
//! Points are projective, and one formula adds any two points of a group of odd order, equal, opposite or at infinity.
//! Multiplications take other formulas where their exceptional cases cannot be met (`curve/multiple.rs`), and the same steps
//! for every scalar and every point.

use super::multiple::BaseTable;
use crate::field::{Fe, Field, Multiply, Portable, Residue, invert_batch};
use crate::{Cpu, Limb, publish};
use carrysave_kernels::fp::MAX_LIMBS;
use core::{any::Any, fmt};
use zeroize::{Zeroize, Zeroizing};

/// A curve, with a base point whose order is a prime above 64.
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
    /// The field of the coordinates as vector lanes have it: the field itself, or its elements in a form whose products are
    /// called there and not inlined.
    type BaseInLanes: Field;
    /// The field modulo the order of the base point.
    type Scalar: Field;
    /// The kind of `a`, which may save multiplications by it.
    const A: A = A::Any;
    /// Whether every point is a multiple of the base point. Then only the last step of a product needs complete
    /// formulas. These are complete for points of odd order: a curve with others has to keep them out, as a sum of two points
    /// whose difference is of order 2 comes out as infinity.
    const PRIME_ORDER: bool = false;
    /// Whether there is code for the multiplications of the processor at hand. It makes programs longer, so curves that
    /// few use have plain Rust alone, and call what others inline.
    const TUNED: bool = true;
    /// `a`
    fn a() -> Fe<Self::Base>;
    /// `b`
    fn b() -> Fe<Self::Base>;
    /// The coordinates of the base point.
    fn g() -> Affine<Self>;
    /// The efficient endomorphism of the curve, if it has one.
    fn endomorphism() -> Option<Endomorphism<Self>> {
        None
    }
    /// A point times a secret scalar on vectors, if `cpu` has them and they are faster than words.
    ///
    /// # Timing
    /// Depends on the number of limbs only.
    fn mul_on_vectors(_point: &Point<Self>, _scalar: &[Limb], _cpu: Cpu) -> Option<Point<Self>> {
        None
    }
    /// [`Point::mul`], for a curve of this crate as code of this crate, once: generic code is compiled as its caller's, and
    /// again in each crate.
    fn mul_compiled(point: &Point<Self>, scalar: &[Limb], cpu: Cpu) -> Point<Self> {
        point.mul_generic(cpu, scalar)
    }
    /// [`BaseTable::new`], as [`Curve::mul_compiled`].
    fn table_compiled(cpu: Cpu) -> BaseTable<Self> {
        BaseTable::new_generic(cpu)
    }
    /// [`BaseTable::mul_counted`], as [`Curve::mul_compiled`].
    fn mul_base_compiled(
        table: &BaseTable<Self>,
        scalar: &Fe<Self::Scalar>,
    ) -> (Point<Self>, Limb) {
        table.mul_counted_generic(scalar)
    }
    /// [`BaseTable::mul_add_vartime`], as [`Curve::mul_compiled`].
    fn mul_add_compiled_vartime(
        table: &BaseTable<Self>,
        u: &Fe<Self::Scalar>,
        point: &Point<Self>,
        v: &Fe<Self::Scalar>,
    ) -> Point<Self> {
        table.mul_add_generic(u, point, v)
    }
    /// From how many products on the functions below are faster than one by one; `None` if they are not, on this
    /// processor or on this curve.
    fn lanes_from(_cpu: Cpu) -> Option<usize> {
        None
    }
    /// The base point times a secret number that is spread over vector lanes, with its count: see [`BaseTable::mul_counted`].
    /// `None` where that is not faster.
    ///
    /// # Timing
    /// Depends on the extensions of the table's `cpu` only.
    fn base_product(
        _table: &BaseTable<Self>,
        _number: &Fe<Self::Scalar>,
    ) -> Option<(Point<Self>, Limb)> {
        None
    }
    /// The base point times secret numbers, in vector lanes where that is faster, with their counts: see
    /// [`BaseTable::mul_counted`].
    ///
    /// # Timing
    /// Depends on the number of numbers only.
    fn base_products(
        table: &BaseTable<Self>,
        numbers: &[Fe<Self::Scalar>],
    ) -> (Vec<Point<Self>>, Zeroizing<Vec<Limb>>) {
        table.one_by_one(numbers)
    }
    /// Points, each times a secret number of its own, in vector lanes where that is faster.
    ///
    /// # Panics
    /// If there are not as many points as numbers.
    ///
    /// # Timing
    /// Depends on the number of points only.
    fn products(
        cpu: Cpu,
        points: &[Point<Self>],
        numbers: &[Fe<Self::Scalar>],
    ) -> Vec<Point<Self>> {
        assert_eq!(points.len(), numbers.len(), "a number for each point");
        one_by_one(cpu, points, numbers).collect()
    }
    /// u times the base point plus v times a point, all public, in vector lanes where that is faster.
    ///
    /// # Panics
    /// If there are not as many numbers u, points and numbers v.
    ///
    /// # Timing
    /// Depends on the values.
    fn sums_vartime(
        table: &BaseTable<Self>,
        u: &[Fe<Self::Scalar>],
        points: &[Point<Self>],
        v: &[Fe<Self::Scalar>],
    ) -> Vec<Point<Self>> {
        table.mul_add_each_vartime(u, points, v)
    }
}

/// An element in another representation of its field.
pub(super) fn same<F: Field, G: Field>(x: &Fe<F>) -> Fe<G> {
    match (x as &dyn Any).downcast_ref() {
        Some(x) => *x,
        None => Fe::below_power(&x.to_limbs()),
    }
}

/// Points times numbers, without lanes.
pub(super) fn one_by_one<C: Curve>(
    cpu: Cpu,
    points: &[Point<C>],
    numbers: &[Fe<C::Scalar>],
) -> impl ExactSizeIterator<Item = Point<C>> {
    points.iter().zip(numbers).map(move |(point, number)| {
        let mut limbs = number.to_limbs();
        let words = <C::Scalar as Field>::Residue::BITS.div_ceil(64);
        let product = point.mul(cpu, &limbs[..words]);
        limbs.zeroize();
        product
    })
}

/// The multiplication by lambda on a curve with a = 0, which takes (x, y) to (beta x, y): beta is a cube root of 1 in the
/// field of the coordinates, lambda in that of the scalars (Gallant, Lambert, Vanstone, CRYPTO 2001).
///
/// The order n has 255 or 256 bits, and short vectors (a1, b1), (a2, b2) are a basis of the pairs (x, y) with x + y lambda = 0
/// modulo n, a1 b2 - a2 b1 = n.
pub struct Endomorphism<C: Curve> {
    /// beta
    pub beta: Fe<C::Base>,
    /// lambda
    pub lambda: Fe<C::Scalar>,
    /// `b2` and `-b1`
    pub b: [Fe<C::Scalar>; 2],
    /// `2^384 b2 / n` and `-2^384 b1 / n`, to the nearest.
    pub g: [[Limb; 4]; 2],
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

/// A point of a curve: (X : Y : Z) for (X/Z, Y/Z), and (0 : Y : 0) at infinity. M multiplies coordinates.
pub struct Point<C: Curve, M = Portable> {
    pub(super) x: Fe<C::Base, M>,
    pub(super) y: Fe<C::Base, M>,
    pub(super) z: Fe<C::Base, M>,
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
    /// Reveals only whether the point is on the curve.
    pub fn from_affine(x: Fe<C::Base>, y: Fe<C::Base>) -> Option<Self> {
        let on = y.sqr().equals(&((x.sqr() + C::a()) * x + C::b()));
        (publish(on) == 1).then(|| Point { x, y, z: Fe::one() })
    }

    /// Decodes a point from octets (SEC 1, 2.3.4): 04 and both coordinates, or 02 or 03, for an even or odd y, and x.
    /// `None` for anything else, including the point at infinity.
    ///
    /// # Timing
    /// Depends on the octets, which are public.
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
            (2 | 3, []) => Point::from_x_vartime(x, tag == 3),
            _ => None,
        }
    }

    /// The point with this x-coordinate and an odd or even y-coordinate, if there is one.
    ///
    /// # Timing
    /// Depends on the coordinates.
    ///
    /// ```
    /// use carrysave_arith::curve::{P256, Point};
    /// let g = Point::<P256>::generator();
    /// let (x, y) = g.to_affine().unwrap();
    /// assert_eq!(Point::from_x_vartime(x, y.is_odd()), Some(g));
    /// ```
    pub fn from_x_vartime(x: Fe<C::Base>, odd: bool) -> Option<Self> {
        let y = ((x.sqr() + C::a()) * x + C::b()).sqrt()?;
        let y = if y.is_odd() == odd { y } else { -y };
        // Where y is 0, it is not odd.
        (y.is_odd() == odd).then_some(())?;
        Point::from_affine(x, y)
    }

    /// Whether the x-coordinate is this number modulo the order of a curve of prime order; false at infinity. Without an
    /// inversion.
    ///
    /// # Timing
    /// Depends on the values.
    ///
    /// ```
    /// use carrysave_arith::{curve::{P256, Point}, field::Fe};
    /// let g = Point::<P256>::generator();
    /// let (x, _) = g.to_affine().unwrap();
    /// let r = Fe::reduce_le_bytes(x.to_le_bytes().as_ref());
    /// assert!(g.x_is_vartime(&r) && !g.x_is_vartime(&(r + Fe::one())));
    /// ```
    pub fn x_is_vartime(&self, r: &Fe<C::Scalar>) -> bool {
        // Below twice the order (Hasse) are at most two such numbers.
        let (r, n) = (r.to_limbs(), <C::Scalar as Field>::Residue::MODULUS);
        let (mut above, mut carry) = (r, false);
        for (limb, n) in above.iter_mut().zip(n) {
            (*limb, carry) = limb.carrying_add(n, carry);
        }
        let is = |x: Fe<C::Base>| x * self.z == self.x;
        let candidates = [Some(r), (!carry).then_some(above)].into_iter().flatten();
        !self.z.is_zero() && candidates.filter_map(Fe::from_limbs).any(is)
    }

    /// 04 and both coordinates (SEC 1, 2.3.3); `None` at infinity.
    ///
    /// # Timing
    /// Whether it is at infinity or has a Z of 1 is made public, nothing else.
    pub fn to_sec1(&self) -> Option<Vec<u8>> {
        let (x, y) = self.to_affine()?;
        let octets = [&[4], x.to_be_bytes().as_ref(), y.to_be_bytes().as_ref()].concat();
        Some(octets)
    }

    /// Both coordinates; `None` at infinity.
    ///
    /// # Timing
    /// Whether it is at infinity or has a Z of 1 is made public, nothing else.
    pub fn to_affine(&self) -> Option<Affine<C>> {
        if publish(self.z.equals(&Fe::one())) == 1 {
            return Some((self.x, self.y));
        }
        let inverse = self.z.inv();
        (publish(self.z.zero_bit()) == 0).then(|| (self.x * inverse, self.y * inverse))
    }

    /// [`Point::to_affine`] of many points, which share an inversion.
    ///
    /// # Timing
    /// Which points are at infinity is made public, nothing else.
    ///
    /// ```
    /// use carrysave_arith::curve::{P256, Point};
    /// let g = Point::<P256>::generator();
    /// let affine = Point::to_affine_batch(&[g.add(&g), Point::identity()]);
    /// assert_eq!(affine, [g.add(&g).to_affine(), None]);
    /// ```
    pub fn to_affine_batch(points: &[Self]) -> Vec<Option<Affine<C>>> {
        let mut inverses: Vec<_> = points.iter().map(|point| point.z).collect();
        invert_batch(&mut inverses);
        let affine = |(point, inverse): (&Self, &Fe<C::Base>)| {
            let finite = publish(point.z.zero_bit()) == 0;
            finite.then(|| (point.x * *inverse, point.y * *inverse))
        };
        let all = points.iter().zip(&inverses).map(affine).collect();
        inverses.zeroize();
        all
    }

    /// Gives all points that are not at infinity a Z of 1, so that their affine coordinates take no inversion later.
    ///
    /// # Timing
    /// Which points are at infinity is made public, nothing else.
    ///
    /// ```
    /// use carrysave_arith::curve::{P256, Point};
    /// let g = Point::<P256>::generator();
    /// let mut points = [g.add(&g), Point::identity()];
    /// Point::normalize(&mut points);
    /// assert_eq!(points, [g.add(&g), Point::identity()]);
    /// ```
    pub fn normalize(points: &mut [Self]) {
        let mut affine = Point::to_affine_batch(points);
        for (point, affine) in points.iter_mut().zip(&affine) {
            if let Some((x, y)) = *affine {
                *point = Point { x, y, z: Fe::one() };
            }
        }
        affine.iter_mut().flatten().for_each(|(x, y)| {
            x.zeroize();
            y.zeroize();
        });
    }

    /// The point with the other y.
    #[must_use]
    pub fn neg(&self) -> Self {
        Point {
            y: -self.y,
            ..*self
        }
    }
}

impl<C: Curve, M> Point<C, M> {
    pub(super) fn by<N: Multiply>(self, m: N) -> Point<C, N> {
        Point {
            x: self.x.by(m),
            y: self.y.by(m),
            z: self.z.by(m),
        }
    }
}

impl<C: Curve, M: Multiply> Point<C, M> {
    /// `a` for 0, `b` for 1.
    #[inline(always)]
    pub(super) fn select(a: &Self, b: &Self, bit: Limb) -> Self {
        Point {
            x: Fe::select(&a.x, &b.x, bit),
            y: Fe::select(&a.y, &b.y, bit),
            z: Fe::select(&a.z, &b.z, bit),
        }
    }
}

impl<C: Curve> Point<C> {
    /// 1 if they are equal, else 0.
    pub fn equals(&self, other: &Self) -> Limb {
        let [x, y] = [
            (self.x * other.z).equals(&(other.x * self.z)),
            (self.y * other.z).equals(&(other.y * self.z)),
        ];
        x & y & (1 ^ self.z.zero_bit() ^ other.z.zero_bit())
    }
}

/// In constant time.
impl<C: Curve> PartialEq for Point<C> {
    fn eq(&self, other: &Self) -> bool {
        self.equals(other) == 1
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
