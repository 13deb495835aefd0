//! The loops over vectors that multiply words of 52 bits, for eight lanes, for four, and for plain words.
//!
//! Up to 20 digits a [`window`] of sums moves up the columns digit by digit, all of it in registers: a row of products
//! and a quotient digit that clears the lowest sum, then the next; in [`pairs`], two digits and two rows at a time. Longer
//! products are cut into [`strips`], longer squares into [`blocks`]; [`halves`] takes both by Karatsuba's method. With 16
//! registers, those of AVX-IFMA, a window has up to ten digits.
//!
//! Every word stays below (4n + 2) 2^52 < 2^63: a place gets 2n low and 2n high halves of products, and carries. Carries
//! are signed, for what Karatsuba's method subtracts: there words are from -n 2^52 to 5n 2^52. `bounds` computes both.

#![allow(clippy::needless_range_loop)] // An index walks an array and memory at once.

mod blocks;
mod halves;
mod pairs;
mod strips;
mod sums;
mod window;

use super::{LANES, MAX_DIGITS};
use crate::{Limb, simd::Madd52};
use {
    blocks::SquareBlocks,
    halves::{MultiplyHalves, SquareHalves},
    pairs::{MultiplyPairs, SquarePairs},
    strips::MultiplyStrips,
    window::{MultiplyWindow, SquareWindow},
};

/// The arguments of an operation, from the first lane of a vector on.
#[derive(Clone, Copy)]
struct Call {
    r: *mut Limb,
    a: *const Limb,
    /// Written only where entries of a table become b.
    b: *mut Limb,
    n: *const Limb,
    k0: *const Limb,
    /// Scratch.
    t: *mut Limb,
    /// Strips or blocks of a number.
    parts: usize,
    table: *const Limb,
    /// Entries of the table: 16 or 32.
    entries: usize,
    index: *const Limb,
}

/// Runs a body for the digits of a window, a strip or a block: `by_size!(window digits, V, Body[flags], call)`. Its sums
/// are one more than a window or a strip has digits, two more for pairs, and twice as many as a block has. Four lanes have the
/// longest only, as rows for them take multiples of 20 digits, unless those in short rows do.
macro_rules! by_size {
    (window $digits:expr, $V:ident, $($body:tt)*) => {
        match const { FORM == BY_SHORT_ROWS } {
            true => by_size!(@ $digits, $V, $($body)*; 1 2, 2 3, 3 4, 4 5, 5 6, 6 7, 7 8, 8 9, 9 10, 10 11),
            false => by_size!(@ $digits, $V, $($body)*; 1 2, 2 3, 3 4, 4 5, 5 6, 6 7, 7 8, 8 9, 9 10, 10 11, 12 13, 14 15, 16 17, 18 19, 20 21),
        }
    };
    (strip $digits:expr, $V:ident, $($body:tt)*) => {
        match const { FORM == BY_SHORT_ROWS } {
            true => by_size!(@ $digits, $V, $($body)*; 6 7, 7 8, 8 9, 9 10, 10 11),
            false => by_size!(@ $digits, $V, $($body)*; 7 8, 9 10, 10 11, 12 13, 14 15, 15 16, 16 17, 18 19, 20 21),
        }
    };
    (block $digits:expr, $V:ident, $($body:tt)*) => {
        match const { FORM == BY_SHORT_ROWS } {
            true => by_size!(@ $digits, $V, $($body)*; 3 6, 4 8, 5 10, 7 14),
            false => by_size!(@ $digits, $V, $($body)*; 7 14, 8 16, 9 18, 10 20),
        }
    };
    (pairs $digits:expr, $($body:tt)*) => {
        by_size!(@ $digits, $($body)*; 16 18, 20 22)
    };
    (half $digits:expr, $($body:tt)*) => {
        by_size!(@ $digits, $($body)*; 9 18, 10 20)
    };
    (@ $digits:expr, $V:ident, $Body:ident, $flag:tt, $call:expr; $($B:literal $T:literal),*) => {
        match $digits {
            $($B => by_size!(! $V $Body, $B $T $flag $call),)*
            _ => unreachable!("checked in the fence"),
        }
    };
    (! $V:ident $Body:ident, $B:literal $T:literal [$($flag:literal)?] $call:expr) => {
        match const { $V::LANES == 4 && $T < 20 && FORM != BY_SHORT_ROWS } {
            true => unreachable!("left to eight lanes"),
            false => $V::run_madd52($Body::<$B, $T, $($flag)?>($call)),
        }
    };
}

