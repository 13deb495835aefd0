//! Products of many points and scalars at once, eight side by side in vector lanes.
//!
//! Each lane does what [`multiple`](super::multiple) does alone, step by step: by signed windows in Jacobian coordinates,
//! the last digit by formulas without exceptions. The argument there, why no earlier addition meets equal or opposite
//! points, speaks of one sum and holds in every lane. Digits become masks, by which rows of tables are chosen, so that
//! neither branches nor addresses depend on scalars.
//!
//! Coordinates are sums and factors in the bounds of [`Residues`](carrysave_kernels::fp8::Residues), noted in multiples of
//! the prime: x and y below 2.01, z below 2.7.

use super::formulas;
use super::multiple::{BASE_DIGITS, BASE_WINDOW, BaseTable, DIGITS, LaneRows, WINDOW, windows};
use super::weierstrass::{A, Curve, Point, one_by_one};
use crate::field::{Fe, FeBatch, Fes, Field, InLanes, Residue, Vectors};
use crate::{Cpu, Limb};
use carrysave_kernels::fp8::{self, Lanes, Octet, Program};
use core::marker::PhantomData;
use std::borrow::Cow;
use zeroize::Zeroize;

/// Numbers side by side.
const LANES: usize = 8;

/// The digits of a coordinate.
const fn digits<C: Curve>() -> usize
where
    <C::Base as Field>::Residue: InLanes,
{
    <<C::Base as Field>::Residue as InLanes>::DIGITS
}

/// Whether products of points are compiled for lanes. Where products of coordinates are inlined they are not: that takes
/// a compiler minutes.
const fn called<C: Curve>() -> bool
where
    <C::Base as Field>::Residue: InLanes,
{
    <<C::Base as Field>::Residue as InLanes>::CALLED
}

/// Points in the lanes of a vector, in Jacobian coordinates.
struct Points<C: Curve, L: Lanes>
where
    <C::Base as Field>::Residue: InLanes,
{
    x: Fes<C::Base, L>,
    y: Fes<C::Base, L>,
    z: Fes<C::Base, L>,
}

