//! carrysave itself: the single operations of the schemes, with blinding and with the check before release.

use super::{
    Answer, Bulk, Cipher, Mode, Numbers, Operation, Refusal, Rival, RsaKey, Work,
    agreement::{Agreement, Exchange},
    arithmetic, hashing, in_place, padded,
    signing::{Signer, Signing},
};
use carrysave_arith::{
    Barrett, Limb, Modulus, Nat,
    curve::{
        BaseTable, Curve, Edwards448Table, Edwards25519Table, P256, P384, P521, Point, Secp256k1,
        x448, x25519,
    },
    field::Fe,
};
use carrysave_kernels::Cpu;
use carrysave_schemes::{
    ec::{
        self, Ed448PrivateKey, Ed448Signature, Ed25519PrivateKey, Ed25519Signature, Named, ecdsa,
    },
    hash::Hash,
    rsa::{KeygenOptions, PrivateKey},
};
use carrysave_symmetric::{
    aes::Aes,
    skein::{Parameters, Skein, Tree},
    threefish::{Threefish, Version},
};
use getrandom::{SysRng, rand_core::UnwrapErr};

/// Loads a private key that signs on an Edwards curve.
macro_rules! edwards {
    ($PrivateKey:ident, $Signature:ident, $pkcs8:ident) => {{
        let key = $PrivateKey::from_pkcs8_der($pkcs8).map_err(Refusal::failed)?;
        let public = *key.public();
        Signer::new(
            move |message| key.sign(message).into(),
            move |message, signature| {
                let signature = $Signature::try_from(signature);
                signature.is_ok_and(|signature| public.verify(message, &signature).is_ok())
            },
        )
    }};
}

