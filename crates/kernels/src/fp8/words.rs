//! Plain Rust: one number at a time.

use super::{DIGIT_BITS, DIGIT_MASK, Lanes, Part, ROWS, Slack, Whole, pick_by_masks};
use crate::{Limb, simd};

/// Words, one by one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Words;

impl Lanes for Words {
    const LANES: usize = 1;
    const SIGNED: bool = false;
    const SURPLUS: [Limb; 2] = [0; 2];
    type Vector = Limb;
    type Factor = Limb;
    type Digits<const N: usize, const BITS: usize> = Slack<Self, N, BITS>;
    pick_by_masks!();

    #[inline(never)]
    fn call<P: Part<Self>>(self, part: P) -> P::Output {
        part.run(self)
    }

    #[inline(always)]
    fn load(self, from: &[Limb; 8], part: usize) -> Limb {
        from[part]
    }

    #[inline(always)]
    fn store(self, words: Limb, to: &mut [Limb; 8], part: usize) {
        to[part] = words;
    }

    #[inline(always)]
    fn splat(self, word: Limb) -> Limb {
        word
    }

    #[inline(always)]
    fn add(self, a: Limb, b: Limb) -> Limb {
        a.wrapping_add(b)
    }

    #[inline(always)]
    fn sub(self, a: Limb, b: Limb) -> Limb {
        a.wrapping_sub(b)
    }

    #[inline(always)]
    fn and(self, a: Limb, b: Limb) -> Limb {
        a & b
    }

    #[inline(always)]
    fn or(self, a: Limb, b: Limb) -> Limb {
        a | b
    }

    #[inline(always)]
    fn xor(self, a: Limb, b: Limb) -> Limb {
        a ^ b
    }

    #[inline(always)]
    fn shr(self, a: Limb, bits: usize) -> Limb {
        a >> bits
    }

    #[inline(always)]
    fn hidden(self, mask: Limb) -> Limb {
        simd::scalar(mask)
    }

    #[inline(always)]
    fn sar(self, a: Limb, bits: usize) -> Limb {
        (a.cast_signed() >> bits).cast_unsigned()
    }

    #[inline(always)]
    fn shl(self, a: Limb, bits: usize) -> Limb {
        a << bits
    }

    #[inline(always)]
    fn factor(self, digits: Limb) -> Limb {
        digits
    }

    #[inline(always)]
    fn mac(self, [low, high]: [Limb; 2], a: Limb, b: Limb) -> [Limb; 2] {
        let product = u128::from(a) * u128::from(b);
        [
            low.wrapping_add(product as Limb & DIGIT_MASK),
            high.wrapping_add((product >> DIGIT_BITS) as Limb),
        ]
    }

    #[inline(always)]
    fn mac_floor(self, sums: [Limb; 2], a: Limb, b: Limb) -> [Limb; 2] {
        self.mac(sums, a, b)
    }

    #[inline(always)]
    fn mac_low(self, low: Limb, a: Limb, b: Limb) -> Limb {
        low.wrapping_add(a.wrapping_mul(b))
    }
}

impl Whole for Words {
    #[inline(always)]
    fn mul(self, a: Limb, b: Limb) -> Limb {
        a.wrapping_mul(b)
    }

    #[inline(always)]
    fn mac_low_half(self, sum: Limb, a: Limb, b: Limb) -> Limb {
        sum.wrapping_add(a.wrapping_mul(b) & DIGIT_MASK)
    }

    #[inline(always)]
    fn mac_high_half(self, sum: Limb, a: Limb, b: Limb) -> Limb {
        let product = u128::from(a) * u128::from(b);
        sum.wrapping_add((product >> DIGIT_BITS) as Limb)
    }
}
