//! Ed448 (RFC 8032, 5.2; FIPS 186-5, 7), with a context and of prehashed messages too, in plain Rust: over a field of its
//! own, with a table of the base point, and keys and signatures in constant time.
//!
//! ```
//! use carrysave_schemes::ec::Ed448PrivateKey;
//! let key = Ed448PrivateKey::generate();
//! let signature = key.sign(b"the message");
//! key.public().verify(b"the message", &signature)?;
//! assert!(key.public().verify(b"another message", &signature).is_err());
//! # Ok::<_, carrysave_schemes::ec::Error>(())
//! ```
//!
//! A signature is valid as for OpenSSL: without the cofactor, if `[s]B - [k]A` encodes to R, with s below L and points in
//! their only encoding.

mod hash;
mod key;
mod sign;
pub mod task;
mod verify;

pub use key::{Ed448PrivateKey, Ed448PublicKey};
pub(crate) use sign::sign_with;

use super::Error;
use carrysave_arith::{curve::Edwards448Order, field::Fe};

/// A number modulo the order of the base point.
type Scalar = Fe<Edwards448Order>;

/// An Ed448 signature: the encodings of the point R and of the number s, any 114 octets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ed448Signature(pub [u8; 114]);

impl AsRef<[u8]> for Ed448Signature {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl TryFrom<&[u8]> for Ed448Signature {
    type Error = signature::Error;

    /// Takes 114 octets.
    fn try_from(octets: &[u8]) -> Result<Ed448Signature, signature::Error> {
        let octets = octets.try_into().map_err(|_| Error::Verification)?;
        Ok(Ed448Signature(octets))
    }
}

impl From<Ed448Signature> for Vec<u8> {
    fn from(signature: Ed448Signature) -> Vec<u8> {
        signature.0.into()
    }
}

impl From<Ed448Signature> for Box<[u8]> {
    fn from(signature: Ed448Signature) -> Box<[u8]> {
        signature.0.into()
    }
}

crate::signing::traits!(Ed448PrivateKey, Ed448PublicKey, Ed448Signature);
