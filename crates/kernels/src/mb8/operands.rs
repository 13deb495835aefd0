//! Operands of eight numbers, one a lane.

use super::digits;
use crate::{
    Limb,
    op::{Draft, Generator, Sizes},
    radix52::operands::Layout,
};

fn lanes(draft: &Draft) -> Layout {
    Layout {
        digits: draft.n,
        width: draft.n,
        lanes: true,
    }
}

/// Odd numbers below R / 4, R = 2^(52n).
pub static MODULI: Generator = Generator {
    about: "odd, below R/4",
    make: |source, draft, _, len| lanes(draft).moduli(source, len),
};

/// Numbers below twice the moduli.
pub static BELOW_TWICE: Generator = Generator {
    about: "below twice",
    make: |source, draft, of, len| lanes(draft).below_twice(source, of, len),
};

/// The inverses that Montgomery reduction takes.
pub static INVERSES: Generator = Generator {
    about: "-v^-1 mod 2^52 for the numbers of",
    make: |_, draft, of, _| lanes(draft).inverses(of),
};

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