/// The most digits of numbers whose sums fit the registers: of 16, or of 32.
const fn window(form: u8) -> usize {
    match form {
        BY_SHORT_ROWS => 10,
        _ => 20,
    }
}

/// The digits of a strip, and how many strips cover `digits` digits: as few as there can be of one length. That is no
/// prime above 10, each of which would serve numbers of one length only.
fn strips<const FORM: u8>(digits: usize) -> (usize, usize) {
    /// The answers in a table, because a division takes as long as a row of products.
    const fn table(window: usize) -> [(u8, u8); MAX_DIGITS + 1] {
        let mut table = [(0, 0); MAX_DIGITS + 1];
        let mut digits = 1;
        while digits <= MAX_DIGITS {
            let mut strips = digits.div_ceil(window);
            while !digits.is_multiple_of(strips) || matches!(digits / strips, 11 | 13 | 17 | 19) {
                strips += 1;
            }
            table[digits] = ((digits / strips) as u8, strips as u8);
            digits += 1;
        }
        table
    }
    let (strip, strips) = const { &table(window(FORM)) }[digits];
    (strip.into(), strips.into())
}

/// The digits of a block of a square, and how many blocks there are. Of 16 registers ten hold the sums of five digits: a
/// block has half of its digits, or a third, but for seven, which leave two sums in memory.
fn square_blocks<const FORM: u8>(block: usize, blocks: usize) -> (usize, usize) {
    match (FORM, block) {
        (BY_SHORT_ROWS, 6 | 8 | 10) => (block / 2, 2 * blocks),
        (BY_SHORT_ROWS, 9) => (3, 3 * blocks),
        _ => (block, blocks),
    }
}

/// Whether Karatsuba's method takes numbers of `digits` digits: in halves of whole blocks of nine or ten digits, as it
/// gains nothing below, and with sums of at most 5n 2^52 < 2^63.
fn has_halves(digits: usize, blocks: usize) -> bool {
    blocks.is_multiple_of(2) && (36..=320).contains(&digits)
}

/// Whether numbers of `digits` digits have loops with two a row: shorter ones gain nothing by it.
fn has_pairs(digits: usize) -> bool {
    matches!(digits, 16 | 20)
}

/// Row by row, each of one digit.
pub(super) const BY_ROWS: u8 = 0;
/// By Karatsuba's method, where blocks are even in number and few enough for sums to fit.
pub(super) const BY_HALVES: u8 = 1;
/// Two digits a row, where there are loops for so many.
pub(super) const BY_PAIRS: u8 = 2;
/// Row by row, of no more digits than have their sums in 16 registers.
pub(super) const BY_SHORT_ROWS: u8 = 3;

