//! Operands of eight residues, one a lane: numbers in digits of 52 bits, or with slack.

use super::place;
use crate::{
    Limb,
    op::{Generator, Sizes},
};

/// Numbers below twice 2^m in n digits.
pub static RESIDUES: Generator = Generator {
    about: "below 2^(m+1)",
    make: |source, draft, _, len| {
        let mut value = source.limbs(len);
        for (i, digit) in value.iter_mut().enumerate() {
            let bits = match i < len - 8 {
                true => 52,
                false => draft.m + 1 - 52 * (draft.n - 1),
            };
            // Runs from either end of a word.
            *digit = match source.choose(2) {
                0 => *digit >> (64 - bits),
                _ => *digit & ((1 << bits) - 1),
            };
        }
        value
    },
};

/// Digits as long as [`place`] says, and 2^20 more in all but the lowest.
pub static SLACK: Generator = Generator {
    about: "digits with slack",
    make: |source, draft, _, len| {
        let mut value = source.limbs(len);
        for (i, digit) in value.iter_mut().enumerate() {
            let place = |k| place(draft.n, draft.m, k);
            let bits = place(i / 8 + 1) - place(i / 8);
            *digit = match source.choose(3) {
                0 => *digit >> (64 - bits),
                1 if i >= 8 => (1 << bits) + (*digit & ((1 << 20) - 1)),
                _ => *digit & ((1 << bits) - 1),
            };
        }
        value
    },
};

/// Values of c in primes `2^m - c`: odd, of no more bits than the prime has in its highest digit of 52. They are those
/// of primes in use, a boundary, or any.
pub static OFFSET: Generator = Generator {
    about: "odd, of no more bits than the highest digit",
    make: |source, draft, _, _| {
        const KNOWN: [Limb; 9] = [
            1,
            19,
            159,
            189,
            735,
            (1 << 20) - 1,
            (1 << 20) + 1,
            (1 << 32) + 977,
            Limb::MAX,
        ];
        let any = source.limb();
        let chosen = [KNOWN[source.choose(KNOWN.len())], any][source.choose(2)];
        let bits = draft.m - 52 * (draft.n - 1);
        vec![(chosen | 1) & ((1 << bits) - 1)]
    },
};

/// m bits of a prime, 127, 128, 255 or 256, and the n digits of 52 bits that it takes, 3 or 5.
pub static SIZES: Sizes = Sizes {
    about: "primes of m bits in n digits",
    walk: || vec![(3, 127), (3, 128), (5, 255), (5, 256)],
    of_bits: |bits| match bits {
        128 => Some((3, 128)),
        256 => Some((5, 256)),
        _ => None,
    },
};
