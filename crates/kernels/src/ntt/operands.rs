//! Operands of transforms: residues as floating-point numbers, and the tables of roots.

use super::{LEAST, PRIMES, roots};
use crate::{
    Limb,
    op::{Generator, Len, Sizes, Source, Word, lengths},
};

/// Residues modulo a prime: boundaries, which are the same everywhere or in turn as often as not.
fn residues(source: &mut dyn Source, p: Limb, len: usize) -> Vec<Limb> {
    let mut one = || {
        let edges = [
            0,
            1,
            p - 1,
            p - 2,
            p / 2,
            p / 2 + 1,
            (1 << 48) - 1,
            source.limb() % p,
        ];
        let random = source.bits() % p;
        let edge = edges[source.choose(edges.len())];
        ([edge, random][source.choose(2)] as f64).to_bits()
    };
    let turn = [one(), one()];
    let any: Vec<Limb> = (0..len).map(|_| one()).collect();
    match source.choose(4) {
        0 => vec![turn[0]; len],
        1 => (0..len).map(|i| turn[i % 2]).collect(),
        _ => any,
    }
}

/// The index of a prime.
pub const PRIME: Word = Word::Range(0, Len::words(PRIMES.len()));

/// Residues modulo the prime that the one-word argument is the index of.
pub static RESIDUES: Generator = Generator {
    about: "residues modulo the prime",
    make: |source, draft, _, len| residues(source, PRIMES[draft.s as usize], len),
};

/// Residues modulo each of the primes.
pub static EACH: [Generator; 5] = {
    macro_rules! modulo {
        ($($i:literal)*) => {[$(Generator {
            about: concat!("residues modulo prime ", $i),
            make: |source, _, _, len| residues(source, PRIMES[$i], len),
        }),*]};
    }
    modulo!(0 1 2 3 4)
};

/// The table of roots for that prime.
pub static ROOTS: Generator = Generator {
    about: "roots",
    make: |_, draft, _, len| roots(draft.s as usize, 2 * len)[0].clone(),
};

/// The table of their inverses.
pub static INVERSE_ROOTS: Generator = Generator {
    about: "inverses of roots",
    make: |_, draft, _, len| roots(draft.s as usize, 2 * len)[1].clone(),
};

/// Up to where levels are cut that are longer than the first cache.
const LOGS: [usize; 9] = [4, 5, 6, 7, 8, 9, 10, 14, 15];

fn power(bits: usize) -> Option<usize> {
    let n = bits / 64;
    (n.is_power_of_two() && n >= LEAST).then_some(n)
}

/// n is a power of two; there is no m.
pub static POWERS: Sizes = Sizes {
    about: "n is a power of two",
    walk: || LOGS.map(|log| (1_usize << log, 0)).into(),
    of_bits: |bits| Some((power(bits)?, 0)),
};

/// n is a power of two, and m words of it are there; half of them for a product.
pub static FILLED: Sizes = Sizes {
    about: "n is a power of two, and m words are there",
    walk: || {
        let filled = |log| {
            let n = 1_usize << log;
            [1, n / 4 + 1, n / 2, n / 2 + 1, n].map(|m| (n, m))
        };
        LOGS.into_iter().flat_map(filled).collect()
    },
    of_bits: |bits| Some((power(bits)?, power(bits)? / 2)),
};

/// n coefficients for m primes, from 3 on.
pub static COEFFICIENTS: Sizes = Sizes {
    about: "n coefficients for m primes",
    walk: || {
        let primes = |n| (3..=PRIMES.len()).map(move |m| (n, m));
        lengths().flat_map(primes).collect()
    },
    of_bits: |bits| Some((bits / 64, 3)),
};
