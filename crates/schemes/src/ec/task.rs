//! Key generation, key agreement and ECDSA on elliptic curves as tasks: see [`carrysave_team::task`]. Tasks of
//! [Ed25519](super::ed25519::task) have a module of their own.
//!
//! ```
//! use carrysave_schemes::ec::{X25519PrivateKey, task::X25519Agree};
//! use carrysave_team::task::Task;
//! let rng = &mut rand_core::UnwrapErr(getrandom::SysRng);
//! let (alice, bob) = (X25519PrivateKey::generate_with(rng), X25519PrivateKey::generate_with(rng));
//! let agree = X25519Agree { key: alice.clone(), public: bob.public() };
//! assert_eq!(agree.run(rng), bob.agree(&alice.public()));
//! ```

use super::x25519;
use super::{Algorithm, AnyPrivateKey, AnyPublicKey, Error, Named, PrivateKey, PublicKey};
use super::{X448PrivateKey, X448PublicKey, X25519PrivateKey, X25519PublicKey};
use crate::hash::Hash;
use carrysave_arith::{Cpu, curve::lanes_from, field::Field, lanes::LANES};
use carrysave_team::task::{Primitive, Task};
use core::convert::Infallible;
use rand_core::CryptoRng;
use std::sync::Arc;
use zeroize::Zeroizing;

/// [`PrivateKey::agree`].
impl<C: Named> Primitive for PrivateKey<C> {
    type Class = ();
    type Input = PublicKey<C>;
    type Output = Result<Zeroizing<Vec<u8>>, Error>;

    fn class(&self) {}

    fn cost(&self) -> u64 {
        // With 16 products for a bit of the scalar.
        16 * (8 * C::Scalar::ZERO_BYTES.as_ref().len() as u64).pow(3)
    }

    /// Many more than lanes, as they share one inversion.
    const GROUP: usize = 64;

    fn group_from(&self) -> Option<usize> {
        C::lanes_from(Cpu::native())
    }

    fn group_cost(&self, from: usize, size: usize) -> u64 {
        self.cost() * in_lanes(from, size) / 4
    }

    fn run_group<R: CryptoRng + ?Sized>(
        _: &mut R,
        group: &[(&PrivateKey<C>, &PublicKey<C>)],
    ) -> Vec<Result<Zeroizing<Vec<u8>>, Error>> {
        if group.len() < C::lanes_from(Cpu::native()).unwrap_or(usize::MAX) {
            return group.iter().map(|(key, other)| key.agree(other)).collect();
        }
        PrivateKey::agree_all(group)
    }
}

/// Quarters of the time of one operation that a group takes: eight in lanes take as long as two alone.
fn in_lanes(from: usize, size: usize) -> u64 {
    let (mut groups, mut alone) = (size / LANES, size % LANES);
    if alone >= from {
        (groups, alone) = (groups + 1, 0);
    }
    (8 * groups + 4 * alone) as u64
}

/// [`PrivateKey::agree`], ECDH: gives the shared secret.
#[derive(Clone, Debug)]
pub struct EcdhAgree<C: Named> {
    /// One's own key.
    pub key: PrivateKey<C>,
    /// The other's key.
    pub public: PublicKey<C>,
}

impl<C: Named> Task for EcdhAgree<C> {
    type Primitive = PrivateKey<C>;
    type Output = Zeroizing<Vec<u8>>;
    type Error = Error;

    fn primitive(&self) -> &PrivateKey<C> {
        &self.key
    }

    fn start<R: CryptoRng + ?Sized>(&self, _: &mut R) -> Result<PublicKey<C>, Error> {
        Ok(self.public.clone())
    }

    fn finish(
        &self,
        secret: Result<Zeroizing<Vec<u8>>, Error>,
    ) -> Result<Zeroizing<Vec<u8>>, Error> {
        secret
    }
}

/// The function X25519. Its result 0 is refused later, as by [`X25519PrivateKey::agree`].
impl Primitive for X25519PrivateKey {
    type Class = ();
    type Input = X25519PublicKey;
    type Output = Zeroizing<Vec<u8>>;

    /// Many more than lanes, as they share one inversion.
    const GROUP: usize = 64;

    fn class(&self) {}

