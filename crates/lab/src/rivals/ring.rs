//! `ring`: BoringSSL's arithmetic; signatures from 2048 to 4096 bits.

use super::{
    Answer, Refusal, Rival, RsaKey,
    signing::{Signer, Signing},
};
use ::ring::{
    rand::SystemRandom,
    rsa::KeyPair,
    signature::{
        self, EcdsaKeyPair, Ed25519KeyPair, KeyPair as _, RSA_PKCS1_2048_8192_SHA256,
        RSA_PKCS1_SHA256, UnparsedPublicKey,
    },
};

pub(super) const RIVAL: Rival = Rival {
    rsa: Some(|_, pkcs8| {
        let pair = KeyPair::from_pkcs8(pkcs8).map_err(|_| Refusal::NotOffered)?;
        let public = pair.public().as_ref().to_vec();
        let public = UnparsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA256, public);
        Ok(Box::new(Key {
            pair,
            public,
            random: SystemRandom::new(),
        }))
    }),
    signing: Some(|signing, pkcs8| {
        if signing == Signing::Ed25519 {
            let pair =
                Ed25519KeyPair::from_pkcs8_maybe_unchecked(pkcs8).map_err(Refusal::failed)?;
            let public =
                UnparsedPublicKey::new(&signature::ED25519, pair.public_key().as_ref().to_vec());
            return Signer::new(
                move |message| pair.sign(message).as_ref().to_vec(),
                move |message, signature| public.verify(message, signature).is_ok(),
            );
        }
        let (sign, verify) = match signing {
            Signing::P256 => (
                &signature::ECDSA_P256_SHA256_ASN1_SIGNING,
                &signature::ECDSA_P256_SHA256_ASN1,
            ),
            Signing::P384 => (
                &signature::ECDSA_P384_SHA384_ASN1_SIGNING,
                &signature::ECDSA_P384_SHA384_ASN1,
            ),
            Signing::Ed25519 | Signing::Ed448 | Signing::P521 | Signing::Secp256k1 => {
                return Err(Refusal::NotOffered);
            }
        };
        let random = SystemRandom::new();
        let pair = EcdsaKeyPair::from_pkcs8(sign, pkcs8, &random).map_err(Refusal::failed)?;
        let public = UnparsedPublicKey::new(verify, pair.public_key().as_ref().to_vec());
        Signer::new(
            move |message| {
                let signature = pair.sign(&random, message);
                signature.map_or(vec![], |signature| signature.as_ref().to_vec())
            },
            move |message, signature| public.verify(message, signature).is_ok(),
        )
    }),
    ..Rival::new("ring", || {
        concat!("ring ", env!("LAB_VERSION_RING")).to_owned()
    })
};

struct Key {
    pair: KeyPair,
    public: UnparsedPublicKey<Vec<u8>>,
    random: SystemRandom,
}

impl RsaKey for Key {
    fn sign(&mut self, message: &[u8]) -> Answer<Vec<u8>> {
        let mut signature = vec![0; self.pair.public().modulus_len()];
        self.pair
            .sign(&RSA_PKCS1_SHA256, &self.random, message, &mut signature)
            .map_err(Refusal::failed)?;
        Ok(signature)
    }

    fn verify(&mut self, message: &[u8], signature: &[u8]) -> Answer<()> {
        self.public
            .verify(message, signature)
            .map_err(Refusal::failed)
    }
}
