//! Numbers modulo the order of the base point.

use super::LIMBS;
use crate::Limb;
use crate::field::Fe;
use crate::word;
use carrysave_kernels::fp::MAX_LIMBS;
use zeroize::Zeroize;

crate::prime_field! {
    /// The field of the scalars of Edwards25519: modulo L = 2^252 + 27742317777372353535851937790883648493 (RFC 8032, 5.1).
    pub struct Edwards25519Order = "L of Edwards25519", 4 limbs, 32 bytes,
        "1000000000000000000000000000000014def9dea2f79cd65812631a5cf5d3ed";
}

/// Bits of a part of a number that is reduced: fewer than L has.
const PART: usize = 252;

impl Fe<Edwards25519Order> {
    /// The residue modulo L of a number of 64 octets, least significant first: of a digest of SHA-512 (RFC 8032, 5.1.6).
    ///
    /// # Timing
    /// Depends on nothing.
    ///
    /// ```
    /// use carrysave_arith::{curve::Edwards25519Order, field::Fe};
    /// let mut octets = [0; 64];
    /// octets[63] = 1;
    /// // 2^504
    /// let power = (0..504).fold(Fe::<Edwards25519Order>::one(), |power, _| power + power);
    /// assert_eq!(Fe::reduce_wide(&octets), power);
    /// ```
    pub fn reduce_wide(octets: &[u8; 64]) -> Self {
        let mut limbs = [0; 2 * LIMBS];
        for (limb, octets) in limbs.iter_mut().zip(octets.as_chunks().0) {
            *limb = Limb::from_le_bytes(*octets);
        }
        let power = Fe::below_power(&{
            let mut limbs = [0; MAX_LIMBS];
            limbs[PART / 64] = 1 << (PART % 64);
            limbs
        });
        let mut residue = Fe::zero();
        for at in [2 * PART, PART, 0] {
            let mut part = [0; MAX_LIMBS];
            for (j, limb) in part[..LIMBS].iter_mut().enumerate() {
                *limb = word::window(&limbs, at + 64 * j, (PART - 64 * j).min(64));
            }
            residue = residue * power + Fe::below_power(&part);
            part.zeroize();
        }
        limbs.zeroize();
        residue
    }
}
