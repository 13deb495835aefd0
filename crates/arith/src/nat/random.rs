//! Random numbers.

use super::{LIMB_BITS, Nat};
use rand_core::CryptoRng;
use zeroize::Zeroizing;

impl Nat {
    /// A uniform number of at most `bits` bits, as wide as `bits` needs.
    pub fn random_bits<R: CryptoRng + ?Sized>(bits: usize, rng: &mut R) -> Nat {
        let mut bytes = Zeroizing::new(vec![0; bits.div_ceil(8)]);
        rng.fill_bytes(&mut bytes);
        if !bits.is_multiple_of(8) {
            bytes[0] &= (1 << (bits % 8)) - 1;
        }
        Nat::from_be_bytes(&bytes)
    }

    /// A uniform number below `bound`, of its width, by rejection (FIPS 186-5, A.2.2).
    ///
    /// # Panics
    /// If `bound` is 0.
    ///
    /// # Timing
    /// The bit length of `bound` and the number of rejected draws are made public; the result is independent of them.
    pub fn random_below<R: CryptoRng + ?Sized>(bound: &Nat, rng: &mut R) -> Nat {
        let bits = bound.bits();
        assert!(bits > 0, "no number is below 0");
        loop {
            let r = Nat::random_bits(bits, rng);
            if r.lt(bound) {
                return r.truncate(bound.width().max(bits.div_ceil(LIMB_BITS)));
            }
        }
    }
}
