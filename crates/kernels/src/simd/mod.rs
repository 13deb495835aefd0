//! One vocabulary for vectors of 64-bit words: lane code is written in it once, for all widths.
//!
//! A trait says what a vector can do, and a file implements it for one kind of register. [`Words`], a plain array,
//! implements every trait on every machine: so tests, Miri and emulators reach all lane code, whatever they run on. Tests
//! run it on ranges of words, too, which compute the bounds of its sums.
//!
//! # Rules
//!
//! - Methods are `#[inline(always)]` and enable no target feature. A function that enables features is never inlined
//!   into one that does not. It is called, and its vectors are in memory: that took twice as long where it was tried.
//! - So a caller owes two things. The processor has what the vector needs: hence every method is `unsafe`. And the
//!   function that all of it is inlined into enables those features. A row of an operation's table does so, with the
//!   features in quotes, and so do [`U64s::run`], [`Madd52::run_madd52`] and [`Fma52::run_fma52`], which run a [`Body`].
//! - A helper that takes vectors is `#[inline(always)]`, too.
//! - Arrays of vectors are indexed by constants, in loops that [`unroll!`] writes out. Under another index the array is
//!   in memory.
//! - A sum that may come near the end of its word says how large it is, with [`bounded`].

mod aes;
#[cfg(all(target_arch = "aarch64", target_endian = "little", not(miri)))]
mod neon;
#[cfg(test)]
mod ranges;
mod steer;
mod words;
#[cfg(target_arch = "x86_64")]
mod xmm;
#[cfg(target_arch = "x86_64")]
mod xmm_vl;
#[cfg(target_arch = "x86_64")]
mod ymm;
#[cfg(target_arch = "x86_64")]
mod ymm_ifma;
#[cfg(target_arch = "x86_64")]
mod ymm_vl;
#[cfg(target_arch = "x86_64")]
mod zmm;

use crate::Limb;
pub(crate) use aes::Blocks;
use core::ops::BitAnd;
#[cfg(all(target_arch = "aarch64", target_endian = "little", not(miri)))]
pub(crate) use neon::Neon;
#[cfg(test)]
pub(crate) use ranges::Range;
pub(crate) use steer::{at_line, opaque, prefetch, scalar, unseen};
pub(crate) use words::Words;
#[cfg(target_arch = "x86_64")]
pub(crate) use {xmm::Xmm, ymm::Ymm, ymm_vl::YmmVl, zmm::Zmm};

/// A vector of 64-bit words. Arithmetic is modulo 2^64 in each lane.
///
/// # Safety
/// Of every method: the processor has what the vector needs. Of [`load`](U64s::load) and [`store`](U64s::store): the
/// words can be read or written; their address need not be aligned.
pub trait U64s: Copy {
    /// The words of a vector.
    const LANES: usize;
    /// Whether arrays of vectors belong in registers, so that their loops are to be unrolled.
    const IN_REGISTERS: bool = true;
    /// A truth value for each lane.
    type Mask: Copy + BitAnd<Output = Self::Mask>;

    /// Runs a loop, compiled for what the vector needs.
    unsafe fn run<B: Body<Self>>(body: B);

    /// The words at an address, the first in the lowest lane.
    unsafe fn load(from: *const Limb) -> Self;
    /// Writes the words to an address.
    unsafe fn store(self, to: *mut Limb);
    /// One word in every lane.
    unsafe fn splat(word: Limb) -> Self;
    /// 0 in every lane.
    unsafe fn zero() -> Self;

