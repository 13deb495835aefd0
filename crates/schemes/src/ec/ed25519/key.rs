//! Key pairs: a seed, and a point.

use super::Scalar;
use super::hash::sha512;
use crate::STACK;
use crate::ec::{INVALID, KeyError, x25519::base};
use carrysave_arith::{Cpu, curve::Edwards25519Point, off_stack};
use core::fmt;
use getrandom::SysRng;
use rand_core::{CryptoRng, UnwrapErr};
#[cfg(doc)]
use signature::{Keypair, Signer, Verifier};
use std::sync::Arc;
use zeroize::{Zeroize, Zeroizing};

/// An Ed25519 public key: a point in 32 octets. It implements the trait [`Verifier`] of the crate `signature`.
#[derive(Clone, Copy)]
pub struct Ed25519PublicKey {
    octets: [u8; 32],
    /// The point's negative.
    pub(super) minus: Edwards25519Point,
    /// Whether the octets are the encoding that RFC 8032 asks for.
    pub(super) canonical: bool,
}

impl Ed25519PublicKey {
    /// Decodes a key from its canonical encoding (RFC 8032, 5.1.3).
    ///
    /// # Errors
    /// [`KeyError::Invalid`] for anything else.
    pub fn from_bytes(octets: &[u8; 32]) -> Result<Self, KeyError> {
        let point = Edwards25519Point::from_octets_vartime(Cpu::native(), octets).ok_or(INVALID)?;
        Ok(Ed25519PublicKey {
            octets: *octets,
            minus: point.neg(),
            canonical: true,
        })
    }

    /// Decodes a key from any encoding that ZIP 215 accepts. With one that is not canonical only
    /// [`verify_zip215`](Ed25519PublicKey::verify_zip215) and [`verify_batch`](super::verify_batch) accept signatures.
    ///
    /// # Errors
    /// [`KeyError::Invalid`] if there is no such point.
    pub fn from_bytes_zip215(octets: &[u8; 32]) -> Result<Self, KeyError> {
        Ed25519PublicKey::from_bytes(octets).or_else(|_| {
            let point = Edwards25519Point::from_octets_zip215_vartime(Cpu::native(), octets);
            Ok(Ed25519PublicKey {
                octets: *octets,
                minus: point.ok_or(INVALID)?.neg(),
                canonical: false,
            })
        })
    }

    /// The octets.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.octets
    }
}

/// By the octets.
impl PartialEq for Ed25519PublicKey {
    fn eq(&self, other: &Self) -> bool {
        self.octets == other.octets
    }
}

impl Eq for Ed25519PublicKey {}

impl AsRef<[u8]> for Ed25519PublicKey {
    fn as_ref(&self) -> &[u8] {
        &self.octets
    }
}

impl fmt::Debug for Ed25519PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Ed25519PublicKey")
            .field(&self.octets)
            .finish()
    }
}

/// An Ed25519 private key: any 32 octets, the seed. Cloning is cheap and shares the key, which is wiped with the last clone.
///
/// ```
/// use carrysave_schemes::ec::Ed25519PrivateKey;
/// let key = Ed25519PrivateKey::generate();
/// assert_eq!(Ed25519PrivateKey::from_bytes(key.as_bytes()).public(), key.public());
/// ```
///
/// It implements the traits [`Signer`] and [`Keypair`] of the crate `signature`, for code that is generic over them.
#[derive(Clone)]
pub struct Ed25519PrivateKey(
    /// On the heap: a move on the stack would leave a copy there.
    pub(super) Arc<Secret>,
);

pub(super) struct Secret {
    seed: Zeroizing<[u8; 32]>,
    pub(super) expanded: Expanded,
    public: Ed25519PublicKey,
    /// The octets of the public key once more, for the check of signatures.
    pub(super) octets: [u8; 32],
}

/// What the seed stands for (RFC 8032, 5.1.5).
pub(super) struct Expanded {
    /// s, modulo the order.
    pub(super) scalar: Scalar,
    /// What is hashed with a message to a nonce.
    pub(super) prefix: [u8; 32],
}

impl Expanded {
    pub(super) fn new(seed: &[u8; 32]) -> Expanded {
        let mut digest = sha512(&[seed]);
        digest[0] &= 248;
        digest[31] &= 127;
        digest[31] |= 64;
        let (s, prefix) = digest.split_at(32);
        let mut expanded = Expanded {
            scalar: Scalar::reduce_wide(s),
            prefix: [0; 32],
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

impl Ed25519PrivateKey {
    /// Generates a key with the operating system's randomness.
    ///
    /// # Panics
    /// If the operating system has no randomness.
    ///
    /// # Timing
    /// Depends on no secret.
    pub fn generate() -> Self {
        Ed25519PrivateKey::generate_with(&mut UnwrapErr(SysRng))
    }

    /// Generates a key from `rng`.
    ///
    /// # Timing
    /// Depends on no secret.
    pub fn generate_with<R: CryptoRng + ?Sized>(rng: &mut R) -> Self {
        off_stack::<STACK, _>(|| Ed25519PrivateKey::fill(|octets| rng.fill_bytes(octets)))
    }

    /// The key of these octets.
    ///
    /// # Timing
    /// Depends on no secret.
    pub fn from_bytes(octets: &[u8; 32]) -> Self {
        off_stack::<STACK, _>(|| Ed25519PrivateKey::fill(|own| own.copy_from_slice(octets)))
    }

    fn fill(write: impl FnOnce(&mut [u8])) -> Self {
        let mut seed = Zeroizing::new([0; 32]);
        write(&mut *seed);
        let expanded = Expanded::new(&seed);
        let point = base().mul(&expanded.scalar);
        let octets = point.to_octets();
        let public = Ed25519PublicKey {
            octets,
            minus: point.neg(),
            canonical: true,
        };
        Ed25519PrivateKey(Arc::new(Secret {
            seed,
            expanded,
            public,
            octets,
        }))
    }

    /// The octets of the seed. Secret.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0.seed
    }

    /// The public key.
    pub fn public(&self) -> &Ed25519PublicKey {
        &self.0.public
    }

    /// The public key, as every signature scheme here names it.
    pub fn verifying_key(&self) -> Ed25519PublicKey {
        self.0.public
    }
}

/// Without the octets.
impl fmt::Debug for Ed25519PrivateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Ed25519PrivateKey")
    }
}
