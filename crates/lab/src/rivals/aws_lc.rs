//! AWS-LC through `aws-lc-rs`: from 2048 to 8192 bits, with IFMA where the processor has it.

use super::{
    Answer, Bulk, Cipher, Mode, Refusal, Rival, RsaKey, Work,
    agreement::{Agreement, Exchange},
    hashing, in_place,
    signing::{Signer, Signing},
};
use aws_lc_rs::{
    agreement::{self, UnparsedPublicKey},
    cipher::{
        AES_128, AES_192, AES_256, DecryptingKey, DecryptionContext, EncryptingKey,
        EncryptionContext, UnboundCipherKey,
    },
    digest::{SHA256, digest},
    encoding::{AsDer, Pkcs8V1Der},
    iv::FixedLength,
    rand::SystemRandom,
    rsa::{
        KeyPair, KeySize, OAEP_SHA256_MGF1SHA256, OaepPrivateDecryptingKey,
        OaepPublicEncryptingKey, PrivateDecryptingKey,
    },
    signature::{
        self, EcdsaKeyPair, Ed25519KeyPair, KeyPair as _, ParsedPublicKey,
        RSA_PKCS1_2048_8192_SHA256, RSA_PKCS1_SHA256, RSA_PSS_2048_8192_SHA256, RSA_PSS_SHA256,
        RsaSignatureEncoding,
    },
};

