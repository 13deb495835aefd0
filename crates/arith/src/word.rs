//! Functions of single words: inverses, comparisons as bits, and windows of bits.

use carrysave_kernels::Limb;
pub(crate) use carrysave_kernels::mpn::word::neg_inverse;

/// Bits of a limb.
const BITS: usize = Limb::BITS as usize;

/// 1 if `x` is not 0, else 0, without a comparison.
#[inline(always)]
pub(crate) const fn nonzero(x: Limb) -> Limb {
    (x | x.wrapping_neg()) >> (BITS - 1)
}

/// 1 if the words are equal, else 0, without a comparison.
#[inline(always)]
pub(crate) const fn equal(a: Limb, b: Limb) -> Limb {
    1 ^ nonzero(a ^ b)
}

/// Bit `i` of a number; the position is public.
#[inline(always)]
pub(crate) const fn bit(limbs: &[Limb], i: usize) -> Limb {
    limbs[i / BITS] >> (i % BITS) & 1
}

/// The `len` bits of a number from bit `at` on, at most 64; the position is public, and bits beyond the number are 0.
#[inline(always)]
pub(crate) const fn window(limbs: &[Limb], at: usize, len: usize) -> Limb {
    let (i, s) = (at / BITS, at % BITS);
    let low = if i < limbs.len() { limbs[i] >> s } else { 0 };
    let high = if s > 0 && i + 1 < limbs.len() {
        limbs[i + 1] << (BITS - s)
    } else {
        0
    };
    let mask = if len < BITS {
        (1 << len) - 1
    } else {
        Limb::MAX
    };
    (low | high) & mask
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_inverse_times_the_word_is_minus_one() {
        for v in (1..10_000).step_by(2).chain([Limb::MAX, Limb::MAX / 3]) {
            assert_eq!(v.wrapping_mul(neg_inverse(v)), Limb::MAX, "{v}");
        }
    }

    #[test]
    fn comparisons_are_bits() {
        for (a, b) in [(0, 0), (0, 1), (1 << 63, 0), (1 << 63, 1 << 63), (7, 5)] {
            assert_eq!(equal(a, b), Limb::from(a == b));
            assert_eq!(nonzero(a), Limb::from(a != 0));
        }
    }

    #[test]
    fn windows_cross_limbs() {
        let x = [0x8000_0000_0000_0000, 0b101, 0];
        assert_eq!(window(&x, 62, 5), 0b10110);
        assert_eq!(window(&x, 63, 4), 0b1011);
        assert_eq!(window(&x, 64, 64), 0b101);
        assert_eq!(window(&x, 1, 64), 1 << 62 | 1 << 63);
        assert_eq!((window(&x, 0, 0), window(&x, 500, 64)), (0, 0));
        // Bit by bit.
        for at in 0..192 {
            for len in 0..=64.min(192 - at) {
                let bits = (0..len).fold(0, |all, i| all | bit(&x, at + i) << i);
                assert_eq!(window(&x, at, len), bits, "{len} bits at {at}");
            }
        }
    }
}