impl<C: Curve, L: Lanes> Clone for Points<C, L>
where
    <C::Base as Field>::Residue: InLanes,
{
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<C: Curve, L: Lanes> Copy for Points<C, L> where <C::Base as Field>::Residue: InLanes {}

impl<C: Curve, L: Lanes> Points<C, L>
where
    <C::Base as Field>::Residue: InLanes,
{
    /// Points from three times the octets of a coordinate.
    #[inline(always)]
    fn load(l: L, octets: &[Octet], part: usize) -> Self {
        let n = digits::<C>();
        Points {
            x: Fes::load(l, &octets[..n], part),
            y: Fes::load(l, &octets[n..2 * n], part),
            z: Fes::load(l, &octets[2 * n..3 * n], part),
        }
    }

    #[inline(always)]
    fn store(&self, octets: &mut [Octet], part: usize) {
        let n = digits::<C>();
        self.x.store(&mut octets[..n], part);
        self.y.store(&mut octets[n..2 * n], part);
        self.z.store(&mut octets[2 * n..3 * n], part);
    }

    /// `self` in lanes where the mask is 0, `other` where it is all ones.
    #[inline(always)]
    fn select(&self, other: &Self, mask: L::Vector) -> Self {
        Points {
            x: Fes::select(&self.x, &other.x, mask),
            y: Fes::select(&self.y, &other.y, mask),
            z: Fes::select(&self.z, &other.z, mask),
        }
    }

    /// The points with the other y where the mask is all ones.
    #[inline(always)]
    fn negated_where(&self, l: L, mask: L::Vector) -> Self {
        let minus = Fes::small(l, 0).sum().minus(&self.y).carried();
        let y = Fes::select(&self.y, &minus, mask);
        Points { y, ..*self }
    }

    /// Twice the points: x, y and z are (3t)^2 - 8 x y^2, 3t (4 x y^2 - x') - 8 y^4 and 2 y z, where 3t is the tangent's slope
    /// times 2y.
    #[inline(always)]
    fn double(&self, a: &Fes<C::Base, L>) -> Self {
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
    fn add(&self, other: &Self) -> Self {
        let (zz, other_zz) = (self.z.sqr(), other.z.sqr());
        let (zzz, other_zzz) = (zz * self.z, other_zz * other.z);
        let (x, y) = (self.x * other_zz, self.y * other_zzz);
        let run = other.x.mul_sum(&zz).minus(&x).factor();
        let rise = other.y.mul_sum(&zzz).minus(&y).factor();
        Self::chord([&x, &y], &(self.z * other.z), &run, &rise)
    }

    /// [`Points::add`] for other points with z = 1, given by x and y.
    #[inline(always)]
    fn add_affine(&self, x: &Fes<C::Base, L>, y: &Fes<C::Base, L>) -> Self {
        let zz = self.z.sqr();
        let zzz = zz * self.z;
        let run = x.mul_sum(&zz).minus(&self.x).factor();
        let rise = y.mul_sum(&zzz).minus(&self.y).factor();
        Self::chord([&self.x, &self.y], &self.z, &run, &rise)
    }

    /// The sums of points (x, y) with a z and others with the same, which are run and rise away.
    #[inline(always)]
    fn chord(
        [x, y]: [&Fes<C::Base, L>; 2],
        z: &Fes<C::Base, L>,
        run: &Fes<C::Base, L>,
        rise: &Fes<C::Base, L>,
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
    fn projective(&self, l: L, infinite: L::Vector) -> [Fes<C::Base, L>; 3] {
        let (zero, one) = (Fes::small(l, 0), Fes::small(l, 1));
        let zzz = self.z.sqr() * self.z;
        let pick = |a: Fes<C::Base, L>, b| Fes::select(&a, &b, infinite);
        [
            pick(self.x * self.z, zero),
            pick(self.y, one),
            pick(zzz, zero),
        ]
    }
}

/// Sums of points: only the last addition may meet equal or opposite ones.
struct Sum<C: Curve, L: Lanes>
where
    <C::Base as Field>::Residue: InLanes,
{
    points: Points<C, L>,
    /// Ones until a point is added.
    empty: L::Vector,
}

impl<C: Curve, L: Lanes> Sum<C, L>
where
    <C::Base as Field>::Residue: InLanes,
{
    #[inline(always)]
    fn new(l: L) -> Self {
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
    fn put(&mut self, l: L, sums: &Points<C, L>, others: &Points<C, L>, none: L::Vector) {
        let sums = sums.select(others, self.empty);
        self.points = sums.select(&self.points, none);
        self.empty = l.and(self.empty, none);
    }

    /// The sums with the last points, which may be any, or without them where `none` is all ones.
    #[inline(always)]
    fn add_last(
        &self,
        l: L,
        constants: &Constants<C, L>,
        others: &Points<C, L>,
        none: L::Vector,
    ) -> [Fes<C::Base, L>; 3] {
        let (p, q) = (
            self.points.projective(l, self.empty),
            others.projective(l, none),
        );
        constants.add(p, q)
    }
}

/// The curve's parameters in lanes.
struct Constants<C: Curve, L: Lanes>
where
    <C::Base as Field>::Residue: InLanes,
{
    a: Fes<C::Base, L>,
    b: Fes<C::Base, L>,
}

impl<C: Curve, L: Lanes> Constants<C, L>
where
    <C::Base as Field>::Residue: InLanes,
{
    #[inline(always)]
    fn load(l: L, octets: &[Octet]) -> Self {
        let (a, b) = octets.split_at(digits::<C>());
        Constants {
            a: Fes::load(l, a, 0),
            b: Fes::load(l, b, 0),
        }
    }

    /// The sums of any points.
    #[inline(always)]
    fn add(&self, p: [Fes<C::Base, L>; 3], q: [Fes<C::Base, L>; 3]) -> [Fes<C::Base, L>; 3] {
        formulas::sum(C::A, self.a, self.b, p, q)
    }
}

/// a and b of the curve in all lanes.
fn constants<C: Curve>(vectors: Vectors) -> FeBatch<C::Base>
where
    <C::Base as Field>::Residue: InLanes,
{
    let [a, b] = formulas::parameters::<C>();
    let lanes = [[a; LANES], [b; LANES]].concat();
    FeBatch::on(vectors, &lanes)
}

/// The words of twice each scalar, eight a group.
struct Scalars {
    octets: Vec<Octet>,
    words: usize,
}

impl Scalars {
    fn new<F: Field>(scalars: &[Fe<F>]) -> Self {
        // Windows are read from two words.
        let words = F::Residue::BITS / 64 + 2;
        let mut octets = vec![Octet::default(); words * scalars.len().div_ceil(LANES)];
        for (i, scalar) in scalars.iter().enumerate() {
            let mut limbs = scalar.to_limbs();
            let mut below = 0;
            let octets = &mut octets[words * (i / LANES)..];
            for (octet, limb) in octets[..words - 1].iter_mut().zip(&limbs) {
                octet.0[i % LANES] = limb << 1 | below >> 63;
                below = *limb;
            }
            limbs.zeroize();
            below.zeroize();
        }
        Scalars { octets, words }
    }

    /// The words of a group.
    #[inline(always)]
    fn group(&self, i: usize) -> &[[Limb; 8]] {
        &fp8::words(&self.octets)[self.words * i..][..self.words]
    }
}

/// Wipes the scalars.
impl Drop for Scalars {
    fn drop(&mut self) {
        Octet::wipe(&mut self.octets);
    }
}

/// The digits of numbers at a window of w bits, from the words of their doubles, as magnitudes and masks where they are
/// negative (Booth 1951).
#[inline(always)]
fn digit<L: Lanes>(
    l: L,
    doubles: &[[Limb; 8]],
    part: usize,
    width: usize,
    window: usize,
) -> [L::Vector; 2] {
    let (at, shift) = (width * window / 64, width * window % 64);
    let low = l.shr(l.load(&doubles[at], part), shift);
    // By two shifts, as none is by 64 bits.
    let high = l.shl(l.shl(l.load(&doubles[at + 1], part), 63 - shift), 1);
    let bits = l.and(l.or(low, high), l.splat((2 << width) - 1));
    let negative = l.hidden(l.sub(l.splat(0), l.shr(bits, width)));
    let value = l.shr(l.add(bits, l.splat(1)), 1);
    // -value + 2^w where it is negative.
    let magnitude = l.sub(l.xor(value, negative), negative);
    let magnitude = l.add(magnitude, l.and(negative, l.splat(1 << width)));
    [magnitude, negative]
}

/// The base point times scalars.
struct BaseProducts<'a, C> {
    /// For each window, the digits of x and y of the rows.
    rows: &'a [Limb],
    constants: &'a [Octet],
    scalars: &'a Scalars,
    /// x, y and z of the products of each group.
    r: &'a mut [Octet],
    curve: PhantomData<C>,
}

impl<C: Curve> BaseProducts<'_, C>
where
    <C::Base as Field>::Residue: InLanes,
{
    /// Looks up digits at a window: x and y, and ones where a digit is 0.
    #[inline(always)]
    fn lookup<L: Lanes>(
        &self,
        l: L,
        scalars: &[[Limb; 8]],
        part: usize,
        window: usize,
    ) -> (Points<C, L>, L::Vector) {
        let n = digits::<C>();
        let [magnitude, negative] = digit(l, scalars, part, BASE_WINDOW, window);
        let zero = Fes::small(l, 0);
        let (mut x, mut y) = (zero, zero);
        let rows = &self.rows[2 * n * BASE_DIGITS * window..][..2 * n * BASE_DIGITS];
        for (i, row) in (1..).zip(rows.chunks_exact(2 * n)) {
            let mask = l.equal(magnitude, l.splat(i));
            let (row_x, row_y) = row.split_at(n);
            x = x.or_where(&Fes::splat(l, row_x), mask);
            y = y.or_where(&Fes::splat(l, row_y), mask);
        }
        let entry = Points {
            x,
            y,
            z: Fes::small(l, 1),
        };
        let none = l.equal(magnitude, l.splat(0));
        (entry.negated_where(l, negative), none)
    }
}

impl<C: Curve> Program for BaseProducts<'_, C>
where
    <C::Base as Field>::Residue: InLanes,
{
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, l: L) {
        let constants = Constants::<C, L>::load(l, self.constants);
        let windows = windows(BASE_WINDOW, <C::Scalar as Field>::Residue::BITS);
        let group = 3 * digits::<C>();
        for i in 0..self.r.len() / group {
            let scalars = self.scalars.group(i);
            for part in 0..LANES / L::LANES {
                let mut sum = Sum::new(l);
                for window in (1..windows).rev() {
                    let (entry, none) = self.lookup(l, scalars, part, window);
                    let sums = sum.points.add_affine(&entry.x, &entry.y);
                    sum.put(l, &sums, &entry, none);
                }
                let (entry, none) = self.lookup(l, scalars, part, 0);
                let [x, y, z] = sum.add_last(l, &constants, &entry, none);
                Points::<C, L> { x, y, z }.store(&mut self.r[group * i..][..group], part);
            }
        }
    }
}

/// Points times scalars modulo the order of the points and of the curve.
struct Products<'a, C> {
    constants: &'a [Octet],
    scalars: &'a Scalars,
    /// x, y and z of the points of each group in projective coordinates; of the products at the end.
    points: &'a mut [Octet],
    /// Room for the multiples of a group.
    table: &'a mut [Octet],
    curve: PhantomData<C>,
}

/// Looks up digits at a window in a table of multiples from 1 on: the multiples, and ones where a digit is 0.
#[inline(always)]
fn lookup<C: Curve, L: Lanes>(
    l: L,
    table: &[Octet],
    scalars: &[[Limb; 8]],
    part: usize,
    window: usize,
) -> (Points<C, L>, L::Vector)
where
    <C::Base as Field>::Residue: InLanes,
{
    let [magnitude, negative] = digit(l, scalars, part, WINDOW, window);
    let zero = Fes::small(l, 0);
    let mut entry = Points {
        x: zero,
        y: zero,
        z: zero,
    };
    for (i, row) in (1..).zip(table.chunks_exact(3 * digits::<C>())) {
        let mask = l.equal(magnitude, l.splat(i));
        let row = Points::<C, L>::load(l, row, part);
        entry.x = entry.x.or_where(&row.x, mask);
        entry.y = entry.y.or_where(&row.y, mask);
        entry.z = entry.z.or_where(&row.z, mask);
    }
    let none = l.equal(magnitude, l.splat(0));
    (entry.negated_where(l, negative), none)
}

impl<C: Curve> Program for Products<'_, C>
where
    <C::Base as Field>::Residue: InLanes,
{
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, l: L) {
        let constants = Constants::<C, L>::load(l, self.constants);
        let windows = windows(WINDOW, <C::Scalar as Field>::Residue::BITS);
        let group = 3 * digits::<C>();
        for (i, octets) in self.points.chunks_exact_mut(group).enumerate() {
            let scalars = self.scalars.group(i);
            for part in 0..LANES / L::LANES {
                let point = Points::<C, L>::load(l, octets, part);
                let infinite = point.z.canonical().zeros();
                let point = Points::<C, L> {
                    x: point.x * point.z,
                    y: point.y * point.z.sqr(),
                    z: point.z,
                };
                point.store(&mut self.table[..group], part);
                for i in 1..DIGITS {
                    let (below, multiple) = self.table.split_at_mut(group * i);
                    let multiple = &mut multiple[..group];
                    if i % 2 == 1 {
                        let half = Points::<C, L>::load(l, &below[group * (i / 2)..], part);
                        half.double(&constants.a).store(multiple, part);
                    } else {
                        let last = Points::<C, L>::load(l, &below[group * (i - 1)..], part);
                        last.add(&point).store(multiple, part);
                    }
                }
                let mut sum = Sum::new(l);
                for window in (1..windows).rev() {
                    let (entry, none) = lookup::<C, L>(l, self.table, scalars, part, window);
                    let sums = sum.points.add(&entry);
                    sum.put(l, &sums, &entry, none);
                    for _ in 0..WINDOW {
                        sum.points = sum.points.double(&constants.a);
                    }
                }
                let (entry, none) = lookup::<C, L>(l, self.table, scalars, part, 0);
                let [x, y, z] = sum.add_last(l, &constants, &entry, none);
                let [zero, one] = [0, 1].map(|limb| Fes::small(l, limb));
                let identity = Points {
                    x: zero,
                    y: one,
                    z: zero,
                };
                let product = Points::<C, L> { x, y, z }.select(&identity, infinite);
                product.store(octets, part);
            }
        }
    }
}