    fn cost(&self) -> u64 {
        // A step of the ladder has ten products.
        10 * 256_u64.pow(3)
    }

    fn group_from(&self) -> Option<usize> {
        x25519::in_lanes().then_some(LANES)
    }

    fn group_cost(&self, _: usize, size: usize) -> u64 {
        // Eight in lanes take as long as one and a half alone.
        let halves = 3 * (size / LANES) + 2 * (size % LANES);
        self.cost() * halves as u64 / 2
    }

    fn run_group<R: CryptoRng + ?Sized>(
        _: &mut R,
        group: &[(&X25519PrivateKey, &X25519PublicKey)],
    ) -> Vec<Zeroizing<Vec<u8>>> {
        x25519::shared_octets(group)
    }
}

/// [`X25519PrivateKey::agree`]: gives the shared secret.
#[derive(Clone, Debug)]
pub struct X25519Agree {
    /// One's own key.
    pub key: X25519PrivateKey,
    /// The other's key.
    pub public: X25519PublicKey,
}

impl Task for X25519Agree {
    type Primitive = X25519PrivateKey;
    type Output = Zeroizing<Vec<u8>>;
    type Error = Error;

    fn primitive(&self) -> &X25519PrivateKey {
        &self.key
    }

    fn start<R: CryptoRng + ?Sized>(&self, _: &mut R) -> Result<X25519PublicKey, Error> {
        Ok(self.public)
    }

    fn finish(&self, octets: Zeroizing<Vec<u8>>) -> Result<Zeroizing<Vec<u8>>, Error> {
        x25519::refuse_zero(octets)
    }
}

/// What takes private keys of X25519 to public ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct X25519Base;

/// [`X25519PrivateKey::public_keys`].
impl Primitive for X25519Base {
    type Class = ();
    type Input = X25519PrivateKey;
    type Output = X25519PublicKey;

    fn class(&self) {}

    fn cost(&self) -> u64 {
        cost(Algorithm::X25519, 1)
    }

    /// Many more than lanes, as they share one inversion.
    const GROUP: usize = 64;

    fn group_from(&self) -> Option<usize> {
        lanes_from(Cpu::native())
    }

    fn group_cost(&self, from: usize, size: usize) -> u64 {
        self.cost() * in_lanes(from, size) / 4
    }

    fn run_group<R: CryptoRng + ?Sized>(
        _: &mut R,
        group: &[(&X25519Base, &X25519PrivateKey)],
    ) -> Vec<X25519PublicKey> {
        let keys: Vec<_> = group.iter().map(|(_, key)| (*key).clone()).collect();
        X25519PrivateKey::public_keys(&keys)
    }
}

/// [`X25519PrivateKey::public`]: gives the public key of a private one.
///
/// ```
/// use carrysave_schemes::ec::{X25519PrivateKey, task::X25519Public};
/// use carrysave_team::task::Task;
/// let rng = &mut rand_core::UnwrapErr(getrandom::SysRng);
/// let key = X25519PrivateKey::generate_with(rng);
/// assert_eq!(X25519Public(key.clone()).run(rng), Ok(key.public()));
/// ```
#[derive(Clone, Debug)]
pub struct X25519Public(pub X25519PrivateKey);

impl Task for X25519Public {
    type Primitive = X25519Base;
    type Output = X25519PublicKey;
    type Error = Infallible;

    fn primitive(&self) -> &X25519Base {
        &X25519Base
    }

    fn start<R: CryptoRng + ?Sized>(&self, _: &mut R) -> Result<X25519PrivateKey, Infallible> {
        Ok(self.0.clone())
    }

    fn finish(&self, public: X25519PublicKey) -> Result<X25519PublicKey, Infallible> {
        Ok(public)
    }
}

/// [`X448PrivateKey::agree`], one after the other.
impl Primitive for X448PrivateKey {
    type Class = ();
    type Input = X448PublicKey;
    type Output = Result<Zeroizing<Vec<u8>>, Error>;

    fn class(&self) {}

    fn cost(&self) -> u64 {
        // A step of the ladder has ten products.
        10 * 448_u64.pow(3)
    }

