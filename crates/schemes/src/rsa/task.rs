//! The operations of RSA as tasks: see [`carrysave_team::task`]. All private ones share one primitive, and all public
//! ones another.
//!
//! ```
//! use carrysave_schemes::hash::Hash;
//! use carrysave_schemes::rsa::{KeygenOptions, PrivateKey, task::SignPkcs1v15};
//! use carrysave_team::task::Task;
//! let rng = || rand_core::UnwrapErr(getrandom::SysRng);
//! # let options = KeygenOptions { allow_small: true, ..Default::default() };
//! # let key = PrivateKey::generate_with(rng, 1024, &options, &|_| ()).unwrap();
//! let (hash, digest) = (Hash::Sha256, Hash::Sha256.digest(b"a message"));
//! let sign = SignPkcs1v15 { key: key.clone(), hash, digest: digest.clone() };
//! assert_eq!(sign.run(&mut rng()), key.rsassa_pkcs1_v1_5_sign(&mut rng(), hash, &digest));
//! ```

use super::batch::{self, RsaClass};
use super::{Error, PrivateKey, PublicKey};
use crate::hash::Hash;
use carrysave_arith::{Limb, Nat};
use carrysave_team::{
    Team,
    task::{Primitive, Task},
};
use rand_core::CryptoRng;
use zeroize::Zeroizing;

/// [`PrivateKey::rsadp`], which is also [`PrivateKey::rsasp1`].
impl Primitive for PrivateKey {
    type Class = RsaClass;
    type Input = Nat;
    type Output = Result<Nat, Error>;

    fn class(&self) -> RsaClass {
        RsaClass::of_private(self)
    }

    fn cost(&self) -> u64 {
        // By the Chinese remainder theorem: two powers of half the length with exponents of half the length.
        cost(self.bits(), self.bits() / 4)
    }

    fn group_from(&self) -> Option<usize> {
        self.lanes_from()
    }

    fn run_group<R: CryptoRng + ?Sized>(
        rng: &mut R,
        group: &[(&PrivateKey, &Nat)],
    ) -> Vec<Result<Nat, Error>> {
        batch::rsasp1(rng, group)
    }

    fn run_on<R: CryptoRng + ?Sized>(
        &self,
        team: &dyn Team,
        rng: &mut R,
        x: &Nat,
    ) -> Result<Nat, Error> {
        self.rsadp_on(team, rng, x)
    }
}

/// [`PublicKey::rsaep`], which is also [`PublicKey::rsavp1`].
impl Primitive for PublicKey {
    /// With the lowest limb of the exponent.
    type Class = (RsaClass, Limb);
    type Input = Nat;
    type Output = Result<Nat, Error>;

    fn class(&self) -> (RsaClass, Limb) {
        (RsaClass::of_public(self), self.e().limbs()[0])
    }

    fn cost(&self) -> u64 {
        cost(self.bits(), self.e().bits())
    }

    fn group_from(&self) -> Option<usize> {
        self.lanes_from()
    }

    fn run_group<R: CryptoRng + ?Sized>(
        _: &mut R,
        group: &[(&PublicKey, &Nat)],
    ) -> Vec<Result<Nat, Error>> {
        batch::rsavp1(group)
    }
}

fn cost(bits: usize, exponent_bits: usize) -> u64 {
    (bits as u64).pow(2).saturating_mul(exponent_bits as u64)
}

/// [`PrivateKey::rsassa_pss_sign`]: gives the signature.
#[derive(Clone, Debug)]
pub struct SignPss {
    /// The signer's key.
    pub key: PrivateKey,
    /// The hash that made the digest.
    pub hash: Hash,
    /// The hash of MGF1.
    pub mgf: Hash,
    /// The length of the salt in bytes.
    pub salt_len: usize,
    /// The digest of the message.
    pub digest: Vec<u8>,
}

impl Task for SignPss {
    type Primitive = PrivateKey;
    type Output = Vec<u8>;
    type Error = Error;

    fn primitive(&self) -> &PrivateKey {
        &self.key
    }

    fn start<R: CryptoRng + ?Sized>(&self, rng: &mut R) -> Result<Nat, Error> {
        self.key
            .rsassa_pss_sign_start(rng, self.hash, self.mgf, self.salt_len, &self.digest)
    }

    fn finish(&self, s: Result<Nat, Error>) -> Result<Vec<u8>, Error> {
        self.key.rsassa_sign_finish(&s?)
    }
}

