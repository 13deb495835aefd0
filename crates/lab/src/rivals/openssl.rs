//! OpenSSL. `OPENSSL_ia32cap=:~0x200000` in the environment takes IFMA away from it; records then say so.

use super::{
    Answer, Bulk, Cipher, DlKey, Mode, Refusal, Rival, RsaKey,
    agreement::{Agreement, Exchange},
    hashing, in_place,
    signing::{Signer, Signing},
};
use ::openssl::{
    bn::{BigNum, BigNumContext},
    cipher::CipherRef,
    cipher_ctx::{CipherCtx, CipherCtxRef},
    derive::Deriver,
    ec::{EcGroup, EcKey, EcPoint, PointConversionForm},
    error::ErrorStack,
    md::Md,
    nid::Nid,
    pkey::{Id, PKey, Private, Public},
    pkey_ctx::PkeyCtx,
    rsa::{Padding, Rsa},
    sha::{sha256, sha384, sha512},
    sign::RsaPssSaltlen,
};

impl From<ErrorStack> for Refusal {
    fn from(error: ErrorStack) -> Refusal {
        Refusal::failed(error)
    }
}

pub(super) const RIVAL: Rival = Rival {
    ia32cap: true,
    rsa: Some(|_, pkcs8| Ok(Box::new(Key::new(&PKey::private_key_from_pkcs8(pkcs8)?)?))),
    dl: Some(|dsa, dh| {
        let [dsa, dh] = [dsa, dh].map(PKey::private_key_from_pkcs8);
        let (dsa, dh) = (dsa?, dh?);
        let (mut sign, mut verify, mut agree) =
            (PkeyCtx::new(&dsa)?, PkeyCtx::new(&dsa)?, PkeyCtx::new(&dh)?);
        sign.sign_init()?;
        verify.verify_init()?;
        agree.derive_init()?;
        Ok(Box::new(KeyInGroup {
            sign,
            verify,
            agree,
        }))
    }),
    keygen: Some(|bits, _| {
        let key = PKey::from_rsa(Rsa::generate(bits as u32)?)?;
        Ok(key.private_key_to_pkcs8()?)
    }),
    modexp: Some(|_, power| {
        let (base, modulus) = (
            BigNum::from_slice(&power.base)?,
            BigNum::from_slice(&power.modulus)?,
        );
        let mut exponent = BigNum::from_slice(&power.exponent)?;
        exponent.set_const_time();
        let (mut context, mut result) = (BigNumContext::new()?, BigNum::new()?);
        let len = power.modulus.len() as i32;
        Ok(Box::new(move || {
            let done = result.mod_exp(&base, &exponent, &modulus, &mut context);
            done.and_then(|()| result.to_vec_padded(len))
                .unwrap_or_default()
        }))
    }),
    bulk: Some(|_, bulk| match bulk {
        Bulk::Cipher(cipher, mode) => {
            let function = evp(cipher, mode).ok_or(Refusal::NotOffered)?;
            let init = match mode {
                Mode::EcbDecrypt | Mode::CbcDecrypt => CipherCtxRef::decrypt_init,
                _ => CipherCtxRef::encrypt_init,
            };
            let mut context = CipherCtx::new()?;
            init(&mut context, Some(function), Some(&cipher.key()), None)?;
            context.set_padding(false);
            in_place(move |data| {
                // In place there must be room for a block more, but for the stream of a counter.
                let most = match mode {
                    Mode::Ctr => data.len(),
                    _ => data.len().saturating_sub(16),
                };
                let mut rest = [0; 32];
                let done = init(&mut context, None, None, Some(&[0; 16]))
                    .and_then(|()| context.cipher_update_inplace(data, most))
                    .and_then(|_| context.cipher_update(&data[most..], Some(&mut rest)));
                if let Ok(done) = done {
                    data[most..].copy_from_slice(&rest[..done]);
                }
            })
        }
        Bulk::Sha256 => hashing(|data| sha256(data).to_vec()),
        Bulk::Skein(_) | Bulk::SkeinTree(_) | Bulk::Blake3 => Err(Refusal::NotOffered),
    }),
    agreement: Some(|_, exchange, private| {
        let curve = match exchange {
            Exchange::P256 => Nid::X9_62_PRIME256V1,
            Exchange::P384 => Nid::SECP384R1,
            Exchange::P521 => Nid::SECP521R1,
            Exchange::Secp256k1 => Nid::SECP256K1,
            Exchange::X25519 | Exchange::X448 => {
                let id = match exchange {
                    Exchange::X448 => Id::X448,
                    _ => Id::X25519,
                };
                let key = PKey::private_key_from_raw_bytes(private, id)?;
                let private = private.to_vec();
                // A key has its public one from when it is loaded.
                let public = move || {
                    let key = PKey::private_key_from_raw_bytes(&private, id)?;
                    key.raw_public_key()
                };
                return Agreement::new(
                    move || public().unwrap_or_default(),
                    move |peer| {
                        let peer = PKey::public_key_from_raw_bytes(peer, id);
                        peer.and_then(|peer| derive(&key, &peer))
                            .unwrap_or_default()
                    },
                );
            }
        };
        let group = EcGroup::from_curve_name(curve)?;
        let base = EcGroup::from_curve_name(curve)?;
        let mut d = BigNum::from_slice(private)?;
        d.set_const_time();
        let mut context = BigNumContext::new()?;
        let mut public = EcPoint::new(&group)?;
        public.mul_generator2(&group, &d, &mut context)?;
        let key = PKey::from_ec_key(EcKey::from_private_components(&group, &d, &public)?)?;
        let mut other = BigNumContext::new()?;
        Agreement::new(
            move || {
                let done = public.mul_generator2(&base, &d, &mut context);
                let form = PointConversionForm::UNCOMPRESSED;
                done.and_then(|()| public.to_bytes(&base, form, &mut context))
                    .unwrap_or_default()
            },
            move |peer| {
                let point = EcPoint::from_bytes(&group, peer, &mut other);
                let peer = point.and_then(|point| EcKey::from_public_key(&group, &point));
                peer.and_then(PKey::from_ec_key)
                    .and_then(|peer| derive(&key, &peer))
                    .unwrap_or_default()
            },
        )
    }),
    signing: Some(|signing, pkcs8| {
        let key = PKey::private_key_from_pkcs8(pkcs8)?;
        if matches!(signing, Signing::Ed25519 | Signing::Ed448) {
            let own = key.clone();
            return Signer::new(
                move |message| {
                    let signer = ::openssl::sign::Signer::new_without_digest(&own);
                    signer
                        .and_then(|mut signer| signer.sign_oneshot_to_vec(message))
                        .unwrap_or_default()
                },
                move |message, signature| {
                    let verifier = ::openssl::sign::Verifier::new_without_digest(&key);
                    verifier
                        .and_then(|mut it| it.verify_oneshot(signature, message))
                        .is_ok_and(|it| it)
                },
            );
        }
        let hash = move |message: &[u8]| match signing {
            Signing::P256 | Signing::Secp256k1 => sha256(message).to_vec(),
            Signing::P384 => sha384(message).to_vec(),
            _ => sha512(message).to_vec(),
        };
        let (mut sign, mut verify) = (PkeyCtx::new(&key)?, PkeyCtx::new(&key)?);
        sign.sign_init()?;
        verify.verify_init()?;
        Signer::new(
            move |message| {
                let mut signature = Vec::new();
                let done = sign.sign_to_vec(&hash(message), &mut signature);
                done.map_or(vec![], |_| signature)
            },
            move |message, signature| verify.verify(&hash(message), signature).is_ok_and(|it| it),
        )
    }),
    ..Rival::new("openssl", || ::openssl::version::version().to_owned())
};

