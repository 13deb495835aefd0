//! ECDSA keys with a hash, and the traits of the crate `signature`.

use super::super::{Error, Named, PrivateKey, PublicKey};
use super::Signature;
use crate::hash::Hash;
use rand_core::{TryCryptoRng, UnwrapErr};
#[cfg(doc)]
use signature::{Keypair, Verifier};
use signature::{RandomizedSigner, Signer};

/// A private key that signs by ECDSA (FIPS 186-5) with a hash.
///
/// ```
/// # use carrysave_schemes as carrysave;
/// use carrysave::ec::{P256, ecdsa::SigningKey};
///
/// let key = SigningKey::<P256>::generate();
/// let signature = key.sign(b"the message");
/// assert!(key.verifying_key().verify(b"the message", &signature).is_ok());
/// assert!(key.verifying_key().verify(b"another message", &signature).is_err());
/// ```
///
/// It implements the traits [`Signer`], [`RandomizedSigner`] and [`Keypair`] of the crate `signature`, for code that is
/// generic over them.
#[derive(Clone, Debug)]
pub struct SigningKey<C: Named> {
    key: PrivateKey<C>,
    hash: Hash,
}

impl<C: Named> SigningKey<C> {
    /// Generates a key that signs with the [hash of its curve](Named::HASH), with the operating system's randomness.
    ///
    /// # Panics
    /// If the operating system has no randomness.
    ///
    /// # Timing
    /// As [`PrivateKey::generate_with`].
    pub fn generate() -> Self {
        SigningKey::new(PrivateKey::generate(), C::HASH)
    }

    /// Signs with `key`, hashing with `hash`.
    pub fn new(key: PrivateKey<C>, hash: Hash) -> Self {
        SigningKey { key, hash }
    }

    /// Signs a message, with the nonce of RFC 6979: the signature of a message is always the same one.
    /// [`Signer::try_sign`] returns errors instead of panicking.
    ///
    /// # Panics
    /// If the hash is SHA-1, or if a result fails its check before release.
    ///
    /// # Timing
    /// Depends on the curve, the hash, the length of the message, and the signature.
    pub fn sign(&self, message: &[u8]) -> Signature<C> {
        Signer::sign(self, message)
    }

    /// The public key, with the hash.
    pub fn verifying_key(&self) -> VerifyingKey<C> {
        VerifyingKey::new(self.key.public().clone(), self.hash)
    }

    /// The key inside.
    pub fn private_key(&self) -> &PrivateKey<C> {
        &self.key
    }
}

/// A public key that verifies signatures of ECDSA with a hash. It implements the trait [`Verifier`] of the crate
/// `signature`.
#[derive(Clone, Debug)]
pub struct VerifyingKey<C: Named> {
    key: PublicKey<C>,
    hash: Hash,
}

impl<C: Named> PartialEq for VerifyingKey<C> {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key && self.hash == other.hash
    }
}

impl<C: Named> Eq for VerifyingKey<C> {}

impl<C: Named> VerifyingKey<C> {
    /// Verifies with `key`, hashing with `hash`.
    pub fn new(key: PublicKey<C>, hash: Hash) -> Self {
        VerifyingKey { key, hash }
    }

    /// Verifies the signature of a message.
    ///
    /// # Errors
    /// [`Error::Verification`] if the signature is not of this key, hash and message.
    ///
    /// # Timing
    /// Depends on the public key, the message and the signature.
    pub fn verify(&self, message: &[u8], signature: &Signature<C>) -> Result<(), Error> {
        (self.key).ecdsa_verify(self.hash, &self.hash.digest(message), signature)
    }

    /// The key inside.
    pub fn public_key(&self) -> &PublicKey<C> {
        &self.key
    }
}

impl<C: Named> TryFrom<&[u8]> for Signature<C> {
    type Error = signature::Error;

    /// Reads `ECDSA-Sig-Value` from DER.
    fn try_from(der: &[u8]) -> Result<Self, signature::Error> {
        Ok(Signature::from_der(der)?)
    }
}

impl<C: Named> From<Signature<C>> for Box<[u8]> {
    /// Writes `ECDSA-Sig-Value` as DER.
    fn from(signature: Signature<C>) -> Box<[u8]> {
        signature.to_der().into()
    }
}

impl<C: Named> Signer<Signature<C>> for SigningKey<C> {
    fn try_sign(&self, msg: &[u8]) -> signature::Result<Signature<C>> {
        Ok(self.key.ecdsa_sign(self.hash, &self.hash.digest(msg))?)
    }
}

impl<C: Named> RandomizedSigner<Signature<C>> for SigningKey<C> {
    /// Signs with 32 random octets in the nonce.
    fn try_sign_with_rng<R: TryCryptoRng + ?Sized>(
        &self,
        rng: &mut R,
        msg: &[u8],
    ) -> signature::Result<Signature<C>> {
        let digest = self.hash.digest(msg);
        // A generator that fails later would panic; drawing a word here reports a broken one as an error.
        rng.try_next_u64().map_err(|_| signature::Error::new())?;
        let rng = &mut UnwrapErr(rng);
        Ok(self.key.ecdsa_sign_randomized(rng, self.hash, &digest)?)
    }
}

crate::signing::traits!(SigningKey<C>, VerifyingKey<C>, Signature<C>; C: Named);
