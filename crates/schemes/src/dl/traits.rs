//! DSA keys with a hash, and the traits of the crate `signature`.

use super::{Error, Group, PrivateKey, PublicKey, Signature};
use crate::hash::Hash;
use rand_core::{TryCryptoRng, UnwrapErr};
#[cfg(doc)]
use signature::{Keypair, Verifier};
use signature::{RandomizedSigner, Signer};

/// A private key that signs by DSA (FIPS 186-4) with a hash.
///
/// ```
/// # use carrysave_schemes as carrysave;
/// use carrysave::{dl::{Group, SigningKey}, hash::Hash};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let rng = &mut rand_core::UnwrapErr(getrandom::SysRng);
/// // 512 bits keep this example quick; take 2048 and 256, or more, for a group to use.
/// let (group, _) = Group::generate_with(rng, 512, 160, Hash::Sha256, &mut || ())?;
/// let key = SigningKey::generate(&group);
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
}

impl SigningKey {
    /// Generates a key of a group that signs with SHA-256, with the operating system's randomness.
    ///
    /// # Panics
    /// If the operating system has no randomness.
    ///
    /// # Timing
    /// Depends on the group only.
    pub fn generate(group: &Group) -> SigningKey {
        SigningKey::new(PrivateKey::generate(group), Hash::Sha256)
    }

    /// Signs with `key`, hashing with `hash`.
    pub fn new(key: PrivateKey, hash: Hash) -> SigningKey {
        SigningKey { key, hash }
    }

    /// Signs a message, with the nonce of RFC 6979: the signature of a message is always the same one.
    /// [`Signer::try_sign`] returns errors instead of panicking.
    ///
    /// # Panics
    /// If the hash is SHA-1, or if a result fails its check before release.
    ///
    /// # Timing
    /// Depends on the group, the hash, the length of the message, and the signature.
    pub fn sign(&self, message: &[u8]) -> Signature {
        Signer::sign(self, message)
    }

    /// The public key, with the hash.
    pub fn verifying_key(&self) -> VerifyingKey {
        VerifyingKey::new(self.key.public().clone(), self.hash)
    }

    /// The key inside.
    pub fn private_key(&self) -> &PrivateKey {
        &self.key
    }
}

/// A public key that verifies signatures of DSA with a hash. It implements the trait [`Verifier`] of the crate
/// `signature`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyingKey {
    key: PublicKey,
    hash: Hash,
}

impl VerifyingKey {
    /// Verifies with `key`, hashing with `hash`.
    pub fn new(key: PublicKey, hash: Hash) -> VerifyingKey {
        VerifyingKey { key, hash }
    }

    /// Verifies the signature of a message.
    ///
    /// # Errors
    /// [`Error::Verification`] if the signature is not of this key, hash and message.
    ///
    /// # Timing
    /// Depends on the public key, the message and the signature.
    pub fn verify(&self, message: &[u8], signature: &Signature) -> Result<(), Error> {
        (self.key).dsa_verify(self.hash, &self.hash.digest(message), signature)
    }

    /// The key inside.
    pub fn public_key(&self) -> &PublicKey {
        &self.key
    }
}

impl TryFrom<&[u8]> for Signature {
    type Error = signature::Error;

    /// Reads `Dss-Sig-Value` from DER.
    fn try_from(der: &[u8]) -> Result<Signature, signature::Error> {
        Ok(Signature::from_der(der)?)
    }
}

impl From<Signature> for Box<[u8]> {
    /// Writes `Dss-Sig-Value` as DER.
    fn from(signature: Signature) -> Box<[u8]> {
        signature.to_der().into()
    }
}

impl Signer<Signature> for SigningKey {
    fn try_sign(&self, msg: &[u8]) -> signature::Result<Signature> {
        Ok(self.key.dsa_sign(self.hash, &self.hash.digest(msg))?)
    }
}

impl RandomizedSigner<Signature> for SigningKey {
    /// Signs with 32 random octets in the nonce.
    fn try_sign_with_rng<R: TryCryptoRng + ?Sized>(
        &self,
        rng: &mut R,
        msg: &[u8],
    ) -> signature::Result<Signature> {
        let digest = self.hash.digest(msg);
        // A generator that fails later would panic; drawing a word here reports a broken one as an error.
        rng.try_next_u64().map_err(|_| signature::Error::new())?;
        let rng = &mut UnwrapErr(rng);
        Ok(self.key.dsa_sign_randomized(rng, self.hash, &digest)?)
    }
}

crate::signing::traits!(SigningKey, VerifyingKey, Signature);
crate::signing::errors!(Error);
