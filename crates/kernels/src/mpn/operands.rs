//! The arguments of operations on limbs that are no limbs.

use crate::{
    Limb,
    op::{Generator, Sizes, lengths},
};

/// A divisor of `2^64 - 1`.
pub static COFACTOR: Generator = Generator {
    about: "(2^64-1)/d for a divisor d of 2^64-1",
    make: |source, _, _, _| {
        const DIVISORS: [Limb; 8] = [1, 3, 5, 15, 17, 255, 65_537, Limb::MAX];
        vec![Limb::MAX / DIVISORS[source.choose(DIVISORS.len())]]
    },
};

/// The state of division steps: any limb, often near 0.
pub static ZETA: Generator = Generator {
    about: "any, often near 0",
    make: |source, _, _, _| {
        let (near, any) = ((source.bits() % 128).wrapping_sub(64), source.limb());
        vec![[0, Limb::MAX, near, any][source.choose(4)]]
    },
};

/// n limbs, and how often something is done: m times.
pub static TIMES: Sizes = Sizes {
    about: "n limbs, m times",
    walk: || {
        let times = |n| (1..=if n <= 16 { 5 } else { 2 }).map(move |m| (n, m));
        lengths().flat_map(times).collect()
    },
    of_bits: |bits| Some((bits / 64, 1)),
};
