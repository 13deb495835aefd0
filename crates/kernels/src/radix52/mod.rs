//! Operations on unsaturated numbers in radix 2^52: one digit in each 64-bit word, least significant first.
//!
//! The twelve spare bits of a word hold carries that are paid once at the end of an operation (carry-save), which
//! lets one number spread over the lanes of a vector register. Numbers come in blocks of eight digits.
//!
//! Multiplication here is *almost Montgomery* (Gueron, ePrint 2011/239): R > 4 n, operands and results stay below
//! 2 n, and no final subtraction is made.

#[cfg(target_arch = "x86_64")]
mod blocks;
#[cfg(any(target_arch = "x86_64", feature = "checked"))]
mod fma;
pub(crate) mod operands;
#[cfg(any(target_arch = "x86_64", feature = "checked"))]
mod rows;
pub(crate) mod word;

use crate::Isa;

/// The extensions that every `ifma` kernel executes.
pub const IFMA: Isa = Isa::AVX512F
    .and(Isa::AVX512VL)
    .and(Isa::AVX512IFMA)
    .and(Isa::BMI2);

/// Digits in a block.
pub const BLOCK: usize = 8;
/// Bits in a digit.
pub const DIGIT_BITS: usize = 52;

ops! {
    Radix52:
    add::Add,
    addmul::Addmul,
    addmul_high::AddmulHigh,
    addmul_low::AddmulLow,
    amm::Amm,
    amm_x2::AmmX2,
    ams::Ams,
    ams_x2::AmsX2,
    normalise::Normalise,
    sqr::Sqr,
}
