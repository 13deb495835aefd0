//! Signatures as 64 octets, and the traits of the crate `signature`.

use super::{Ed25519PrivateKey, Ed25519PublicKey};
use crate::ec::Error;

/// An Ed25519 signature: the encodings of the point R and of the number s, any 64 octets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ed25519Signature(pub [u8; 64]);

impl AsRef<[u8]> for Ed25519Signature {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl TryFrom<&[u8]> for Ed25519Signature {
    type Error = signature::Error;

    /// Takes 64 octets.
    fn try_from(octets: &[u8]) -> Result<Ed25519Signature, signature::Error> {
        let octets = octets.try_into().map_err(|_| Error::Verification)?;
        Ok(Ed25519Signature(octets))
    }
}

impl From<Ed25519Signature> for Vec<u8> {
    fn from(signature: Ed25519Signature) -> Vec<u8> {
        signature.0.into()
    }
}

impl From<Ed25519Signature> for Box<[u8]> {
    fn from(signature: Ed25519Signature) -> Box<[u8]> {
        signature.0.into()
    }
}

crate::signing::traits!(Ed25519PrivateKey, Ed25519PublicKey, Ed25519Signature);
