//! Keys with a signature scheme, and the RustCrypto traits: `signature` for signing and verifying, `pkcs8` and `spki`
//! for the keys' formats.

use super::{Error, KeyError, PrivateKey, PublicKey};
use crate::hash::Hash;
use core::fmt;
use getrandom::SysRng;
use rand_core::{TryCryptoRng, UnwrapErr};
#[cfg(doc)]
use signature::{Keypair, Verifier};
use signature::{RandomizedSigner, Signer};

/// The encoding of a digest for a signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Padding {
    /// RSASSA-PKCS1-v1_5 (RFC 8017 section 8.2).
    Pkcs1v15,
    /// RSASSA-PSS (RFC 8017 section 8.1).
    Pss {
        /// The hash of MGF1.
        mgf: Hash,
        /// The length of the salt in bytes.
        salt_len: usize,
    },
}

impl Padding {
    /// The usual PSS: one hash, and a salt of its length.
    pub const fn pss(hash: Hash) -> Padding {
        Padding::Pss {
            mgf: hash,
            salt_len: hash.len(),
        }
    }
}

/// A private key with a signature scheme.
///
/// ```
/// # use carrysave_schemes as carrysave;
/// use carrysave::rsa::SigningKey;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let key = SigningKey::generate(2048)?;
/// let signature = key.sign(b"the message");
/// key.verifying_key().verify(b"the message", &signature)?;
/// assert!(key.verifying_key().verify(b"another message", &signature).is_err());
/// # Ok(())
/// # }
/// ```
///
/// It implements the traits [`Signer`], [`RandomizedSigner`] and [`Keypair`] of the crate `signature`, for code that is
/// generic over them.
#[derive(Clone, Debug)]
pub struct SigningKey {
    key: PrivateKey,
    hash: Hash,
    padding: Padding,
}

impl SigningKey {
    /// Generates a key of `bits` bits that signs by RSASSA-PSS with SHA-256 and a salt of 32 bytes, on the calling thread
    /// and with the operating system's randomness. [`PrivateKey::generate_with`] has more choices.
    ///
    /// # Errors
    /// [`KeyError::Size`] if `bits` is not a multiple of 8 from 2048 to 16,384.
    ///
    /// # Panics
    /// If the operating system has no randomness.
    ///
    /// # Timing
    /// As [`PrivateKey::generate_with`].
    pub fn generate(bits: usize) -> Result<SigningKey, KeyError> {
        let key = PrivateKey::generate(bits)?;
        let hash = Hash::Sha256;
        Ok(SigningKey::new(key, hash, Padding::pss(hash)))
    }

    /// Signs with `key`, hashing with `hash`.
    pub fn new(key: PrivateKey, hash: Hash, padding: Padding) -> SigningKey {
        SigningKey { key, hash, padding }
    }

    /// Signs a message with the operating system's randomness. [`Signer::try_sign`] returns errors instead of panicking.
    ///
    /// # Panics
    /// If the key is too short for the padding and the hash, if a result fails its check before release, or if the
    /// operating system has no randomness.
    ///
    /// # Timing
    /// Depends on the sizes of the key and the message.
    pub fn sign(&self, message: &[u8]) -> Signature {
        Signer::sign(self, message)
    }

    /// The public key, with the scheme.
    pub fn verifying_key(&self) -> VerifyingKey {
        VerifyingKey::new(self.key.public().clone(), self.hash, self.padding)
    }

    /// The key inside.
    pub fn private_key(&self) -> &PrivateKey {
        &self.key
    }
}

/// A public key with a signature scheme. It implements the trait [`Verifier`] of the crate `signature`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyingKey {
    key: PublicKey,
    hash: Hash,
    padding: Padding,
}

impl VerifyingKey {
    /// Verifies with `key`, hashing with `hash`.
    pub fn new(key: PublicKey, hash: Hash, padding: Padding) -> VerifyingKey {
        VerifyingKey { key, hash, padding }
    }

    /// Verifies the signature of a message.
    ///
    /// # Errors
    /// [`Error::Verification`] if the signature is not of this key, scheme and message, of whatever length it is.
    ///
    /// # Timing
    /// Depends on the public key, the message and the signature.
    pub fn verify(&self, message: &[u8], signature: impl AsRef<[u8]>) -> Result<(), Error> {
        let (digest, signature) = (self.hash.digest(message), signature.as_ref());
        match self.padding {
            Padding::Pkcs1v15 => (self.key).rsassa_pkcs1_v1_5_verify(self.hash, &digest, signature),
            Padding::Pss { mgf, salt_len } => {
                let salt_len = Some(salt_len);
                (self.key).rsassa_pss_verify(self.hash, mgf, salt_len, &digest, signature)
            }
        }
    }

    /// The key inside.
    pub fn public_key(&self) -> &PublicKey {
        &self.key
    }
}

/// A signature: as many bytes as the modulus.
#[derive(Clone, PartialEq, Eq)]
pub struct Signature(Box<[u8]>);

impl fmt::Debug for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Signature({} bytes)", self.0.len())
    }
}

impl AsRef<[u8]> for Signature {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl TryFrom<&[u8]> for Signature {
    type Error = signature::Error;

    fn try_from(bytes: &[u8]) -> Result<Signature, signature::Error> {
        Ok(Signature(bytes.into()))
    }
}

impl From<Signature> for Box<[u8]> {
    fn from(signature: Signature) -> Box<[u8]> {
        signature.0
    }
}

impl RandomizedSigner<Signature> for SigningKey {
    fn try_sign_with_rng<R: TryCryptoRng + ?Sized>(
        &self,
        rng: &mut R,
        msg: &[u8],
    ) -> signature::Result<Signature> {
        let digest = self.hash.digest(msg);
        // The randomness is for the blinding and the salt. A generator that fails later would panic; drawing a word
        // here reports a broken one as an error.
        rng.try_next_u64().map_err(|_| signature::Error::new())?;
        let mut rng = UnwrapErr(rng);
        let signed = match self.padding {
            Padding::Pkcs1v15 => self
                .key
                .rsassa_pkcs1_v1_5_sign(&mut rng, self.hash, &digest),
            Padding::Pss { mgf, salt_len } => self
                .key
                .rsassa_pss_sign(&mut rng, self.hash, mgf, salt_len, &digest),
        };
        Ok(Signature(signed?.into()))
    }
}

impl Signer<Signature> for SigningKey {
    /// Signs with the operating system's randomness.
    fn try_sign(&self, msg: &[u8]) -> signature::Result<Signature> {
        self.try_sign_with_rng(&mut SysRng, msg)
    }
}

crate::signing::traits!(SigningKey, VerifyingKey, Signature);
crate::signing::errors!(Error);
crate::formats::traits::keys!(PrivateKey, PublicKey);
