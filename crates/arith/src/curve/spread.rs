//! One scalar spread over the lanes of vectors, for products of a base point: each lane has every eighth window of four bits
//! and multiples of its own, and the sums of all lanes are added at the end. An addition waits for the one before, so that
//! lanes make the product of one scalar shorter as well.

use super::counting::times_two_to;
use super::lanes::LANES;
use super::multiple::{bits, recoded, windows};
use crate::Limb;
use crate::field::{Fe, Fes, Field, InLanes, to_octets};
use carrysave_kernels::fp8::{Lanes, Octet};
use std::sync::OnceLock;

/// Bits of a window.
const WIDTH: usize = 4;
/// Multiples of a window: 1 to 8 times a power of 16.
pub(super) const ROWS: usize = 1 << (WIDTH - 1);

/// Windows of a lane, for scalars of so many bits.
pub(super) const fn steps(bits: usize) -> usize {
    windows(WIDTH, bits).div_ceil(LANES)
}

/// What products of a base point in all lanes read: for each step and each row, the multiples of the windows that lanes have
/// then, and the numbers that they are counted by.
pub(super) struct Spread {
    multiples: Vec<Octet>,
    numbers: Vec<Octet>,
    /// The curve's parameters in all lanes.
    pub(super) constants: Vec<Octet>,
}

/// The table for the lanes that are fastest, made when a product first needs it. In a box, as other tables.
pub(super) type OnFirstUse = OnceLock<Box<Spread>>;

/// What is looked up for all lanes.
pub(super) struct Entries<F: Field, L: Lanes, const K: usize>
where
    F::Residue: InLanes,
{
    /// Multiples; zeros where the digit is 0.
    pub(super) multiples: [Fes<F, L>; K],
    /// Ones where the digit is 0.
    pub(super) none: L::Vector,
    /// The numbers that the multiples are counted by, and ones where the digit is negative.
    pub(super) counted: [L::Vector; 2],
}

impl Spread {
    /// From 1 to 8 times each of 8 points a step, a power of 16 apart, and from the curve's parameters.
    pub(super) fn new<F: Field, L: Lanes, const K: usize>(
        l: L,
        multiples: &[[Fe<F>; K]],
        constants: &[Fe<F>],
    ) -> Spread
    where
        F::Residue: InLanes,
    {
        let steps = multiples.len() / (LANES * ROWS);
        let (mut elements, mut numbers) = (Vec::with_capacity(K * multiples.len()), vec![]);
        for (step, row) in (0..steps).flat_map(|step| (0..ROWS).map(move |row| (step, row))) {
            let windows = || LANES * step..LANES * (step + 1);
            let rows: Vec<_> = windows().map(|i| multiples[ROWS * i + row]).collect();
            elements.extend((0..K).flat_map(|i| rows.iter().map(move |row| row[i])));
            let mut octet = Octet::default();
            for (number, window) in octet.0.iter_mut().zip(windows()) {
                *number = times_two_to(WIDTH * window, row as Limb + 1);
            }
            numbers.push(octet);
        }
        let constants: Vec<_> = constants.iter().flat_map(|&x| [x; LANES]).collect();
        Spread {
            multiples: to_octets(l, &elements),
            numbers,
            constants: to_octets(l, &constants),
        }
    }

    /// What the lanes add at a step.
    #[inline(always)]
    pub(super) fn lookup<F: Field, L: Lanes, const K: usize>(
        &self,
        l: L,
        digits: &Digits,
        (step, part): (usize, usize),
    ) -> Entries<F, L, K>
    where
        F::Residue: InLanes,
    {
        let n = F::Residue::DIGITS;
        let [magnitude, negative] = &digits.0[step];
        let (magnitude, negative) = (l.load(&magnitude.0, part), l.load(&negative.0, part));
        let (mut multiples, mut numbers) = ([Fes::small(l, 0); K], l.splat(0));
        for row in 0..ROWS {
            let mask = l.equal(magnitude, l.splat(row as Limb + 1));
            let at = ROWS * step + row;
            let octets = &self.multiples[K * n * at..][..K * n];
            for (element, octets) in multiples.iter_mut().zip(octets.chunks_exact(n)) {
                *element = element.or_where(&Fes::load(l, octets, part), mask);
            }
            let number = l.load(&self.numbers[at].0, part);
            numbers = l.or(numbers, l.and(number, mask));
        }
        Entries {
            multiples,
            none: l.equal(magnitude, l.splat(0)),
            counted: [numbers, negative],
        }
    }
}

