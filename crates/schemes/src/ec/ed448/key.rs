//! Key pairs: a seed, and a point.

use super::Scalar;
use super::hash::shake;
use crate::STACK;
use crate::ec::{INVALID, KeyError};
use carrysave_arith::{curve::Edwards448Point, off_stack};
use core::fmt;
use getrandom::SysRng;
use rand_core::{CryptoRng, UnwrapErr};
#[cfg(doc)]
use signature::{Keypair, Signer, Verifier};
use std::sync::Arc;
use zeroize::{Zeroize, Zeroizing};

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

    /// The octets.
    pub fn as_bytes(&self) -> &[u8; 57] {
        &self.octets
    }
}

/// By the octets.
impl PartialEq for Ed448PublicKey {
    fn eq(&self, other: &Self) -> bool {
        self.octets == other.octets
    }
}

impl Eq for Ed448PublicKey {}

impl AsRef<[u8]> for Ed448PublicKey {
    fn as_ref(&self) -> &[u8] {
        &self.octets
    }
}

impl fmt::Debug for Ed448PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Ed448PublicKey").field(&self.octets).finish()
    }
}

/// An Ed448 private key: any 57 octets, the seed. Cloning is cheap and shares the key, which is wiped with the last clone.
///
/// ```
/// use carrysave_schemes::ec::Ed448PrivateKey;
/// let key = Ed448PrivateKey::generate();
/// assert_eq!(Ed448PrivateKey::from_bytes(key.as_bytes()).public(), key.public());
/// ```
///
/// It implements the traits [`Signer`] and [`Keypair`] of the crate `signature`, for code that is generic over them.
#[derive(Clone)]
pub struct Ed448PrivateKey(
    /// On the heap: a move on the stack would leave a copy there.
    pub(super) Arc<Secret>,
);

pub(super) struct Secret {
    seed: Zeroizing<[u8; 57]>,
    pub(super) expanded: Expanded,
    public: Ed448PublicKey,
    /// The octets of the public key once more, for the check of signatures.
    pub(super) octets: [u8; 57],
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

impl Drop for Expanded {
    fn drop(&mut self) {
        self.scalar.zeroize();
        self.prefix.zeroize();
    }
}

impl Ed448PrivateKey {
    /// Generates a key with the operating system's randomness.
    ///
    /// # Panics
    /// If the operating system has no randomness.
    ///
    /// # Timing
    /// Depends on no secret.
    pub fn generate() -> Self {
        Ed448PrivateKey::generate_with(&mut UnwrapErr(SysRng))
    }

    /// Generates a key from `rng`.
    ///
    /// # Timing
    /// Depends on no secret.
    pub fn generate_with<R: CryptoRng + ?Sized>(rng: &mut R) -> Self {
        off_stack::<STACK, _>(|| Ed448PrivateKey::fill(|octets| rng.fill_bytes(octets)))
    }

    /// The key of these octets.
    ///
    /// # Timing
    /// Depends on no secret.
    pub fn from_bytes(octets: &[u8; 57]) -> Self {
        off_stack::<STACK, _>(|| Ed448PrivateKey::fill(|own| own.copy_from_slice(octets)))
    }

    fn fill(write: impl FnOnce(&mut [u8])) -> Self {
        let mut seed = Zeroizing::new([0; 57]);
        write(&mut *seed);
        let expanded = Expanded::new(&seed);
        let point = Edwards448Point::base().mul(&expanded.scalar);
        let octets = point.to_octets();
        let public = Ed448PublicKey {
            octets,
            minus: point.neg(),
        };
        Ed448PrivateKey(Arc::new(Secret {
            seed,
            expanded,
            public,
            octets,
        }))
    }

    /// The octets of the seed. Secret.
    pub fn as_bytes(&self) -> &[u8; 57] {
        &self.0.seed
    }

    /// The public key.
    pub fn public(&self) -> &Ed448PublicKey {
        &self.0.public
    }

    /// The public key, as every signature scheme here names it.
    pub fn verifying_key(&self) -> Ed448PublicKey {
        self.0.public
    }
}

/// Without the octets.
impl fmt::Debug for Ed448PrivateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Ed448PrivateKey")
    }
}
