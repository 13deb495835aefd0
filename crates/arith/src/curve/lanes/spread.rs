//! The base point times one scalar, spread over the lanes of vectors.

use super::points::{Constants, Points, Sum};
use super::{LANES, digits};
use crate::Limb;
use crate::curve::counting::{self, add_in_lanes, sum_of_lanes};
use crate::curve::formulas::{Formulas, parameters};
use crate::curve::multiple::BaseTable;
use crate::curve::spread::{DISTANCES, Digits, Entries, ROWS, Spread, steps, turn};
use crate::curve::weierstrass::{Curve, Point, same};
use crate::field::{Fe, Fes, Field, InLanes, Portable, Residue, Vectors, first_of_each};
#[cfg(target_arch = "x86_64")]
use crate::{field::Ifma512, once};
use carrysave_kernels::fp8::{Lanes, Octet, Program};
use core::hint::black_box;
use core::marker::PhantomData;
use zeroize::Zeroize;

/// The digits of coordinates up to which the sums of all lanes fit the stack of an asynchronous job of OpenSSL, 32 KB, and the
/// part of it that is wiped.
const MOST_DIGITS: usize = 5;

/// Whether one product of the base point is spread over lanes where the processor has them.
pub(super) const fn pays<C: Curve>() -> bool
where
    <C::BaseInLanes as Field>::Residue: InLanes,
{
    digits::<C>() <= MOST_DIGITS
}

/// The bits of a number below half the order.
fn bits<C: Curve>() -> usize {
    <C::Scalar as Field>::Residue::BITS - 1
}

/// x and y of 1 to 8 times the base point and each power of 16.
fn multiples<C: Curve>() -> Vec<[Fe<C::BaseInLanes>; 2]> {
    let formulas = Formulas::new(Portable);
    let mut at = Point::<C>::generator();
    let mut points = vec![];
    for _ in 0..LANES * steps(bits::<C>()) {
        let multiples = formulas.multiples::<ROWS>(&at);
        points.extend(multiples);
        at = formulas.double(&multiples[ROWS - 1]);
    }
    let affine = Point::to_affine_batch(&points).into_iter();
    let affine = affine.map(|affine| affine.expect("no multiple is at infinity"));
    affine.map(|(x, y)| [same(&x), same(&y)]).collect()
}

/// The sum of what the digits choose, in all lanes.
///
/// From the bottom: the sum of a lane stands for less than the power of 16 of its next window, so for less than the entry
/// there, and both together for less than the order, if the scalar is below half of it. So no addition in a lane meets equal or
/// opposite points.
struct Product<'a, C> {
    spread: &'a Spread,
    digits: &'a Digits,
    /// The counts of the lanes.
    count: &'a mut Octet,
    /// x, y and z.
    sum: &'a mut [Octet],
    curve: PhantomData<C>,
}

impl<C: Curve> Program for Product<'_, C>
where
    <C::BaseInLanes as Field>::Residue: InLanes,
{
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, l: L) {
        for part in 0..LANES / L::LANES {
            let (mut sum, mut count) = (Sum::<C, L>::new(l), l.splat(0));
            for step in 0..self.digits.steps() {
                let entries = self.spread.lookup(l, self.digits, (step, part));
                let Entries {
                    multiples: [x, y],
                    none,
                    counted,
                } = entries;
                let z = Fes::small(l, 1);
                let entry = Points { x, y, z }.negated_where(l, counted[1]);
                let sums = sum.points.add_affine(&entry.x, &entry.y);
                sum.put(l, &sums, &entry, none);
                count = add_in_lanes(l, count, counted, none);
            }
            let [x, y, z] = sum.points.projective(l, sum.empty);
            Points::<C, L> { x, y, z }.store(self.sum, part);
            l.store(count, &mut self.count.0, part);
        }
    }
}

/// The sum of all lanes, in each of them.
struct Across<'a, C> {
    constants: &'a [Octet],
    /// x, y and z; their forms at the end.
    sum: &'a mut [Octet],
    /// Room for the sums of other lanes.
    others: &'a mut [Octet],
    curve: PhantomData<C>,
}

impl<C: Curve> Program for Across<'_, C>
where
    <C::BaseInLanes as Field>::Residue: InLanes,
{
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, l: L) {
        let parts = LANES / L::LANES;
        let constants = Constants::<C, L>::load(l, self.constants);
        for distance in DISTANCES {
            turn(self.sum, self.others, distance);
            for part in 0..parts {
                let p = Points::<C, L>::load(l, self.sum, part);
                let q = Points::<C, L>::load(l, self.others, part);
                let [x, y, z] = constants.add(l, [p.x, p.y, p.z], [q.x, q.y, q.z]);
                Points::<C, L> { x, y, z }.store(self.sum, part);
            }
        }
        for part in 0..parts {
            let Points { x, y, z } = Points::<C, L>::load(l, self.sum, part);
            let forms = Points::<C, L> {
                x: x.form(),
                y: y.form(),
                z: z.form(),
            };
            forms.store(self.sum, part);
        }
    }
}

/// The table of multiples.
fn table<C: Curve, L: Lanes>(l: L) -> Spread
where
    <C::BaseInLanes as Field>::Residue: InLanes,
{
    let constants = parameters::<C>().map(|x| same::<_, C::BaseInLanes>(&x));
    Spread::new(l, &multiples::<C>(), &constants)
}