    fn run_group<R: CryptoRng + ?Sized>(
        _: &mut R,
        group: &[(&X448PrivateKey, &X448PublicKey)],
    ) -> Vec<Result<Zeroizing<Vec<u8>>, Error>> {
        group.iter().map(|(key, other)| key.agree(other)).collect()
    }
}

/// [`X448PrivateKey::agree`]: gives the shared secret.
#[derive(Clone, Debug)]
pub struct X448Agree {
    /// One's own key.
    pub key: X448PrivateKey,
    /// The other's key.
    pub public: X448PublicKey,
}

impl Task for X448Agree {
    type Primitive = X448PrivateKey;
    type Output = Zeroizing<Vec<u8>>;
    type Error = Error;

    fn primitive(&self) -> &X448PrivateKey {
        &self.key
    }

    fn start<R: CryptoRng + ?Sized>(&self, _: &mut R) -> Result<X448PublicKey, Error> {
        Ok(self.public)
    }

    fn finish(
        &self,
        secret: Result<Zeroizing<Vec<u8>>, Error>,
    ) -> Result<Zeroizing<Vec<u8>>, Error> {
        secret
    }
}

/// The cost of a signature, or of a verification with four times as many products, from the length of the curve's keys.
fn cost(algorithm: Algorithm, times: u64) -> u64 {
    4 * times * (8 * algorithm.size() as u64).pow(3)
}

/// [`AnyPrivateKey::sign_digest`]: keys of one curve share groups.
impl Primitive for AnyPrivateKey {
    type Class = Algorithm;
    type Input = (Hash, Vec<u8>);
    type Output = Result<Vec<u8>, Error>;

    fn class(&self) -> Algorithm {
        self.algorithm()
    }

    fn cost(&self) -> u64 {
        cost(self.algorithm(), 1)
    }

    const GROUP: usize = 64;

    fn group_from(&self) -> Option<usize> {
        self.algorithm().lanes_from()
    }

    fn group_cost(&self, from: usize, size: usize) -> u64 {
        // At most half of a signature is not in lanes.
        let alone = 4 * size as u64;
        self.cost() * (in_lanes(from, size) + alone) / 8
    }

    fn run_group<R: CryptoRng + ?Sized>(
        _: &mut R,
        group: &[(&AnyPrivateKey, &(Hash, Vec<u8>))],
    ) -> Vec<Result<Vec<u8>, Error>> {
        let jobs = group.iter();
        let jobs = jobs.map(|&(key, (hash, digest))| (key, *hash, &digest[..]));
        AnyPrivateKey::sign_digests(&jobs.collect::<Vec<_>>())
    }
}

/// [`AnyPrivateKey::sign_digest`]: gives the signature of ECDSA, as DER.
///
/// ```
/// use carrysave_schemes::ec::{Algorithm, AnyPrivateKey, task::{SignEcdsa, VerifyEcdsa}};
/// use carrysave_schemes::hash::Hash;
/// use carrysave_team::task::Task;
/// let rng = &mut rand_core::UnwrapErr(getrandom::SysRng);
/// let key = AnyPrivateKey::generate_with(Algorithm::P256, rng);
/// let (public, hash, digest) = (key.public(), Hash::Sha256, Hash::Sha256.digest(b"a message"));
/// let signature = SignEcdsa { key: key.into(), hash, digest: digest.clone() }.run(rng)?;
/// VerifyEcdsa { key: public, hash, digest, signature }.run(rng)?;
/// # Ok::<_, carrysave_schemes::ec::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct SignEcdsa {
    /// The signer's key.
    pub key: Arc<AnyPrivateKey>,
    /// The hash that made the digest.
    pub hash: Hash,
    /// The digest of the message.
    pub digest: Vec<u8>,
}

impl Task for SignEcdsa {
    type Primitive = AnyPrivateKey;
    type Output = Vec<u8>;
    type Error = Error;

    fn primitive(&self) -> &AnyPrivateKey {
        &self.key
    }

    fn start<R: CryptoRng + ?Sized>(&self, _: &mut R) -> Result<(Hash, Vec<u8>), Error> {
        Ok((self.hash, self.digest.clone()))
    }

    fn finish(&self, signature: Result<Vec<u8>, Error>) -> Result<Vec<u8>, Error> {
        signature
    }
}

/// What generates keys of an algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Generator(pub Algorithm);