/// The sums of pairs of points.
struct Sums<'a, C> {
    constants: &'a [Octet],
    p: &'a mut [Octet],
    q: &'a [Octet],
    curve: PhantomData<C>,
}

impl<C: Curve> Program for Sums<'_, C>
where
    <C::Base as Field>::Residue: InLanes,
{
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, l: L) {
        let constants = Constants::<C, L>::load(l, self.constants);
        let group = 3 * digits::<C>();
        let pairs = self
            .p
            .chunks_exact_mut(group)
            .zip(self.q.chunks_exact(group));
        for (p, q) in pairs {
            for part in 0..LANES / L::LANES {
                let [a, b] = [&*p, q].map(|octets| Points::<C, L>::load(l, octets, part));
                let [x, y, z] = constants.add([a.x, a.y, a.z], [b.x, b.y, b.z]);
                Points::<C, L> { x, y, z }.store(p, part);
            }
        }
    }
}

/// The number of products from which on they are faster in lanes, at once, than one by one; `None` if they never are.
///
/// ```
/// use carrysave_arith::{Cpu, curve::lanes_from};
/// assert_eq!(lanes_from(Cpu::portable()), None);
/// ```
pub fn lanes_from(cpu: Cpu) -> Option<usize> {
    Vectors::best(cpu).have_ifma().then_some(3)
}

