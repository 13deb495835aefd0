//! `graviola`: formally verified assembly of s2n-bignum inside Rust; signatures from 2048 to 8192 bits,
//! P-256, P-384 and X25519.

use super::{
    Answer, Refusal, Rival, RsaKey,
    agreement::{Agreement, Exchange},
    signing::{Signer, Signing},
};
use ::graviola::{
    hashing::{Sha256, Sha384},
    key_agreement::{p256, p384, x25519},
    signing::rsa::{KeySize, SigningKey, VerifyingKey},
    signing::{ecdsa, eddsa},
};

/// Loads a private key of a NIST curve.
macro_rules! load {
    ($curve:ident, $private:ident) => {{
        use $curve::{PublicKey, StaticPrivateKey};
        let load = || StaticPrivateKey::from_bytes($private).map_err(Refusal::failed);
        let (own, key) = (load()?, load()?);
        Agreement::new(
            move || own.public_key_uncompressed().to_vec(),
            move |peer| {
                PublicKey::from_x962_uncompressed(peer)
                    .and_then(|peer| key.diffie_hellman(&peer))
                    .map_or(vec![], |shared| shared.0.to_vec())
            },
        )
    }};
}

/// Loads a private key that signs on a NIST curve.
macro_rules! signer {
    ($curve:ident, $hash:ty, $pkcs8:ident) => {{
        let key = ecdsa::SigningKey::<ecdsa::$curve>::from_pkcs8_der($pkcs8);
        let key = key.map_err(Refusal::failed)?;
        let public = key.private_key.public_key_uncompressed();
        let public = ecdsa::VerifyingKey::<ecdsa::$curve>::from_x962_uncompressed(&public);
        let public = public.map_err(Refusal::failed)?;
        Signer::new(
            move |message| {
                let mut octets = [0; 128];
                let signature = key.sign_asn1::<$hash>(&[message], &mut octets);
                signature.map_or(vec![], |signature| signature.to_vec())
            },
            move |message, signature| public.verify_asn1::<$hash>(&[message], signature).is_ok(),
        )
    }};
}

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
    agreement: Some(|_, exchange, private| match exchange {
        Exchange::P256 => load!(p256, private),
        Exchange::P384 => load!(p384, private),
        Exchange::X25519 => {
            use x25519::{PublicKey, StaticPrivateKey};
            let load = || StaticPrivateKey::try_from_slice(private).map_err(Refusal::failed);
            let (own, key) = (load()?, load()?);
            Agreement::new(
                move || own.public_key().as_bytes().to_vec(),
                move |peer| {
                    PublicKey::try_from_slice(peer)
                        .and_then(|peer| key.diffie_hellman(&peer))
                        .map_or(vec![], |shared| shared.0.to_vec())
                },
            )
        }
        Exchange::X448 | Exchange::P521 | Exchange::Secp256k1 => Err(Refusal::NotOffered),
    }),
    signing: Some(|signing, pkcs8| match signing {
        Signing::Ed25519 => {
            let key = eddsa::Ed25519SigningKey::from_pkcs8_der(pkcs8).map_err(Refusal::failed)?;
            let public = key.public_key();
            Signer::new(
                move |message| key.sign(message).to_vec(),
                move |message, signature| public.verify(signature, message).is_ok(),
            )
        }
        Signing::P256 => signer!(P256, Sha256, pkcs8),
        Signing::P384 => signer!(P384, Sha384, pkcs8),
        Signing::Ed448 | Signing::P521 | Signing::Secp256k1 => Err(Refusal::NotOffered),
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