/// [`AnyPrivateKey::generate_many_with`]: keys of one curve share groups.
impl Primitive for Generator {
    type Class = Algorithm;
    type Input = ();
    type Output = AnyPrivateKey;

    fn class(&self) -> Algorithm {
        self.0
    }

    fn cost(&self) -> u64 {
        // A multiple of the base point, as a signature is.
        cost(self.0, 1)
    }

    const GROUP: usize = 64;

    fn group_from(&self) -> Option<usize> {
        self.0.lanes_from()
    }

    fn group_cost(&self, from: usize, size: usize) -> u64 {
        self.cost() * in_lanes(from, size) / 4
    }

    fn run_group<R: CryptoRng + ?Sized>(
        rng: &mut R,
        group: &[(&Generator, &())],
    ) -> Vec<AnyPrivateKey> {
        let algorithm = group.first().map(|(generator, ())| generator.0);
        algorithm.map_or(vec![], |algorithm| {
            AnyPrivateKey::generate_many_with(algorithm, rng, group.len())
        })
    }
}

/// [`AnyPrivateKey::generate_with`]: gives a new key of the algorithm, from the randomness of the engine.
///
/// ```
/// use carrysave_schemes::ec::{Algorithm, task::{Generate, Generator}};
/// use carrysave_team::task::Task;
/// let rng = &mut rand_core::UnwrapErr(getrandom::SysRng);
/// let Ok(key) = Generate(Generator(Algorithm::P256)).run(rng);
/// assert_eq!(key.algorithm(), Algorithm::P256);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Generate(pub Generator);

impl Task for Generate {
    type Primitive = Generator;
    type Output = Arc<AnyPrivateKey>;
    type Error = Infallible;

    fn primitive(&self) -> &Generator {
        &self.0
    }

    fn start<R: CryptoRng + ?Sized>(&self, _: &mut R) -> Result<(), Infallible> {
        Ok(())
    }

    fn finish(&self, key: AnyPrivateKey) -> Result<Arc<AnyPrivateKey>, Infallible> {
        Ok(key.into())
    }
}

/// [`AnyPublicKey::verify_digest`]: keys of one curve share groups.
impl Primitive for AnyPublicKey {
    type Class = Algorithm;
    type Input = (Hash, Vec<u8>, Vec<u8>);
    type Output = Result<(), Error>;

    fn class(&self) -> Algorithm {
        self.algorithm()
    }

    fn cost(&self) -> u64 {
        cost(self.algorithm(), 4)
    }

    const GROUP: usize = 64;

    fn group_from(&self) -> Option<usize> {
        self.algorithm().lanes_from()
    }

    fn group_cost(&self, from: usize, size: usize) -> u64 {
        self.cost() * in_lanes(from, size) / 4
    }

    fn run_group<R: CryptoRng + ?Sized>(
        _: &mut R,
        group: &[(&AnyPublicKey, &(Hash, Vec<u8>, Vec<u8>))],
    ) -> Vec<Result<(), Error>> {
        let jobs = group.iter();
        let jobs =
            jobs.map(|&(key, (hash, digest, signature))| (key, *hash, &digest[..], &signature[..]));
        AnyPublicKey::verify_digests(&jobs.collect::<Vec<_>>())
    }
}

/// [`AnyPublicKey::verify_digest`]: succeeds if the signature of ECDSA is valid for the key and digest.
#[derive(Clone, Debug)]
pub struct VerifyEcdsa {
    /// The signer's key.
    pub key: AnyPublicKey,
    /// The hash that made the digest.
    pub hash: Hash,
    /// The digest of the message.
    pub digest: Vec<u8>,
    /// The signature, as DER.
    pub signature: Vec<u8>,
}

impl Task for VerifyEcdsa {
    type Primitive = AnyPublicKey;
    type Output = ();
    type Error = Error;

    fn primitive(&self) -> &AnyPublicKey {
        &self.key
    }

    fn start<R: CryptoRng + ?Sized>(&self, _: &mut R) -> Result<(Hash, Vec<u8>, Vec<u8>), Error> {
        Ok((self.hash, self.digest.clone(), self.signature.clone()))
    }

    fn finish(&self, verdict: Result<(), Error>) -> Result<(), Error> {
        verdict
    }
}
