//! Blocks of AES in vectors of words, two words a block, and the rounds of plain words.

use super::{U64s, Words};
use crate::Limb;
use core::array::from_fn;

/// Vectors of one, two or four blocks.
///
/// # Safety
/// As [`U64s`]; what an address points to is readable, at any alignment.
pub trait Blocks: U64s {
    /// The blocks of a vector.
    const COUNT: usize;
    /// Whether there are registers for the keys of all rounds beside eight vectors.
    const HOLDS_KEYS: bool;
    /// A vector of one block.
    type One: Blocks;

    /// A block in every lane.
    unsafe fn splat_block(x: *const Limb) -> Self;
    /// One block of each of as many rows as there are blocks.
    unsafe fn gather(rows: [*const Limb; 4]) -> Self;
    /// The first blocks of as many rows as there are blocks, then the second ones, and so on; and back.
    unsafe fn transposed(rows: [Self; 4]) -> [Self; 4];
    /// Blocks of zeros, except for each lane's number in the last eight bytes, the highest first.
    unsafe fn numbers(number: impl Fn(u64) -> u64) -> Self;
    /// One number there in all lanes, which keep their first eight bytes.
    unsafe fn numbered(self, number: u64) -> Self;
    /// A round: `AESENC`.
    unsafe fn round(self, key: Self) -> Self;
    /// The last round, which mixes no columns: `AESENCLAST`.
    unsafe fn last_round(self, key: Self) -> Self;
    /// A round of the equivalent inverse cipher (FIPS 197, 5.3.5): `AESDEC`.
    unsafe fn inverse_round(self, key: Self) -> Self;
    /// The last round of the equivalent inverse cipher: `AESDECLAST`.
    unsafe fn inverse_last_round(self, key: Self) -> Self;
}

/// A block's four columns, two a word; the first row is in the lowest byte of each.
type State = [Limb; 2];

impl<const N: usize> Words<N> {
    /// The blocks after `f`, xored with the keys.
    #[inline(always)]
    fn each_block(self, key: Self, f: impl Fn(State) -> State) -> Self {
        let mut words = key.0;
        for i in (0..N).step_by(2) {
            let [low, high] = f([self.0[i], self.0[i + 1]]);
            words[i] ^= low;
            words[i + 1] ^= high;
        }
        Words(words)
    }
}

/// The rounds of FIPS 197, eight bytes a word at a time; inverses in GF(2^8) are powers, so that no address depends on a
/// byte.
impl<const N: usize> Blocks for Words<N> {
    const COUNT: usize = N / 2;
    const HOLDS_KEYS: bool = false;
    type One = Words<2>;

    #[inline(always)]
    unsafe fn splat_block(x: *const Limb) -> Self {
        // SAFETY: as the caller says.
        Words(from_fn(|i| unsafe { x.add(i % 2).read_unaligned() }))
    }

    #[inline(always)]
    unsafe fn gather(rows: [*const Limb; 4]) -> Self {
        // SAFETY: as the caller says.
        Words(from_fn(|i| unsafe {
            rows[i / 2].add(i % 2).read_unaligned()
        }))
    }

    #[inline(always)]
    unsafe fn transposed(rows: [Self; 4]) -> [Self; 4] {
        from_fn(|l| match l < Self::COUNT {
            true => Words(from_fn(|i| rows[i / 2].0[2 * l + i % 2])),
            false => rows[l],
        })
    }

    #[inline(always)]
    unsafe fn numbers(number: impl Fn(u64) -> u64) -> Self {
        Words(from_fn(|i| match i % 2 {
            0 => 0,
            _ => number(i as u64 / 2).swap_bytes(),
        }))
    }

    #[inline(always)]
    unsafe fn numbered(self, number: u64) -> Self {
        Words(from_fn(|i| match i % 2 {
            0 => self.0[i],
            _ => number.swap_bytes(),
        }))
    }

    #[inline(always)]
    unsafe fn round(self, key: Self) -> Self {
        self.each_block(key, |s| mix(substitute(shift::<1>(s))))
    }

    #[inline(always)]
    unsafe fn last_round(self, key: Self) -> Self {
        self.each_block(key, |s| substitute(shift::<1>(s)))
    }

    #[inline(always)]
    unsafe fn inverse_round(self, key: Self) -> Self {
        self.each_block(key, |s| mix_inversely(substitute_inversely(shift::<3>(s))))
    }

    #[inline(always)]
    unsafe fn inverse_last_round(self, key: Self) -> Self {
        self.each_block(key, |s| substitute_inversely(shift::<3>(s)))
    }
}

/// A byte in all places of a word.
const fn bytes(byte: u8) -> Limb {
    Limb::from_ne_bytes([byte; 8])
}

/// ShiftRows, or its inverse for BY = 3: row i to the left by i times BY columns.
fn shift<const BY: usize>(state: State) -> State {
    let old = state.map(Limb::to_le_bytes);
    let byte = |column: usize, row: usize| old[column / 2][column % 2 * 4 + row];
    from_fn(|half| {
        Limb::from_le_bytes(from_fn(|i| {
            let (column, row) = (2 * half + i / 4, i % 4);
            byte((column + BY * row) % 4, row)
        }))
    })
}

/// Bytes times x in GF(2^8).
fn times_x(a: Limb) -> Limb {
    ((a & bytes(0x7f)) << 1) ^ ((a >> 7 & bytes(1)) * 0x1b)
}

/// Products of bytes in GF(2^8).
fn product(mut a: Limb, b: Limb) -> Limb {
    let mut product = 0;
    for i in 0..8 {
        product ^= a & ((b >> i & bytes(1)) * 0xff);
        a = times_x(a);
    }
    product
}

/// Inverses of bytes in GF(2^8), and 0 of 0: the powers to the 254.
#[inline(never)]
fn inverse(a: Limb) -> Limb {
    let square = |a| product(a, a);
    let a2 = square(a);
    let a3 = product(a2, a);
    let a12 = square(square(a3));
    let a15 = product(a12, a3);
    let a240 = square(square(square(square(a15))));
    product(product(a240, a12), a2)
}

/// Bytes rotated to the left.
fn rotated(a: Limb, bits: u32) -> Limb {
    let low = bytes((1 << bits) - 1);
    (a << bits & !low) | (a >> (8 - bits) & low)
}

/// SubBytes.
fn substitute(state: State) -> State {
    state.map(|word| {
        let a = inverse(word);
        [1, 2, 3, 4].iter().fold(a, |sum, &i| sum ^ rotated(a, i)) ^ bytes(0x63)
    })
}

/// InvSubBytes.
fn substitute_inversely(state: State) -> State {
    state.map(|word| inverse(rotated(word, 1) ^ rotated(word, 3) ^ rotated(word, 6) ^ bytes(0x05)))
}

/// The rows of each column, `by` rows up.
fn turned(word: Limb, by: u32) -> Limb {
    let column = |shift: u32| Limb::from(((word >> shift) as u32).rotate_right(8 * by)) << shift;
    column(0) | column(32)
}

/// MixColumns: 2, 3, 1, 1 times the rows from each one on.
fn mix(state: State) -> State {
    state.map(|a| times_x(a ^ turned(a, 1)) ^ turned(a, 1) ^ turned(a, 2) ^ turned(a, 3))
}

/// InvMixColumns, which is MixColumns after 5, 0, 4, 0 times the rows from each one on.
fn mix_inversely(state: State) -> State {
    mix(state.map(|a| a ^ times_x(times_x(a ^ turned(a, 2)))))
}