/// [`PrivateKey::rsassa_pkcs1_v1_5_sign`]: gives the signature.
#[derive(Clone, Debug)]
pub struct SignPkcs1v15 {
    /// The signer's key.
    pub key: PrivateKey,
    /// The hash that made the digest.
    pub hash: Hash,
    /// The digest of the message.
    pub digest: Vec<u8>,
}

impl Task for SignPkcs1v15 {
    type Primitive = PrivateKey;
    type Output = Vec<u8>;
    type Error = Error;

    fn primitive(&self) -> &PrivateKey {
        &self.key
    }

    fn start<R: CryptoRng + ?Sized>(&self, _: &mut R) -> Result<Nat, Error> {
        self.key
            .rsassa_pkcs1_v1_5_sign_start(self.hash, &self.digest)
    }

    fn finish(&self, s: Result<Nat, Error>) -> Result<Vec<u8>, Error> {
        self.key.rsassa_sign_finish(&s?)
    }
}

/// [`PrivateKey::rsaes_oaep_decrypt`]: gives the plaintext.
#[derive(Clone, Debug)]
pub struct DecryptOaep {
    /// The receiver's key.
    pub key: PrivateKey,
    /// The hash of the label.
    pub hash: Hash,
    /// The hash of MGF1.
    pub mgf: Hash,
    /// The label that the ciphertext is bound to.
    pub label: Vec<u8>,
    /// The ciphertext, as long as the modulus.
    pub ciphertext: Vec<u8>,
}

impl Task for DecryptOaep {
    type Primitive = PrivateKey;
    type Output = Zeroizing<Vec<u8>>;
    type Error = Error;

    fn primitive(&self) -> &PrivateKey {
        &self.key
    }

    fn start<R: CryptoRng + ?Sized>(&self, _: &mut R) -> Result<Nat, Error> {
        self.key.rsaes_decrypt_start(&self.ciphertext)
    }

    fn finish(&self, m: Result<Nat, Error>) -> Result<Zeroizing<Vec<u8>>, Error> {
        self.key
            .rsaes_oaep_decrypt_finish(self.hash, self.mgf, &self.label, &m?)
    }
}

/// [`PrivateKey::rsaes_pkcs1_v1_5_decrypt`], with implicit rejection: gives the plaintext.
#[derive(Clone, Debug)]
pub struct DecryptPkcs1v15 {
    /// The receiver's key.
    pub key: PrivateKey,
    /// The ciphertext, as long as the modulus.
    pub ciphertext: Vec<u8>,
}

impl Task for DecryptPkcs1v15 {
    type Primitive = PrivateKey;
    type Output = Zeroizing<Vec<u8>>;
    type Error = Error;

    fn primitive(&self) -> &PrivateKey {
        &self.key
    }

    fn start<R: CryptoRng + ?Sized>(&self, _: &mut R) -> Result<Nat, Error> {
        self.key.rsaes_decrypt_start(&self.ciphertext)
    }

    fn finish(&self, m: Result<Nat, Error>) -> Result<Zeroizing<Vec<u8>>, Error> {
        self.key
            .rsaes_pkcs1_v1_5_decrypt_finish(&self.ciphertext, &m?)
    }
}

/// [`PrivateKey::rsadp`], which is also [`PrivateKey::rsasp1`]: gives a number, without any padding.
#[derive(Clone, Debug)]
pub struct RawPrivate {
    /// The key whose private exponent is used.
    pub key: PrivateKey,
    /// A number below the modulus.
    pub x: Nat,
}

impl Task for RawPrivate {
    type Primitive = PrivateKey;
    type Output = Nat;
    type Error = Error;

    fn primitive(&self) -> &PrivateKey {
        &self.key
    }

    fn start<R: CryptoRng + ?Sized>(&self, _: &mut R) -> Result<Nat, Error> {
        Ok(self.x.clone())
    }

    fn finish(&self, y: Result<Nat, Error>) -> Result<Nat, Error> {
        y
    }
}

/// [`PublicKey::rsassa_pss_verify`]: succeeds if the signature is valid for the key and digest.
#[derive(Clone, Debug)]
pub struct VerifyPss {
    /// The signer's key.
    pub key: PublicKey,
    /// The hash that made the digest.
    pub hash: Hash,
    /// The hash of MGF1.
    pub mgf: Hash,
    /// The length that the salt must have; `None` accepts any.
    pub salt_len: Option<usize>,
    /// The digest of the message.
    pub digest: Vec<u8>,
    /// The signature, as long as the modulus.
    pub signature: Vec<u8>,
}

impl Task for VerifyPss {
    type Primitive = PublicKey;
    type Output = ();
    type Error = Error;

