//! ECDSA, Ed25519 and ECDH as TLS wants them: keys from files, signatures of messages, and agreements. Nothing here knows
//! rustls.

use carrysave::{
    KeyError,
    ec::{
        Algorithm, AnyPrivateKey, Ed25519PublicKey, Ed25519Signature, Error, Named, PrivateKey,
        PublicKey, ecdsa::Signature,
    },
    hash::Hash,
    system_rng,
};
use signature::Signer;
use std::sync::Arc;

/// A private key to sign with.
#[derive(Clone, Debug)]
pub(crate) struct Key(Arc<AnyPrivateKey>);

impl Key {
    /// The key of a file in DER: PKCS #8, or SEC 1 with the name of the curve.
    pub(crate) fn from_der(der: &[u8]) -> Result<Key, KeyError> {
        AnyPrivateKey::from_any(der, None).map(|key| Key(Arc::new(key)))
    }

    pub(crate) fn algorithm(&self) -> Algorithm {
        self.0.algorithm()
    }

    /// The public key as `SubjectPublicKeyInfo` in DER.
    pub(crate) fn public(&self) -> Vec<u8> {
        self.0.public().to_spki_der()
    }

    /// The signature of `message`: of ECDSA with the hash of the curve, as DER. `Err` is a sentence.
    pub(crate) fn sign(&self, message: &[u8]) -> Result<Vec<u8>, String> {
        match &*self.0 {
            AnyPrivateKey::P256(key) => ecdsa(key, message),
            AnyPrivateKey::P384(key) => ecdsa(key, message),
            AnyPrivateKey::P521(key) => ecdsa(key, message),
            AnyPrivateKey::Ed25519(key) => match key.try_sign(message) {
                Ok(signature) => Ok(signature.into()),
                Err(_) => Err(Error::Fault.to_string()),
            },
            other => Err(format!(
                "TLS has no signatures by keys of {}",
                other.algorithm()
            )),
        }
    }
}

fn ecdsa<C: Named>(key: &PrivateKey<C>, message: &[u8]) -> Result<Vec<u8>, String> {
    let digest = C::HASH.digest(message);
    let signed = key.ecdsa_sign_randomized(&mut system_rng(), C::HASH, &digest);
    signed.map_or_else(|e| Err(e.to_string()), |signature| Ok(signature.to_der()))
}

/// A way to verify signatures: by the octets of a public key, of a message.
pub(crate) type Verify = fn(&[u8], &[u8], &[u8]) -> bool;

/// Whether a signature of ECDSA in DER is valid with a hash, which is a number in [`HASHES`].
pub(crate) fn ecdsa_verifies<C: Named, const HASH: usize>(
    public: &[u8],
    message: &[u8],
    signature: &[u8],
) -> bool {
    let hash = HASHES[HASH];
    let verified = point::<C>(public).and_then(|key| {
        let signature = Signature::from_der(signature).ok()?;
        key.ecdsa_verify(hash, &hash.digest(message), &signature)
            .ok()
    });
    verified.is_some()
}

/// The hashes of signatures in certificates.
pub(crate) const HASHES: [Hash; 3] = [Hash::Sha256, Hash::Sha384, Hash::Sha512];

/// Whether a signature of Ed25519 is valid.
pub(crate) fn ed25519_verifies(public: &[u8], message: &[u8], signature: &[u8]) -> bool {
    let verified = public.try_into().ok().and_then(|public| {
        let key = Ed25519PublicKey::from_bytes(public).ok()?;
        let signature = Ed25519Signature(signature.try_into().ok()?);
        key.verify(message, &signature).ok()
    });
    verified.is_some()
}

/// The public key in uncompressed octets, the only form that TLS has.
pub(crate) fn point<C: Named>(octets: &[u8]) -> Option<PublicKey<C>> {
    match octets.first() {
        Some(4) => PublicKey::from_sec1(octets).ok(),
        _ => None,
    }
}