/// `mb8_amm` in one of these forms.
///
/// # Safety
/// The contract of `mb8_amm`; the processor has what the vectors need.
pub(super) unsafe fn amm<V: Madd52, const FORM: u8>(
    r: *mut Limb,
    a: *const Limb,
    b: *const Limb,
    n: *const Limb,
    k0: *const Limb,
    t: *mut Limb,
    digits: usize,
) {
    let (block, blocks) = super::blocks(digits).expect("checked in the fence");
    let (strip, strips) = strips::<FORM>(digits);
    for l in (0..LANES).step_by(V::LANES) {
        // SAFETY: the same contract, for the lanes from l on; b is only read, and the table not at all.
        unsafe {
            let (r, a, b, n, k0, t) = (
                r.add(l),
                a.add(l),
                b.add(l).cast_mut(),
                n.add(l),
                k0.add(l),
                t.add(l),
            );
            let call = |parts| Call {
                r,
                a,
                b,
                n,
                k0,
                t,
                parts,
                table: b,
                entries: 0,
                index: b,
            };
            if FORM == BY_PAIRS && has_pairs(digits) {
                by_size!(pairs digits, V, MultiplyPairs, [false], &call(1))
            } else if digits <= const { window(FORM) } {
                by_size!(window digits, V, MultiplyWindow, [false], &call(1))
            } else if FORM == BY_HALVES && has_halves(digits, blocks) {
                by_size!(half block, V, MultiplyHalves, [false], &call(blocks))
            } else {
                by_size!(strip strip, V, MultiplyStrips, [false], &call(strips))
            }
        }
    }
}

/// `mb8_amm_select`; forms as for `amm`.
///
/// # Safety
/// The contract of `mb8_amm_select`; the processor has what the vectors need.
#[allow(clippy::too_many_arguments)]
pub(super) unsafe fn amm_select<V: Madd52, const FORM: u8>(
    r: *mut Limb,
    a: *const Limb,
    table: *const Limb,
    index: *const Limb,
    n: *const Limb,
    k0: *const Limb,
    t: *mut Limb,
    digits: usize,
    m: usize,
) {
    let (block, blocks) = super::blocks(digits).expect("checked in the fence");
    let (strip, strips) = strips::<FORM>(digits);
    for l in (0..LANES).step_by(V::LANES) {
        // SAFETY: the same contract, for the lanes from l on; b is behind the four times n that halves need.
        unsafe {
            let (r, a, n, k0, t) = (r.add(l), a.add(l), n.add(l), k0.add(l), t.add(l));
            let (table, index, b) = (table.add(l), index.add(l), t.add(LANES * 4 * digits));
            let call = |parts| Call {
                r,
                a,
                b,
                n,
                k0,
                t,
                parts,
                table,
                entries: m,
                index,
            };
            if FORM == BY_PAIRS && has_pairs(digits) {
                by_size!(pairs digits, V, MultiplyPairs, [true], &call(1))
            } else if digits <= const { window(FORM) } {
                by_size!(window digits, V, MultiplyWindow, [true], &call(1))
            } else if FORM == BY_HALVES && has_halves(digits, blocks) {
                by_size!(half block, V, MultiplyHalves, [true], &call(blocks))
            } else {
                by_size!(strip strip, V, MultiplyStrips, [true], &call(strips))
            }
        }
    }
}

/// `mb8_ams`; forms as for `amm`.
///
/// # Safety
/// The contract of `mb8_ams`; the processor has what the vectors need.
pub(super) unsafe fn ams<V: Madd52, const FORM: u8>(
    r: *mut Limb,
    a: *const Limb,
    n: *const Limb,
    k0: *const Limb,
    t: *mut Limb,
    digits: usize,
) {
    let (block, blocks) = super::blocks(digits).expect("checked in the fence");
    let (block, blocks) = square_blocks::<FORM>(block, blocks);
    for l in (0..LANES).step_by(V::LANES) {
        // SAFETY: the same contract, for the lanes from l on.
        unsafe {
            let (r, a, n, k0, t) = (r.add(l), a.add(l), n.add(l), k0.add(l), t.add(l));
            let call = Call {
                r,
                a,
                b: t,
                n,
                k0,
                t,
                parts: blocks,
                table: a,
                entries: 0,
                index: a,
            };
            if FORM == BY_PAIRS && has_pairs(digits) {
                by_size!(pairs digits, V, SquarePairs, [], &call)
            } else if digits <= const { window(FORM) } {
                by_size!(window digits, V, SquareWindow, [], &call)
            } else if FORM == BY_HALVES && has_halves(digits, blocks) {
                by_size!(half block, V, SquareHalves, [], &call)
            } else {
                by_size!(block block, V, SquareBlocks, [], &call)
            }
        }
    }
}