pub(super) const RIVAL: Rival = Rival {
    rsa: Some(|cpu, pkcs8| {
        let key = PrivateKey::from_pkcs8_der(pkcs8).map_err(Refusal::failed)?;
        Ok(Box::new(Key(key.with_cpu(cpu))))
    }),
    keygen: Some(|bits, threads| {
        let options = KeygenOptions {
            threads,
            allow_small: true,
            ..KeygenOptions::default()
        };
        let key = PrivateKey::generate_with(|| UnwrapErr(SysRng), bits, &options, &|_| ())
            .map_err(|error| Refusal::Failed(error.to_string()))?;
        Ok(key.to_pkcs8_der().to_vec())
    }),
    agreement: Some(|cpu, exchange, private| match exchange {
        Exchange::P256 => agreement::<P256>(cpu, private),
        Exchange::P384 => agreement::<P384>(cpu, private),
        Exchange::P521 => agreement::<P521>(cpu, private),
        Exchange::Secp256k1 => agreement::<Secp256k1>(cpu, private),
        Exchange::X25519 => {
            let k: [u8; 32] = private.try_into().map_err(Refusal::failed)?;
            let table = Edwards25519Table::new(cpu);
            Agreement::new(
                move || table.x25519_public(&k).to_vec(),
                move |peer| {
                    let peer = peer.try_into();
                    peer.map_or(vec![], |peer| x25519(cpu, &k, peer).to_vec())
                },
            )
        }
        Exchange::X448 => {
            let k: [u8; 56] = private.try_into().map_err(Refusal::failed)?;
            let table = Edwards448Table::new(cpu);
            Agreement::new(
                move || table.x448_public(&k).to_vec(),
                move |peer| {
                    let peer = peer.try_into();
                    peer.map_or(vec![], |peer| x448(&k, peer).to_vec())
                },
            )
        }
    }),
    signing: Some(|signing, pkcs8| match signing {
        Signing::Ed25519 => edwards!(Ed25519PrivateKey, Ed25519Signature, pkcs8),
        Signing::Ed448 => edwards!(Ed448PrivateKey, Ed448Signature, pkcs8),
        Signing::P256 => signer::<P256>(pkcs8),
        Signing::P384 => signer::<P384>(pkcs8),
        Signing::P521 => signer::<P521>(pkcs8),
        Signing::Secp256k1 => signer::<Secp256k1>(pkcs8),
    }),
    modexp: Some(|cpu, power| {
        let modulus = Modulus::with_cpu(&Nat::from_be_bytes(&power.modulus), cpu)
            .ok_or(Refusal::NotOffered)?;
        let (base, exponent) = (
            Nat::from_be_bytes(&power.base),
            Nat::from_be_bytes(&power.exponent),
        );
        let len = power.modulus.len();
        Ok(Box::new(move || {
            padded(&modulus.pow(&base, &exponent).to_be_bytes_vartime(), len)
        }))
    }),
    arithmetic: Some(|operation, numbers| {
        let Numbers {
            a,
            b,
            n,
            wide,
            decimal,
        } = numbers;
        let [a, b, n, wide] = [a, b, n, wide].map(|bytes| Nat::from_be_bytes(bytes));
        let decimal = decimal.clone();
        Ok(match operation {
            Operation::Mul => arithmetic(move || a.mul(&b), write),
            Operation::Sqr => arithmetic(move || a.sqr(), write),
            Operation::DivRem => arithmetic(
                move || wide.div_rem_vartime(&n),
                |(q, r)| vec![q.to_be_bytes_vartime(), r.to_be_bytes_vartime()],
            ),
            Operation::MulMod => {
                let n = Barrett::new(&n).ok_or(Refusal::NotOffered)?;
                arithmetic(move || n.mul(&a, &b), write)
            }
            Operation::ToDecimal => arithmetic(
                move || a.to_decimal_vartime(),
                |text| vec![text.clone().into_bytes()],
            ),
            Operation::FromDecimal => arithmetic(
                move || Nat::from_decimal(&decimal).expect("decimal digits"),
                write,
            ),
        })
    }),
    bulk: Some(|cpu, bulk| match bulk {
        Bulk::Cipher(cipher @ Cipher::Aes(_), mode) => {
            let aes = Aes::with_cpu(cpu, &cipher.key()).ok_or(Refusal::NotOffered)?;
            match mode {
                Mode::Ecb => in_place(move |data| aes.ecb_encrypt(data)),
                Mode::EcbDecrypt => in_place(move |data| aes.ecb_decrypt(data)),
                Mode::Ctr => in_place(move |data| aes.apply_ctr(&[0; 16], 128, 0, data)),
                Mode::Cbc => in_place(move |data| aes.cbc_encrypt(&[0; 16], data)),
                Mode::CbcDecrypt => in_place(move |data| aes.cbc_decrypt(&[0; 16], data)),
            }
        }
        Bulk::Cipher(cipher, mode) => match cipher.key().len() {
            32 => threefish::<4>(cpu, &cipher.key(), mode),
            64 => threefish::<8>(cpu, &cipher.key(), mode),
            _ => threefish::<16>(cpu, &cipher.key(), mode),
        },
        Bulk::Skein(256) => skein::<4>(cpu, None),
        Bulk::Skein(512) => skein::<8>(cpu, None),
        Bulk::Skein(_) => skein::<16>(cpu, None),
        Bulk::SkeinTree(256) => skein::<4>(cpu, Some(Tree::default())),
        Bulk::SkeinTree(512) => skein::<8>(cpu, Some(Tree::default())),
        Bulk::SkeinTree(_) => skein::<16>(cpu, Some(Tree::default())),
        Bulk::Sha256 | Bulk::Blake3 => Err(Refusal::NotOffered),
    }),
    ..Rival::new("carrysave", version)
};

fn threefish<const W: usize>(cpu: Cpu, key: &[u8], mode: Mode) -> Answer<Work> {
    let cipher = Threefish::<W>::with_version(cpu, Version::V1_3, key);
    let zero = [0; 2];
    match mode {
        Mode::Ecb => in_place(move |data| cipher.encrypt(zero, data)),
        Mode::EcbDecrypt => in_place(move |data| cipher.decrypt(zero, data)),
        Mode::Ctr => in_place(move |data| cipher.apply_ctr(zero, [0; W], 0, data)),
        Mode::Cbc => in_place(move |data| cipher.cbc_encrypt(zero, &vec![0; 8 * W], data)),
        Mode::CbcDecrypt => in_place(move |data| cipher.cbc_decrypt(zero, &vec![0; 8 * W], data)),
    }
}

fn skein<const W: usize>(cpu: Cpu, tree: Option<Tree>) -> Answer<Work> {
    let mut parameters = Parameters::new(8 * W as u64).cpu(cpu);
    if let Some(tree) = tree {
        parameters = parameters.tree(tree);
    }
    hashing(move |data| {
        let mut hash = Skein::<W>::new(&parameters);
        hash.update(data);
        let mut out = vec![0; 8 * W];
        hash.finalize().read(&mut out);
        out
    })
}