pub(super) const RIVAL: Rival = Rival {
    ia32cap: true,
    rsa: Some(|_, pkcs8| {
        let pair = KeyPair::from_pkcs8(pkcs8).map_err(|_| Refusal::NotOffered)?;
        let [public, public_pss] = [&RSA_PKCS1_2048_8192_SHA256, &RSA_PSS_2048_8192_SHA256]
            .map(|scheme| ParsedPublicKey::new(scheme, pair.public_key().as_ref()));
        let decrypting =
            PrivateDecryptingKey::from_pkcs8(pkcs8).map_err(|_| Refusal::NotOffered)?;
        Ok(Box::new(Key {
            public: public.map_err(Refusal::failed)?,
            public_pss: public_pss.map_err(Refusal::failed)?,
            encrypting: OaepPublicEncryptingKey::new(decrypting.public_key())
                .map_err(Refusal::failed)?,
            decrypting: OaepPrivateDecryptingKey::new(decrypting).map_err(Refusal::failed)?,
            random: SystemRandom::new(),
            pair,
        }))
    }),
    keygen: Some(|bits, _| {
        let size = match bits {
            2048 => KeySize::Rsa2048,
            3072 => KeySize::Rsa3072,
            4096 => KeySize::Rsa4096,
            8192 => KeySize::Rsa8192,
            _ => return Err(Refusal::NotOffered),
        };
        let pair = KeyPair::generate(size).map_err(Refusal::failed)?;
        let der: Pkcs8V1Der<'_> = pair.as_der().map_err(Refusal::failed)?;
        Ok(der.as_ref().to_vec())
    }),
    bulk: Some(|_, bulk| match bulk {
        Bulk::Cipher(Cipher::Aes(bits), mode) => aes(bits, mode),
        Bulk::Sha256 => hashing(|data| digest(&SHA256, data).as_ref().to_vec()),
        _ => Err(Refusal::NotOffered),
    }),
    agreement: Some(|_, exchange, private| {
        let algorithm = match exchange {
            Exchange::P256 => &agreement::ECDH_P256,
            Exchange::P384 => &agreement::ECDH_P384,
            Exchange::P521 => &agreement::ECDH_P521,
            Exchange::X25519 => &agreement::X25519,
            Exchange::X448 | Exchange::Secp256k1 => return Err(Refusal::NotOffered),
        };
        let load = agreement::PrivateKey::from_private_key;
        let key = load(algorithm, private).map_err(Refusal::failed)?;
        let private = private.to_vec();
        Agreement::new(
            // A key has its public one from when it is loaded.
            move || {
                let public = load(algorithm, &private).ok();
                let public = public.and_then(|key| key.compute_public_key().ok());
                public.map_or(vec![], |public| public.as_ref().to_vec())
            },
            move |peer| {
                let peer = UnparsedPublicKey::new(algorithm, peer);
                let shared = agreement::agree(&key, peer, (), |shared| Ok(shared.to_vec()));
                shared.unwrap_or_default()
            },
        )
    }),
    signing: Some(|signing, pkcs8| {
        if signing == Signing::Ed25519 {
            let pair =
                Ed25519KeyPair::from_pkcs8_maybe_unchecked(pkcs8).map_err(Refusal::failed)?;
            let public = ParsedPublicKey::new(&signature::ED25519, pair.public_key().as_ref());
            let public = public.map_err(Refusal::failed)?;
            return Signer::new(
                move |message| pair.sign(message).as_ref().to_vec(),
                move |message, signature| public.verify_sig(message, signature).is_ok(),
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
            Signing::P521 => (
                &signature::ECDSA_P521_SHA512_ASN1_SIGNING,
                &signature::ECDSA_P521_SHA512_ASN1,
            ),
            Signing::Ed25519 | Signing::Ed448 => return Err(Refusal::NotOffered),
            Signing::Secp256k1 => (
                &signature::ECDSA_P256K1_SHA256_ASN1_SIGNING,
                &signature::ECDSA_P256K1_SHA256_ASN1,
            ),
        };
        let pair = EcdsaKeyPair::from_pkcs8(sign, pkcs8).map_err(Refusal::failed)?;
        let public = ParsedPublicKey::new(verify, pair.public_key().as_ref());
        let (public, random) = (public.map_err(Refusal::failed)?, SystemRandom::new());
        Signer::new(
            move |message| {
                let signature = pair.sign(&random, message);
                signature.map_or(vec![], |signature| signature.as_ref().to_vec())
            },
            move |message, signature| public.verify_sig(message, signature).is_ok(),
        )
    }),
    ..Rival::new("aws-lc", || {
        concat!("aws-lc-sys ", env!("LAB_VERSION_AWS_LC_SYS")).to_owned()
    })
};

fn aes(bits: usize, mode: Mode) -> Answer<Work> {
    let algorithm = match bits {
        128 => &AES_128,
        192 => &AES_192,
        _ => &AES_256,
    };
    let key = UnboundCipherKey::new(algorithm, &Cipher::Aes(bits).key());
    let key = key.map_err(Refusal::failed)?;
    let zero = || FixedLength::from([0; 16]);
    let encrypting = match mode {
        Mode::Ecb => EncryptingKey::ecb(key),
        Mode::Ctr => EncryptingKey::ctr(key),
        Mode::Cbc => EncryptingKey::cbc(key),
        Mode::EcbDecrypt | Mode::CbcDecrypt => {
            let chain = mode == Mode::CbcDecrypt;
            let key = match chain {
                true => DecryptingKey::cbc(key),
                false => DecryptingKey::ecb(key),
            };
            let key = key.map_err(Refusal::failed)?;
            return in_place(move |data| {
                let context = match chain {
                    true => DecryptionContext::Iv128(zero()),
                    false => DecryptionContext::None,
                };
                // Data that are left as they were are no answer.
                let _ = key.decrypt(data, context);
            });
        }
    };
    let key = encrypting.map_err(Refusal::failed)?;
    in_place(move |data| {
        let context = match mode {
            Mode::Ecb => EncryptionContext::None,
            _ => EncryptionContext::Iv128(zero()),
        };
        let _ = key.less_safe_encrypt(data, context);
    })
}

struct Key {
    pair: KeyPair,
    public: ParsedPublicKey,
    public_pss: ParsedPublicKey,
    encrypting: OaepPublicEncryptingKey,
    decrypting: OaepPrivateDecryptingKey,
    random: SystemRandom,
}

impl Key {
    fn sign_by(&self, scheme: &'static RsaSignatureEncoding, message: &[u8]) -> Answer<Vec<u8>> {
        let mut signature = vec![0; self.pair.public_modulus_len()];
        self.pair
            .sign(scheme, &self.random, message, &mut signature)
            .map_err(Refusal::failed)?;
        Ok(signature)
    }
}

impl RsaKey for Key {
    fn sign(&mut self, message: &[u8]) -> Answer<Vec<u8>> {
        self.sign_by(&RSA_PKCS1_SHA256, message)
    }

    fn verify(&mut self, message: &[u8], signature: &[u8]) -> Answer<()> {
        self.public
            .verify_sig(message, signature)
            .map_err(Refusal::failed)
    }

    fn sign_pss(&mut self, message: &[u8]) -> Answer<Vec<u8>> {
        self.sign_by(&RSA_PSS_SHA256, message)
    }

    fn verify_pss(&mut self, message: &[u8], signature: &[u8]) -> Answer<()> {
        self.public_pss
            .verify_sig(message, signature)
            .map_err(Refusal::failed)
    }

    fn encrypt(&mut self, message: &[u8]) -> Answer<Vec<u8>> {
        let mut out = vec![0; self.encrypting.ciphertext_size()];
        let written = self
            .encrypting
            .encrypt(&OAEP_SHA256_MGF1SHA256, message, &mut out, None);
        Ok(written.map_err(Refusal::failed)?.to_vec())
    }

    fn decrypt(&mut self, ciphertext: &[u8]) -> Answer<Vec<u8>> {
        let mut out = vec![0; self.decrypting.min_output_size()];
        let written = self
            .decrypting
            .decrypt(&OAEP_SHA256_MGF1SHA256, ciphertext, &mut out, None);
        Ok(written.map_err(Refusal::failed)?.to_vec())
    }
}