    fn primitive(&self) -> &PublicKey {
        &self.key
    }

    fn start<R: CryptoRng + ?Sized>(&self, _: &mut R) -> Result<Nat, Error> {
        self.key
            .rsassa_pss_verify_start(self.hash, &self.digest, &self.signature)
    }

    fn finish(&self, m: Result<Nat, Error>) -> Result<(), Error> {
        self.key
            .rsassa_pss_verify_finish(self.hash, self.mgf, self.salt_len, &self.digest, &m?)
    }
}

/// [`PublicKey::rsassa_pkcs1_v1_5_verify`]: succeeds if the signature is valid for the key and digest.
#[derive(Clone, Debug)]
pub struct VerifyPkcs1v15 {
    /// The signer's key.
    pub key: PublicKey,
    /// The hash that made the digest.
    pub hash: Hash,
    /// The digest of the message.
    pub digest: Vec<u8>,
    /// The signature, as long as the modulus.
    pub signature: Vec<u8>,
}

impl Task for VerifyPkcs1v15 {
    type Primitive = PublicKey;
    type Output = ();
    type Error = Error;

    fn primitive(&self) -> &PublicKey {
        &self.key
    }

    fn start<R: CryptoRng + ?Sized>(&self, _: &mut R) -> Result<Nat, Error> {
        self.key
            .rsassa_pkcs1_v1_5_verify_start(self.hash, &self.digest, &self.signature)
    }

    fn finish(&self, m: Result<Nat, Error>) -> Result<(), Error> {
        self.key
            .rsassa_pkcs1_v1_5_verify_finish(self.hash, &self.digest, &m?)
    }
}

/// [`PublicKey::rsaes_oaep_encrypt`]: gives the ciphertext.
#[derive(Clone, Debug)]
pub struct EncryptOaep {
    /// The receiver's key.
    pub key: PublicKey,
    /// The hash of the label.
    pub hash: Hash,
    /// The hash of MGF1.
    pub mgf: Hash,
    /// The label that the ciphertext is bound to.
    pub label: Vec<u8>,
    /// The plaintext, at least two digests of `hash` and 2 bytes shorter than the modulus.
    pub message: Zeroizing<Vec<u8>>,
}

impl Task for EncryptOaep {
    type Primitive = PublicKey;
    type Output = Vec<u8>;
    type Error = Error;

    fn primitive(&self) -> &PublicKey {
        &self.key
    }

    fn start<R: CryptoRng + ?Sized>(&self, rng: &mut R) -> Result<Nat, Error> {
        self.key
            .rsaes_oaep_encrypt_start(rng, self.hash, self.mgf, &self.label, &self.message)
    }

    fn finish(&self, c: Result<Nat, Error>) -> Result<Vec<u8>, Error> {
        self.key.i2osp(&c?)
    }
}

/// [`PublicKey::rsaes_pkcs1_v1_5_encrypt`]: gives the ciphertext.
#[derive(Clone, Debug)]
pub struct EncryptPkcs1v15 {
    /// The receiver's key.
    pub key: PublicKey,
    /// The plaintext, at least 11 bytes shorter than the modulus.
    pub message: Zeroizing<Vec<u8>>,
}

impl Task for EncryptPkcs1v15 {
    type Primitive = PublicKey;
    type Output = Vec<u8>;
    type Error = Error;

    fn primitive(&self) -> &PublicKey {
        &self.key
    }

    fn start<R: CryptoRng + ?Sized>(&self, rng: &mut R) -> Result<Nat, Error> {
        self.key.rsaes_pkcs1_v1_5_encrypt_start(rng, &self.message)
    }

    fn finish(&self, c: Result<Nat, Error>) -> Result<Vec<u8>, Error> {
        self.key.i2osp(&c?)
    }
}

/// [`PublicKey::rsaep`], which is also [`PublicKey::rsavp1`]: gives a number, without any padding.
#[derive(Clone, Debug)]
pub struct RawPublic {
    /// The key whose public exponent is used.
    pub key: PublicKey,
    /// A number below the modulus.
    pub x: Nat,
}

impl Task for RawPublic {
    type Primitive = PublicKey;
    type Output = Nat;
    type Error = Error;

    fn primitive(&self) -> &PublicKey {
        &self.key
    }

    fn start<R: CryptoRng + ?Sized>(&self, _: &mut R) -> Result<Nat, Error> {
        Ok(self.x.clone())
    }

    fn finish(&self, y: Result<Nat, Error>) -> Result<Nat, Error> {
        y
    }
}
