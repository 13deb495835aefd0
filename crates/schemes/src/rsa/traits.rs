//! The RustCrypto traits: `signature` for signing and verifying, `pkcs8` and `spki` for the keys' formats.

use super::{Error, KeyError, PrivateKey, PublicKey};
use crate::formats::Notes;
use crate::hash::Hash;
use core::fmt;
use der::{Document, SecretDocument};
use pkcs8::{EncodePrivateKey, PrivateKeyInfoRef};
use rand_core::{TryCryptoRng, UnwrapErr};
use signature::{Keypair, RandomizedSigner, SignatureEncoding, Signer, Verifier};
use spki::{EncodePublicKey, SubjectPublicKeyInfoRef};

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

/// A private key with a signature scheme, for code that is generic over the traits of the crate `signature`.
///
/// ```
/// use carrysave_schemes::{hash::Hash, rsa::{KeygenOptions, Padding, PrivateKey, SigningKey}};
/// use signature::{Keypair, Signer, Verifier};
/// # let rng = || rand_core::UnwrapErr(getrandom::SysRng);
/// # let options = KeygenOptions { allow_small: true, ..Default::default() };
/// # let key = PrivateKey::generate(rng, 1024, &options, &|_| ()).unwrap();
/// let signer = SigningKey::new(key, Hash::Sha256, Padding::pss(Hash::Sha256));
/// let signature = signer.sign(b"a message");
/// signer.verifying_key().verify(b"a message", &signature).unwrap();
/// ```
#[derive(Clone, Debug)]
pub struct SigningKey {
    key: PrivateKey,
    hash: Hash,
    padding: Padding,
}

impl SigningKey {
    /// Signs with `key`, hashing with `hash`.
    pub fn new(key: PrivateKey, hash: Hash, padding: Padding) -> SigningKey {
        SigningKey { key, hash, padding }
    }

    /// The key inside.
    pub fn private_key(&self) -> &PrivateKey {
        &self.key
    }
}

/// A public key with a signature scheme, for code that is generic over the traits of the crate `signature`.
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

impl SignatureEncoding for Signature {
    type Repr = Box<[u8]>;
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
        self.try_sign_with_rng(&mut getrandom::SysRng, msg)
    }
}

impl Keypair for SigningKey {
    type VerifyingKey = VerifyingKey;

    fn verifying_key(&self) -> VerifyingKey {
        VerifyingKey::new(self.key.public().clone(), self.hash, self.padding)
    }
}

impl Verifier<Signature> for VerifyingKey {
    fn verify(&self, msg: &[u8], signature: &Signature) -> signature::Result<()> {
        let digest = self.hash.digest(msg);
        match self.padding {
            Padding::Pkcs1v15 => {
                self.key
                    .rsassa_pkcs1_v1_5_verify(self.hash, &digest, &signature.0)?
            }
            Padding::Pss { mgf, salt_len } => {
                self.key.rsassa_pss_verify(
                    self.hash,
                    mgf,
                    Some(salt_len),
                    &digest,
                    &signature.0,
                )?;
            }
        }
        Ok(())
    }
}

impl From<Error> for signature::Error {
    fn from(error: Error) -> signature::Error {
        signature::Error::from_source(error)
    }
}

impl TryFrom<PrivateKeyInfoRef<'_>> for PrivateKey {
    type Error = pkcs8::Error;

    fn try_from(info: PrivateKeyInfoRef<'_>) -> pkcs8::Result<PrivateKey> {
        let oid = info.algorithm.oid;
        PrivateKey::from_pkcs8_info(info, &mut Notes::new()).map_err(|e| match e {
            KeyError::Algorithm(_) => pkcs8::Error::PublicKey(spki::Error::OidUnknown { oid }),
            _ => pkcs8::Error::KeyMalformed(pkcs8::KeyError::Invalid),
        })
    }
}

impl EncodePrivateKey for PrivateKey {
    fn to_pkcs8_der(&self) -> pkcs8::Result<SecretDocument> {
        Ok(SecretDocument::try_from(
            PrivateKey::to_pkcs8_der(self).as_slice(),
        )?)
    }
}

impl TryFrom<SubjectPublicKeyInfoRef<'_>> for PublicKey {
    type Error = spki::Error;

    fn try_from(info: SubjectPublicKeyInfoRef<'_>) -> spki::Result<PublicKey> {
        let oid = info.algorithm.oid;
        PublicKey::from_spki_info(info, &mut Notes::new()).map_err(|e| match e {
            KeyError::Algorithm(_) => spki::Error::OidUnknown { oid },
            _ => spki::Error::KeyMalformed,
        })
    }
}

impl EncodePublicKey for PublicKey {
    fn to_public_key_der(&self) -> spki::Result<Document> {
        Ok(Document::try_from(self.to_spki_der())?)
    }
}
