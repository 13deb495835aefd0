//! `rsa` of RustCrypto, with blinding.

use super::{Answer, Refusal, Rival, RsaKey};
use getrandom::{SysRng, rand_core::UnwrapErr};
use rsa::{
    Oaep, Pkcs1v15Sign, PrivateKey as RsaPrivateKey, PublicKey as RsaPublicKey,
    pkcs8::{DecodePrivateKey, EncodePrivateKey},
    sha2::{Digest, Sha256},
};

pub(super) const RIVAL: Rival = Rival {
    rsa: Some(|_, pkcs8| {
        let key = RsaPrivateKey::from_pkcs8_der(pkcs8).map_err(Refusal::failed)?;
        Ok(Box::new(Key {
            public: key.to_public_key(),
            private: key,
        }))
    }),
    keygen: Some(|bits, _| {
        let key = RsaPrivateKey::new(&mut UnwrapErr(SysRng), bits).map_err(Refusal::failed)?;
        Ok(key
            .to_pkcs8_der()
            .map_err(Refusal::failed)?
            .as_bytes()
            .to_vec())
    }),
    ..Rival::new("rsa", || {
        concat!("rsa ", env!("LAB_VERSION_RSA")).to_owned()
    })
};

struct Key {
    private: RsaPrivateKey,
    public: RsaPublicKey,
}

impl RsaKey for Key {
    fn sign(&mut self, message: &[u8]) -> Answer<Vec<u8>> {
        let scheme = Pkcs1v15Sign::new::<Sha256>();
        self.private
            .sign_with_rng(&mut UnwrapErr(SysRng), scheme, &Sha256::digest(message))
            .map_err(Refusal::failed)
    }

    fn verify(&mut self, message: &[u8], signature: &[u8]) -> Answer<()> {
        let scheme = Pkcs1v15Sign::new::<Sha256>();
        self.public
            .verify(scheme, &Sha256::digest(message), signature)
            .map_err(Refusal::failed)
    }

    fn encrypt(&mut self, message: &[u8]) -> Answer<Vec<u8>> {
        self.public
            .encrypt(&mut UnwrapErr(SysRng), Oaep::<Sha256>::new(), message)
            .map_err(Refusal::failed)
    }

    fn decrypt(&mut self, ciphertext: &[u8]) -> Answer<Vec<u8>> {
        self.private
            .decrypt_blinded(&mut UnwrapErr(SysRng), Oaep::<Sha256>::new(), ciphertext)
            .map_err(Refusal::failed)
    }
}
