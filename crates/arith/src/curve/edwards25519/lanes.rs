//! Products of many scalars at once, eight side by side in vector lanes: each lane does what is done alone, step by step.
//! The formulas have no exceptions, so that lanes need none. Digits become masks and numbers of rows: neither branches nor
//! addresses depend on scalars, but for functions whose names end in `_vartime`.

use super::base::{BITS, Edwards25519Table, scalar_limbs};
use super::formulas::{Completed, Projective};
use super::point::{Addend, Edwards25519Point};
use super::{Edwards25519Order, TWICE_D, element};
use crate::Limb;
use crate::curve::counting::{self, add_in_lanes};
use crate::curve::lanes::{
    Columns, LANES, Scalars, base_lanes_from, batch, digit, filled, followed, lanes_from, points,
};
use crate::curve::multiple::{BASE_WINDOW, DIGITS, WINDOW, windows};
use crate::field::{F25519, Fe, FeBatch, Fes, Portable, Vectors, invert_batch};
use carrysave_kernels::fp8::{InLanes, Lanes, Octet, Program};
use core::mem;
use zeroize::{Zeroize, Zeroizing};

/// An element in lanes.
type Element<L> = Fes<F25519, L>;
/// Digits of a coordinate.
const DIGITS_OF_COORDINATE: usize = <<F25519 as crate::field::Field>::Residue as InLanes>::DIGITS;
/// Octets of a group of points.
pub(super) const GROUP: usize = 4 * DIGITS_OF_COORDINATE;

/// Four elements in lanes: the coordinates of points, or Y + X, Y - X, 2dT and 2Z.
#[derive(Clone, Copy)]
pub(super) struct Four<L: Lanes>(pub(super) [Element<L>; 4]);

impl<L: Lanes> Four<L> {
    #[inline(always)]
    pub(super) fn load(l: L, octets: &[Octet], part: usize) -> Self {
        let (n, mut at) = (DIGITS_OF_COORDINATE, [Fes::small(l, 0); 4]);
        for (i, element) in at.iter_mut().enumerate() {
            *element = Fes::load(l, &octets[n * i..][..n], part);
        }
        Four(at)
    }

    #[inline(always)]
    pub(super) fn store(&self, octets: &mut [Octet], part: usize) {
        for (element, octets) in self
            .0
            .iter()
            .zip(octets.chunks_exact_mut(DIGITS_OF_COORDINATE))
        {
            element.store(octets, part);
        }
    }

    /// Points as what is added to others.
    #[inline(always)]
    pub(super) fn cached(&self, twice_d: &Element<L>) -> Self {
        let [x, y, z, t] = self.0;
        Four([y + x, y - x, t * *twice_d, z + z])
    }

    /// Points plus cached ones.
    #[inline(always)]
    pub(super) fn plus(&self, cached: &Self) -> Self {
        let ([x, y, z, t], [sum, difference, product, twice_z]) = (self.0, cached.0);
        let sum = Completed::sum([x, y, t], &[sum, difference, product], z * twice_z);
        Four(sum.coordinates())
    }

    #[inline(always)]
    fn projective(&self) -> Projective<Element<L>> {
        let [x, y, z, _] = self.0;
        Projective { x, y, z }
    }
}

/// The negatives of addends where the mask is all ones.
#[inline(always)]
pub(super) fn negated_where<L: Lanes>(
    l: L,
    [sum, difference, product]: [Element<L>; 3],
    mask: L::Vector,
) -> [Element<L>; 3] {
    [
        Fes::select(&sum, &difference, mask),
        Fes::select(&difference, &sum, mask),
        Fes::select(&product, &(Fes::small(l, 0) - product), mask),
    ]
}

/// Points plus the base point times scalars.
struct BaseProducts<'a> {
    columns: &'a Columns,
    scalars: &'a Scalars,
    /// The counts of each group.
    counts: &'a mut [Octet],
    /// The coordinates of each group of points, and of the sums at the end.
    points: &'a mut [Octet],
}