/// How many of these go into lanes: all, or those in full groups where the last lanes would be idle for too many.
fn in_lanes<C: Curve>(cpu: Cpu, len: usize) -> usize
where
    <C::Base as Field>::Residue: InLanes,
{
    let rest = len % LANES;
    match lanes_from(cpu) {
        Some(least) if C::PRIME_ORDER && called::<C>() => len - if rest < least { rest } else { 0 },
        _ => 0,
    }
}

/// Points and those that follow them. What is moved from is wiped.
fn followed<C: Curve>(
    mut first: Vec<Point<C>>,
    rest: impl ExactSizeIterator<Item = Point<C>>,
) -> Vec<Point<C>> {
    if rest.len() == 0 {
        return first;
    }
    let mut all = Vec::with_capacity(first.len() + rest.len());
    all.extend_from_slice(&first);
    first.zeroize();
    all.extend(rest);
    all
}

/// Coordinates of points, eight x, eight y and eight z a group.
fn batch<C: Curve>(vectors: Vectors, points: &[Point<C>]) -> FeBatch<C::Base>
where
    <C::Base as Field>::Residue: InLanes,
{
    let mut coordinates = Vec::with_capacity(3 * points.len().next_multiple_of(LANES));
    for group in points.chunks(LANES) {
        for coordinate in [|p: &Point<C>| p.x, |p: &Point<C>| p.y, |p: &Point<C>| p.z] {
            let idle = LANES - group.len();
            coordinates.extend(group.iter().map(coordinate));
            coordinates.extend(core::iter::repeat_n(Fe::zero(), idle));
        }
    }
    let batch = FeBatch::on(vectors, &coordinates);
    coordinates.zeroize();
    batch
}

