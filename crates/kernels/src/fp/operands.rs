//! Operands of fields.

use crate::{
    Limb,
    op::{Generator, Sizes},
};

/// Values of `2^(64n)` modulo a number: those of primes in use, a boundary, or any limb but 0.
pub static FOLD: Generator = Generator {
    about: "2^(64n) modulo the prime",
    make: |source, _, _, _| {
        const KNOWN: [Limb; 7] = [2, 38, 159, 189, 1470, (1 << 32) + 977, Limb::MAX];
        // Where a fold changes: its square fits a limb, or a high half has room beside its product with what is above.
        let edge = [1 << 32, 1 << 62][source.choose(2)] - source.bits() % 2;
        let known = KNOWN[source.choose(KNOWN.len())];
        let any = source.limb().max(1);
        vec![[known, edge, any][source.choose(3)]]
    },
};

/// Numbers of four limbs, each below 2^255 + 2^198.
pub static NEAR_25519: Generator = Generator {
    about: "numbers below 2^255 + 2^198",
    make: |source, _, _, len| {
        let mut value: Vec<Limb> = vec![];
        while value.len() < len {
            let mut number = match value.last_chunk::<4>() {
                Some(last) if source.choose(2) == 0 => source.related(last),
                _ => source.limbs(4),
            };
            if number[3] >> 63 == 1 {
                number[3] = match source.choose(2) {
                    0 => number[3] << 1 >> 58 | 1 << 63,
                    _ => number[3] << 1 >> 1,
                };
            }
            value.extend(number);
        }
        value
    },
};

/// Numbers of four limbs, each below 2^254.
pub static BELOW_254: Generator = Generator {
    about: "numbers below 2^254",
    make: |source, _, _, len| {
        let mut value = source.limbs(len);
        for top in value.iter_mut().skip(3).step_by(4) {
            *top &= Limb::MAX >> 2;
        }
        value
    },
};

/// n products of numbers of m limbs, 2 or 4.
pub static PRODUCTS: Sizes = Sizes {
    about: "n products of numbers of m limbs",
    walk: || (1..=9).flat_map(|n| [2, 4].map(|m| (n, m))).collect(),
    of_bits: |bits| Some(((bits / 64).div_ceil(4), 4)),
};