/// The base point times a number, and the number modulo a prime of 55 bits as the rows say.
fn multiple<C: Curve, L: Lanes>(l: L, spread: &Spread, scalar: &Fe<C::Scalar>) -> (Point<C>, Limb)
where
    <C::BaseInLanes as Field>::Residue: InLanes,
{
    // The number or its opposite, which is below half the order.
    let (mut limbs, mut opposite) = (scalar.to_limbs(), (-*scalar).to_limbs());
    let mut below = false;
    for (a, b) in opposite.iter().zip(&limbs) {
        (_, below) = a.borrowing_sub(*b, below);
    }
    let below = black_box(Limb::from(below)).wrapping_neg();
    for (a, b) in limbs.iter_mut().zip(&opposite) {
        *a ^= (*a ^ b) & below;
    }
    let mut sum = vec![Octet::default(); 3 * digits::<C>()];
    let mut others = sum.clone();
    let mut count = Octet::default();
    l.run(Product::<C> {
        spread,
        digits: &Digits::new(steps(bits::<C>()), &limbs, below),
        count: &mut count,
        sum: &mut sum,
        curve: PhantomData,
    });
    l.run(Across::<C> {
        constants: &spread.constants,
        sum: &mut sum,
        others: &mut others,
        curve: PhantomData,
    });
    let [x, y, z] = first_of_each::<C::BaseInLanes, L, _>(&mut sum).map(|x| same(&x));
    // What stands for k - n counts for k as well.
    let order = counting::count(
        &<C::Scalar as Field>::Residue::MODULUS,
        <C::Scalar as Field>::Residue::BITS,
    );
    let counted = sum_of_lanes(order & below, &count);
    Octet::wipe(&mut others);
    count.0.zeroize();
    limbs.zeroize();
    opposite.zeroize();
    (Point { x, y, z }, counted)
}

/// A product in any lanes.
struct Anywhere<'a, C: Curve>(&'a Fe<C::Scalar>);

impl<C: Curve> Program for Anywhere<'_, C>
where
    <C::BaseInLanes as Field>::Residue: InLanes,
{
    type Output = (Point<C>, Limb);

    #[inline(always)]
    fn run<L: Lanes>(self, l: L) -> Self::Output {
        multiple::<C, L>(l, &table::<C, L>(l), self.0)
    }
}

impl<C: Curve> BaseTable<C>
where
    <C::BaseInLanes as Field>::Residue: InLanes,
{
    /// [`mul_counted`](Self::mul_counted) with the scalar spread over the lanes of these vectors, also where that is slower,
    /// by a table that is made anew.
    ///
    /// # Panics
    /// If the curve has points that are no multiples of the base point.
    ///
    /// # Timing
    /// Depends on the curve and the vectors only.
    ///
    /// ```
    /// use carrysave_arith::{Cpu, curve::{BaseTable, P384}, field::{Fe, Vectors}};
    /// let (table, k) = (BaseTable::<P384>::new(Cpu::native()), -Fe::from_limb(1001));
    /// for vectors in Vectors::all(Cpu::native()) {
    ///     assert_eq!(BaseTable::<P384>::mul_spread(vectors, &k), table.mul_counted(&k));
    /// }
    /// ```
    #[must_use]
    pub fn mul_spread(vectors: Vectors, scalar: &Fe<C::Scalar>) -> (Point<C>, Limb) {
        assert!(C::PRIME_ORDER, "multiples of the base point");
        let vectors = vectors.of_integers();
        vectors.run_on_integers(Anywhere::<C>(scalar))
    }

    /// [`mul_counted`](Self::mul_counted) in all lanes; `None` where that is not faster.
    pub(in crate::curve) fn mul_in_all_lanes(
        &self,
        scalar: &Fe<C::Scalar>,
    ) -> Option<(Point<C>, Limb)> {
        #[cfg(target_arch = "x86_64")]
        if pays::<C>()
            && let Some(l) = Ifma512::new(self.cpu)
        {
            let spread = once(&self.spread, || Box::new(table::<C, _>(l)));
            return Some(multiple::<C, _>(l, spread, scalar));
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = (&self.spread, scalar);
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Cpu;
    use crate::curve::P256;

    /// The counts of one product, with wrong multiples at each step in turn, and with the right ones.
    struct Wrong<'a>(&'a Fe<<P256 as Curve>::Scalar>);

    impl Program for Wrong<'_> {
        type Output = (Vec<Limb>, Limb);

        fn run<L: Lanes>(self, l: L) -> Self::Output {
            let mut spread = table::<P256, L>(l);
            let mut count = |step| {
                spread.exchange(step);
                let count = multiple::<P256, L>(l, &spread, self.0).1;
                (1..ROWS).for_each(|_| spread.exchange(step));
                count
            };
            let counts = (0..steps(bits::<P256>())).map(&mut count).collect();
            (counts, multiple::<P256, L>(l, &spread, self.0).1)
        }
    }

    /// A table from which wrong multiples are read says another number.
    #[test]
    fn wrong_multiples_are_counted() {
        let k = -Fe::from_limb(12_345).inv();
        for vectors in Vectors::all(Cpu::native()) {
            let (counts, right) = vectors.of_integers().run_on_integers(Wrong(&k));
            assert_eq!(right, BaseTable::<P256>::count(&k));
            assert!(counts.iter().all(|&count| count != right), "{vectors:?}");
        }
    }
}
