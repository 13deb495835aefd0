//! Numbers modulo a prime of 55 bits, by which a sum of multiples shows that it has counted right: each row of a table
//! carries the number that it is a multiple for.

use super::multiple::{BASE_DIGITS, BASE_WINDOW};
use crate::Limb;
use crate::word;
use carrysave_kernels::fp8::{Lanes, Octet};
use core::hint::black_box;
use zeroize::Zeroizing;

/// The bits of [`MODULUS`].
const BITS: usize = 55;
/// The distance of [`MODULUS`] from 2^55, the first digits of pi. With a distance of 1 a bit flipped up and another flipped
/// down, 55 places apart, would cancel.
const C: Limb = 0x0324_3fcd;
/// A prime, small enough for a limb to hold the sum of all rows. Modulo it up to six bits flipped in a number of 256 bits
/// change the number, and up to four in one of 521 bits.
const MODULUS: Limb = (1 << BITS) - C;
/// The most rows of a sum: those of an order of 568 bits, the longest in lanes, spread over eight.
const ROWS: Limb = 144;
/// A multiple of the modulus above the opposite of every sum.
const BIAS: Limb = ROWS * MODULUS;

/// The sum of the numbers of rows, modulo 2^64: a signed number.
#[derive(Clone, Copy)]
pub(super) struct Count(Limb);

impl Count {
    pub(super) const ZERO: Count = Count(0);

    /// Plus the number of a row, or its opposite for the sign 1, or nothing for 1 in `none`.
    #[inline(always)]
    pub(super) fn add(&mut self, number: Limb, sign: Limb, none: Limb) {
        let negative = sign.wrapping_neg();
        let number = (number ^ negative).wrapping_sub(negative) & none.wrapping_sub(1);
        self.0 = self.0.wrapping_add(number);
    }

    /// The number below the modulus.
    pub(super) fn get(self) -> Limb {
        let number = fold(self.0.wrapping_add(BIAS).into());
        let (less, borrow) = number.overflowing_sub(MODULUS);
        // Hidden, or a compiler branches.
        let keep = black_box(Limb::from(borrow)).wrapping_neg();
        less ^ (less ^ number) & keep
    }
}

/// Reduces a number below 2^83 to one below 2^56.
fn fold(number: u128) -> Limb {
    (number as Limb & ((1 << BITS) - 1)) + (number >> BITS) as Limb * C
}

/// A secret number of so many bits modulo the prime.
pub(super) fn count(limbs: &[Limb], bits: usize) -> Limb {
    let digits = (0..bits.div_ceil(BITS)).map(|i| word::window(limbs, BITS * i, BITS));
    let times =
        |number: Limb, digit: Limb| fold(u128::from(number) * u128::from(C) + u128::from(digit));
    Count(digits.rev().fold(0, times)).get()
}

/// The number of a row of a table of multiples of a base point.
pub(super) fn of_row(i: usize) -> Limb {
    times_two_to(i / BASE_DIGITS * BASE_WINDOW, (i % BASE_DIGITS + 1) as Limb)
}

/// A number below 2^BITS times a power of two, modulo the prime.
pub(super) fn times_two_to(power: usize, number: Limb) -> Limb {
    /// Places at a time: what [`fold`] reduces.
    const MOST: usize = 26;
    let twice = |number, places| fold(u128::from(number) << places);
    let number = (0..power / MOST).fold(number, |number: Limb, _| twice(number, MOST));
    Count(twice(number, power % MOST)).get()
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
    let numbers = l.sub(l.xor(numbers, negative), negative);
    l.add(count, l.and(numbers, l.xor(none, l.splat(Limb::MAX))))
}

/// The numbers below the modulus of counts in lanes, of which there are so many.
pub(super) fn counts(octets: &[Octet], len: usize) -> Zeroizing<Vec<Limb>> {
    let all = octets.iter().flat_map(|octet| octet.0).take(len);
    // With its full length from the start: a vector that grows leaves a copy behind.
    let mut counts = Zeroizing::new(Vec::with_capacity(len));
    counts.extend(all.map(|count| Count(count).get()));
    counts
}

/// The number below the modulus that one below it and counts in lanes add up to.
pub(super) fn sum_of_lanes(first: Limb, counts: &Octet) -> Limb {
    let sum = counts
        .0
        .iter()
        .fold(first, |sum, &count| sum.wrapping_add(count));
    Count(sum).get()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Nat, prime::is_prime_vartime};

    #[test]
    fn numbers_are_counted_modulo_a_prime() {
        let prime = Nat::from_limb(MODULUS);
        assert!(is_prime_vartime(&prime));
        let modulo = |x: &Nat| x.rem(&prime).limbs().first().copied().unwrap_or(0);
        for bits in [1, 55, 64, 253, 256, 521] {
            let most = Nat::power_of_two(bits).sub_limb(1).unwrap();
            for x in [Nat::zeros(bits.div_ceil(64)), most] {
                assert_eq!(count(x.limbs(), bits), modulo(&x), "{bits} bits");
            }
            for number in [1, 32, MODULUS - 1] {
                let shifted = Nat::from_limb(number).shl(bits);
                assert_eq!(times_two_to(bits, number), modulo(&shifted), "2^{bits}");
            }
        }
        // As many rows as there are, all negative, all positive, and none.
        for (sign, expected) in [(1, MODULUS - ROWS), (0, ROWS * (MODULUS - 1) % MODULUS)] {
            let mut sum = Count::ZERO;
            for _ in 0..ROWS {
                sum.add(if sign == 1 { 1 } else { MODULUS - 1 }, sign, 0);
                sum.add(5, sign, 1);
            }
            assert_eq!(sum.get(), expected);
        }
    }

    /// A fault that leaves the count as it was adds and subtracts powers of two that are 0 modulo the prime. Of such a sum
    /// without neighbours, the shortest, one half would be the opposite of the other.
    #[test]
    fn no_six_bits_flipped_leave_a_number_as_it_was() {
        for (bits, triples) in [(256, true), (521, false)] {
            let powers: Vec<Limb> = (0..bits + 1).map(|i| times_two_to(i, 1)).collect();
            let both = |i: usize| [powers[i], MODULUS - powers[i]];
            // The sums and their opposites are one.
            let one = |sum: Limb| sum.min(MODULUS - sum);
            let mut sums = Vec::new();
            for i in 0..powers.len() {
                sums.push(one(powers[i]));
                for j in i + 2..powers.len() {
                    for pair in both(j).map(|x| (powers[i] + x) % MODULUS) {
                        sums.push(one(pair));
                        let last = if triples { powers.len() } else { 0 };
                        for k in j + 2..last {
                            sums.extend(both(k).map(|x| one((pair + x) % MODULUS)));
                        }
                    }
                }
            }
            sums.sort_unstable();
            assert_ne!(sums[0], 0);
            assert!(
                sums.windows(2).all(|pair| pair[0] != pair[1]),
                "{bits} bits"
            );
        }
    }
}
