//! The traits of the crates `pkcs8` and `spki`, for code that is generic over them.

use super::ecdsa::{SigningKey, VerifyingKey};
use super::{Ed448PrivateKey, Ed448PublicKey, Ed25519PrivateKey, Ed25519PublicKey};
use super::{Named, PrivateKey, PublicKey};
use super::{X448PrivateKey, X448PublicKey, X25519PrivateKey, X25519PublicKey};
use crate::formats::traits::keys;
use pkcs8::{Document, EncodePrivateKey, PrivateKeyInfoRef, SecretDocument};
use spki::{EncodePublicKey, SubjectPublicKeyInfoRef};

keys!(PrivateKey<C>, PublicKey<C>; C: Named);
keys!(X25519PrivateKey, X25519PublicKey);
keys!(Ed25519PrivateKey, Ed25519PublicKey);
keys!(X448PrivateKey, X448PublicKey);
keys!(Ed448PrivateKey, Ed448PublicKey);

impl<C: Named> TryFrom<PrivateKeyInfoRef<'_>> for SigningKey<C> {
    type Error = pkcs8::Error;

    /// Signs with the [hash of its curve](Named::HASH): a file names none.
    fn try_from(info: PrivateKeyInfoRef<'_>) -> pkcs8::Result<Self> {
        Ok(SigningKey::new(PrivateKey::<C>::try_from(info)?, C::HASH))
    }
}

impl<C: Named> EncodePrivateKey for SigningKey<C> {
    /// Writes the key without its hash.
    fn to_pkcs8_der(&self) -> pkcs8::Result<SecretDocument> {
        EncodePrivateKey::to_pkcs8_der(self.private_key())
    }
}

impl<C: Named> TryFrom<SubjectPublicKeyInfoRef<'_>> for VerifyingKey<C> {
    type Error = spki::Error;

    /// Verifies with the [hash of its curve](Named::HASH): a file names none.
    fn try_from(info: SubjectPublicKeyInfoRef<'_>) -> spki::Result<Self> {
        Ok(VerifyingKey::new(PublicKey::<C>::try_from(info)?, C::HASH))
    }
}

impl<C: Named> EncodePublicKey for VerifyingKey<C> {
    /// Writes the key without its hash.
    fn to_public_key_der(&self) -> spki::Result<Document> {
        EncodePublicKey::to_public_key_der(self.public_key())
    }
}
