//! Key pairs: a seed, and a point.

use super::Scalar;
use super::hash::shake;
use crate::ec::{INVALID, KeyError, seeded::seeded, x448::base};
use carrysave_arith::curve::Edwards448Point;
#[cfg(doc)]
use signature::Verifier;

/// An Ed448 public key: a point in 57 octets. It implements the trait [`Verifier`] of the crate `signature`.
#[derive(Clone, Copy)]
pub struct Ed448PublicKey {
    octets: [u8; 57],
    /// The point's negative.
    pub(super) minus: Edwards448Point,
}

impl Ed448PublicKey {
    /// Decodes a key (RFC 8032, 5.2.3).
    ///
    /// # Errors
    /// [`KeyError::Invalid`] unless the octets encode a point.
    pub fn from_bytes(octets: &[u8; 57]) -> Result<Self, KeyError> {
        let point = Edwards448Point::from_octets_vartime(octets).ok_or(INVALID)?;
        Ok(Ed448PublicKey {
            octets: *octets,
            minus: point.neg(),
        })
    }
}

/// What the seed stands for (RFC 8032, 5.2.5).
pub(super) struct Expanded {
    /// s, modulo the order.
    pub(super) scalar: Scalar,
    /// What is hashed with a message to a nonce.
    pub(super) prefix: [u8; 57],
}

impl Expanded {
    pub(super) fn new(seed: &[u8; 57]) -> Expanded {
        let mut digest = shake(&[seed]);
        digest[0] &= 252;
        digest[55] |= 128;
        digest[56] = 0;
        let (s, prefix) = digest.split_at(57);
        let mut expanded = Expanded {
            scalar: Scalar::reduce_wide(s),
            prefix: [0; 57],
        };
        expanded.prefix.copy_from_slice(prefix);
        expanded
    }
}

/// The public key of an expanded seed.
fn public(expanded: &Expanded) -> Ed448PublicKey {
    let point = base().mul(&expanded.scalar);
    Ed448PublicKey {
        octets: point.to_octets(),
        minus: point.neg(),
    }
}

seeded!(Ed448PrivateKey, Ed448PublicKey, 57, "Ed448");