/// The first points of these coordinates.
fn points<C: Curve>(batch: &FeBatch<C::Base>, len: usize) -> Vec<Point<C>>
where
    <C::Base as Field>::Residue: InLanes,
{
    let mut coordinates = batch.to_elements();
    let groups = coordinates.chunks_exact(3 * LANES);
    let point = |group: &[Fe<C::Base>], i| Point {
        x: group[i],
        y: group[LANES + i],
        z: group[2 * LANES + i],
    };
    // With its full length from the start: a vector that grows leaves a copy behind.
    let mut points = Vec::with_capacity(LANES * groups.len());
    for group in groups {
        points.extend((0..LANES).map(|i| point(group, i)));
    }
    points.truncate(len);
    coordinates.zeroize();
    points
}

impl<C: Curve> BaseTable<C>
where
    <C::Base as Field>::Residue: InLanes,
{
    /// The base point times secret numbers, in vector lanes where that is faster; see [`lanes_from`].
    ///
    /// # Timing
    /// Depends on the curve, the number of scalars and the extensions of the table's `cpu` only.
    ///
    /// ```
    /// use carrysave_arith::{Cpu, curve::{BaseTable, P256}, field::Fe};
    /// let table = BaseTable::<P256>::new(Cpu::native());
    /// let scalars: Vec<_> = (1..12).map(Fe::from_limb).collect();
    /// assert_eq!(table.mul_batch(&scalars)[10], table.mul(&scalars[10]));
    /// ```
    #[must_use]
    pub fn mul_batch(&self, scalars: &[Fe<C::Scalar>]) -> Vec<Point<C>> {
        let (side_by_side, alone) = scalars.split_at(in_lanes::<C>(self.cpu, scalars.len()));
        let products = self.mul_in_lanes(Vectors::best(self.cpu), side_by_side);
        followed(products, alone.iter().map(|scalar| self.mul(scalar)))
    }

    /// [`BaseTable::mul_batch`], in the lanes of these vectors also where that is slower; the last lanes may be idle. Curves over
    /// fields modulo `2^w - c`, as secp256k1, have no products in lanes: they are calculated one by one.
    ///
    /// # Timing
    /// Depends on the curve, the number of scalars and the vectors only.
    ///
    /// ```
    /// use carrysave_arith::{Cpu, curve::{BaseTable, P384}, field::{Fe, Vectors}};
    /// let table = BaseTable::<P384>::new(Cpu::native());
    /// for vectors in Vectors::all(Cpu::native()) {
    ///     assert_eq!(table.mul_in_lanes(vectors, &[Fe::from_limb(9)])[0], table.mul(&Fe::from_limb(9)));
    /// }
    /// ```
    #[must_use]
    pub fn mul_in_lanes(&self, vectors: Vectors, scalars: &[Fe<C::Scalar>]) -> Vec<Point<C>> {
        if !<<C::Base as Field>::Residue as InLanes>::CALLED {
            return scalars.iter().map(|scalar| self.mul(scalar)).collect();
        }
        if scalars.is_empty() {
            return vec![];
        }
        let mut r = batch(vectors, &vec![Point::<C>::identity(); scalars.len()]);
        vectors.run(BaseProducts::<C> {
            rows: &self.rows(vectors),
            constants: constants::<C>(vectors).octets(),
            scalars: &Scalars::new(scalars),
            r: r.octets_mut(),
            curve: PhantomData,
        });
        points(&r, scalars.len())
    }

    /// The rows of all windows in the digits of these vectors.
    fn rows(&self, vectors: Vectors) -> Cow<'_, [Limb]> {
        let make = || {
            let elements: Vec<Fe<C::Base>> = self.coordinates().collect();
            let batch = FeBatch::on(vectors, &elements);
            let groups = batch.octets().chunks(digits::<C>());
            let rows = groups.flat_map(|octets| {
                (0..LANES).flat_map(move |lane| octets.iter().map(move |octet| octet.0[lane]))
            });
            rows.collect()
        };
        match vectors == Vectors::best(self.cpu) {
            true => Cow::Borrowed(&self.rows.get_or_init(|| Box::new(LaneRows(make()))).0),
            false => Cow::Owned(make()),
        }
    }

    /// u times the base point plus v times a point, for each pair of numbers and each point of the curve, in vector lanes
    /// where that is faster.
    ///
    /// # Panics
    /// If there are not as many numbers u, points and numbers v.
    ///
    /// # Timing
    /// Depends on the curve, the number of points and the extensions of the table's `cpu` only.
    ///
    /// ```
    /// use carrysave_arith::{Cpu, curve::{BaseTable, P256, Point}, field::Fe};
    /// let table = BaseTable::<P256>::new(Cpu::native());
    /// let (u, v) = ([1, 2, 3].map(Fe::from_limb), [4, 5, 6].map(Fe::from_limb));
    /// let sums = table.mul_add_batch(&u, &[Point::generator(); 3], &v);
    /// assert_eq!(sums[2], table.mul(&Fe::from_limb(9)));
    /// ```
    #[must_use]
    pub fn mul_add_batch(
        &self,
        u: &[Fe<C::Scalar>],
        q: &[Point<C>],
        v: &[Fe<C::Scalar>],
    ) -> Vec<Point<C>> {
        assert_eq!(u.len(), q.len(), "a point for each number");
        let mut sums = self.mul_batch(u);
        let products = Point::mul_batch(self.cpu, q, v);
        let len = in_lanes::<C>(self.cpu, u.len());
        if <<C::Base as Field>::Residue as InLanes>::CALLED && len > 0 {
            let vectors = Vectors::best(self.cpu);
            let mut r = batch(vectors, &sums[..len]);
            vectors.run(Sums::<C> {
                constants: constants::<C>(vectors).octets(),
                p: r.octets_mut(),
                q: batch(vectors, &products[..len]).octets(),
                curve: PhantomData,
            });
            sums[..len].copy_from_slice(&points(&r, len));
        }
        for (sum, product) in sums[len..].iter_mut().zip(&products[len..]) {
            *sum = sum.add(product);
        }
        sums
    }
}

