//! Products of many points and scalars at once, eight side by side in vector lanes.
//!
//! Each lane does what [`multiple`](super::multiple) does alone, step by step: by signed windows in Jacobian coordinates,
//! the last digit by formulas without exceptions. The argument there, why no earlier addition meets equal or opposite
//! points, speaks of one sum and holds in every lane. Digits become masks, by which rows of tables are chosen, so that
//! neither branches nor addresses depend on scalars.
//!
//! Coordinates are sums and factors in the bounds of [`Residues`](carrysave_kernels::fp8::Residues), noted in multiples of
//! the prime: x and y below 2.01, z below 2.7.

mod columns;
mod points;
mod programs;
mod scalars;
mod spread;

pub(super) use columns::{Columns, OnFirstUse};
pub(super) use scalars::{Scalars, digit};

use super::counting;
use super::multiple::{BASE_DIGITS, BaseTable, DIGITS};
use super::weierstrass::{Curve, Point, one_by_one, same};
use crate::field::{Fe, FeBatch, Field, InLanes, Vectors};
use crate::{Cpu, Limb};
use carrysave_kernels::fp8::{Octet, ROWS};
use core::marker::PhantomData;
use core::mem;
use points::constants;
use programs::{BaseProducts, Products, Sums};
use zeroize::{Zeroize, Zeroizing};

const _: () = assert!(BASE_DIGITS == ROWS, "a row for each digit");

/// Numbers side by side.
pub(super) const LANES: usize = 8;

/// The digits of a coordinate.
const fn digits<C: Curve>() -> usize
where
    <C::BaseInLanes as Field>::Residue: InLanes,
{
    <<C::BaseInLanes as Field>::Residue as InLanes>::DIGITS
}

/// Whether products of points are compiled for lanes. Where products of coordinates are inlined they are not: that takes
/// a compiler minutes.
const fn called<C: Curve>() -> bool
where
    <C::BaseInLanes as Field>::Residue: InLanes,
{
    <<C::BaseInLanes as Field>::Residue as InLanes>::CALLED
}

/// The number of products from which on they are faster in lanes, at once, than one by one; `None` if they never are. Those of
/// the base points of P-256, secp256k1 and Edwards25519 take one more with AVX-512 IFMA, where each of them alone has all
/// lanes, too.
///
/// ```
/// use carrysave_arith::{Cpu, curve::lanes_from};
/// assert_eq!(lanes_from(Cpu::portable()), None);
/// ```
pub fn lanes_from(cpu: Cpu) -> Option<usize> {
    let vectors = Vectors::best(cpu);
    vectors.have_ifma().then(|| match vectors.lanes() {
        LANES => 3,
        // Eight elements are two vectors.
        _ => 4,
    })
}

/// [`lanes_from`] for products of a base point, which alone may be spread over the lanes of AVX-512 IFMA.
pub(super) fn base_lanes_from(cpu: Cpu, spread: bool) -> Option<usize> {
    let alone = spread && Vectors::best(cpu).lanes() == LANES;
    lanes_from(cpu).map(|least| least + usize::from(alone))
}

/// How many of these go into lanes: all, or those in full groups where fewer than the least number are left for the last
/// lanes.
pub(super) fn filled(least: Option<usize>, len: usize) -> usize {
    let rest = len % LANES;
    least.map_or(0, |least| len - if rest < least { rest } else { 0 })
}

/// How many go into lanes on this curve, given the least number that does.
fn in_lanes<C: Curve>(least: Option<usize>, len: usize) -> usize
where
    <C::BaseInLanes as Field>::Residue: InLanes,
{
    match C::PRIME_ORDER && called::<C>() {
        true => filled(least, len),
        false => 0,
    }
}

/// Secrets and those that follow them. What is moved from is wiped.
pub(super) fn followed<P: Clone>(
    mut first: Vec<P>,
    rest: impl ExactSizeIterator<Item = P>,
) -> Vec<P>
where
    Vec<P>: Zeroize,
{
    if rest.len() == 0 {
        return first;
    }
    let mut all = Vec::with_capacity(first.len() + rest.len());
    all.extend_from_slice(&first);
    first.zeroize();
    all.extend(rest);
    all
}

