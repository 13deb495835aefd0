//! The base point times one scalar, spread over the lanes of vectors: eight steps and three across lanes in place of 43.

use super::base::{BITS, Edwards25519Table};
use super::formulas::Completed;
use super::lanes::{Four, GROUP, negated_where};
use super::point::{Addend, Edwards25519Point};
use super::{Edwards25519Order, LIMBS, TWICE_D, element};
use crate::Limb;
use crate::curve::counting::{add_in_lanes, sum_of_lanes};
use crate::curve::lanes::LANES;
use crate::curve::spread::{DISTANCES, Digits, Entries, ROWS, Spread, steps, turn};
use crate::field::{F25519, Fe, Fes, Portable, Vectors, first_of_each};
#[cfg(target_arch = "x86_64")]
use crate::{field::Ifma512, once};
use carrysave_kernels::fp8::{Lanes, Octet, Program};
use zeroize::Zeroize;

/// Windows of a lane.
const STEPS: usize = steps(BITS);

/// 1 to 8 times the base point and each power of 16.
fn multiples() -> Vec<[Fe<F25519>; 3]> {
    let mut at = Edwards25519Point::base();
    let mut points = vec![];
    for _ in 0..LANES * STEPS {
        let addend = at.cached();
        let mut point = Edwards25519Point::identity();
        for _ in 0..ROWS {
            point = point.plus_cached(&addend).extended();
            points.push(point);
        }
        at = point.double();
    }
    let addends = Addend::of(&points).into_iter();
    addends.map(|Addend(addend)| addend).collect()
}

/// The sum of what the digits choose, in all lanes.
struct Product<'a> {
    spread: &'a Spread,
    digits: &'a Digits,
    /// The counts of the lanes.
    count: &'a mut Octet,
    /// The forms of the coordinates.
    sum: &'a mut [Octet],
}

impl Program for Product<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, l: L) {
        let parts = LANES / L::LANES;
        let (zero, one) = (Fes::small(l, 0), Fes::small(l, 1));
        for part in 0..parts {
            let ([mut x, mut y, mut z, mut t], mut count) = ([zero, one, one, zero], l.splat(0));
            for step in 0..STEPS {
                let entries = self.spread.lookup(l, self.digits, (step, part));
                let Entries {
                    multiples: [sum, difference, product],
                    none,
                    counted,
                } = entries;
                // The identity is 1, 1, 0.
                let (sum, difference) = (sum.or_where(&one, none), difference.or_where(&one, none));
                let addend = negated_where(l, [sum, difference, product], counted[1]);
                [x, y, z, t] = Completed::sum([x, y, t], &addend, z + z).coordinates();
                count = add_in_lanes(l, count, counted, none);
            }
            Four([x, y, z, t]).store(self.sum, part);
            l.store(count, &mut self.count.0, part);
        }
        let twice_d = Fes::load(l, &self.spread.constants, 0);
        let mut others = [Octet::default(); GROUP];
        for distance in DISTANCES {
            turn(self.sum, &mut others, distance);
            for part in 0..parts {
                let other = Four::load(l, &others, part).cached(&twice_d);
                let sum = Four::load(l, self.sum, part).plus(&other);
                sum.store(self.sum, part);
            }
        }
        for part in 0..parts {
            let Four([x, y, z, t]) = Four::load(l, self.sum, part);
            Four([x.form(), y.form(), z.form(), t.form()]).store(self.sum, part);
        }
        Octet::wipe(&mut others);
    }
}

/// The table of multiples.
fn table<L: Lanes>(l: L) -> Spread {
    Spread::new(l, &multiples(), &[element(Portable, &TWICE_D)])
}

/// The base point times a number of 255 bits, and the number as the rows say.
fn multiple<L: Lanes>(l: L, spread: &Spread, k: &[Limb; LIMBS]) -> (Edwards25519Point, Limb) {
    let mut sum = [Octet::default(); GROUP];
    let mut count = Octet::default();
    l.run(Product {
        spread,
        digits: &Digits::new(STEPS, k, 0),
        count: &mut count,
        sum: &mut sum,
    });
    let [x, y, z, t] = first_of_each::<_, L, _>(&mut sum);
    let counted = sum_of_lanes(0, &count);
    count.0.zeroize();
    (Edwards25519Point { x, y, z, t }, counted)
}

/// A product in any lanes.
struct Anywhere<'a>(&'a [Limb; LIMBS]);

impl Program for Anywhere<'_> {
    type Output = (Edwards25519Point, Limb);

    #[inline(always)]
    fn run<L: Lanes>(self, l: L) -> Self::Output {
        multiple(l, &table(l), self.0)
    }
}

impl Edwards25519Table {
    /// [`mul_counted`](Self::mul_counted) with the scalar spread over the lanes of these vectors, also where that is slower,
    /// by a table that is made anew.
    ///
    /// # Timing
    /// Depends on the vectors only.
    ///
    /// ```
    /// use carrysave_arith::{Cpu, curve::Edwards25519Table, field::{Fe, Vectors}};
    /// let (table, k) = (Edwards25519Table::new(Cpu::native()), -Fe::from_limb(1001));
    /// for vectors in Vectors::all(Cpu::native()) {
    ///     assert_eq!(Edwards25519Table::mul_spread(vectors, &k), table.mul_counted(&k));
    /// }
    /// ```
    #[must_use]
    pub fn mul_spread(vectors: Vectors, k: &Fe<Edwards25519Order>) -> (Edwards25519Point, Limb) {
        let mut limbs = k.to_limbs();
        let k = limbs.first_chunk().expect("four limbs");
        let product = vectors.of_integers().run_on_integers(Anywhere(k));
        limbs.zeroize();
        product
    }

    /// The base point times a number of 255 bits, and the number as the rows say; `None` where lanes are not faster.
    pub(super) fn spread_multiple(&self, k: &[Limb; LIMBS]) -> Option<(Edwards25519Point, Limb)> {
        #[cfg(target_arch = "x86_64")]
        if let Some(l) = Ifma512::new(self.cpu) {
            let spread = once(&self.spread, || Box::new(table(l)));
            return Some(multiple(l, spread, k));
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = (&self.spread, k);
        None
    }
}
