//! Scalars in the lanes of vectors, and their digits.

use super::LANES;
use crate::Limb;
use crate::field::{Fe, Field, Residue};
use carrysave_kernels::fp8::{self, Lanes, Octet};
use zeroize::Zeroize;

/// The words of twice each scalar, eight a group.
pub(in crate::curve) struct Scalars {
    octets: Vec<Octet>,
    words: usize,
    len: usize,
}

impl Scalars {
    pub(in crate::curve) fn of<F: Field>(scalars: &[Fe<F>]) -> Self {
        Scalars::new(
            F::Residue::BITS,
            scalars.iter().map(|scalar| scalar.to_limbs()),
        )
    }

    /// From the limbs of scalars of so many bits.
    pub(in crate::curve) fn new<const N: usize>(
        bits: usize,
        scalars: impl ExactSizeIterator<Item = [Limb; N]>,
    ) -> Self {
        // Windows are read from two words.
        let words = bits / 64 + 2;
        let len = scalars.len();
        let mut octets = vec![Octet::default(); words * len.div_ceil(LANES)];
        for (i, mut limbs) in scalars.enumerate() {
            let mut below = 0;
            let octets = &mut octets[words * (i / LANES)..];
            for (octet, limb) in octets[..words - 1].iter_mut().zip(&limbs) {
                octet.0[i % LANES] = limb << 1 | below >> 63;
                below = *limb;
            }
            limbs.zeroize();
            below.zeroize();
        }
        Scalars { octets, words, len }
    }

    /// The number of scalars.
    pub(in crate::curve) fn len(&self) -> usize {
        self.len
    }

    /// The words of a group.
    #[inline(always)]
    pub(in crate::curve) fn group(&self, i: usize) -> &[[Limb; 8]] {
        &fp8::words(&self.octets)[self.words * i..][..self.words]
    }
}

/// Wipes the scalars.
impl Drop for Scalars {
    fn drop(&mut self) {
        Octet::wipe(&mut self.octets);
    }
}

/// The digits of numbers at a window of w bits, from the words of their doubles, as magnitudes and masks where they are
/// negative (Booth 1951).
#[inline(always)]
pub(in crate::curve) fn digit<L: Lanes>(
    l: L,
    doubles: &[[Limb; 8]],
    part: usize,
    width: usize,
    window: usize,
) -> [L::Vector; 2] {
    let (at, shift) = (width * window / 64, width * window % 64);
    let low = l.shr(l.load(&doubles[at], part), shift);
    // By two shifts, as none is by 64 bits.
    let high = l.shl(l.shl(l.load(&doubles[at + 1], part), 63 - shift), 1);
    let bits = l.and(l.or(low, high), l.splat((2 << width) - 1));
    let negative = l.hidden(l.sub(l.splat(0), l.shr(bits, width)));
    let value = l.shr(l.add(bits, l.splat(1)), 1);
    // -value + 2^w where it is negative.
    let magnitude = l.sub(l.xor(value, negative), negative);
    let magnitude = l.add(magnitude, l.and(negative, l.splat(1 << width)));
    [magnitude, negative]
}