/// Coordinates of points in groups of eight: first coordinates, second ones, and so on.
pub(super) fn batch<P, F: Field, const K: usize>(
    vectors: Vectors,
    points: &[P],
    coordinates: [fn(&P) -> Fe<F>; K],
) -> FeBatch<F>
where
    F::Residue: InLanes,
{
    let mut all = Vec::with_capacity(K * points.len().next_multiple_of(LANES));
    for group in points.chunks(LANES) {
        for coordinate in coordinates {
            all.extend(group.iter().map(coordinate));
            all.extend(core::iter::repeat_n(Fe::zero(), LANES - group.len()));
        }
    }
    let batch = FeBatch::on(vectors, &all);
    all.zeroize();
    batch
}

/// The first points of these coordinates.
pub(super) fn points<P, F: Field, const K: usize>(
    batch: &FeBatch<F>,
    len: usize,
    point: fn([Fe<F>; K]) -> P,
) -> Vec<P>
where
    F::Residue: InLanes,
{
    let mut all = batch.to_elements();
    let groups = all.chunks_exact(K * LANES);
    // With its full length from the start: a vector that grows leaves a copy behind.
    let mut points = Vec::with_capacity(LANES * groups.len());
    for group in groups {
        points.extend((0..LANES).map(|i| point(core::array::from_fn(|k| group[LANES * k + i]))));
    }
    points.truncate(len);
    all.zeroize();
    points
}

/// X, Y and Z of points.
fn projective<C: Curve>(vectors: Vectors, points: &[Point<C>]) -> FeBatch<C::BaseInLanes>
where
    <C::BaseInLanes as Field>::Residue: InLanes,
{
    batch(
        vectors,
        points,
        [|p| same(&p.x), |p| same(&p.y), |p| same(&p.z)],
    )
}

/// The first points of X, Y and Z.
fn from_projective<C: Curve>(batch: &FeBatch<C::BaseInLanes>, len: usize) -> Vec<Point<C>>
where
    <C::BaseInLanes as Field>::Residue: InLanes,
{
    points(batch, len, |[x, y, z]| Point {
        x: same(&x),
        y: same(&y),
        z: same(&z),
    })
}

