//! The word-level steps that portable kernels are made of, and algorithms elsewhere that are studied on words of two
//! sizes.
//!
//! ```
//! use carrysave_kernels::mpn::word::{Word, mac};
//! fn square<W: Word>(a: W) -> (W, W) {
//!     mac(a, a, W::ZERO, W::ZERO)
//! }
//! assert_eq!(square(u32::MAX), (1, u32::MAX - 1));
//! assert_eq!(square(u64::MAX), (1, u64::MAX - 1));
//! ```

use crate::Limb;
use core::ops::{Add, Mul};

/// `-v^-1 mod 2^64` for odd `v`, by Newton's iteration: five correct bits to start with, doubled four times.
///
/// ```
/// use carrysave_kernels::mpn::word::neg_inverse;
/// assert_eq!(neg_inverse(3).wrapping_mul(3), u64::MAX);
/// ```
pub const fn neg_inverse(v: Limb) -> Limb {
    let mut x = v.wrapping_mul(3) ^ 2;
    let mut bits = 5;
    while bits < Limb::BITS {
        x = x.wrapping_mul(2_u64.wrapping_sub(v.wrapping_mul(x)));
        bits *= 2;
    }
    x.wrapping_neg()
}

/// A digit of a number in a saturated radix: a limb, or half of one.
pub trait Word: Copy + PartialEq + Into<Limb> {
    /// A number of two words.
    type Double: Copy + Add<Output = Self::Double> + Mul<Output = Self::Double>;
    /// 0.
    const ZERO: Self;
    /// The lowest word of a limb.
    fn lowest(limb: Limb) -> Self;
    /// This word in two words, the upper one 0.
    fn wide(self) -> Self::Double;
    /// (low word, high word).
    fn split(double: Self::Double) -> (Self, Self);
}

macro_rules! word {
    ($word:ty, $double:ty) => {
        impl Word for $word {
            type Double = $double;
            const ZERO: Self = 0;
            #[inline(always)]
            fn lowest(limb: Limb) -> Self {
                limb as $word
            }
            #[inline(always)]
            fn wide(self) -> $double {
                self.into()
            }
            #[inline(always)]
            fn split(double: $double) -> (Self, Self) {
                (double as $word, (double >> <$word>::BITS) as $word)
            }
        }
    };
}

word!(u32, u64);
word!(Limb, u128);

/// `a + b + carry` as (low word, carry out); `carry` is 0 or 1.
#[inline(always)]
pub(crate) fn adc(a: Limb, b: Limb, carry: Limb) -> (Limb, Limb) {
    let (s, c1) = a.overflowing_add(b);
    let (s, c2) = s.overflowing_add(carry);
    (s, Limb::from(c1 | c2))
}

/// `a - b - borrow` as (low word, borrow out); `borrow` is 0 or 1.
#[inline(always)]
pub(crate) fn sbb(a: Limb, b: Limb, borrow: Limb) -> (Limb, Limb) {
    let (d, b1) = a.overflowing_sub(b);
    let (d, b2) = d.overflowing_sub(borrow);
    (d, Limb::from(b1 | b2))
}

/// `a * b + c + d` as (low word, high word): it cannot overflow two words.
#[inline(always)]
pub fn mac<W: Word>(a: W, b: W, c: W, d: W) -> (W, W) {
    W::split(a.wide() * b.wide() + c.wide() + d.wide())
}

/// The lowest word of `a * b`.
#[inline(always)]
pub fn mul_low<W: Word>(a: W, b: W) -> W {
    W::split(a.wide() * b.wide()).0
}

/// `a + b` as (low word, carry).
#[inline(always)]
pub fn add<W: Word>(a: W, b: W) -> (W, W) {
    W::split(a.wide() + b.wide())
}

/// All ones for `bit` = 1, zero for 0, in a form that the optimiser cannot turn back into a branch.
#[inline(always)]
pub(crate) fn mask(bit: Limb) -> Limb {
    core::hint::black_box(bit).wrapping_neg()
}

/// 1 if `a = b`, else 0, without a comparison.
#[inline(always)]
pub(crate) fn equal(a: Limb, b: Limb) -> Limb {
    let d = a ^ b;
    1 ^ ((d | d.wrapping_neg()) >> 63)
}
