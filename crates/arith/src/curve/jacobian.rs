//! Sums of points in Jacobian coordinates: fewer products than the complete formulas, but with exceptions.

use super::formulas::Formulas;
use super::weierstrass::{A, Curve, Point};
use crate::Limb;
use crate::field::{Fe, Multiply};
use zeroize::Zeroize;

/// The point (X/Z^2, Y/Z^3); at infinity Z is 0.
pub(super) struct Jacobian<C: Curve, M> {
    pub(super) x: Fe<C::Base, M>,
    pub(super) y: Fe<C::Base, M>,
    pub(super) z: Fe<C::Base, M>,
}

impl<C: Curve, M: Copy> Clone for Jacobian<C, M> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<C: Curve, M: Copy> Copy for Jacobian<C, M> {}

impl<C: Curve, M> Zeroize for Jacobian<C, M> {
    fn zeroize(&mut self) {
        self.x.zeroize();
        self.y.zeroize();
        self.z.zeroize();
    }
}

impl<C: Curve, M: Multiply> Jacobian<C, M> {
    #[inline(always)]
    pub(super) fn new(p: &Point<C, M>) -> Self {
        Jacobian {
            x: p.x * p.z,
            y: p.y * p.z.sqr(),
            z: p.z,
        }
    }

    #[inline(always)]
    pub(super) fn from_affine(x: Fe<C::Base, M>, y: Fe<C::Base, M>) -> Self {
        let z = Fe::one().by(x.multiplier());
        Jacobian { x, y, z }
    }

    /// The point in the complete formulas' coordinates, or infinity if the bit is 1.
    pub(super) fn or_infinity(&self, infinite: Limb) -> Point<C, M> {
        let point = Point {
            x: self.x * self.z,
            y: self.y,
            z: self.z.sqr() * self.z,
        };
        let infinity = Point::<C>::identity().by(self.x.multiplier());
        Point::select(&point, &infinity, infinite)
    }

    /// The sum of two points that are neither equal nor opposite; infinity if one is infinity (Bernstein, Lange,
    /// Explicit-Formulas Database, add-1998-cmo-2). Curves that few use call it.
    #[inline(always)]
    pub(super) fn add(&self, other: &Self) -> Self {
        match C::TUNED {
            true => self.add_inlined(other),
            false => self.plus(other),
        }
    }

    #[inline(always)]
    fn add_inlined(&self, other: &Self) -> Self {
        let (zz, other_zz) = (&self.z.sqr(), &other.z.sqr());
        let (zzz, other_zzz) = (zz * &self.z, other_zz * &other.z);
        let p = [&(&self.x * other_zz), &(&self.y * &other_zzz)];
        let q = [&(&other.x * zz), &(&other.y * &zzz)];
        let chord = Chord::of(p, q);
        chord.sum(&(&self.z * &other.z))
    }

    /// [`Jacobian::add`] for a second point with z = 1.
    #[inline(always)]
    pub(super) fn add_affine(&self, other: &Self) -> Self {
        let zz = &self.z.sqr();
        let zzz = &(zz * &self.z);
        let q = [&(&other.x * zz), &(&other.y * zzz)];
        Chord::of([&self.x, &self.y], q).sum(&self.z)
    }

    /// The point with z = 1, moved to a z that is `times` times as large.
    #[inline(always)]
    fn scaled(&self, times: &Fe<C::Base, M>) -> Self {
        let square = &times.sqr();
        Jacobian {
            x: &self.x * square,
            y: &self.y * &(square * times),
            z: self.z,
        }
    }

    /// 1 to N times a point for a = 0, as if all had z = 1, and the z that they share. The curve has more than 2 N
    /// points, and this one is not infinity.
    ///
    /// (x, y) is a point of the curve with another b, which the formulas do not use.
    pub(super) fn multiples<const N: usize>(
        &self,
        formulas: &Formulas<C, M>,
    ) -> ([Self; N], Fe<C::Base, M>) {
        assert!(matches!(C::A, A::Zero { .. }) && N >= 2);
        let mut one = Jacobian::from_affine(self.x, self.y);
        let two = one.doubled(formulas);
        // The ratio of each z to the one before.
        let (mut table, mut growth) = ([two; N], [self.z; N]);
        (table[0], growth[1]) = (one, two.z);
        one = one.scaled(&two.z);
        for i in 2..N {
            let last = &table[i - 1];
            let chord = Chord::<C, M>::of([&one.x, &one.y], [&last.x, &last.y]);
            (table[i].x, table[i].y) = (chord.x, chord.y);
            (one.x, one.y) = (chord.first_x, chord.first_y);
            growth[i] = chord.growth;
        }
        let mut times = one.z;
        for (point, growth) in table.iter_mut().zip(&growth).rev() {
            point.z = one.z;
            *point = point.scaled(&times);
            times *= *growth;
        }
        (table, times)
    }

    /// Twice the point, from half the tangent's slope: all coordinates are halved as often as possible (Cohen, Miyaji,
    /// Ono, ASIACRYPT 1998). Curves that few use call it.
    #[inline(always)]
    pub(super) fn double(&mut self, formulas: &Formulas<C, M>) {
        match C::TUNED {
            true => self.double_inlined(formulas),
            false => *self = self.doubled(formulas),
        }
    }

