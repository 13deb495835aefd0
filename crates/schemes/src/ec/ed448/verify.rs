//! Verification of signatures.

use super::hash::Domain;
use super::{Ed448PublicKey, Ed448Signature, Scalar};
use crate::ec::{Error, x448::base};

impl Ed448Signature {
    /// The encoding of R, and s, which must be below the order.
    fn parts(&self) -> Result<(&[u8; 57], Scalar), Error> {
        let (point, s) = self.0.split_first_chunk().expect("114 octets");
        let s = match s {
            [s @ .., 0] => Scalar::from_le_bytes(s),
            _ => None,
        };
        Ok((point, s.ok_or(Error::Verification)?))
    }
}

impl Ed448PublicKey {
    /// Verifies the signature of a message, with an empty context.
    ///
    /// # Errors
    /// [`Error::Verification`] if it is not valid for this key and message.
    ///
    /// # Timing
    /// Depends on the key, the message and the signature.
    pub fn verify(&self, message: &[u8], signature: &Ed448Signature) -> Result<(), Error> {
        self.verify_ctx(message, &[], signature)
    }

    /// Verifies the signature of a message for a context of at most 255 octets.
    ///
    /// # Errors
    /// [`Error::Verification`] if it is not valid for this key, message and context; [`Error::Context`].
    ///
    /// # Timing
    /// Depends on the key, the message and the signature.
    pub fn verify_ctx(
        &self,
        message: &[u8],
        context: &[u8],
        signature: &Ed448Signature,
    ) -> Result<(), Error> {
        self.verify_in(&Domain::pure(context)?, message, signature)
    }

    /// [`verify_ctx`](Ed448PublicKey::verify_ctx) for Ed448ph: for the digest of a message, 64 octets of SHAKE256.
    ///
    /// # Errors
    /// [`Error::Verification`] if it is not valid for this key, digest and context; [`Error::Context`].
    ///
    /// # Timing
    /// Depends on the key, the digest and the signature.
    pub fn verify_ph(
        &self,
        digest: &[u8; 64],
        context: &[u8],
        signature: &Ed448Signature,
    ) -> Result<(), Error> {
        self.verify_in(&Domain::prehashed(context)?, digest, signature)
    }

    fn verify_in(
        &self,
        domain: &Domain,
        message: &[u8],
        signature: &Ed448Signature,
    ) -> Result<(), Error> {
        let (octets, s) = signature.parts()?;
        let k = domain.scalar([octets, self.as_bytes(), message]);
        let point = base().double_mul_vartime(&s, &self.minus, &k);
        match point.to_octets() == *octets {
            true => Ok(()),
            false => Err(Error::Verification),
        }
    }
}