impl Program for BaseProducts<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, l: L) {
        let one = Fes::small(l, 1);
        for (i, octets) in self.points.chunks_exact_mut(GROUP).enumerate() {
            let scalars = self.scalars.group(i);
            for part in 0..LANES / L::LANES {
                let Four([mut x, mut y, mut z, mut t]) = Four::load(l, octets, part);
                let mut count = l.splat(0);
                for window in 0..windows(BASE_WINDOW, BITS) {
                    let [magnitude, negative] = digit(l, scalars, part, BASE_WINDOW, window);
                    // The row 0 is that of the digit 1. The digit 0 has none, and the identity is 1, 1, 0.
                    let index = l.index(l.sub(magnitude, l.splat(1)));
                    let none = l.equal(magnitude, l.splat(0));
                    let numbers = l.pick(self.columns.numbers(window), &index);
                    let columns = self.columns.window(window, 3 * DIGITS_OF_COORDINATE);
                    let (sum, columns) = columns.split_at(DIGITS_OF_COORDINATE);
                    let (difference, product) = columns.split_at(DIGITS_OF_COORDINATE);
                    let addend = [
                        Fes::pick(l, sum, &index).or_where(&one, none),
                        Fes::pick(l, difference, &index).or_where(&one, none),
                        Fes::pick(l, product, &index),
                    ];
                    let addend = negated_where(l, addend, negative);
                    [x, y, z, t] = Completed::sum([x, y, t], &addend, z + z).coordinates();
                    count = add_in_lanes(l, count, [numbers, negative], none);
                }
                Four([x, y, z, t]).store(octets, part);
                l.store(count, &mut self.counts[i].0, part);
            }
        }
    }
}

/// Points times scalars.
struct Products<'a> {
    twice_d: &'a [Octet],
    scalars: &'a Scalars,
    /// The coordinates of each group of points, and of the products at the end.
    points: &'a mut [Octet],
    /// Room for the multiples of a group.
    table: &'a mut [Octet],
}

impl Products<'_> {
    /// Looks up digits at a window in the table of multiples from 1 on.
    #[inline(always)]
    fn lookup<L: Lanes>(
        l: L,
        table: &[Octet],
        scalars: &[[Limb; 8]],
        (part, window): (usize, usize),
    ) -> Four<L> {
        let [magnitude, negative] = digit(l, scalars, part, WINDOW, window);
        let [zero, one, two] = [0, 1, 2].map(|limb| Fes::small(l, limb));
        let mut entry = [zero; 4];
        for (i, row) in (1..).zip(table.chunks_exact(GROUP)) {
            let mask = l.equal(magnitude, l.splat(i));
            let row = Four::load(l, row, part);
            for (entry, row) in entry.iter_mut().zip(&row.0) {
                *entry = entry.or_where(row, mask);
            }
        }
        let none = l.equal(magnitude, l.splat(0));
        let [sum, difference, product, twice_z] = entry;
        let (sum, difference) = (sum.or_where(&one, none), difference.or_where(&one, none));
        let [sum, difference, product] = negated_where(l, [sum, difference, product], negative);
        Four([sum, difference, product, twice_z.or_where(&two, none)])
    }
}

impl Program for Products<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, l: L) {
        let twice_d = Fes::load(l, self.twice_d, 0);
        let (zero, one) = (Fes::small(l, 0), Fes::small(l, 1));
        for (i, octets) in self.points.chunks_exact_mut(GROUP).enumerate() {
            let scalars = self.scalars.group(i);
            for part in 0..LANES / L::LANES {
                let point = Four::load(l, octets, part);
                let step = point.cached(&twice_d);
                let mut multiple = point;
                step.store(&mut self.table[..GROUP], part);
                for i in 1..DIGITS {
                    multiple = multiple.plus(&step);
                    let cached = multiple.cached(&twice_d);
                    cached.store(&mut self.table[GROUP * i..][..GROUP], part);
                }
                let mut sum = Four([zero, one, one, zero]);
                for window in (0..windows(WINDOW, BITS)).rev() {
                    let mut doubled = sum.projective();
                    for _ in 1..WINDOW {
                        doubled = doubled.double().projective();
                    }
                    sum = Four(doubled.double().coordinates());
                    let entry = Self::lookup(l, self.table, scalars, (part, window));
                    sum = sum.plus(&entry);
                }
                sum.store(octets, part);
            }
        }
    }
}

