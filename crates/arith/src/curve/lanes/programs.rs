//! Products of points and scalars, step by step in each lane.

use super::columns::Columns;
use super::points::{Constants, Points, Sum};
use super::scalars::{Scalars, digit};
use super::{LANES, digits};
use crate::Limb;
use crate::curve::counting::add_in_lanes;
use crate::curve::multiple::{BASE_WINDOW, DIGITS, WINDOW, windows};
use crate::curve::weierstrass::Curve;
use crate::field::{Fes, Field, InLanes, Residue};
use carrysave_kernels::fp8::{Lanes, Octet, Program};
use core::marker::PhantomData;

/// The base point times scalars.
pub(super) struct BaseProducts<'a, C> {
    /// x and y of the rows.
    pub(super) columns: &'a Columns,
    pub(super) constants: &'a [Octet],
    pub(super) scalars: &'a Scalars,
    /// The counts of each group.
    pub(super) counts: &'a mut [Octet],
    /// x, y and z of the products of each group.
    pub(super) r: &'a mut [Octet],
    pub(super) curve: PhantomData<C>,
}

impl<C: Curve> BaseProducts<'_, C>
where
    <C::BaseInLanes as Field>::Residue: InLanes,
{
    /// Looks up digits at a window: x and y, ones where a digit is 0, and what the digits count for.
    #[inline(always)]
    fn lookup<L: Lanes>(
        &self,
        l: L,
        scalars: &[[Limb; 8]],
        (part, window): (usize, usize),
    ) -> (Points<C, L>, L::Vector, [L::Vector; 2]) {
        let n = digits::<C>();
        let [magnitude, negative] = digit(l, scalars, part, BASE_WINDOW, window);
        // The row 0 is that of the digit 1.
        let index = l.index(l.sub(magnitude, l.splat(1)));
        let (x, y) = self.columns.window(window, 2 * n).split_at(n);
        let entry = Points {
            x: Fes::pick(l, x, &index),
            y: Fes::pick(l, y, &index),
            z: Fes::small(l, 1),
        };
        let none = l.equal(magnitude, l.splat(0));
        let numbers = l.pick(self.columns.numbers(window), &index);
        (entry.negated_where(l, negative), none, [numbers, negative])
    }
}

impl<C: Curve> Program for BaseProducts<'_, C>
where
    <C::BaseInLanes as Field>::Residue: InLanes,
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
                let (mut sum, mut count) = (Sum::new(l), l.splat(0));
                for window in (1..windows).rev() {
                    let (entry, none, counted) = self.lookup(l, scalars, (part, window));
                    let sums = sum.points.add_affine(&entry.x, &entry.y);
                    sum.put(l, &sums, &entry, none);
                    count = add_in_lanes(l, count, counted, none);
                }
                let (entry, none, counted) = self.lookup(l, scalars, (part, 0));
                let [x, y, z] = sum.add_last(l, &constants, &entry, none);
                Points::<C, L> { x, y, z }.store(&mut self.r[group * i..][..group], part);
                count = add_in_lanes(l, count, counted, none);
                l.store(count, &mut self.counts[i].0, part);
            }
        }
    }
}

/// Points times scalars modulo the order of the points and of the curve.
pub(super) struct Products<'a, C> {
    pub(super) constants: &'a [Octet],
    pub(super) scalars: &'a Scalars,
    /// x, y and z of the points of each group in projective coordinates; of the products at the end.
    pub(super) points: &'a mut [Octet],
    /// Room for the multiples of a group.
    pub(super) table: &'a mut [Octet],
    pub(super) curve: PhantomData<C>,
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
    <C::BaseInLanes as Field>::Residue: InLanes,
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
    <C::BaseInLanes as Field>::Residue: InLanes,
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
                let (zero, one) = (Fes::small(l, 0), Fes::small(l, 1));
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
pub(super) struct Sums<'a, C> {
    pub(super) constants: &'a [Octet],
    pub(super) p: &'a mut [Octet],
    pub(super) q: &'a [Octet],
    pub(super) curve: PhantomData<C>,
}

impl<C: Curve> Program for Sums<'_, C>
where
    <C::BaseInLanes as Field>::Residue: InLanes,
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
                let [x, y, z] = constants.add(l, [a.x, a.y, a.z], [b.x, b.y, b.z]);
                Points::<C, L> { x, y, z }.store(p, part);
            }
        }
    }
}
