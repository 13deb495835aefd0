//! Verification of single signatures.

use super::hash::Domain;
use super::{Ed25519PublicKey, Ed25519Signature, Scalar};
use crate::ec::{Error, x25519::base};
use carrysave_arith::{Cpu, curve::Edwards25519Point};

impl Ed25519Signature {
    /// The encoding of R, and s, which must be below the order.
    pub(super) fn parts(&self) -> Result<(&[u8; 32], Scalar), Error> {
        let (point, s) = self.0.split_first_chunk().expect("64 octets");
        let s = Scalar::from_le_bytes(s).ok_or(Error::Verification)?;
        Ok((point, s))
    }
}

impl Ed25519PublicKey {
    /// Verifies the signature of a message, as OpenSSL, ring and most programs do: without the cofactor, and with R in its
    /// canonical encoding.
    ///
    /// # Errors
    /// [`Error::Verification`] if it is not valid for this key and message, or the key not in its canonical encoding.
    ///
    /// # Timing
    /// Depends on the key, the message and the signature.
    pub fn verify(&self, message: &[u8], signature: &Ed25519Signature) -> Result<(), Error> {
        self.verify_in(&Domain::pure(), message, signature)
            .map(|_| ())
    }

    /// [`verify`](Ed25519PublicKey::verify) for Ed25519ctx, with a context of 1 to 255 octets.
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
        signature: &Ed25519Signature,
    ) -> Result<(), Error> {
        self.verify_in(&Domain::context(context)?, message, signature)
            .map(|_| ())
    }

    /// [`verify`](Ed25519PublicKey::verify) for Ed25519ph: for the digest of a message, of SHA-512, with a context of at
    /// most 255 octets.
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
        signature: &Ed25519Signature,
    ) -> Result<(), Error> {
        self.verify_in(&Domain::prehashed(context)?, digest, signature)
            .map(|_| ())
    }

    /// [`verify`](Ed25519PublicKey::verify), refusing a key or a point R of small order too: with such a key a signature may
    /// be valid for any message.
    ///
    /// # Errors
    /// [`Error::Verification`] if it is not valid for this key and message, or a point is of small order.
    ///
    /// # Timing
    /// Depends on the key, the message and the signature.
    pub fn verify_strict(&self, message: &[u8], signature: &Ed25519Signature) -> Result<(), Error> {
        let point = self.verify_in(&Domain::pure(), message, signature)?;
        match self.minus.is_small_order() || point.is_small_order() {
            true => Err(Error::Verification),
            false => Ok(()),
        }
    }

    /// Verifies the signature of a message by the rules of ZIP 215: with the cofactor, and with points in any encoding. So
    /// does [`verify_batch`](super::verify_batch).
    ///
    /// # Errors
    /// [`Error::Verification`] if it is not valid for this key and message.
    ///
    /// # Timing
    /// Depends on the key, the message and the signature.
    pub fn verify_zip215(&self, message: &[u8], signature: &Ed25519Signature) -> Result<(), Error> {
        let (octets, s) = signature.parts()?;
        let point = Edwards25519Point::from_octets_zip215_vartime(Cpu::native(), octets);
        let point = point.ok_or(Error::Verification)?;
        let k = Domain::pure().scalar([octets, self.as_bytes(), message]);
        let expected = base().double_mul_vartime(&s, &k, &self.minus);
        let difference = expected.add(&point.neg()).mul_by_cofactor();
        match difference.is_identity() {
            true => Ok(()),
            false => Err(Error::Verification),
        }
    }

    /// The point R, if it is `[s]B - [k]A`.
    fn verify_in(
        &self,
        domain: &Domain,
        message: &[u8],
        signature: &Ed25519Signature,
    ) -> Result<Edwards25519Point, Error> {
        let (octets, s) = signature.parts()?;
        let k = domain.scalar([octets, self.as_bytes(), message]);
        let point = base().double_mul_vartime(&s, &k, &self.minus);
        match self.canonical && point.to_octets() == *octets {
            true => Ok(point),
            false => Err(Error::Verification),
        }
    }
}
