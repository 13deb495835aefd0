//! Ed448 as tasks, which run alone: see [`carrysave_team::task`].
//!
//! ```
//! use carrysave_schemes::ec::{Ed448PrivateKey, ed448::task::{SignEd448, VerifyEd448}};
//! use carrysave_team::task::Task;
//! let rng = &mut rand_core::UnwrapErr(getrandom::SysRng);
//! let key = Ed448PrivateKey::generate_with(rng);
//! let (public, message) = (*key.public(), b"the message".to_vec());
//! let signature = SignEd448 { key, message: message.clone() }.run(rng)?;
//! VerifyEd448 { key: public, message, signature }.run(rng)?;
//! # Ok::<_, carrysave_schemes::ec::Error>(())
//! ```

use super::{Ed448PrivateKey, Ed448PublicKey, Ed448Signature};
use crate::ec::Error;
use carrysave_team::task::{Primitive, Task};
use rand_core::CryptoRng;

/// [`Ed448PrivateKey::sign`].
impl Primitive for Ed448PrivateKey {
    type Class = ();
    type Input = Vec<u8>;
    type Output = Result<Ed448Signature, Error>;

    fn class(&self) {}

    fn cost(&self) -> u64 {
        // Two multiples of the base point, each of 75 additions of eight products.
        3 * 448_u64.pow(3)
    }

    fn run_group<R: CryptoRng + ?Sized>(
        _: &mut R,
        group: &[(&Ed448PrivateKey, &Vec<u8>)],
    ) -> Vec<Result<Ed448Signature, Error>> {
        let jobs = group.iter();
        jobs.map(|(key, message)| key.sign_ctx(message, &[]))
            .collect()
    }
}

/// [`Ed448PrivateKey::sign`]: gives the signature.
#[derive(Clone, Debug)]
pub struct SignEd448 {
    /// The signer's key.
    pub key: Ed448PrivateKey,
    /// The message.
    pub message: Vec<u8>,
}

impl Task for SignEd448 {
    type Primitive = Ed448PrivateKey;
    type Output = Ed448Signature;
    type Error = Error;

    fn primitive(&self) -> &Ed448PrivateKey {
        &self.key
    }

    fn start<R: CryptoRng + ?Sized>(&self, _: &mut R) -> Result<Vec<u8>, Error> {
        Ok(self.message.clone())
    }

    fn finish(&self, signature: Result<Ed448Signature, Error>) -> Result<Ed448Signature, Error> {
        signature
    }
}

/// [`Ed448PublicKey::verify`].
impl Primitive for Ed448PublicKey {
    type Class = ();
    type Input = (Vec<u8>, Ed448Signature);
    type Output = Result<(), Error>;

    fn class(&self) {}

    fn cost(&self) -> u64 {
        // 446 doublings of seven products, and 131 additions of eleven.
        10 * 448_u64.pow(3)
    }

    fn run_group<R: CryptoRng + ?Sized>(
        _: &mut R,
        group: &[(&Ed448PublicKey, &(Vec<u8>, Ed448Signature))],
    ) -> Vec<Result<(), Error>> {
        let jobs = group.iter();
        jobs.map(|(key, (message, signature))| key.verify(message, signature))
            .collect()
    }
}

/// [`Ed448PublicKey::verify`]: succeeds if the signature is valid.
#[derive(Clone, Debug)]
pub struct VerifyEd448 {
    /// The signer's key.
    pub key: Ed448PublicKey,
    /// The message.
    pub message: Vec<u8>,
    /// The signature.
    pub signature: Ed448Signature,
}

impl Task for VerifyEd448 {
    type Primitive = Ed448PublicKey;
    type Output = ();
    type Error = Error;

    fn primitive(&self) -> &Ed448PublicKey {
        &self.key
    }

    fn start<R: CryptoRng + ?Sized>(&self, _: &mut R) -> Result<(Vec<u8>, Ed448Signature), Error> {
        Ok((self.message.clone(), self.signature))
    }

    fn finish(&self, verdict: Result<(), Error>) -> Result<(), Error> {
        verdict
    }
}
