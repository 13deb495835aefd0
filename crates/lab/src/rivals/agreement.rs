//! Key agreements on elliptic curves.

use super::Answer;
use carrysave_kernels::Cpu;
use std::fmt;

/// A curve on which keys are agreed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exchange {
    /// ECDH on P-256.
    P256,
    /// ECDH on P-384.
    P384,
    /// ECDH on P-521.
    P521,
    /// ECDH on secp256k1.
    Secp256k1,
    /// X25519
    X25519,
    /// X448
    X448,
}

impl Exchange {
    /// All that race.
    pub const ALL: [Exchange; 6] = [
        Exchange::X25519,
        Exchange::X448,
        Exchange::P256,
        Exchange::P384,
        Exchange::P521,
        Exchange::Secp256k1,
    ];

    /// Whether carrysave computes many of these at once, in lanes.
    pub fn has_lanes(self) -> bool {
        self != Exchange::X448
    }

    /// The bits of the field.
    pub fn bits(self) -> usize {
        match self {
            Exchange::X25519 => 255,
            Exchange::P256 | Exchange::Secp256k1 => 256,
            Exchange::P384 => 384,
            Exchange::X448 => 448,
            Exchange::P521 => 521,
        }
    }
}

impl fmt::Display for Exchange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Exchange::P256 => "p-256",
            Exchange::P384 => "p-384",
            Exchange::P521 => "p-521",
            Exchange::Secp256k1 => "secp256k1",
            Exchange::X25519 => "x25519",
            Exchange::X448 => "x448",
        })
    }
}

/// Loads a private key: a number below the order, big-endian, or the octets of X25519 or X448; the instructions as for
/// [`Load`](super::Load).
pub type LoadPrivate = fn(Cpu, Exchange, &[u8]) -> Answer<Agreement>;

/// Takes a public key to the shared secret.
pub type Agree = dyn FnMut(&[u8]) -> Vec<u8>;

/// What is done with a loaded private key. Public keys are points as SEC 1 has them, uncompressed, or the octets of
/// X25519 or X448.
pub struct Agreement {
    /// Its public key, from the base point.
    pub public: Box<dyn FnMut() -> Vec<u8>>,
    /// The secret shared with the owner of a public key, which is read and checked each time; nothing if it is wrong.
    pub agree: Box<Agree>,
}

impl Agreement {
    /// An agreement made of these two functions.
    pub(super) fn new(
        public: impl FnMut() -> Vec<u8> + 'static,
        agree: impl FnMut(&[u8]) -> Vec<u8> + 'static,
    ) -> Answer<Agreement> {
        Ok(Agreement {
            public: Box::new(public),
            agree: Box::new(agree),
        })
    }
}