/// The coordinates of points in groups of eight.
fn coordinates(vectors: Vectors, points: &[Edwards25519Point]) -> FeBatch<F25519> {
    batch(vectors, points, [|p| p.x, |p| p.y, |p| p.z, |p| p.t])
}

/// The first points of these coordinates.
fn from_coordinates(batch: &FeBatch<F25519>, len: usize) -> Vec<Edwards25519Point> {
    points(batch, len, |[x, y, z, t]| Edwards25519Point { x, y, z, t })
}

impl Edwards25519Table {
    /// How many of these products of the base point go side by side.
    fn in_lanes(&self, len: usize) -> usize {
        filled(base_lanes_from(self.cpu, true), len)
    }

    /// The base point times secret numbers, in vector lanes where that is faster; see
    /// [`lanes_from`](crate::curve::lanes_from).
    ///
    /// # Timing
    /// Depends on the number of scalars and the processor's extensions only.
    ///
    /// ```
    /// use carrysave_arith::{Cpu, curve::Edwards25519Table, field::Fe};
    /// let table = Edwards25519Table::new(Cpu::native());
    /// let scalars: Vec<_> = (1..12).map(Fe::from_limb).collect();
    /// assert_eq!(table.mul_batch(&scalars)[10], table.mul(&scalars[10]));
    /// ```
    #[must_use]
    pub fn mul_batch(&self, scalars: &[Fe<Edwards25519Order>]) -> Vec<Edwards25519Point> {
        self.mul_batch_counted(scalars).0
    }

    /// [`mul_batch`](Self::mul_batch) with the counts of [`mul_counted`](Self::mul_counted).
    ///
    /// # Timing
    /// Depends on the number of scalars and the processor's extensions only.
    ///
    /// ```
    /// use carrysave_arith::{Cpu, curve::Edwards25519Table, field::Fe};
    /// let table = Edwards25519Table::new(Cpu::native());
    /// let scalars: Vec<_> = (1..12).map(Fe::from_limb).collect();
    /// let (_, counts) = table.mul_batch_counted(&scalars);
    /// assert_eq!(counts[10], Edwards25519Table::count(&scalars[10]));
    /// ```
    #[must_use]
    pub fn mul_batch_counted(
        &self,
        scalars: &[Fe<Edwards25519Order>],
    ) -> (Vec<Edwards25519Point>, Zeroizing<Vec<Limb>>) {
        let (side_by_side, alone) = scalars.split_at(self.in_lanes(scalars.len()));
        let vectors = Vectors::best(self.cpu);
        let (products, mut counts) = self.multiples(vectors, &Scalars::of(side_by_side));
        let mut rest = Vec::with_capacity(alone.len());
        rest.extend(alone.iter().map(|k| self.mul_counted(k)));
        let counts = followed(
            mem::take(&mut *counts),
            rest.iter().map(|(_, count)| *count),
        );
        let products = followed(products, rest.iter().map(|(product, _)| *product));
        for (product, count) in &mut rest {
            product.zeroize();
            count.zeroize();
        }
        (products, Zeroizing::new(counts))
    }

    /// [`mul_batch`](Self::mul_batch), in the lanes of these vectors also where that is slower; the last lanes may be idle.
    ///
    /// # Timing
    /// Depends on the number of scalars and the vectors only.
    ///
    /// ```
    /// use carrysave_arith::{Cpu, curve::Edwards25519Table, field::{Fe, Vectors}};
    /// let table = Edwards25519Table::new(Cpu::native());
    /// for vectors in Vectors::all(Cpu::native()) {
    ///     assert_eq!(table.mul_in_lanes(vectors, &[Fe::from_limb(9)])[0], table.mul(&Fe::from_limb(9)));
    /// }
    /// ```
    #[must_use]
    pub fn mul_in_lanes(
        &self,
        vectors: Vectors,
        scalars: &[Fe<Edwards25519Order>],
    ) -> Vec<Edwards25519Point> {
        self.multiples(vectors, &Scalars::of(scalars)).0
    }

