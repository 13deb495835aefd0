//! Operations on eight numbers at once ("multi-buffer"), each with a modulus of its own: one number a 64-bit lane.
//!
//! Numbers are in radix 2^52, digit by digit: an [`Octet`] holds the digits of one place of all eight, and a vector of
//! n octets, least significant first, holds eight numbers of n digits. The twelve spare bits of a word hold carries,
//! which are paid once, at the end (carry-save). Nothing ever moves from lane to lane.
//!
//! Multiplication is *almost Montgomery* (Gueron, ePrint 2011/239), R = 2^(52n): results below 2n and no final
//! subtraction. IFMA goes row by row where all sums fit the registers, which is up to 20 digits, or ten with AVX-IFMA.
//! Above, products are cut into strips of at most as many digits. Squares above, and all without IFMA, go by blocks of up
//! to ten digits, the columns of blocks one after the other, so that a column's sums stay in registers until they are whole.

#[cfg(all(test, any(target_arch = "x86_64", feature = "checked")))]
mod bounds;
#[cfg(any(target_arch = "x86_64", feature = "checked"))]
mod fma;
#[cfg(any(target_arch = "x86_64", feature = "checked"))]
mod madd52;
pub(crate) mod operands;

pub use crate::radix52::{DIGIT_BITS, IFMA};
use crate::{Isa, Limb};

/// The extensions that `avx_ifma` needs.
pub const AVX_IFMA: Isa = Isa::AVX2.and(Isa::AVXIFMA);
/// The extensions that `fma256` needs.
pub const FMA: Isa = Isa::AVX2.and(Isa::FMA);
/// The extensions that `fma512` needs.
pub const FMA512: Isa = Isa::AVX512F;
/// The numbers that an operation works on at once.
pub const LANES: usize = 8;
/// The bits of a digit.
pub const DIGIT_MASK: Limb = (1 << DIGIT_BITS) - 1;
/// The most digits of a number: sums of 4n products of digits and their carries fit a word, sign included.
pub const MAX_DIGITS: usize = 500;
/// The octets of scratch that an operation needs for each digit.
pub const ROOM: usize = 6;
/// The most digits in a block: as many as leave room for twice their number of sums in 32 registers.
const BLOCK: usize = 10;

/// The digits of one place of eight numbers, one a lane. (Not a byte, which RFCs call an octet.)
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct Octet(pub [Limb; LANES]);

impl Octet {
    /// Overwrites octets that held secrets with zeros.
    pub fn wipe(octets: &mut [Octet]) {
        crate::wipe(octets, Octet::default());
    }
}

/// The least number of digits that holds `bits` bits and that the operations take: up to ten, or blocks of equal
/// length. `None` for no bits, and for more than [`MAX_DIGITS`] digits.
///
/// ```
/// use carrysave_kernels::mb8::digits;
/// assert_eq!([1, 520, 521, 1028, 1542, 2052].map(|bits| digits(bits).unwrap()), [1, 10, 12, 20, 30, 40]);
/// assert_eq!([0, 52 * 500 + 1].map(digits), [None; 2]);
/// ```
pub fn digits(bits: usize) -> Option<usize> {
    let least = bits.div_ceil(DIGIT_BITS);
    let digits = least.next_multiple_of(least.div_ceil(BLOCK).max(1));
    (1..=MAX_DIGITS).contains(&digits).then_some(digits)
}

/// The digits of a block, and how many blocks make `digits` digits, if the operations take such numbers.
fn blocks(digits: usize) -> Option<(usize, usize)> {
    /// The digits of a block, or 0: a division by the number of blocks takes as long as a row of products.
    static OF_A_BLOCK: [u8; MAX_DIGITS + 1] = {
        let mut table = [0; MAX_DIGITS + 1];
        let mut digits = 1;
        while digits <= MAX_DIGITS {
            let blocks = digits.div_ceil(BLOCK);
            if digits.is_multiple_of(blocks) {
                table[digits] = (digits / blocks) as u8;
            }
            digits += 1;
        }
        table
    };
    let &block = OF_A_BLOCK.get(digits)?;
    (block > 0).then(|| (usize::from(block), digits.div_ceil(BLOCK)))
}

/// The pointer to the limbs of octets.
fn limbs(x: &[Octet]) -> *const Limb {
    x.as_ptr().cast()
}

/// The mutable pointer to the limbs of octets.
fn limbs_mut(x: &mut [Octet]) -> *mut Limb {
    x.as_mut_ptr().cast()
}

ops! {
    Mb8:
    amm::Amm,
    amm_select::AmmSelect,
    ams::Ams,
}
