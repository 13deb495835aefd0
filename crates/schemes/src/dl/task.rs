//! Diffie-Hellman and DSA as tasks: see [`carrysave_team::task`]. The primitive of an agreement is a power; signatures
//! and verifications have their own primitives.
//!
//! ```
//! use carrysave_schemes::dl::{Named, PrivateKey, task::DhAgree};
//! use carrysave_team::task::Task;
//! let rng = &mut rand_core::UnwrapErr(getrandom::SysRng);
//! let group = Named::Ffdhe2048.group();
//! let (alice, bob) = (PrivateKey::generate_with(&group, rng), PrivateKey::generate_with(&group, rng));
//! let agree = DhAgree { key: alice.clone(), public: bob.public().clone() };
//! assert_eq!(agree.run(rng), bob.agree(alice.public()));
//! ```

use super::batch::{self, DlClass};
use super::dsa::{check_digest, refuse_sha1};
use super::{Error, PrivateKey, PublicKey, Signature};
use crate::hash::Hash;
use carrysave_arith::{Limb, Nat, task::Exponentiation};
use carrysave_team::task::{Primitive, Task};
use rand_core::CryptoRng;
use zeroize::Zeroizing;

/// [`PrivateKey::agree`]: gives the shared secret.
#[derive(Clone, Debug)]
pub struct DhAgree {
    /// One's own key.
    pub key: PrivateKey,
    /// The other's key.
    pub public: PublicKey,
}

impl Task for DhAgree {
    type Primitive = Exponentiation;
    type Output = Zeroizing<Vec<u8>>;
    type Error = Error;

    fn primitive(&self) -> &Exponentiation {
        self.key.exponentiation()
    }

    fn start<R: CryptoRng + ?Sized>(&self, _: &mut R) -> Result<Nat, Error> {
        self.key.agree_start(&self.public).cloned()
    }

    fn finish(&self, z: Nat) -> Result<Zeroizing<Vec<u8>>, Error> {
        self.key.agree_finish(&z)
    }
}

/// A digest of its hash's length.
#[derive(Clone, Debug)]
pub struct Digest {
    hash: Hash,
    octets: Vec<u8>,
}

impl Digest {
    fn new(hash: Hash, octets: &[u8]) -> Result<Digest, Error> {
        check_digest(hash, octets)?;
        let octets = octets.to_vec();
        Ok(Digest { hash, octets })
    }
}

/// [`PrivateKey::dsa_sign`].
impl Primitive for PrivateKey {
    type Class = DlClass;
    type Input = Digest;
    type Output = Result<Signature, Error>;

    fn class(&self) -> DlClass {
        DlClass::of(self.public())
    }

    fn cost(&self) -> u64 {
        // A power and its check.
        cost(self.public(), 2 * self.group().order().bits())
    }

    fn group_from(&self) -> Option<usize> {
        self.public().lanes_from()
    }

    fn run_group<R: CryptoRng + ?Sized>(
        _: &mut R,
        group: &[(&PrivateKey, &Digest)],
    ) -> Vec<Result<Signature, Error>> {
        let signs = group.iter();
        let signs = signs.map(|&(key, digest)| (key, digest.hash, &digest.octets[..]));
        batch::dsa_sign(&signs.collect::<Vec<_>>())
    }
}

/// [`PrivateKey::dsa_sign`]: gives the signature, as DER.
#[derive(Clone, Debug)]
pub struct SignDsa {
    /// The signer's key.
    pub key: PrivateKey,
    /// The hash that made the digest.
    pub hash: Hash,
    /// The digest of the message.
    pub digest: Vec<u8>,
}

impl Task for SignDsa {
    type Primitive = PrivateKey;
    type Output = Vec<u8>;
    type Error = Error;

    fn primitive(&self) -> &PrivateKey {
        &self.key
    }

    fn start<R: CryptoRng + ?Sized>(&self, _: &mut R) -> Result<Digest, Error> {
        refuse_sha1(self.hash)?;
        Digest::new(self.hash, &self.digest)
    }

    fn finish(&self, signature: Result<Signature, Error>) -> Result<Vec<u8>, Error> {
        Ok(signature?.to_der())
    }
}

/// [`PublicKey::dsa_verify`].
impl Primitive for PublicKey {
    /// With the lowest limb of y if there are no lanes for several keys.
    type Class = (DlClass, Option<Limb>);
    type Input = (Digest, Signature);
    type Output = Result<(), Error>;

    fn class(&self) -> (DlClass, Option<Limb>) {
        let lone = self.lanes_from().is_none().then(|| self.y().limbs()[0]);
        (DlClass::of(self), lone)
    }

    fn cost(&self) -> u64 {
        cost(self, 3 * self.group().order().bits() / 2)
    }

    fn group_from(&self) -> Option<usize> {
        self.verifications_from()
    }

    fn group_cost(&self, from: usize, size: usize) -> u64 {
        // Without lanes a group serves to make tables, and its verifications run one after the other.
        let times = if self.lanes_from().is_some() {
            from
        } else {
            size
        };
        self.cost().saturating_mul(times as u64)
    }

    fn run_group<R: CryptoRng + ?Sized>(
        _: &mut R,
        group: &[(&PublicKey, &(Digest, Signature))],
    ) -> Vec<Result<(), Error>> {
        let checks = group.iter().map(|&(key, (digest, signature))| {
            let octets: &[u8] = &digest.octets;
            (key, digest.hash, octets, signature)
        });
        batch::dsa_verify(&checks.collect::<Vec<_>>())
    }
}

/// [`PublicKey::dsa_verify`]: succeeds if the signature is valid for the key and digest.
#[derive(Clone, Debug)]
pub struct VerifyDsa {
    /// The signer's key.
    pub key: PublicKey,
    /// The hash that made the digest.
    pub hash: Hash,
    /// The digest of the message.
    pub digest: Vec<u8>,
    /// The signature, as DER.
    pub signature: Vec<u8>,
}

impl Task for VerifyDsa {
    type Primitive = PublicKey;
    type Output = ();
    type Error = Error;

    fn primitive(&self) -> &PublicKey {
        &self.key
    }

    fn start<R: CryptoRng + ?Sized>(&self, _: &mut R) -> Result<(Digest, Signature), Error> {
        let signature = Signature::from_der(&self.signature)?;
        Ok((Digest::new(self.hash, &self.digest)?, signature))
    }

    fn finish(&self, verdict: Result<(), Error>) -> Result<(), Error> {
        verdict
    }
}

fn cost(key: &PublicKey, exponent_bits: usize) -> u64 {
    let bits = key.group().bits() as u64;
    bits.pow(2).saturating_mul(exponent_bits as u64)
}
