//! Functions of single words: inverses, comparisons as bits, windows of bits, and octets.

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

/// Reads octets into the lowest limbs, least significant first.
///
/// # Panics
/// If there are more than the limbs have.
#[inline(always)]
pub(crate) fn read_le(limbs: &mut [Limb], octets: &[u8]) {
    let (whole, rest) = octets.as_chunks();
    let (low, high) = limbs.split_at_mut(whole.len());
    for (limb, octets) in low.iter_mut().zip(whole) {
        *limb = Limb::from_le_bytes(*octets);
    }
    if !rest.is_empty() {
        let octets = rest.iter().rev();
        high[0] = octets.fold(0, |limb, &octet| limb << 8 | Limb::from(octet));
    }
}

/// Writes the lowest octets of limbs, least significant first.
///
/// # Panics
/// If the limbs have fewer.
#[inline(always)]
pub(crate) fn write_le(limbs: &[Limb], octets: &mut [u8]) {
    let (whole, rest) = octets.as_chunks_mut();
    let (low, high) = limbs.split_at(whole.len());
    for (octets, limb) in whole.iter_mut().zip(low) {
        *octets = limb.to_le_bytes();
    }
    for (i, octet) in rest.iter_mut().enumerate() {
        *octet = (high[0] >> (8 * i)) as u8;
    }
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
    fn octets_are_the_digits_of_limbs_in_radix_256() {
        let limbs = [0x0807_0605_0403_0201, 0x100f_0e0d_0c0b_0a09];
        let octets: Vec<u8> = (1..=16).collect();
        for len in 0..=16 {
            let (mut read, mut written) = ([0; 2], vec![0xff; len]);
            read_le(&mut read, &octets[..len]);
            let mask = |from: usize| {
                Limb::MAX.checked_shr(64 - 8 * len.saturating_sub(from).min(8) as u32)
            };
            assert_eq!(
                read,
                [0, 8].map(|from| limbs[from / 8] & mask(from).unwrap_or(0))
            );
            write_le(&limbs, &mut written);
            assert_eq!(written, octets[..len]);
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