    #[inline(always)]
    fn double_inlined(&mut self, formulas: &Formulas<C, M>) {
        let (x, y, z) = (&self.x, &self.y, &self.z);
        // Independent products stand side by side.
        let (zz, yy) = (&z.sqr(), &y.sqr());
        let third = &match C::A {
            A::MinusThree => &(x + zz) * &(x - zz),
            _ => x.sqr(),
        };
        let s = &(x * yy);
        let mut slope = third + &third.half();
        if C::A == A::Any {
            slope += (formulas.a * zz.sqr()).half();
        }
        let (yyyy, square) = (&yy.sqr(), &slope.sqr());
        self.z = y * z;
        self.x = &(square - s) - s;
        self.y = &(&slope * &(s - &self.x)) - yyyy;
    }

    /// Twice the point, as a function of its own: tables of multiples need few, and code is long where it is inlined.
    #[inline(never)]
    pub(super) fn doubled(&self, formulas: &Formulas<C, M>) -> Self {
        let mut twice = *self;
        twice.double_inlined(formulas);
        twice
    }

    /// [`Jacobian::add`] as a function of its own, as [`Jacobian::doubled`].
    #[inline(never)]
    pub(super) fn plus(&self, other: &Self) -> Self {
        self.add_inlined(other)
    }

    #[inline(always)]
    pub(super) fn negate_if(&mut self, bit: Limb) {
        self.y = Fe::select(&self.y, &-self.y, bit);
    }

    /// `a` for 0, `b` for 1.
    #[inline(always)]
    pub(super) fn select(a: &Self, b: &Self, bit: Limb) -> Self {
        Jacobian {
            x: Fe::select(&a.x, &b.x, bit),
            y: Fe::select(&a.y, &b.y, bit),
            z: Fe::select(&a.z, &b.z, bit),
        }
    }
}

/// The sum of two points with the same z, neither equal nor opposite.
struct Chord<C: Curve, M> {
    /// The sum, with its own z.
    x: Fe<C::Base, M>,
    y: Fe<C::Base, M>,
    /// The ratio of that z to the old one.
    growth: Fe<C::Base, M>,
    /// The first point for that z (Meloni, WAIFI 2007).
    first_x: Fe<C::Base, M>,
    first_y: Fe<C::Base, M>,
}

impl<C: Curve, M: Multiply> Chord<C, M> {
    #[inline(always)]
    fn of([x, y]: [&Fe<C::Base, M>; 2], [other_x, other_y]: [&Fe<C::Base, M>; 2]) -> Self {
        let (run, rise) = (other_x - x, &(other_y - y));
        let square = &run.sqr();
        let (cube, v) = (&(square * &run), x * square);
        let down = y * cube;
        let x = &(&(&rise.sqr() - cube) - &v) - &v;
        Chord {
            y: &(rise * &(&v - &x)) - &down,
            x,
            growth: run,
            first_x: v,
            first_y: down,
        }
    }

    /// The sum where z was that of both points.
    #[inline(always)]
    fn sum(&self, z: &Fe<C::Base, M>) -> Jacobian<C, M> {
        Jacobian {
            x: self.x,
            y: self.y,
            z: z * &self.growth,
        }
    }
}

/// An accumulated sum of points. Only the last point may be equal or opposite to the sum before it.
pub(super) struct Sum<'a, C: Curve, M> {
    formulas: &'a Formulas<C, M>,
    point: Jacobian<C, M>,
    /// 1 until a point is added; `point` is undefined then.
    empty: Limb,
}

impl<'a, C: Curve, M: Multiply> Sum<'a, C, M> {
    #[inline(always)]
    pub(super) fn new(formulas: &'a Formulas<C, M>) -> Self {
        let one = Fe::one().by(formulas.a.multiplier());
        Sum {
            formulas,
            point: Jacobian::from_affine(one, one),
            empty: 1,
        }
    }

    #[inline(always)]
    pub(super) fn double_times(&mut self, times: usize) {
        for _ in 0..times {
            self.point.double(self.formulas);
        }
    }

    /// Adds a point, or nothing if `none` is 1.
    #[inline(always)]
    pub(super) fn add(&mut self, other: &Jacobian<C, M>, none: Limb) {
        self.put(&self.point.add(other), other, none);
    }

    /// [`Sum::add`] for a point with z = 1.
    pub(super) fn add_affine(&mut self, other: &Jacobian<C, M>, none: Limb) {
        self.put(&self.point.add_affine(other), other, none);
    }

    #[inline(always)]
    fn put(&mut self, sum: &Jacobian<C, M>, other: &Jacobian<C, M>, none: Limb) {
        let sum = Jacobian::select(sum, other, self.empty);
        self.point = Jacobian::select(&sum, &self.point, none);
        self.empty &= none;
    }

    /// The sum with a last point, which may be any, or without it if `none` is 1.
    pub(super) fn add_last(mut self, other: &Jacobian<C, M>, none: Limb) -> Point<C, M> {
        let sum = self
            .formulas
            .add(&self.projective(), &other.or_infinity(none));
        self.point.zeroize();
        sum
    }

    /// The sum where this z stands for 1: it was computed with points of another curve.
    pub(super) fn for_z(mut self, z: &Fe<C::Base, M>) -> Self {
        self.point.z *= *z;
        self
    }

    pub(super) fn projective(&self) -> Point<C, M> {
        self.point.or_infinity(self.empty)
    }
}