/// A shared secret.
fn derive(key: &PKey<Private>, peer: &PKey<Public>) -> Result<Vec<u8>, ErrorStack> {
    let mut deriver = Deriver::new(key)?;
    deriver.set_peer(peer)?;
    deriver.derive_to_vec()
}

/// Its function for a mode of AES.
fn evp(cipher: Cipher, mode: Mode) -> Option<&'static CipherRef> {
    use ::openssl::cipher::Cipher as Evp;
    let Cipher::Aes(bits) = cipher else {
        return None;
    };
    let [ecb, ctr, cbc] = match bits {
        128 => [Evp::aes_128_ecb(), Evp::aes_128_ctr(), Evp::aes_128_cbc()],
        192 => [Evp::aes_192_ecb(), Evp::aes_192_ctr(), Evp::aes_192_cbc()],
        _ => [Evp::aes_256_ecb(), Evp::aes_256_ctr(), Evp::aes_256_cbc()],
    };
    Some(match mode {
        Mode::Ecb | Mode::EcbDecrypt => ecb,
        Mode::Ctr => ctr,
        Mode::Cbc | Mode::CbcDecrypt => cbc,
    })
}

/// One context an operation, ready to be used again and again.
struct Key {
    sign: PkeyCtx<Private>,
    verify: PkeyCtx<Private>,
    sign_pss: PkeyCtx<Private>,
    verify_pss: PkeyCtx<Private>,
    encrypt: PkeyCtx<Private>,
    decrypt: PkeyCtx<Private>,
}