    /// [`x25519_public`](Self::x25519_public) of many secrets, in vector lanes where that is faster.
    ///
    /// # Timing
    /// Depends on the number of scalars and the processor's extensions only.
    ///
    /// ```
    /// use carrysave_arith::{Cpu, curve::Edwards25519Table};
    /// let table = Edwards25519Table::new(Cpu::native());
    /// assert_eq!(table.x25519_public_batch(&[[7; 32]; 9])[8], table.x25519_public(&[7; 32]));
    /// ```
    pub fn x25519_public_batch(&self, k: &[[u8; 32]]) -> Vec<[u8; 32]> {
        let (side_by_side, alone) = k.split_at(self.in_lanes(k.len()));
        let mut keys = self.x25519_public_in_lanes(Vectors::best(self.cpu), side_by_side);
        keys.extend(alone.iter().map(|k| self.x25519_public(k)));
        keys
    }

    /// [`x25519_public_batch`](Self::x25519_public_batch), in the lanes of these vectors also where that is slower; the last
    /// lanes may be idle.
    ///
    /// # Timing
    /// Depends on the number of scalars and the vectors only.
    ///
    /// ```
    /// use carrysave_arith::{Cpu, curve::Edwards25519Table, field::Vectors};
    /// let table = Edwards25519Table::new(Cpu::native());
    /// for vectors in Vectors::all(Cpu::native()) {
    ///     assert_eq!(table.x25519_public_in_lanes(vectors, &[[7; 32]])[0], table.x25519_public(&[7; 32]));
    /// }
    /// ```
    pub fn x25519_public_in_lanes(&self, vectors: Vectors, k: &[[u8; 32]]) -> Vec<[u8; 32]> {
        let scalars = Scalars::new(BITS, k.iter().map(scalar_limbs));
        let products = Zeroizing::new(self.multiples(vectors, &scalars).0);
        let mut inverses: Vec<Fe<F25519>> = products.iter().map(|p| p.z - p.y).collect();
        invert_batch(&mut inverses);
        let pairs = products.iter().zip(&inverses);
        let keys = pairs.map(|(p, inverse)| ((p.z + p.y) * *inverse).to_le_bytes());
        let keys = keys.collect();
        inverses.zeroize();
        keys
    }

    /// The base point times a number plus a point times another one, for each, in vector lanes where that is faster.
    ///
    /// # Panics
    /// If there are not as many points and scalars of each kind.
    ///
    /// # Timing
    /// Depends on the numbers and the points.
    ///
    /// ```
    /// use carrysave_arith::{Cpu, curve::{Edwards25519Point, Edwards25519Table}, field::Fe};
    /// let (table, b) = (Edwards25519Table::new(Cpu::native()), Edwards25519Point::base());
    /// let (u, v) = ([1, 2, 3].map(Fe::from_limb), [4, 5, 6].map(Fe::from_limb));
    /// assert_eq!(table.mul_add_batch_vartime(&u, &[b; 3], &v)[2], table.mul(&Fe::from_limb(9)));
    /// ```
    #[must_use]
    pub fn mul_add_batch_vartime(
        &self,
        u: &[Fe<Edwards25519Order>],
        points: &[Edwards25519Point],
        v: &[Fe<Edwards25519Order>],
    ) -> Vec<Edwards25519Point> {
        assert_eq!(u.len(), points.len(), "a point for each number");
        assert_eq!(v.len(), points.len(), "a number for each point");
        let len = filled(lanes_from(self.cpu), u.len());
        let vectors = Vectors::best(self.cpu);
        let sums = self.mul_add_in_lanes(vectors, &u[..len], &points[..len], &v[..len]);
        let alone = u[len..].iter().zip(&v[len..]).zip(&points[len..]);
        followed(
            sums,
            alone.map(|((u, v), p)| self.double_mul_vartime(u, v, p)),
        )
    }

