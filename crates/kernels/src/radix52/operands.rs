//! Operands in radix 2^52: what Montgomery multiplication takes, in blocks of one number and in lanes of eight.

use crate::{
    Limb,
    mpn::word::neg_inverse,
    op::{Dims, Draft, Generator, Sizes, Source},
};

const DIGIT_BITS: usize = 52;
const DIGIT_MASK: Limb = (1 << DIGIT_BITS) - 1;

/// Where the digits of numbers stand.
#[derive(Clone, Copy)]
struct Layout {
    /// Digits that count.
    digits: usize,
    /// Words of a number.
    width: usize,
    /// Whether numbers stand side by side, a digit of each after the other, instead of one behind the other.
    lanes: bool,
}

impl Layout {
    /// n digits of numbers in lanes, or m digits of numbers in n blocks each.
    fn of<const LANES: bool>(draft: &Draft) -> Layout {
        let (digits, width) = match LANES {
            true => (draft.n, draft.n),
            false => (draft.m, 8 * draft.n),
        };
        Layout {
            digits,
            width,
            lanes: LANES,
        }
    }

    fn place(&self, i: usize, count: usize, digit: usize) -> usize {
        match self.lanes {
            true => count * digit + i,
            false => self.width * i + digit,
        }
    }

    /// The words that hold numbers.
    fn join(&self, numbers: &[Vec<Limb>]) -> Vec<Limb> {
        let count = numbers.len();
        let mut words = vec![0; self.width * count];
        for (i, number) in numbers.iter().enumerate() {
            for d in 0..self.digits {
                words[self.place(i, count, d)] = digit(number, d);
            }
        }
        words
    }

    /// The numbers that words hold.
    fn split(&self, words: &[Limb]) -> Vec<Vec<Limb>> {
        let count = words.len() / self.width;
        let number = |i| {
            let mut limbs = vec![0; (DIGIT_BITS * self.digits).div_ceil(64)];
            for d in 0..self.digits {
                let digit = words[self.place(i, count, d)];
                let (at, shift) = (DIGIT_BITS * d / 64, DIGIT_BITS * d % 64);
                limbs[at] |= digit << shift;
                if shift > 64 - DIGIT_BITS && at + 1 < limbs.len() {
                    limbs[at + 1] |= digit >> (64 - shift);
                }
            }
            limbs
        };
        (0..count).map(number).collect()
    }

    /// Odd numbers below R / 4.
    fn moduli(&self, source: &mut dyn Source, len: usize) -> Vec<Limb> {
        let bits = DIGIT_BITS * self.digits - 2;
        let numbers: Vec<_> = (0..len / self.width).map(|_| source.odd(bits)).collect();
        self.join(&numbers)
    }

    /// Numbers below twice the moduli, in turn.
    fn below_twice(&self, source: &mut dyn Source, moduli: &[Limb], len: usize) -> Vec<Limb> {
        let mut bounds = self.split(moduli);
        for bound in &mut bounds {
            let mut carry = 0;
            for limb in bound {
                (*limb, carry) = (*limb << 1 | carry, *limb >> 63);
            }
        }
        let number = |i: usize| source.below(&bounds[i % bounds.len()]);
        let numbers: Vec<_> = (0..len / self.width).map(number).collect();
        self.join(&numbers)
    }

    /// `-v^-1 mod 2^52` for each modulus.
    fn inverses(&self, moduli: &[Limb]) -> Vec<Limb> {
        let inverse = |v: Vec<Limb>| neg_inverse(v[0]) & DIGIT_MASK;
        self.split(moduli).into_iter().map(inverse).collect()
    }
}

/// A digit of a number.
fn digit(number: &[Limb], d: usize) -> Limb {
    let (at, shift) = (DIGIT_BITS * d / 64, DIGIT_BITS * d % 64);
    let limb = |i: usize| number.get(i).copied().unwrap_or(0);
    let high = match shift {
        0 => 0,
        _ => limb(at + 1) << (64 - shift),
    };
    (limb(at) >> shift | high) & DIGIT_MASK
}

/// Odd numbers below R / 4.
pub(crate) const fn moduli<const LANES: bool>() -> Generator {
    Generator {
        about: "odd, below R/4",
        make: |source, draft, _, len| Layout::of::<LANES>(draft).moduli(source, len),
    }
}

/// Numbers below twice the moduli.
pub(crate) const fn below_twice<const LANES: bool>() -> Generator {
    Generator {
        about: "below twice",
        make: |source, draft, of, len| Layout::of::<LANES>(draft).below_twice(source, of, len),
    }
}

/// The inverses that Montgomery reduction takes.
pub(crate) const fn inverses<const LANES: bool>() -> Generator {
    Generator {
        about: "-v^-1 mod 2^52 for the numbers of",
        make: |_, draft, of, _| Layout::of::<LANES>(draft).inverses(of),
    }
}

/// Odd numbers below R / 4, R = 2^(52m), each in n blocks.
pub static MODULI: Generator = moduli::<false>();

/// Numbers below twice the moduli, in blocks.
pub static BELOW_TWICE: Generator = below_twice::<false>();

/// The inverses of moduli in blocks.
pub static INVERSES: Generator = inverses::<false>();

/// The digits of a number of `bits + 2` bits.
fn digits_of(bits: usize) -> usize {
    (bits + 2).div_ceil(DIGIT_BITS)
}

/// n blocks of eight digits, at most MOST, and m, the digits that count, from 8n - 7 to 8n.
const fn sizes<const MOST: usize>() -> Sizes {
    fn walk<const MOST: usize>() -> Vec<(usize, usize)> {
        let blocks = (1..=MOST).filter(|n| *n <= 21 || [32, 64, 65, MOST].contains(n));
        let digits = |n: usize| match n {
            ..=2 => (8 * n - 7..=8 * n).collect(),
            _ => vec![8 * n - 7, 8 * n - 3, 8 * n],
        };
        blocks
            .flat_map(|n| digits(n).into_iter().map(move |m| (n, m)))
            .collect()
    }
    Sizes {
        about: "n blocks of eight digits, of which m count",
        walk: walk::<MOST>,
        of_bits: |bits| {
            let blocks = blocks_of(bits);
            (blocks <= MOST).then_some((blocks, digits_of(bits)))
        },
    }
}

/// The dimensions of operations on one number.
pub static ONE: Sizes = sizes::<{ super::Amm::MAX_BLOCKS }>();

/// The dimensions of operations on two numbers.
pub static TWO: Sizes = sizes::<{ super::AmmX2::MAX_BLOCKS }>();

/// The blocks that a number of `bits + 2` bits takes.
fn blocks_of(bits: usize) -> usize {
    digits_of(bits).div_ceil(8)
}

/// The dimensions of sums: n blocks of eight digits.
pub static BLOCKS: Sizes = Sizes {
    about: "n blocks of eight digits",
    walk: || Dims::N.walk(),
    of_bits: |bits| Some((blocks_of(bits), 0)),
};

/// The dimensions of products: n blocks of eight digits by m blocks, 1 to n.
pub static BLOCKS_UP_TO_N: Sizes = Sizes {
    about: "n blocks of eight digits by m, 1 to n",
    walk: || Dims::UpToN.walk(),
    of_bits: |bits| Some((blocks_of(bits), blocks_of(bits))),
};
