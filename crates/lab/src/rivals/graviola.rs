//! `graviola`: formally verified assembly of s2n-bignum inside Rust; signatures from 2048 to 8192 bits.

use super::{Answer, Refusal, Rival, RsaKey};
use ::graviola::signing::rsa::{KeySize, SigningKey, VerifyingKey};

pub(super) const RIVAL: Rival = Rival {
    rsa: Some(|_, pkcs8| {
        let private = SigningKey::from_pkcs8_der(pkcs8).map_err(|_| Refusal::NotOffered)?;
        Ok(Box::new(Key {
            public: private.public_key(),
            private,
        }))
    }),
    keygen: Some(|bits, _| {
        let size = match bits {
            2048 => KeySize::Rsa2048,
            3072 => KeySize::Rsa3072,
            4096 => KeySize::Rsa4096,
            _ => return Err(Refusal::NotOffered),
        };
        let key = SigningKey::generate(size).map_err(Refusal::failed)?;
        let mut buffer = vec![0; bits];
        Ok(key
            .to_pkcs8_der(&mut buffer)
            .map_err(Refusal::failed)?
            .to_vec())
    }),
    ..Rival::new("graviola", || {
        concat!("graviola ", env!("LAB_VERSION_GRAVIOLA")).to_owned()
    })
};

struct Key {
    private: SigningKey,
    public: VerifyingKey,
}

impl RsaKey for Key {
    fn sign(&mut self, message: &[u8]) -> Answer<Vec<u8>> {
        let mut signature = vec![0; self.private.modulus_len_bytes()];
        self.private
            .sign_pkcs1_sha256(&mut signature, message)
            .map_err(Refusal::failed)?;
        Ok(signature)
    }

    fn verify(&mut self, message: &[u8], signature: &[u8]) -> Answer<()> {
        self.public
            .verify_pkcs1_sha256(signature, message)
            .map_err(Refusal::failed)
    }
}