    /// The sums.
    unsafe fn add(self, other: Self) -> Self;
    /// The differences.
    unsafe fn sub(self, other: Self) -> Self;
    /// Bitwise and.
    unsafe fn and(self, other: Self) -> Self;
    /// Bitwise or.
    unsafe fn or(self, other: Self) -> Self;
    /// Bitwise exclusive or.
    unsafe fn xor(self, other: Self) -> Self;
    /// Words times 2^bits, for a constant below 64.
    unsafe fn shl(self, bits: u32) -> Self;
    /// Words divided by 2^bits and rounded down, for a constant below 64.
    unsafe fn shr(self, bits: u32) -> Self;
    /// Signed words divided by 2^bits and rounded down, for a constant below 64: by a logical shift, whose upper bits are
    /// then made those of the sign.
    #[inline(always)]
    unsafe fn sar(self, bits: u32) -> Self {
        // SAFETY: as the caller says.
        unsafe {
            let sign = Self::splat(1 << 63).shr(bits);
            self.shr(bits).xor(sign).sub(sign)
        }
    }
    /// Words rotated to the left by a constant number of bits below 64.
    unsafe fn rotl(self, bits: u32) -> Self;

    /// The lanes in which the words have a bit in common.
    unsafe fn test(self, other: Self) -> Self::Mask;
    /// `yes` in the lanes of the mask, `no` in the others.
    unsafe fn select(mask: Self::Mask, yes: Self, no: Self) -> Self;
    /// The sums in the lanes of the mask, the words of `self` in the others.
    #[inline(always)]
    unsafe fn add_where(self, mask: Self::Mask, other: Self) -> Self {
        // SAFETY: as the caller says.
        unsafe { Self::select(mask, self.add(other), self) }
    }
    /// The differences in the lanes of the mask, the words of `self` in the others.
    #[inline(always)]
    unsafe fn sub_where(self, mask: Self::Mask, other: Self) -> Self {
        // SAFETY: as the caller says.
        unsafe { Self::select(mask, self.sub(other), self) }
    }

    /// Whether all words, taken as signed, are at least -2^bits and below 2^bits. Registers are not asked, and say so.
    fn within(self, bits: u32) -> bool {
        let _ = bits;
        true
    }
}

/// Vectors that multiply whole words.
///
/// # Safety
/// As [`U64s`].
pub trait Mul64: U64s {
    /// The products modulo 2^64.
    unsafe fn mul(self, other: Self) -> Self;
}

/// Vectors that multiply words of 52 bits.
///
/// # Safety
/// As [`U64s`].
pub trait Madd52: U64s {
    /// Runs a loop, compiled for what products need, too.
    unsafe fn run_madd52<B: Body<Self>>(body: B);
    /// `self` plus the low 52 bits of the product of the low 52 bits of x and y.
    unsafe fn lo(self, x: Self, y: Self) -> Self;
    /// `self` plus the high 52 bits of the product of the low 52 bits of x and y.
    unsafe fn hi(self, x: Self, y: Self) -> Self;
}

/// Vectors that multiply digits of 52 bits as floating-point numbers.
///
/// A product of two digits is below 2^104, so that 2^104 + x y, rounded, is 2^104 plus a multiple of 2^52: its mantissa is
/// the high half. What is left, x y less that multiple, comes from a second multiplication without any rounding (Emmart,
/// Zheng, Weems, ARITH 2018). Both are added as the integers that their bits are, which leaves their exponents as a surplus.
///
/// No number is ever subnormal: time depends on none.
///
/// # Safety
/// As [`U64s`]; what an address points to can be read or written, at any alignment.
pub trait Fma52: U64s {
    /// Digits as numbers.
    type Number: Copy;
    /// Whether high halves are rounded to nearest: a low half is from -2^51 to 2^51 then.
    const SIGNED: bool;
    /// How much each product adds too much to a sum of low halves, and to one of high halves, modulo 2^64.
    const SURPLUS: [Limb; 2];

