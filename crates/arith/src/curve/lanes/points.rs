//! Points in the lanes of vectors, in Jacobian coordinates, and their sums.

use super::{LANES, digits};
use crate::Limb;
use crate::curve::formulas;
use crate::curve::weierstrass::{A, Curve, same};
use crate::field::{FeBatch, Fes, Field, InLanes, Vectors};
use carrysave_kernels::fp8::{Lanes, Octet, Part};

/// Points in the lanes of a vector, in Jacobian coordinates.
pub(super) struct Points<C: Curve, L: Lanes>
where
    <C::BaseInLanes as Field>::Residue: InLanes,
{
    pub(super) x: Fes<C::BaseInLanes, L>,
    pub(super) y: Fes<C::BaseInLanes, L>,
    pub(super) z: Fes<C::BaseInLanes, L>,
}

impl<C: Curve, L: Lanes> Clone for Points<C, L>
where
    <C::BaseInLanes as Field>::Residue: InLanes,
{
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<C: Curve, L: Lanes> Copy for Points<C, L> where <C::BaseInLanes as Field>::Residue: InLanes {}

impl<C: Curve, L: Lanes> Points<C, L>
where
    <C::BaseInLanes as Field>::Residue: InLanes,
{
    /// Points from three times the octets of a coordinate.
    #[inline(always)]
    pub(super) fn load(l: L, octets: &[Octet], part: usize) -> Self {
        let n = digits::<C>();
        Points {
            x: Fes::load(l, &octets[..n], part),
            y: Fes::load(l, &octets[n..2 * n], part),
            z: Fes::load(l, &octets[2 * n..3 * n], part),
        }
    }

    #[inline(always)]
    pub(super) fn store(&self, octets: &mut [Octet], part: usize) {
        let n = digits::<C>();
        self.x.store(&mut octets[..n], part);
        self.y.store(&mut octets[n..2 * n], part);
        self.z.store(&mut octets[2 * n..3 * n], part);
    }

    /// `self` in lanes where the mask is 0, `other` where it is all ones.
    #[inline(always)]
    pub(super) fn select(&self, other: &Self, mask: L::Vector) -> Self {
        Points {
            x: Fes::select(&self.x, &other.x, mask),
            y: Fes::select(&self.y, &other.y, mask),
            z: Fes::select(&self.z, &other.z, mask),
        }
    }

    /// The points with the other y where the mask is all ones.
    #[inline(always)]
    pub(super) fn negated_where(&self, l: L, mask: L::Vector) -> Self {
        let minus = Fes::small(l, 0).sum().minus(&self.y).carried();
        let y = Fes::select(&self.y, &minus, mask);
        Points { y, ..*self }
    }

    /// Twice the points: x, y and z are (3t)^2 - 8 x y^2, 3t (4 x y^2 - x') - 8 y^4 and 2 y z, where 3t is the tangent's slope
    /// times 2y.
    #[inline(always)]
    pub(super) fn double(&self, a: &Fes<C::BaseInLanes, L>) -> Self {
        let Points { x, y, z } = self;
        let zz = z.sqr();
        let yy = y.sqr_sum().doubled().factor();
        let slope = match C::A {
            A::MinusThree => {
                let (more, less) = (x.sum().plus(&zz).factor(), x.sum().minus(&zz).factor());
                more.mul_sum(&less).tripled().factor()
            }
            A::Zero { .. } => x.sqr_sum().tripled().factor(),
            A::Any => {
                let xx = x.sqr();
                let azz = a.mul_sum(&zz.sqr());
                azz.plus(&xx).plus(&xx).plus(&xx).carried()
            }
        };
        let s = x.mul_sum(&yy).doubled().factor();
        let z = y.mul_sum(z).doubled().factor();
        let x = slope.sqr_sum().minus(&s).minus(&s).carried();
        let less = x.sum().minus(&s).factor();
        let y = Fes::product_and_squares([&slope, &less], &yy)
            .negated()
            .carried();
        Points { x, y, z }
    }

    /// The sums of points that are neither equal nor opposite nor at infinity.
    #[inline(always)]
    pub(super) fn add(&self, other: &Self) -> Self {
        let (zz, other_zz) = (self.z.sqr(), other.z.sqr());
        let (zzz, other_zzz) = (zz * self.z, other_zz * other.z);
        let (x, y) = (self.x * other_zz, self.y * other_zzz);
        let run = other.x.mul_sum(&zz).minus(&x).factor();
        let rise = other.y.mul_sum(&zzz).minus(&y).factor();
        Self::chord([&x, &y], &(self.z * other.z), &run, &rise)
    }

    /// [`Points::add`] for other points with z = 1, given by x and y.
    #[inline(always)]
    pub(super) fn add_affine(
        &self,
        x: &Fes<C::BaseInLanes, L>,
        y: &Fes<C::BaseInLanes, L>,
    ) -> Self {
        let zz = self.z.sqr();
        let zzz = zz * self.z;
        let run = x.mul_sum(&zz).minus(&self.x).factor();
        let rise = y.mul_sum(&zzz).minus(&self.y).factor();
        Self::chord([&self.x, &self.y], &self.z, &run, &rise)
    }

    /// The sums of points (x, y) with a z and others with the same, which are run and rise away.
    #[inline(always)]
    pub(super) fn chord(
        [x, y]: [&Fes<C::BaseInLanes, L>; 2],
        z: &Fes<C::BaseInLanes, L>,
        run: &Fes<C::BaseInLanes, L>,
        rise: &Fes<C::BaseInLanes, L>,
    ) -> Self {
        let square = run.sqr();
        let z = *z * *run;
        let (cube, v) = (square * *run, *x * square);
        let x = rise.sqr_sum().minus(&cube).minus(&v).minus(&v).carried();
        let less = x.sum().minus(&v).factor();
        let y = Fes::two_products([y, &cube], [rise, &less])
            .negated()
            .carried();
        Points { x, y, z }
    }

    /// The points in the coordinates of the complete formulas, or infinity where the mask is all ones.
    #[inline(always)]
    pub(super) fn projective(&self, l: L, infinite: L::Vector) -> [Fes<C::BaseInLanes, L>; 3] {
        let (zero, one) = (Fes::small(l, 0), Fes::small(l, 1));
        let zzz = self.z.sqr() * self.z;
        let pick = |a: Fes<C::BaseInLanes, L>, b| Fes::select(&a, &b, infinite);
        [
            pick(self.x * self.z, zero),
            pick(self.y, one),
            pick(zzz, zero),
        ]
    }
}

/// Sums of points: only the last addition may meet equal or opposite ones.
pub(super) struct Sum<C: Curve, L: Lanes>
where
    <C::BaseInLanes as Field>::Residue: InLanes,
{
    pub(super) points: Points<C, L>,
    /// Ones until a point is added.
    pub(super) empty: L::Vector,
}

impl<C: Curve, L: Lanes> Sum<C, L>
where
    <C::BaseInLanes as Field>::Residue: InLanes,
{
    #[inline(always)]
    pub(super) fn new(l: L) -> Self {
        let one = Fes::small(l, 1);
        Sum {
            points: Points {
                x: one,
                y: one,
                z: one,
            },
            empty: l.splat(Limb::MAX),
        }
    }

    /// Takes these sums with other points for what was there, but where `none` is all ones.
    #[inline(always)]
    pub(super) fn put(
        &mut self,
        l: L,
        sums: &Points<C, L>,
        others: &Points<C, L>,
        none: L::Vector,
    ) {
        let sums = sums.select(others, self.empty);
        self.points = sums.select(&self.points, none);
        self.empty = l.and(self.empty, none);
    }

    /// The sums with the last points, which may be any, or without them where `none` is all ones.
    #[inline(always)]
    pub(super) fn add_last(
        &self,
        l: L,
        constants: &Constants<C, L>,
        others: &Points<C, L>,
        none: L::Vector,
    ) -> [Fes<C::BaseInLanes, L>; 3] {
        let (p, q) = (
            self.points.projective(l, self.empty),
            others.projective(l, none),
        );
        constants.add(l, p, q)
    }
}

/// The curve's parameters in lanes.
pub(super) struct Constants<C: Curve, L: Lanes>
where
    <C::BaseInLanes as Field>::Residue: InLanes,
{
    pub(super) a: Fes<C::BaseInLanes, L>,
    pub(super) b: Fes<C::BaseInLanes, L>,
}

impl<C: Curve, L: Lanes> Constants<C, L>
where
    <C::BaseInLanes as Field>::Residue: InLanes,
{
    #[inline(always)]
    pub(super) fn load(l: L, octets: &[Octet]) -> Self {
        let (a, b) = octets.split_at(digits::<C>());
        Constants {
            a: Fes::load(l, a, 0),
            b: Fes::load(l, b, 0),
        }
    }

    /// The sums of any points.
    #[inline(always)]
    pub(super) fn add(
        &self,
        l: L,
        p: [Fes<C::BaseInLanes, L>; 3],
        q: [Fes<C::BaseInLanes, L>; 3],
    ) -> [Fes<C::BaseInLanes, L>; 3] {
        l.call(CompleteSum {
            constants: self,
            p: &p,
            q: &q,
        })
    }
}

/// The sums of any points, by the complete formulas of [`formulas`]: with x, y and z below 2.01, and sums of products in place
/// of products of sums. What is subtracted is below 4, and what becomes a factor or a residue below 16, in multiples of the
/// prime. It is called: no calculation needs many, and it takes kilobytes of stack.
struct CompleteSum<'a, C: Curve, L: Lanes>
where
    <C::BaseInLanes as Field>::Residue: InLanes,
{
    constants: &'a Constants<C, L>,
    p: &'a [Fes<C::BaseInLanes, L>; 3],
    q: &'a [Fes<C::BaseInLanes, L>; 3],
}

impl<C: Curve, L: Lanes> Part<L> for CompleteSum<'_, C, L>
where
    <C::BaseInLanes as Field>::Residue: InLanes,
{
    type Output = [Fes<C::BaseInLanes, L>; 3];

    #[inline(always)]
    fn run(self, _lanes: L) -> Self::Output {
        let CompleteSum { constants, p, q } = self;
        // Below 1.3, and 1.6.
        let (xx, yy, zz) = (p[0] * q[0], p[1] * q[1], p[2] * q[2]);
        let xy = &Fes::two_products([&p[0], &q[1]], [&p[1], &q[0]]).factor();
        let yz = &Fes::two_products([&p[1], &q[2]], [&p[2], &q[1]]).factor();
        let xz = &Fes::two_products([&p[0], &q[2]], [&p[2], &q[0]]).factor();
        let (less, more, tangent, t) = match C::A {
            A::Zero { .. } => {
                let s = constants.b.mul_sum(&zz).tripled().factor();
                (
                    yy.sum().minus(&s).factor(),
                    yy.sum().plus(&s).factor(),
                    xx.sum().tripled().factor(),
                    constants.b.mul_sum(xz).tripled(),
                )
            }
            A::MinusThree => {
                let s = xz.sum().minus(&(constants.b * zz)).carried();
                let zzz = zz.sum().plus(&zz).plus(&zz).factor();
                let t = constants.b.mul_sum(xz).minus(&xx).minus(&zzz).carried();
                (
                    yy.sum().plus(&s).plus(&s).plus(&s).factor(),
                    yy.sum().minus(&s).minus(&s).minus(&s).factor(),
                    xx.sum().minus(&zz).tripled().factor(),
                    t.sum().tripled(),
                )
            }
            A::Any => {
                let azz = constants.a * zz;
                let s = Fes::two_products([&constants.a, xz], [&constants.b, &zz]).factor();
                let rest = xx.sum().minus(&azz).factor();
                (
                    yy.sum().minus(&s).factor(),
                    yy.sum().plus(&s).factor(),
                    xx.sum().tripled().plus(&azz).factor(),
                    Fes::two_products([&constants.a, &rest], [&constants.b, xz]),
                )
            }
        };
        let (minus_t, t) = (t.negated().factor(), t.factor());
        [
            Fes::two_products([xy, &less], [yz, &minus_t]).carried(),
            Fes::two_products([&less, &more], [&tangent, &t]).carried(),
            Fes::two_products([yz, &more], [xy, &tangent]).carried(),
        ]
    }
}

/// a and b of the curve in all lanes.
pub(super) fn constants<C: Curve>(vectors: Vectors) -> FeBatch<C::BaseInLanes>
where
    <C::BaseInLanes as Field>::Residue: InLanes,
{
    let [a, b] = formulas::parameters::<C>().map(|x| same(&x));
    let lanes = [[a; LANES], [b; LANES]].concat();
    FeBatch::on(vectors, &lanes)
}
