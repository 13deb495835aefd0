//! Sums of many multiples of public numbers: by common doublings (Straus 1964), or by buckets where there are many
//! (Pippenger; Bernstein, Doumen, Lange, Oosterwijk, INDOCRYPT 2012).

use super::naf::Windows;
use super::point::{Addend, Edwards25519Point};
use super::{Edwards25519Order, Edwards25519Table, LIMBS};
use crate::Limb;
use crate::curve::multiple::{digit, windows};
use crate::field::{Fe, Field, Multiply, Portable, Residue};

#[cfg(target_arch = "x86_64")]
use crate::field::MulxAdx;

/// Bits of a scalar.
const BITS: usize = <<Edwards25519Order as Field>::Residue as Residue>::BITS;

/// Products of coordinates for one more term: a table of odd multiples and, for each bit of the number, additions at one
/// window in six.
const TERM: usize = 80;
const PER_BIT: f64 = 1.45;

/// A number and the point it multiplies.
type Term = (Fe<Edwards25519Order>, Edwards25519Point);

impl Edwards25519Table {
    /// `[base]B` and the sum of `[k]p` of all terms (k, p), for public numbers.
    ///
    /// # Timing
    /// Depends on the numbers.
    ///
    /// ```
    /// use carrysave_arith::{Cpu, curve::{Edwards25519Point, Edwards25519Table}, field::Fe};
    /// let (table, b) = (Edwards25519Table::new(Cpu::native()), Edwards25519Point::base());
    /// let terms: Vec<_> = (0..10).map(|k| (Fe::from_limb(k), b)).collect();
    /// assert_eq!(table.sum_vartime(&Fe::from_limb(5), &terms), table.mul(&Fe::from_limb(50)));
    /// ```
    #[must_use]
    pub fn sum_vartime(&self, base: &Fe<Edwards25519Order>, terms: &[Term]) -> Edwards25519Point {
        #[cfg(target_arch = "x86_64")]
        if let Some(m) = MulxAdx::new(self.cpu) {
            return self.sum_by(m, base, terms);
        }
        self.sum_by(Portable, base, terms)
    }

    fn sum_by<M: Multiply>(
        &self,
        m: M,
        base: &Fe<Edwards25519Order>,
        terms: &[Term],
    ) -> Edwards25519Point {
        let bits: usize = terms.iter().map(|(k, _)| bits(k)).sum();
        let (cost, width) = buckets_cost(terms.len(), bits);
        if cost < TERM * terms.len() + (PER_BIT * bits as f64) as usize {
            return buckets(m, base, terms, width).by(Portable);
        }
        let mut windows = Windows::new(self.odd(), base);
        for (k, p) in terms {
            windows.push(k, &p.by(m));
        }
        windows.sum(m).by(Portable)
    }
}

/// The bits of a number, 0 for 0.
fn bits(k: &Fe<Edwards25519Order>) -> usize {
    let limbs = k.to_limbs();
    let top = (0..LIMBS).rev().find(|&i| limbs[i] != 0);
    top.map_or(0, |i| 64 * i + limbs[i].ilog2() as usize + 1)
}

/// Products of coordinates with buckets, in excess of doublings, and the best width of a window: each digit adds a point, and
/// each bucket is added twice.
fn buckets_cost(terms: usize, bits: usize) -> (usize, usize) {
    let cost = |width: usize| {
        7 * terms + 8 * bits / width + windows(width, BITS) * 18 * (1 << (width - 1))
    };
    let width = (4..=12).min_by_key(|&width| cost(width));
    width.map(|width| (cost(width), width)).expect("some width")
}

/// The sum by windows of this width: in each, the points with one digit go to one bucket.
fn buckets<M: Multiply>(
    m: M,
    base: &Fe<Edwards25519Order>,
    terms: &[Term],
    width: usize,
) -> Edwards25519Point<M> {
    let b = Edwards25519Point::base();
    let terms = || terms.iter().map(|(k, p)| (k, p)).chain([(base, &b)]);
    let scalars: Vec<_> = terms().map(|(k, _)| k.to_limbs()).collect();
    let addends = Addend::of(&terms().map(|(_, p)| p.by(m)).collect::<Vec<_>>());
    let identity = Edwards25519Point::identity().by(m);
    let mut sum = identity;
    for window in (0..windows(width, BITS)).rev() {
        let doubled = (1..width).fold(sum.projective(), |p, _| p.double().projective());
        let doubled = doubled.double().extended();
        let mut buckets: Vec<Option<Edwards25519Point<M>>> = vec![None; 1 << (width - 1)];
        for (k, addend) in scalars.iter().zip(&addends) {
            let (magnitude, negative): (Limb, Limb) = digit(&k[..LIMBS], width, window);
            let Some(bucket) = (magnitude as usize).checked_sub(1) else {
                continue;
            };
            let bucket = &mut buckets[bucket];
            let before = bucket.as_ref().unwrap_or(&identity);
            *bucket = Some(before.plus(&addend.negated_if(negative)).extended());
        }
        // Each bucket as often as its digit says: all from the highest on, once for each.
        let (mut above, mut all) = (identity, identity);
        for bucket in buckets.iter().rev() {
            if let Some(bucket) = bucket {
                above = above.plus_cached(&bucket.cached()).extended();
            }
            all = all.plus_cached(&above.cached()).extended();
        }
        sum = doubled.plus_cached(&all.cached()).extended();
    }
    sum
}
