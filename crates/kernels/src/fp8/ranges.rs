//! Ranges of words: the bounds of digits, computed for all residues at once.

use super::{Lanes, Part, ROWS, Slack, Whole, pick_by_masks};
use crate::{
    Limb,
    simd::{Fma52, Madd52, Range, U64s},
};

/// Ranges, one for all lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ranges;

/// Factors of a product are digits, or vectors of floating-point numbers could not hold them, and others would cut them.
fn digits(a: Range<false>, b: Range<false>) -> [Range<false>; 2] {
    // SAFETY: ranges need nothing.
    unsafe { [a.number(), b.number()] }
}

// SAFETY, of every method: ranges need nothing.

impl Lanes for Ranges {
    const LANES: usize = 8;
    const SIGNED: bool = false;
    const SURPLUS: [Limb; 2] = [0; 2];
    type Vector = Range<false>;
    type Factor = Range<false>;
    type Digits<const N: usize, const BITS: usize> = Slack<Self, N, BITS>;
    pick_by_masks!();

    fn call<P: Part<Self>>(self, part: P) -> P::Output {
        part.run(self)
    }

    fn load(self, _: &[Limb; 8], _: usize) -> Range<false> {
        unreachable!("ranges are not in memory")
    }

    fn store(self, _: Range<false>, _: &mut [Limb; 8], _: usize) {
        unreachable!("ranges are not in memory")
    }

    fn splat(self, word: Limb) -> Range<false> {
        // SAFETY: see above.
        unsafe { U64s::splat(word) }
    }

    fn add(self, a: Range<false>, b: Range<false>) -> Range<false> {
        // SAFETY: see above.
        unsafe { a.add(b) }
    }

    fn sub(self, a: Range<false>, b: Range<false>) -> Range<false> {
        // SAFETY: see above.
        unsafe { a.sub(b) }
    }

    fn and(self, a: Range<false>, b: Range<false>) -> Range<false> {
        // SAFETY: see above.
        unsafe { a.and(b) }
    }

    fn or(self, a: Range<false>, b: Range<false>) -> Range<false> {
        // SAFETY: see above.
        unsafe { a.or(b) }
    }

    fn xor(self, a: Range<false>, b: Range<false>) -> Range<false> {
        // SAFETY: see above.
        unsafe { a.xor(b) }
    }

    fn shr(self, a: Range<false>, bits: usize) -> Range<false> {
        // SAFETY: see above.
        unsafe { a.shr(bits as u32) }
    }

    fn sar(self, a: Range<false>, bits: usize) -> Range<false> {
        // SAFETY: see above.
        unsafe { a.sar(bits as u32) }
    }

    fn shl(self, a: Range<false>, bits: usize) -> Range<false> {
        // SAFETY: see above.
        unsafe { a.shl(bits as u32) }
    }

    fn hidden(self, masks: Range<false>) -> Range<false> {
        masks
    }

    fn factor(self, digits: Range<false>) -> Range<false> {
        // SAFETY: see above.
        unsafe { digits.number() }
    }

    fn mac(
        self,
        [low, high]: [Range<false>; 2],
        a: Range<false>,
        b: Range<false>,
    ) -> [Range<false>; 2] {
        [self.mac_low_half(low, a, b), self.mac_high_half(high, a, b)]
    }

    fn mac_floor(
        self,
        sums: [Range<false>; 2],
        a: Range<false>,
        b: Range<false>,
    ) -> [Range<false>; 2] {
        self.mac(sums, a, b)
    }

    fn mac_low(self, low: Range<false>, a: Range<false>, b: Range<false>) -> Range<false> {
        let product = a.times(b);
        assert!(product.is_digit(), "a product has more than 52 bits");
        self.add(low, product)
    }
}

impl Whole for Ranges {
    fn mul(self, a: Range<false>, b: Range<false>) -> Range<false> {
        a.times(b)
    }

    fn mac_low_half(self, sum: Range<false>, a: Range<false>, b: Range<false>) -> Range<false> {
        let [a, b] = digits(a, b);
        // SAFETY: see above.
        unsafe { sum.lo(a, b) }
    }

    fn mac_high_half(self, sum: Range<false>, a: Range<false>, b: Range<false>) -> Range<false> {
        let [a, b] = digits(a, b);
        // SAFETY: see above.
        unsafe { sum.hi(a, b) }
    }
}
