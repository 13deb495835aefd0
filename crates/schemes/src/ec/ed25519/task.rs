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

use super::sign::sign_all_with;
use super::{
    Ed25519PrivateKey, Ed25519PublicKey, Ed25519Signature, verify_batch_with, verify_each,
    verify_each_zip215,
};
use crate::ec::Error;
use crate::fault::NoFaults;
use carrysave_arith::{Cpu, curve::lanes_from, lanes::LANES};
use carrysave_team::task::{Primitive, Task};
use rand_core::CryptoRng;

/// [`Ed25519PrivateKey::sign`].
impl Primitive for Ed25519PrivateKey {
    type Class = ();
    type Input = Vec<u8>;
    type Output = Result<Ed25519Signature, Error>;

    fn class(&self) {}

    /// Many more than lanes, as they share one inversion.
    const GROUP: usize = 64;

    fn cost(&self) -> u64 {
        // A multiple of the base point, of 43 additions of seven products, and hashes.
        2 * 256_u64.pow(3)
    }

    fn group_from(&self) -> Option<usize> {
        lanes_from(Cpu::native())
    }

    fn group_cost(&self, _: usize, size: usize) -> u64 {
        // Eight in lanes take as long as three alone.
        self.cost() * size as u64 * 3 / 8
    }

    fn run_group<R: CryptoRng + ?Sized>(
        _: &mut R,
        group: &[(&Ed25519PrivateKey, &Vec<u8>)],
    ) -> Vec<Result<Ed25519Signature, Error>> {
        let jobs = group.iter().map(|&(key, message)| (key, &message[..]));
        sign_all_with(&jobs.collect::<Vec<_>>(), &mut NoFaults)
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

/// [`Ed25519PublicKey::verify_zip215`], in groups in lanes, or by [`verify_batch`](super::verify_batch).
impl Primitive for Ed25519PublicKey {
    type Class = ();
    type Input = (Vec<u8>, Ed25519Signature);
    type Output = Result<(), Error>;

    /// The more the better: signatures of a group share one inversion, or their doublings.
    const GROUP: usize = 64;

    fn class(&self) {}

    fn cost(&self) -> u64 {
        // Of 253 doublings with seven products, and 70 additions.
        10 * 256_u64.pow(3)
    }

    fn group_from(&self) -> Option<usize> {
        lanes_from(Cpu::native()).or(Some(4))
    }

    fn group_cost(&self, _: usize, size: usize) -> u64 {
        // With common doublings each takes half of the time, and eight in lanes as long as three alone.
        match lanes_from(Cpu::native()) {
            Some(_) => self.cost() * (size.next_multiple_of(LANES) * 3 / 8) as u64,
            None => self.cost() * size as u64 / 2,
        }
    }

    fn run_group<R: CryptoRng + ?Sized>(
        rng: &mut R,
        group: &[(&Ed25519PublicKey, &(Vec<u8>, Ed25519Signature))],
    ) -> Vec<Result<(), Error>> {
        let all = group.iter();
        let all = all.map(|&(key, (message, signature))| (key, &message[..], signature));
        let all: Vec<_> = all.collect();
        let lanes = lanes_from(Cpu::native()).is_some_and(|least| all.len() >= least);
        if !lanes && all.len() > 1 && verify_batch_with(rng, &all).is_ok() {
            return vec![Ok(()); all.len()];
        }
        verify_each_zip215(&all)
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

/// [`Ed25519PublicKey::verify`], in groups by [`verify_each`]: what verifies in a batch may not verify so.
impl Primitive for WithoutCofactor {
    type Class = ();
    type Input = (Vec<u8>, Ed25519Signature);
    type Output = Result<(), Error>;

    const GROUP: usize = 64;

    fn class(&self) {}

    fn cost(&self) -> u64 {
        self.0.cost()
    }

    fn group_from(&self) -> Option<usize> {
        lanes_from(Cpu::native())
    }

    fn group_cost(&self, _: usize, size: usize) -> u64 {
        // Eight in lanes take as long as two and a half alone.
        self.cost() * (size.next_multiple_of(LANES) * 5 / 16) as u64
    }

    fn run_group<R: CryptoRng + ?Sized>(
        _: &mut R,
        group: &[(&WithoutCofactor, &(Vec<u8>, Ed25519Signature))],
    ) -> Vec<Result<(), Error>> {
        let all = group.iter();
        let all = all.map(|&(key, (message, signature))| (&key.0, &message[..], signature));
        verify_each(&all.collect::<Vec<_>>())
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
