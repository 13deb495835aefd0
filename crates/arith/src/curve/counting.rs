//! Numbers modulo 2^61 - 1, by which a sum of multiples shows that it has counted right: each row of a table carries the
//! number that it is a multiple for.

use super::multiple::{BASE_DIGITS, BASE_WINDOW};
use crate::Limb;
use crate::word::{self, equal};
use carrysave_kernels::fp8::{Lanes, Octet};
use core::hint::black_box;
use zeroize::Zeroizing;

/// The bits of [`MODULUS`].
const BITS: usize = 61;
/// The prime 2^61 - 1: opposites modulo it are complements, and powers of two rotate digits.
const MODULUS: Limb = (1 << BITS) - 1;

/// The number of a sum of rows.
#[derive(Clone, Copy)]
pub(super) struct Count(Limb);

impl Count {
    pub(super) const ZERO: Count = Count(0);

    /// Plus the number of a row, or its opposite for the sign 1, or nothing for 1 in `none`.
    #[inline(always)]
    pub(super) fn add(&mut self, number: Limb, sign: Limb, none: Limb) {
        let number = (number ^ sign.wrapping_neg() & MODULUS) & none.wrapping_sub(1);
        self.0 = cast(self.0 + number);
    }

    /// The number below 2^61 - 1.
    pub(super) fn get(self) -> Limb {
        let number = cast(self.0);
        // Hidden, or a compiler branches.
        number & black_box(equal(number, MODULUS)).wrapping_sub(1)
    }
}

/// A secret number of so many bits modulo 2^61 - 1.
pub(super) fn count(limbs: &[Limb], bits: usize) -> Limb {
    let digits = (0..bits.div_ceil(BITS)).map(|i| word::window(limbs, BITS * i, BITS));
    Count(digits.fold(0, |sum, digit| cast(sum + digit))).get()
}

/// The number of a row of a table of multiples of a base point.
pub(super) fn of_row(i: usize) -> Limb {
    rotated((i % BASE_DIGITS + 1) as Limb, i / BASE_DIGITS * BASE_WINDOW)
}

/// A number below 2^61 times a power of two, modulo 2^61 - 1.
pub(super) fn rotated(number: Limb, by: usize) -> Limb {
    (0..by % BITS).fold(number, |number, _| cast(2 * number))
}

/// Counts in lanes: plus the numbers of rows, or their opposites where `negative` is all ones, or nothing where
/// `none` is.
#[inline(always)]
pub(super) fn add_in_lanes<L: Lanes>(
    l: L,
    count: L::Vector,
    [numbers, negative]: [L::Vector; 2],
    none: L::Vector,
) -> L::Vector {
    let modulus = l.splat(MODULUS);
    let numbers = l.xor(numbers, l.and(negative, modulus));
    let sum = l.add(count, l.and(numbers, l.xor(none, l.splat(Limb::MAX))));
    l.add(l.and(sum, modulus), l.shr(sum, BITS))
}

/// The numbers below 2^61 - 1 of counts in lanes, of which there are so many.
pub(super) fn counts(octets: &[Octet], len: usize) -> Zeroizing<Vec<Limb>> {
    let all = octets.iter().flat_map(|octet| octet.0).take(len);
    // With its full length from the start: a vector that grows leaves a copy behind.
    let mut counts = Zeroizing::new(Vec::with_capacity(len));
    counts.extend(all.map(|count| Count(count).get()));
    counts
}

/// The number below 2^61 - 1 that one below 2^61 and counts in lanes add up to.
pub(super) fn sum_of_lanes(first: Limb, counts: &Octet) -> Limb {
    Count(counts.0.iter().fold(first, |sum, count| cast(sum + count))).get()
}

/// Reduces a number below 2^62 modulo 2^61 - 1. The result may be 2^61 - 1 itself, which stands for 0.
fn cast(number: Limb) -> Limb {
    (number & MODULUS) + (number >> BITS)
}