    /// Runs a loop, compiled for what products need, too.
    unsafe fn run_fma52<B: Body<Self>>(body: B);
    /// Digits below 2^52 as numbers.
    unsafe fn number(self) -> Self::Number;
    /// A digit below 2^52 as a number in every lane.
    unsafe fn number_of(digit: Limb) -> Self::Number;
    /// The number at an address in every lane.
    unsafe fn spread_number(from: *const Limb) -> Self::Number;
    /// The numbers at an address.
    unsafe fn load_number(from: *const Limb) -> Self::Number;
    /// Writes numbers to an address, in as much room as the digits take.
    unsafe fn store_number(number: Self::Number, to: *mut Limb);
    /// Both halves of the products, the low ones first, with the surplus.
    unsafe fn halves(x: Self::Number, y: Self::Number) -> [Self; 2];
    /// The high halves of the products with the numbers at an address, and their surplus.
    unsafe fn high(x: Self::Number, y: *const Limb) -> Self;
    /// Products below 2^51, with the surplus of a low half.
    unsafe fn small(x: Self::Number, y: Self::Number) -> Self;
    /// `low` and `high` plus the halves of the products with the numbers at an address, and the surplus.
    unsafe fn mac(low: &mut Self, high: &mut Self, x: Self::Number, y: *const Limb);
    /// The products of the low 32 bits of words.
    unsafe fn mul32(self, other: Self) -> Self;
}

/// 2^52: the last bit of its mantissa stands for 1.
const UNITS: f64 = (1_u64 << 52) as f64;
/// 2^104: the last bit of its mantissa stands for 2^52.
const HIGH: f64 = UNITS * UNITS;

/// Vectors whose words move from lane to lane; a mask has bit i for lane i.
///
/// # Safety
/// As [`U64s`].
pub trait Across: U64s<Mask = u8> {
    /// A vector of two words.
    type Pair: Madd52 + Across;

    /// The lanes of `below` from lane BY on, then the lowest BY of `above`: BY is 1 or 2.
    unsafe fn align<const BY: i32>(above: Self, below: Self) -> Self;
    /// The words of `here` one lane up, and in the lowest lane the highest word of `below`.
    unsafe fn up(here: Self, below: Self) -> Self;
    /// Words of a table of two vectors, those of `low` first: in each lane the one whose number `at` holds, modulo twice the
    /// lanes.
    unsafe fn pick(at: Self, low: Self, high: Self) -> Self;
    /// The word in the lowest lane.
    unsafe fn lowest(self) -> Limb;
    /// The words in the two lowest lanes.
    unsafe fn two(self) -> [Limb; 2];
    /// The two lowest lanes.
    unsafe fn pair(self) -> Self::Pair;
    /// These in the two lowest lanes, and zeros in the others.
    unsafe fn from_pair(pair: Self::Pair) -> Self;
    /// The lower of these in every lane.
    unsafe fn splat_lower(pair: Self::Pair) -> Self;
    /// The lanes in which the word is above the other one.
    unsafe fn above(self, other: Self) -> u8;
    /// The lanes in which the words are equal.
    unsafe fn equal(self, other: Self) -> u8;
}

/// Vectors that hold the same words of as many blocks as they have lanes.
///
/// # Safety
/// As [`U64s`].
pub trait Transposed: U64s {
    /// Four words of each lane's block, from the address on that `row` gives for the lane: vector i holds word i of each.
    unsafe fn load_blocks(row: impl Fn(usize) -> *const Limb) -> [Self; 4];
    /// Writes the words of each lane's block, one block behind the other, xored with those at `with` if there are any. W is
    /// a multiple of 4.
    unsafe fn store_blocks<const W: usize>(
        words: &[Self; W],
        r: *mut Limb,
        with: Option<*const Limb>,
    );
    /// The words with their octets in the opposite order.
    unsafe fn swapped(self) -> Self;
}

/// A loop over vectors of a kind, with its arguments.
pub trait Body<V> {
    /// The loop.
    ///
    /// # Safety
    /// The processor has what V needs, the caller enables it, and the arguments are what the loop asks for.
    unsafe fn run(self);
}