impl Key {
    fn new(key: &PKey<Private>) -> Answer<Key> {
        let context = || PkeyCtx::new(key);
        let mut key = Key {
            sign: context()?,
            verify: context()?,
            sign_pss: context()?,
            verify_pss: context()?,
            encrypt: context()?,
            decrypt: context()?,
        };
        for (sign, verify, padding) in [
            (&mut key.sign, &mut key.verify, Padding::PKCS1),
            (&mut key.sign_pss, &mut key.verify_pss, Padding::PKCS1_PSS),
        ] {
            sign.sign_init()?;
            verify.verify_init()?;
            for context in [sign, verify] {
                context.set_rsa_padding(padding)?;
                context.set_signature_md(Md::sha256())?;
                if padding == Padding::PKCS1_PSS {
                    context.set_rsa_pss_saltlen(RsaPssSaltlen::DIGEST_LENGTH)?;
                }
            }
        }
        key.encrypt.encrypt_init()?;
        key.decrypt.decrypt_init()?;
        for context in [&mut key.encrypt, &mut key.decrypt] {
            context.set_rsa_padding(Padding::PKCS1_OAEP)?;
            context.set_rsa_oaep_md(Md::sha256())?;
            context.set_rsa_mgf1_md(Md::sha256())?;
        }
        Ok(key)
    }
}

/// One context an operation of a key in GF(p)*, ready to be used again and again.
struct KeyInGroup {
    sign: PkeyCtx<Private>,
    verify: PkeyCtx<Private>,
    agree: PkeyCtx<Private>,
}

impl DlKey for KeyInGroup {
    fn meet(&mut self, peer: &[u8]) -> Answer<()> {
        let peer = PKey::public_key_from_der(peer)?;
        Ok(self.agree.derive_set_peer(&peer)?)
    }

    fn agree(&mut self) -> Answer<Vec<u8>> {
        let mut secret = Vec::new();
        self.agree.derive_to_vec(&mut secret)?;
        Ok(secret)
    }

    fn sign_dsa(&mut self, digest: &[u8]) -> Answer<Vec<u8>> {
        let mut signature = Vec::new();
        self.sign.sign_to_vec(digest, &mut signature)?;
        Ok(signature)
    }

    fn verify_dsa(&mut self, digest: &[u8], signature: &[u8]) -> Answer<()> {
        match self.verify.verify(digest, signature)? {
            true => Ok(()),
            false => Err(Refusal::failed("the signature is wrong")),
        }
    }
}

fn sign(context: &mut PkeyCtx<Private>, message: &[u8]) -> Answer<Vec<u8>> {
    let mut signature = Vec::new();
    context.sign_to_vec(&sha256(message), &mut signature)?;
    Ok(signature)
}

fn verify(context: &mut PkeyCtx<Private>, message: &[u8], signature: &[u8]) -> Answer<()> {
    let right = context.verify(&sha256(message), signature)?;
    right
        .then_some(())
        .ok_or_else(|| Refusal::failed("the signature is wrong"))
}

impl RsaKey for Key {
    fn sign(&mut self, message: &[u8]) -> Answer<Vec<u8>> {
        sign(&mut self.sign, message)
    }

    fn verify(&mut self, message: &[u8], signature: &[u8]) -> Answer<()> {
        verify(&mut self.verify, message, signature)
    }

    fn sign_pss(&mut self, message: &[u8]) -> Answer<Vec<u8>> {
        sign(&mut self.sign_pss, message)
    }

    fn verify_pss(&mut self, message: &[u8], signature: &[u8]) -> Answer<()> {
        verify(&mut self.verify_pss, message, signature)
    }

    fn encrypt(&mut self, message: &[u8]) -> Answer<Vec<u8>> {
        let mut ciphertext = Vec::new();
        self.encrypt.encrypt_to_vec(message, &mut ciphertext)?;
        Ok(ciphertext)
    }

    fn decrypt(&mut self, ciphertext: &[u8]) -> Answer<Vec<u8>> {
        let mut message = Vec::new();
        self.decrypt.decrypt_to_vec(ciphertext, &mut message)?;
        Ok(message)
    }
}
