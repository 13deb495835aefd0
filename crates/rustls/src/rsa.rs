//! RSA as TLS wants it: keys from files, and signatures of messages. Nothing here knows rustls.

use carrysave::{
    KeyError,
    engine::Signer,
    hash::Hash,
    rsa::{Padding, PrivateKey, PublicKey, Purpose},
    system_rng,
};

/// The sizes of the keys that TLS takes, in bits, as the other providers of rustls have them.
const BITS: core::ops::RangeInclusive<usize> = 2048..=8192;

/// A padding with its hash.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scheme {
    hash: Hash,
    padding: Padding,
}

impl Scheme {
    /// RSASSA-PSS with a salt as long as the hash.
    pub(crate) const fn pss(hash: Hash) -> Scheme {
        let padding = Padding::pss(hash);
        Scheme { hash, padding }
    }

    /// RSASSA-PKCS1-v1_5.
    pub(crate) const fn pkcs1(hash: Hash) -> Scheme {
        let padding = Padding::Pkcs1v15;
        Scheme { hash, padding }
    }

    /// Whether `signature` is one of `message` by the key in `public`, an `RSAPublicKey` in DER.
    pub(crate) fn verifies(self, public: &[u8], message: &[u8], signature: &[u8]) -> bool {
        let key = match PublicKey::from_pkcs1_der(public) {
            Ok(key) if BITS.contains(&key.bits()) => key,
            _ => return false,
        };
        let (hash, digest) = (self.hash, self.hash.digest(message));
        let verified = match self.padding {
            Padding::Pss { mgf, salt_len } => {
                key.rsassa_pss_verify(hash, mgf, Some(salt_len), &digest, signature)
            }
            Padding::Pkcs1v15 => key.rsassa_pkcs1_v1_5_verify(hash, &digest, signature),
        };
        verified.is_ok()
    }
}

/// A private key, and the service that it signs by, if it does not sign on the calling thread.
#[derive(Clone, Debug)]
pub(crate) struct Key {
    key: PrivateKey,
    signer: Option<Signer>,
}

impl Key {
    /// The key, unless it is of a size or for a purpose that TLS has no signatures for. `Err` is a sentence.
    pub(crate) fn new(key: PrivateKey, signer: Option<Signer>) -> Result<Key, String> {
        let bits = key.bits();
        if !BITS.contains(&bits) {
            let allowed = "2048 to 8192 bits";
            let part = "an RSA key for TLS";
            return Err(KeyError::Size {
                part,
                bits,
                allowed,
            }
            .to_string());
        }
        match key.public().purpose() {
            Purpose::Any => Ok(Key { key, signer }),
            Purpose::Pss(_) => Err(
                "the key is for RSASSA-PSS alone, and rustls signs with no such key: use one for rsaEncryption"
                    .to_owned(),
            ),
        }
    }

    /// The public key as `SubjectPublicKeyInfo` in DER.
    pub(crate) fn public(&self) -> Vec<u8> {
        self.key.public().to_spki_der()
    }

    /// The signature of `message`. `Err` is a sentence.
    pub(crate) fn sign(&self, scheme: Scheme, message: &[u8]) -> Result<Vec<u8>, String> {
        let Scheme { hash, padding } = scheme;
        let digest = hash.digest(message);
        if let Some(signer) = &self.signer {
            let signed = signer.sign(&self.key, hash, padding, &digest);
            return signed.map_err(|e| e.to_string());
        }
        let rng = &mut system_rng();
        let signed = match padding {
            Padding::Pss { mgf, salt_len } => {
                self.key.rsassa_pss_sign(rng, hash, mgf, salt_len, &digest)
            }
            Padding::Pkcs1v15 => self.key.rsassa_pkcs1_v1_5_sign(rng, hash, &digest),
        };
        signed.map_err(|e| e.to_string())
    }
}