/// The number of steps of a loop over an array of vectors, hidden from the compiler where unrolling gains nothing.
#[inline(always)]
pub(crate) fn rolled<V: U64s>(steps: usize) -> usize {
    match V::IN_REGISTERS {
        true => steps,
        false => scalar(steps as Limb) as usize,
    }
}

/// The lanes that a carry enters, and the carry out of all `lanes`; `generate` and `pass` have no lane in common.
///
/// With the lanes as the bits of integers g and p, and the carry in as c, take the integer sum (2g + c) + p: a carry that
/// enters lane i sets bit i, unless the lane passes it on; then it clears that bit, which p had set, and enters bit i + 1.
/// Where the sum differs from p, a carry enters.
#[inline(always)]
pub(crate) fn resolve(lanes: usize, generate: Limb, pass: Limb, carry: Limb) -> (Limb, Limb) {
    let sum = (generate << 1 | carry) + pass;
    (sum ^ pass, sum >> lanes)
}

/// A word that is at least -2^bits and below 2^bits in every lane, taken as signed: tests check it on plain words.
#[inline(always)]
pub(crate) fn bounded<V: U64s>(x: V, bits: u32) -> V {
    debug_assert!(x.within(bits), "a word has more than {bits} bits");
    x
}

/// Methods of a register that are one instruction: of two vectors, or of a vector and a constant number of bits.
#[cfg(target_arch = "x86_64")]
macro_rules! instructions {
    ($V:ident of two: $($method:ident $intrinsic:ident),+) => {$(
        #[inline(always)]
        unsafe fn $method(self, other: Self) -> Self {
            // SAFETY: the caller's, as the trait says.
            $V(unsafe { $intrinsic(self.0, other.0) })
        }
    )+};
    ($V:ident of a shift: $($method:ident $intrinsic:ident),+) => {$(
        #[inline(always)]
        unsafe fn $method(self, bits: u32) -> Self {
            // SAFETY: the caller's, as the trait says.
            $V(unsafe { $intrinsic(self.0, _mm_cvtsi64_si128(bits.into())) })
        }
    )+};
}
#[cfg(target_arch = "x86_64")]
use instructions;

/// The steps of a loop over arrays of vectors, one after the other in the code, so that the index of each is a constant:
/// `unroll!(i < N of 10, body)`, where N is a constant, at most 5, 10, 20 or 22 as the last number says.
///
/// `unroll!(V, i < N of 20, body)` unrolls it for registers V only: a loop over plain words stays one.
/// `unroll!(const I < 10, body)` makes the index a constant item, for const parameters.
macro_rules! unroll {
    (const $I:ident < 10, $body:expr) => { $crate::simd::unroll!(@ const $I, $body; 0 1 2 3 4 5 6 7 8 9) };
    (@ const $I:ident, $body:expr; $($step:literal)*) => { $({ const $I: usize = $step; $body; })* };
    (@ $i:ident $n:expr, $body:expr; $($step:literal)*) => {
        $(if $step < $n { let $i: usize = $step; $body; })*
    };
    ($i:ident < $n:tt of 5, $body:expr) => { $crate::simd::unroll!(@ $i $n, $body; 0 1 2 3 4) };
    ($i:ident < $n:tt of 10, $body:expr) => { $crate::simd::unroll!(@ $i $n, $body; 0 1 2 3 4 5 6 7 8 9) };
    ($i:ident < $n:tt of 20, $body:expr) => {
        $crate::simd::unroll!(@ $i $n, $body; 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19)
    };
    ($i:ident < $n:tt of 22, $body:expr) => {
        $crate::simd::unroll!(@ $i $n, $body; 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21)
    };
    ($V:ty, $i:ident < $n:tt of $most:tt, $body:expr) => {
        if <$V as $crate::simd::U64s>::IN_REGISTERS {
            $crate::simd::unroll!($i < $n of $most, $body);
        } else {
            for $i in 0..$crate::simd::rolled::<$V>($n) { $body; }
        }
    };
}
pub(crate) use unroll;