    /// [`mul_add_batch_vartime`](Self::mul_add_batch_vartime), in the lanes of these vectors also where that is slower; the last lanes may be
    /// idle.
    ///
    /// # Panics
    /// If there are not as many points and scalars of each kind.
    ///
    /// # Timing
    /// Depends on the number of points and the vectors only.
    ///
    /// ```
    /// use carrysave_arith::{Cpu, curve::{Edwards25519Point, Edwards25519Table}, field::{Fe, Vectors}};
    /// let (table, b) = (Edwards25519Table::new(Cpu::native()), Edwards25519Point::base());
    /// let (u, v) = ([Fe::from_limb(3)], [Fe::from_limb(6)]);
    /// for vectors in Vectors::all(Cpu::native()) {
    ///     assert_eq!(table.mul_add_in_lanes(vectors, &u, &[b], &v)[0], table.mul(&Fe::from_limb(9)));
    /// }
    /// ```
    #[must_use]
    pub fn mul_add_in_lanes(
        &self,
        vectors: Vectors,
        u: &[Fe<Edwards25519Order>],
        points: &[Edwards25519Point],
        v: &[Fe<Edwards25519Order>],
    ) -> Vec<Edwards25519Point> {
        assert_eq!(u.len(), points.len(), "a point for each number");
        assert_eq!(v.len(), points.len(), "a number for each point");
        if points.is_empty() {
            return vec![];
        }
        let vectors = vectors.of_integers();
        let mut r = coordinates(vectors, points);
        let mut table = vec![Octet::default(); GROUP * DIGITS];
        vectors.run_on_integers(Products {
            twice_d: FeBatch::on(vectors, &[element(Portable, &TWICE_D); LANES]).octets(),
            scalars: &Scalars::of(v),
            points: r.octets_mut(),
            table: &mut table,
        });
        Octet::wipe(&mut table);
        self.add_multiples(vectors, &Scalars::of(u), &mut r);
        from_coordinates(&r, points.len())
    }

    /// The base point times scalars, and their counts.
    fn multiples(
        &self,
        vectors: Vectors,
        scalars: &Scalars,
    ) -> (Vec<Edwards25519Point>, Zeroizing<Vec<Limb>>) {
        let len = scalars.len();
        if len == 0 {
            // A number alone needs no columns.
            return (vec![], Zeroizing::default());
        }
        let vectors = vectors.of_integers();
        let mut r = coordinates(vectors, &vec![Edwards25519Point::identity(); len]);
        let counts = self.add_multiples(vectors, scalars, &mut r);
        (from_coordinates(&r, len), counts)
    }

    /// Adds the base point times scalars to points; gives the counts of the scalars.
    fn add_multiples(
        &self,
        vectors: Vectors,
        scalars: &Scalars,
        points: &mut FeBatch<F25519>,
    ) -> Zeroizing<Vec<Limb>> {
        let rows = || self.addends().flat_map(|Addend(addend)| addend).collect();
        let mut counts = vec![Octet::default(); scalars.len().div_ceil(LANES)];
        vectors.run_on_integers(BaseProducts {
            columns: &Columns::on(vectors, (&self.columns, self.cpu), rows, 3),
            scalars,
            counts: &mut counts,
            points: points.octets_mut(),
        });
        let numbers = counting::counts(&counts, scalars.len());
        Octet::wipe(&mut counts);
        numbers
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Cpu;

    #[test]
    fn a_number_alone_needs_no_columns() {
        let table = Edwards25519Table::new(Cpu::native());
        let (k, b) = ([Fe::from_limb(7)], [Edwards25519Point::base()]);
        assert_eq!(table.mul_batch(&k)[0], table.mul(&k[0]));
        assert_eq!(
            table.mul_add_batch_vartime(&k, &b, &k)[0],
            table.mul(&Fe::from_limb(14))
        );
        assert!(table.columns.get().is_none());
    }
}
