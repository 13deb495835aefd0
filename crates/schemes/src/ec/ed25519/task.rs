//! Ed25519 as tasks: see [`carrysave_team::task`].
//!
//! ```
//! use carrysave_schemes::ec::{Ed25519PrivateKey, ed25519::task::{SignEd25519, VerifyEd25519Zip215}};
//! use carrysave_team::task::Task;
//! let rng = &mut rand_core::UnwrapErr(getrandom::SysRng);
//! let key = Ed25519PrivateKey::generate_with(rng);
//! let (public, message) = (*key.public(), b"the message".to_vec());
//! let signature = SignEd25519 { key, message: message.clone() }.run(rng)?;
//! VerifyEd25519Zip215 { key: public, message, signature }.run(rng)?;
//! # Ok::<_, carrysave_schemes::ec::Error>(())
//! ```

use super::{Ed25519PrivateKey, Ed25519PublicKey, Ed25519Signature, verify_batch_with};
use crate::ec::Error;
use crate::fault::NoFaults;
use carrysave_team::task::{Primitive, Task};
use rand_core::CryptoRng;

/// [`Ed25519PrivateKey::sign`].
impl Primitive for Ed25519PrivateKey {
    type Class = ();
    type Input = Vec<u8>;
    type Output = Result<Ed25519Signature, Error>;

    fn class(&self) {}

    fn cost(&self) -> u64 {
        // Two multiples of the base point, of 43 additions of eight products.
        3 * 256_u64.pow(3)
    }

    fn run_group<R: CryptoRng + ?Sized>(
        _: &mut R,
        group: &[(&Ed25519PrivateKey, &Vec<u8>)],
    ) -> Vec<Result<Ed25519Signature, Error>> {
        let sign =
            |(key, message): &(&Ed25519PrivateKey, &Vec<u8>)| key.sign_with(message, &mut NoFaults);
        group.iter().map(sign).collect()
    }
}

/// [`Ed25519PrivateKey::sign`]: gives the signature.
#[derive(Clone, Debug)]
pub struct SignEd25519 {
    /// The signer's key.
    pub key: Ed25519PrivateKey,
    /// The message.
    pub message: Vec<u8>,
}

impl Task for SignEd25519 {
    type Primitive = Ed25519PrivateKey;
    type Output = Ed25519Signature;
    type Error = Error;

    fn primitive(&self) -> &Ed25519PrivateKey {
        &self.key
    }

    fn start<R: CryptoRng + ?Sized>(&self, _: &mut R) -> Result<Vec<u8>, Error> {
        Ok(self.message.clone())
    }

    fn finish(
        &self,
        signature: Result<Ed25519Signature, Error>,
    ) -> Result<Ed25519Signature, Error> {
        signature
    }
}

/// [`Ed25519PublicKey::verify_zip215`], in groups by [`verify_batch`](super::verify_batch).
impl Primitive for Ed25519PublicKey {
    type Class = ();
    type Input = (Vec<u8>, Ed25519Signature);
    type Output = Result<(), Error>;

    /// As the doublings are common, the more the better.
    const GROUP: usize = 64;

    fn class(&self) {}

    fn cost(&self) -> u64 {
        // Of 253 doublings with seven products, and 70 additions.
        10 * 256_u64.pow(3)
    }

    fn group_from(&self) -> Option<usize> {
        Some(4)
    }

    fn group_cost(&self, _: usize, size: usize) -> u64 {
        // In a group each takes half of the time.
        self.cost() * size as u64 / 2
    }

    fn run_group<R: CryptoRng + ?Sized>(
        rng: &mut R,
        group: &[(&Ed25519PublicKey, &(Vec<u8>, Ed25519Signature))],
    ) -> Vec<Result<(), Error>> {
        let all = group.iter();
        let all = all.map(|&(key, (message, signature))| (key, &message[..], signature));
        let all: Vec<_> = all.collect();
        if all.len() > 1 && verify_batch_with(rng, &all).is_ok() {
            return vec![Ok(()); all.len()];
        }
        let each = all.iter();
        each.map(|(key, message, signature)| key.verify_zip215(message, signature))
            .collect()
    }
}

/// [`Ed25519PublicKey::verify_zip215`]: succeeds if the signature is valid by the rules of ZIP 215.
#[derive(Clone, Debug)]
pub struct VerifyEd25519Zip215 {
    /// The signer's key.
    pub key: Ed25519PublicKey,
    /// The message.
    pub message: Vec<u8>,
    /// The signature.
    pub signature: Ed25519Signature,
}

impl Task for VerifyEd25519Zip215 {
    type Primitive = Ed25519PublicKey;
    type Output = ();
    type Error = Error;

    fn primitive(&self) -> &Ed25519PublicKey {
        &self.key
    }

    fn start<R: CryptoRng + ?Sized>(
        &self,
        _: &mut R,
    ) -> Result<(Vec<u8>, Ed25519Signature), Error> {
        Ok((self.message.clone(), self.signature))
    }

    fn finish(&self, verdict: Result<(), Error>) -> Result<(), Error> {
        verdict
    }
}

/// A public key as the primitive of [`VerifyEd25519`].
#[derive(Clone, Copy, Debug)]
pub struct WithoutCofactor(pub Ed25519PublicKey);

/// [`Ed25519PublicKey::verify`], one by one: what verifies in a batch may not verify so.
impl Primitive for WithoutCofactor {
    type Class = ();
    type Input = (Vec<u8>, Ed25519Signature);
    type Output = Result<(), Error>;

    fn class(&self) {}

    fn cost(&self) -> u64 {
        self.0.cost()
    }

    fn run_group<R: CryptoRng + ?Sized>(
        _: &mut R,
        group: &[(&WithoutCofactor, &(Vec<u8>, Ed25519Signature))],
    ) -> Vec<Result<(), Error>> {
        let each = group.iter();
        each.map(|(key, (message, signature))| key.0.verify(message, signature))
            .collect()
    }
}

/// [`Ed25519PublicKey::verify`]: succeeds if the signature is valid by the rules of most programs.
#[derive(Clone, Debug)]
pub struct VerifyEd25519 {
    /// The signer's key.
    pub key: WithoutCofactor,
    /// The message.
    pub message: Vec<u8>,
    /// The signature.
    pub signature: Ed25519Signature,
}

impl Task for VerifyEd25519 {
    type Primitive = WithoutCofactor;
    type Output = ();
    type Error = Error;

    fn primitive(&self) -> &WithoutCofactor {
        &self.key
    }

    fn start<R: CryptoRng + ?Sized>(
        &self,
        _: &mut R,
    ) -> Result<(Vec<u8>, Ed25519Signature), Error> {
        Ok((self.message.clone(), self.signature))
    }

    fn finish(&self, verdict: Result<(), Error>) -> Result<(), Error> {
        verdict
    }
}