impl<C: Curve> Point<C>
where
    <C::Base as Field>::Residue: InLanes,
{
    /// Points, each times a secret number of its own, in vector lanes where that is faster; see [`lanes_from`].
    ///
    /// # Panics
    /// If there are not as many points as scalars.
    ///
    /// # Timing
    /// Depends on the curve, the number of points and the extensions of `cpu` only.
    ///
    /// ```
    /// use carrysave_arith::{Cpu, curve::{P256, Point}, field::Fe};
    /// let (g, scalars) = (Point::<P256>::generator(), [5, 6, 7].map(Fe::from_limb));
    /// assert_eq!(Point::mul_batch(Cpu::native(), &[g; 3], &scalars)[2], g.mul(Cpu::native(), &[7]));
    /// ```
    #[must_use]
    pub fn mul_batch(cpu: Cpu, points: &[Self], scalars: &[Fe<C::Scalar>]) -> Vec<Self> {
        assert_eq!(points.len(), scalars.len(), "a scalar for each point");
        let len = in_lanes::<C>(cpu, points.len());
        let products = Point::mul_in_lanes(Vectors::best(cpu), &points[..len], &scalars[..len]);
        followed(products, one_by_one(cpu, &points[len..], &scalars[len..]))
    }

    /// [`Point::mul_batch`], in the lanes of these vectors also where that is slower; the last lanes may be idle. Curves over
    /// fields modulo `2^w - c`, as secp256k1, have no products in lanes: they are calculated one by one.
    ///
    /// # Panics
    /// If there are not as many points as scalars, or the curve has points that are no multiples of the base point.
    ///
    /// # Timing
    /// Depends on the curve, the number of points and the vectors only.
    ///
    /// ```
    /// use carrysave_arith::{Cpu, curve::{P384, Point}, field::{Fe, Vectors}};
    /// let g = Point::<P384>::generator();
    /// for vectors in Vectors::all(Cpu::native()) {
    ///     let products = Point::mul_in_lanes(vectors, &[g], &[Fe::from_limb(9)]);
    ///     assert_eq!(products[0], g.mul(Cpu::native(), &[9]));
    /// }
    /// ```
    #[must_use]
    pub fn mul_in_lanes(vectors: Vectors, points: &[Self], scalars: &[Fe<C::Scalar>]) -> Vec<Self> {
        assert_eq!(points.len(), scalars.len(), "a scalar for each point");
        if !<<C::Base as Field>::Residue as InLanes>::CALLED {
            return one_by_one(Cpu::native(), points, scalars).collect();
        }
        if points.is_empty() {
            return vec![];
        }
        assert!(C::PRIME_ORDER, "multiples of the base point");
        let mut r = batch(vectors, points);
        let mut table = vec![Octet::default(); 3 * digits::<C>() * DIGITS];
        vectors.run(Products::<C> {
            constants: constants::<C>(vectors).octets(),
            scalars: &Scalars::new(scalars),
            points: r.octets_mut(),
            table: &mut table,
            curve: PhantomData,
        });
        Octet::wipe(&mut table);
        self::points(&r, scalars.len())
    }
}