/// The digits of a scalar: for each step the magnitudes of all lanes, and ones where they are negative.
pub(super) struct Digits(Vec<[Octet; 2]>);

impl Digits {
    /// For so many steps, of a number or, where `opposite` is all ones, of the opposite number.
    pub(super) fn new(steps: usize, scalar: &[Limb], opposite: Limb) -> Digits {
        let mut digits = Digits(vec![[Octet::default(); 2]; steps]);
        for (step, [magnitudes, negatives]) in digits.0.iter_mut().enumerate() {
            let bits = bits(scalar, WIDTH * LANES, step);
            for lane in 0..LANES {
                let (magnitude, sign) = recoded(bits >> (WIDTH * lane) & ((2 << WIDTH) - 1), WIDTH);
                magnitudes.0[lane] = magnitude;
                negatives.0[lane] = sign.wrapping_neg() ^ opposite;
            }
        }
        digits
    }

    pub(super) fn steps(&self) -> usize {
        self.0.len()
    }
}

/// Wipes the digits.
impl Drop for Digits {
    fn drop(&mut self) {
        Octet::wipe(self.0.as_flattened_mut());
    }
}

/// How far away the sums are that lanes add to their own, one after the other: then all lanes have the sum of all.
pub(super) const DISTANCES: [usize; 3] = [4, 2, 1];

/// The sums of the lanes that are so far away.
#[inline(always)]
pub(super) fn turn(sums: &[Octet], others: &mut [Octet], distance: usize) {
    for (other, octet) in others.iter_mut().zip(sums) {
        // One copy of a vector's length, not words one by one, which a compiler would gather.
        let twice = [octet.0; 2];
        other
            .0
            .copy_from_slice(&twice.as_flattened()[distance..][..LANES]);
    }
}

#[cfg(test)]
impl Spread {
    /// Moves every row of a step to the place of the one before.
    pub(super) fn exchange(&mut self, step: usize) {
        let row = self.multiples.len() / self.numbers.len();
        self.multiples[row * ROWS * step..][..row * ROWS].rotate_left(row);
        self.numbers[ROWS * step..][..ROWS].rotate_left(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The digits of a number, by their places, are the number.
    #[test]
    fn digits_add_up() {
        let edges = [
            0,
            1,
            7,
            8,
            9,
            15,
            16,
            Limb::MAX,
            0x8888_8888_8888_8888,
            0x7777_7777_7777_7777,
        ];
        for (low, high) in edges
            .into_iter()
            .flat_map(|low| edges.map(|high| (low, high)))
        {
            for (opposite, sign) in [(0, 1), (Limb::MAX, -1)] {
                let digits = Digits::new(steps(127), &[low, high >> 1], opposite);
                let mut sum = 0_i128;
                for (step, [magnitudes, negatives]) in digits.0.iter().enumerate() {
                    for lane in 0..LANES {
                        let (magnitude, negative) = (magnitudes.0[lane], negatives.0[lane]);
                        assert!(
                            magnitude <= ROWS as Limb && (negative == 0 || negative == Limb::MAX)
                        );
                        let digit = i128::from(magnitude) * if negative == 0 { 1 } else { -1 };
                        // The highest may go beyond 2^127, and comes back.
                        sum = sum.wrapping_add(digit << (WIDTH * (LANES * step + lane)));
                    }
                }
                let number = i128::from(high >> 1) << 64 | i128::from(low);
                assert_eq!(sum, sign * number, "{low:x} {high:x}");
            }
        }
    }
}
