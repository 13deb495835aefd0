//! Operands of eight numbers, one a lane.

use super::digits;
use crate::{
    Limb,
    op::{Generator, Sizes},
    radix52::operands::{below_twice, inverses, moduli},
};

/// Odd numbers below R / 4, R = 2^(52n).
pub static MODULI: Generator = moduli::<true>();

/// Numbers below twice the moduli, in lanes.
pub static BELOW_TWICE: Generator = below_twice::<true>();

/// The inverses of moduli in lanes.
pub static INVERSES: Generator = inverses::<true>();

/// Rows of a table.
pub static INDICES: Generator = Generator {
    about: "below m",
    make: |source, draft, _, len| (0..len).map(|_| source.choose(draft.m) as Limb).collect(),
};

/// The numbers of digits that kernels take.
fn lengths() -> impl Iterator<Item = usize> {
    let all = (1..=40).chain([60, 80, 160, 320, 500]);
    all.filter(|&n| digits(n * super::DIGIT_BITS) == Some(n))
}

/// n digits; there is no m.
pub static DIGITS: Sizes = Sizes {
    about: "n digits",
    walk: || lengths().map(|n| (n, 0)).collect(),
    of_bits: |bits| Some((digits(bits + 2)?, 0)),
};

/// n digits, and a table of m rows, 16 or 32.
pub static ROWS: Sizes = Sizes {
    about: "n digits, m rows of a table, 16 or 32",
    walk: || {
        let rows = |n| [16, 32].map(|m| (n, m));
        lengths().flat_map(rows).collect()
    },
    of_bits: |bits| Some((digits(bits + 2)?, 32)),
};