impl<C: Curve> BaseTable<C>
where
    <C::BaseInLanes as Field>::Residue: InLanes,
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
        self.mul_batch_counted(scalars).0
    }

    /// [`mul_batch`](Self::mul_batch) with the counts of [`mul_counted`](Self::mul_counted).
    ///
    /// # Timing
    /// Depends on the curve, the number of scalars and the extensions of the table's `cpu` only.
    ///
    /// ```
    /// use carrysave_arith::{Cpu, curve::{BaseTable, P256}, field::Fe};
    /// let table = BaseTable::<P256>::new(Cpu::native());
    /// let scalars: Vec<_> = (1..12).map(Fe::from_limb).collect();
    /// let (_, counts) = table.mul_batch_counted(&scalars);
    /// assert_eq!(counts[10], BaseTable::<P256>::count(&scalars[10]));
    /// ```
    #[must_use]
    pub fn mul_batch_counted(
        &self,
        scalars: &[Fe<C::Scalar>],
    ) -> (Vec<Point<C>>, Zeroizing<Vec<Limb>>) {
        let least = base_lanes_from(self.cpu, spread::pays::<C>());
        let (side_by_side, alone) = scalars.split_at(in_lanes::<C>(least, scalars.len()));
        let vectors = Vectors::best(self.cpu);
        let (products, mut counts) = self.mul_in_lanes_counted(vectors, side_by_side);
        let (mut rest, more) = self.one_by_one(alone);
        let counts = followed(mem::take(&mut *counts), more.iter().copied());
        let products = followed(products, rest.iter().copied());
        rest.zeroize();
        (products, Zeroizing::new(counts))
    }

    /// [`BaseTable::mul_batch`], in the lanes of these vectors also where that is slower; the last lanes may be idle. Curves
    /// whose [`Curve::BaseInLanes`] is a field modulo `2^w - c` have no products in lanes: they are calculated one by one.
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
        self.mul_in_lanes_counted(vectors, scalars).0
    }

    /// [`mul_in_lanes`](Self::mul_in_lanes) with the counts of [`mul_counted`](Self::mul_counted).
    ///
    /// # Timing
    /// Depends on the curve, the number of scalars and the vectors only.
    #[must_use]
    pub fn mul_in_lanes_counted(
        &self,
        vectors: Vectors,
        scalars: &[Fe<C::Scalar>],
    ) -> (Vec<Point<C>>, Zeroizing<Vec<Limb>>) {
        if !<<C::BaseInLanes as Field>::Residue as InLanes>::CALLED {
            return self.one_by_one(scalars);
        }
        if scalars.is_empty() {
            return (vec![], Zeroizing::default());
        }
        let len = scalars.len();
        let vectors = vectors.of_integers();
        let mut r = projective(vectors, &vec![Point::<C>::identity(); len]);
        let mut counts = vec![Octet::default(); len.div_ceil(LANES)];
        let elements = || {
            self.coordinates()
                .map(|x| same::<_, C::BaseInLanes>(&x))
                .collect()
        };
        vectors.run_on_integers(BaseProducts::<C> {
            columns: &Columns::on(vectors, (&self.columns, self.cpu), elements, 2),
            constants: constants::<C>(vectors).octets(),
            scalars: &Scalars::of(scalars),
            counts: &mut counts,
            r: r.octets_mut(),
            curve: PhantomData,
        });
        let numbers = counting::counts(&counts, len);
        Octet::wipe(&mut counts);
        (from_projective(&r, len), numbers)
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
        let products = Zeroizing::new(Point::mul_batch(self.cpu, q, v));
        let len = in_lanes::<C>(lanes_from(self.cpu), u.len());
        if <<C::BaseInLanes as Field>::Residue as InLanes>::CALLED && len > 0 {
            let vectors = Vectors::best(self.cpu).of_integers();
            let mut r = projective(vectors, &sums[..len]);
            vectors.run_on_integers(Sums::<C> {
                constants: constants::<C>(vectors).octets(),
                p: r.octets_mut(),
                q: projective(vectors, &products[..len]).octets(),
                curve: PhantomData,
            });
            sums[..len].copy_from_slice(&Zeroizing::new(from_projective(&r, len)));
        }
        for (sum, product) in sums[len..].iter_mut().zip(&products[len..]) {
            *sum = sum.add(product);
        }
        sums
    }
}

impl<C: Curve> Point<C>
where
    <C::BaseInLanes as Field>::Residue: InLanes,
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
        let len = in_lanes::<C>(lanes_from(cpu), points.len());
        let products = Point::mul_in_lanes(Vectors::best(cpu), &points[..len], &scalars[..len]);
        followed(products, one_by_one(cpu, &points[len..], &scalars[len..]))
    }

    /// [`Point::mul_batch`], in the lanes of these vectors also where that is slower; the last lanes may be idle. Curves
    /// whose [`Curve::BaseInLanes`] is a field modulo `2^w - c` have no products in lanes: they are calculated one by one.
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
        if !<<C::BaseInLanes as Field>::Residue as InLanes>::CALLED {
            return one_by_one(Cpu::native(), points, scalars).collect();
        }
        if points.is_empty() {
            return vec![];
        }
        assert!(C::PRIME_ORDER, "multiples of the base point");
        let vectors = vectors.of_integers();
        let mut r = projective(vectors, points);
        let mut table = vec![Octet::default(); 3 * digits::<C>() * DIGITS];
        vectors.run_on_integers(Products::<C> {
            constants: constants::<C>(vectors).octets(),
            scalars: &Scalars::of(scalars),
            points: r.octets_mut(),
            table: &mut table,
            curve: PhantomData,
        });
        Octet::wipe(&mut table);
        from_projective(&r, scalars.len())
    }
}
