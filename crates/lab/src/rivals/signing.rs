//! Signatures on elliptic curves.

use super::Answer;
use super::agreement::Exchange;
use std::fmt;

/// A scheme of signatures on a curve, with the hash that goes with its strength.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signing {
    /// Ed25519.
    Ed25519,
    /// Ed448.
    Ed448,
    /// ECDSA on P-256 with SHA-256.
    P256,
    /// ECDSA on P-384 with SHA-384.
    P384,
    /// ECDSA on P-521 with SHA-512.
    P521,
    /// ECDSA on secp256k1 with SHA-256.
    Secp256k1,
}

impl Signing {
    /// All that race.
    pub const ALL: [Signing; 6] = [
        Signing::Ed25519,
        Signing::Ed448,
        Signing::P256,
        Signing::P384,
        Signing::P521,
        Signing::Secp256k1,
    ];

    /// The agreement on this curve, or one that is birationally equivalent.
    pub fn exchange(self) -> Exchange {
        match self {
            Signing::Ed25519 => Exchange::X25519,
            Signing::Ed448 => Exchange::X448,
            Signing::P256 => Exchange::P256,
            Signing::P384 => Exchange::P384,
            Signing::P521 => Exchange::P521,
            Signing::Secp256k1 => Exchange::Secp256k1,
        }
    }
}

impl fmt::Display for Signing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Signing::Ed25519 => f.write_str("ed25519"),
            Signing::Ed448 => f.write_str("ed448"),
            ecdsa => ecdsa.exchange().fmt(f),
        }
    }
}

/// Loads a private key from PKCS#8 DER.
pub type LoadSigner = fn(Signing, &[u8]) -> Answer<Signer>;

/// The signature of a message.
pub type Sign = dyn FnMut(&[u8]) -> Vec<u8>;

/// Whether a message has this signature.
pub type Verify = dyn FnMut(&[u8], &[u8]) -> bool;

/// What is done with a loaded private key. Signatures of ECDSA are DER.
pub struct Signer {
    /// Signs a message, which is hashed each time; nothing if it fails.
    pub sign: Box<Sign>,
    /// Verifies the signature of a message with the public key, which was read before; but ring has no form of a key that was
    /// read, and reads it each time.
    pub verify: Box<Verify>,
}

impl Signer {
    /// A signer made of these two functions.
    pub(super) fn new(
        sign: impl FnMut(&[u8]) -> Vec<u8> + 'static,
        verify: impl FnMut(&[u8], &[u8]) -> bool + 'static,
    ) -> Answer<Signer> {
        Ok(Signer {
            sign: Box::new(sign),
            verify: Box::new(verify),
        })
    }
}