/// Multiplication modulo n into Montgomery form and out of it, for secrets and odd n.
pub(super) const MONTGOMERY: Rival = Rival {
    arithmetic: Some(|operation, Numbers { a, b, n, .. }| {
        let [a, b, n] = [a, b, n].map(|bytes| Nat::from_be_bytes(bytes));
        let n = Modulus::new(&n).filter(|_| operation == Operation::MulMod);
        let n = n.ok_or(Refusal::NotOffered)?;
        Ok(arithmetic(move || n.mul(&a, &b), write))
    }),
    ..Rival::new("carrysave/montgomery", version)
};

fn version() -> String {
    concat!("carrysave ", env!("CARGO_PKG_VERSION")).to_owned()
}

fn write(number: &Nat) -> Vec<Vec<u8>> {
    vec![number.to_be_bytes_vartime()]
}

struct Key(PrivateKey);

impl RsaKey for Key {
    fn sign(&mut self, message: &[u8]) -> Answer<Vec<u8>> {
        let digest = Hash::Sha256.digest(message);
        self.0
            .rsassa_pkcs1_v1_5_sign(&mut UnwrapErr(SysRng), Hash::Sha256, &digest)
            .map_err(Refusal::failed)
    }

    fn verify(&mut self, message: &[u8], signature: &[u8]) -> Answer<()> {
        let digest = Hash::Sha256.digest(message);
        self.0
            .public()
            .rsassa_pkcs1_v1_5_verify(Hash::Sha256, &digest, signature)
            .map_err(Refusal::failed)
    }

    fn sign_pss(&mut self, message: &[u8]) -> Answer<Vec<u8>> {
        let (hash, digest) = (Hash::Sha256, Hash::Sha256.digest(message));
        self.0
            .rsassa_pss_sign(&mut UnwrapErr(SysRng), hash, hash, hash.len(), &digest)
            .map_err(Refusal::failed)
    }

    fn verify_pss(&mut self, message: &[u8], signature: &[u8]) -> Answer<()> {
        let (hash, digest) = (Hash::Sha256, Hash::Sha256.digest(message));
        self.0
            .public()
            .rsassa_pss_verify(hash, hash, Some(hash.len()), &digest, signature)
            .map_err(Refusal::failed)
    }

    fn encrypt(&mut self, message: &[u8]) -> Answer<Vec<u8>> {
        self.0
            .public()
            .rsaes_oaep_encrypt(
                &mut UnwrapErr(SysRng),
                Hash::Sha256,
                Hash::Sha256,
                b"",
                message,
            )
            .map_err(Refusal::failed)
    }

    fn decrypt(&mut self, ciphertext: &[u8]) -> Answer<Vec<u8>> {
        self.0
            .rsaes_oaep_decrypt(
                &mut UnwrapErr(SysRng),
                Hash::Sha256,
                Hash::Sha256,
                b"",
                ciphertext,
            )
            .map(|message| message.to_vec())
            .map_err(Refusal::failed)
    }
}

fn signer<C: Named>(pkcs8: &[u8]) -> Answer<Signer> {
    let key = ec::PrivateKey::<C>::from_pkcs8_der(pkcs8).map_err(Refusal::failed)?;
    let key = ecdsa::SigningKey::new(key, C::HASH);
    let public = key.verifying_key();
    Signer::new(
        move |message| key.sign(message).to_der(),
        move |message, signature| {
            let signature = ecdsa::Signature::from_der(signature);
            signature.is_ok_and(|signature| public.verify(message, &signature).is_ok())
        },
    )
}

/// A key of a curve, on the instructions that it may use; the key of the schemes uses all.
fn agreement<C: Curve>(cpu: Cpu, private: &[u8]) -> Answer<Agreement> {
    let d = Fe::<C::Scalar>::from_be_bytes(private).ok_or(Refusal::NotOffered)?;
    let limb = |chunk: &[u8]| {
        chunk
            .iter()
            .fold(0, |limb, &byte| limb << 8 | Limb::from(byte))
    };
    let scalar: Vec<Limb> = private.rchunks(8).map(limb).collect();
    let table = BaseTable::<C>::new(cpu);
    Agreement::new(
        move || table.mul(&d).to_sec1().unwrap_or_default(),
        move |peer| {
            let shared = Point::<C>::from_sec1_vartime(peer).map(|peer| peer.mul(cpu, &scalar));
            let affine = shared.and_then(|shared| shared.to_affine());
            affine.map_or(vec![], |(x, _)| x.to_be_bytes().as_ref().to_vec())
        },
    )
}
