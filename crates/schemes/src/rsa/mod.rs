//! RSA of RFC 8017 (PKCS #1 v2.2), with its names and step numbers.
//!
//! [`PrivateKey::generate`] makes a key, [`PrivateKey::generate_with`] one with other options; `from_any` of
//! [`PublicKey`] and [`PrivateKey`] reads one in any format (feature `files`).
//! Keys are checked when they are made, so a value of these types is a usable key. Every private operation is blinded,
//! and its result is checked with the public exponent before it is released.
//!
//! ```
//! use carrysave_schemes::{hash::Hash, rsa::{KeygenOptions, PrivateKey}};
//! let rng = || rand_core::UnwrapErr(getrandom::SysRng);
//! // 1024 bits keep this example quick; leave the options at their default for a key to use.
//! let options = KeygenOptions { allow_small: true, ..Default::default() };
//! let key = PrivateKey::generate_with(rng, 1024, &options, &|_| ()).unwrap();
//! let digest = Hash::Sha256.digest(b"a message");
//! let signature = key.rsassa_pss_sign(&mut rng(), Hash::Sha256, Hash::Sha256, 32, &digest).unwrap();
//! key.public().rsassa_pss_verify(Hash::Sha256, Hash::Sha256, Some(32), &digest, &signature).unwrap();
//! ```

pub mod batch;
mod error;
mod formats;
mod keygen;
mod lane_blinding;
mod oaep;
mod pkcs1v15;
pub(crate) mod primitives;
mod pss;
mod purpose;
pub mod task;
mod traits;
mod validate;

pub use crate::KeyError;
pub use error::Error;
pub use keygen::{KeygenOptions, Progress, most_primes};
pub use oaep::{eme_oaep_decode, eme_oaep_encode};
pub use pkcs1v15::{eme_pkcs1_v1_5_encode, emsa_pkcs1_v1_5_block, emsa_pkcs1_v1_5_encode};
pub(crate) use primitives::powers_in_turn;
pub use pss::{emsa_pss_encode, emsa_pss_verify};
pub(crate) use pss::{emsa_pssr_encode, emsa_pssr_verify, top_mask};
pub use purpose::{PssParameters, Purpose};
pub use traits::{Padding, Signature, SigningKey, VerifyingKey};
pub(crate) use validate::{check_primes, primality};

use crate::STACK;
use crate::blinding::{Pair, Pool};
use crate::formats::Notes;
use crate::hash::Hash;
use carrysave_arith::{Cpu, Modulus, Nat, Plan, off_stack};
use core::fmt;
use lane_blinding::LanePair;
use std::sync::Arc;
use zeroize::Zeroizing;

/// An RSA public key `(n, e)`, checked. Cloning is cheap.
#[derive(Clone)]
pub struct PublicKey {
    n: Modulus,
    e: Nat,
    purpose: Purpose,
}

impl PublicKey {
    /// The smallest supported modulus, in bits: for old keys and test vectors, not for use.
    pub const MIN_BITS: usize = 384;
    /// The largest modulus, in bits.
    pub const MAX_BITS: usize = 65_536;
    /// The longest public exponent, in bits (FIPS 186-5 section 5.4).
    pub const MAX_E_BITS: usize = 256;

    /// The key with modulus `n` and public exponent `e`.
    ///
    /// # Errors
    /// [`KeyError::Size`] unless `n` has 384 to 65,536 bits; [`KeyError::Invalid`] unless `n` is odd, and `e` is odd,
    /// at least 3, at most 256 bits long and below `n`.
    pub fn new(n: Nat, e: Nat) -> Result<PublicKey, KeyError> {
        PublicKey::with_cpu(n, e, Cpu::native())
    }

    /// The key with modulus `n` and public exponent `e`, on the processor `cpu`.
    ///
    /// # Errors
    /// As [`PublicKey::new`].
    pub fn with_cpu(n: Nat, e: Nat, cpu: Cpu) -> Result<PublicKey, KeyError> {
        PublicKey::with_plan(n, e, cpu, Plan::best(cpu))
    }

    /// The key with modulus `n` and public exponent `e`, on the processor `cpu` with `plan`: for studies and tests, as
    /// it changes no result.
    ///
    /// # Errors
    /// As [`PublicKey::new`].
    ///
    /// # Panics
    /// As [`Modulus::with_plan`].
    pub fn with_plan(n: Nat, e: Nat, cpu: Cpu, plan: &'static Plan) -> Result<PublicKey, KeyError> {
        validate::public(&n, &e, PublicKey::MAX_E_BITS)?;
        PublicKey::build(n, e, cpu, plan)
    }

    /// The key with a public exponent of any length below `n`: a slow public operation, for the keys of the SP 800-56B
    /// test vectors.
    ///
    /// # Errors
    /// As [`PublicKey::new`].
    pub fn with_long_exponent(n: Nat, e: Nat, cpu: Cpu) -> Result<PublicKey, KeyError> {
        validate::public(&n, &e, PublicKey::MAX_BITS)?;
        PublicKey::build(n, e, cpu, Plan::best(cpu))
    }

    fn build(n: Nat, e: Nat, cpu: Cpu, plan: &'static Plan) -> Result<PublicKey, KeyError> {
        let n = Modulus::with_plan(&n.trim_vartime(), cpu, plan)
            .ok_or(KeyError::Invalid("its modulus is even"))?;
        Ok(PublicKey {
            n,
            e: e.trim_vartime(),
            purpose: Purpose::Any,
        })
    }

    /// The modulus.
    pub fn n(&self) -> &Nat {
        self.n.nat()
    }

    /// The public exponent.
    pub fn e(&self) -> &Nat {
        &self.e
    }

    /// The length of the modulus in bits.
    pub fn bits(&self) -> usize {
        self.n.bits()
    }

    /// The length of the modulus, of a ciphertext and of a signature in bytes: the RFC's `k`.
    pub fn size(&self) -> usize {
        self.bits().div_ceil(8)
    }
}

impl PartialEq for PublicKey {
    fn eq(&self, other: &PublicKey) -> bool {
        self.n() == other.n() && self.e == other.e
    }
}

impl Eq for PublicKey {}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (n, e) = (self.n().to_hex_vartime(), self.e.to_hex_vartime());
        f.debug_struct("PublicKey")
            .field("bits", &self.bits())
            .field("n", &n)
            .field("e", &e)
            .finish()
    }
}

/// An RSA private key of two or more primes, checked. Cloning is cheap and shares the key, which is wiped with the last
/// clone.
#[derive(Clone)]
pub struct PrivateKey(Arc<Inner>);

struct Inner {
    public: PublicKey,
    d: Nat,
    /// In the order in which Garner's method takes them: q, p, r_3, ...
    factors: Vec<Factor>,
    /// `SHA256(I2OSP(d, k))`, the secret of implicit rejection.
    rejection: Zeroizing<Vec<u8>>,
    blinding: Pool<Pair>,
    lane_blinding: Pool<LanePair>,
}

/// A prime factor with its values for the Chinese remainder theorem.
struct Factor {
    /// The prime `r_i`.
    r: Modulus,
    /// `d_i = e^-1 mod (r_i - 1)`: the RFC's dP, dQ, d_i.
    d: Nat,
    /// The product of all factors before this one.
    product: Nat,
    /// `t_i = product^-1 mod r_i`: the RFC's qInv, t_i. One for the first factor.
    t: Nat,
}

impl PrivateKey {
    /// The key with modulus `n`, exponents `e` and `d`, and prime factors `p, q, r_3, ...`. Missing primes are computed
    /// from `n`, `e` and `d`, which takes a while.
    ///
    /// # Errors
    /// As [`PrivateKey::validate`].
    ///
    /// # Timing
    /// Depends on the bit lengths of the parts only, as long as the key is accepted.
    pub fn from_components(
        n: Nat,
        e: Nat,
        d: Nat,
        primes: Vec<Nat>,
    ) -> Result<PrivateKey, KeyError> {
        PrivateKey::assemble(PublicKey::new(n, e)?, d, primes, None, &mut Notes::new())
    }

    /// The private key for a public key, which may have a long exponent, with exponent `d` and these primes.
    ///
    /// # Errors
    /// As [`PrivateKey::validate`].
    pub fn from_public(
        public: PublicKey,
        d: Nat,
        primes: Vec<Nat>,
    ) -> Result<PrivateKey, KeyError> {
        PrivateKey::assemble(public, d, primes, None, &mut Notes::new())
    }

    /// The key with these primes and public exponent; `d = e^-1 mod lcm(p - 1, q - 1, ...)` (FIPS 186-5 A.1.1).
    ///
    /// # Errors
    /// As [`PrivateKey::validate`].
    ///
    /// # Timing
    /// Depends on the bit lengths of the primes only, as long as the key is accepted.
    pub fn from_primes(primes: Vec<Nat>, e: Nat) -> Result<PrivateKey, KeyError> {
        let (n, d) = off_stack::<STACK, _>(|| validate::modulus_and_exponent(&primes, &e))?;
        PrivateKey::from_components(n, e, d, primes)
    }

    /// `crt` are the file's (d_i, t_i) in the order p, q, r_3, ..., with qInv beside dP.
    fn assemble(
        public: PublicKey,
        d: Nat,
        primes: Vec<Nat>,
        crt: Option<Vec<(Nat, Nat)>>,
        notes: &mut Notes,
    ) -> Result<PrivateKey, KeyError> {
        off_stack::<STACK, _>(|| {
            let primes = if primes.is_empty() {
                validate::factor(&public, &d)?
            } else {
                primes
            };
            let (d, factors) = validate::private(&public, d, primes, crt, notes)?;
            validate::primality(factors.iter().map(|f| f.r.nat()))?;
            PrivateKey::build(public, d, factors)
        })
    }

    /// The key with these numbers, which are known to be prime.
    fn from_generated(primes: Vec<Nat>, e: &Nat) -> Result<PrivateKey, KeyError> {
        let (n, d) = validate::modulus_and_exponent(&primes, e)?;
        let public = PublicKey::new(n, e.clone())?;
        let (d, factors) = validate::private(&public, d, primes, None, &mut Notes::new())?;
        PrivateKey::build(public, d, factors)
    }

    fn build(public: PublicKey, d: Nat, factors: Vec<Factor>) -> Result<PrivateKey, KeyError> {
        let bytes = d
            .to_be_bytes(public.size())
            .ok_or(KeyError::Invalid("its d is not below its modulus"))?;
        let rejection = Zeroizing::new(Hash::Sha256.digest(&bytes));
        Ok(PrivateKey(Arc::new(Inner {
            public,
            d,
            factors,
            rejection,
            blinding: Pool::default(),
            lane_blinding: Pool::default(),
        })))
    }

    /// This key on the processor `cpu`.
    #[must_use]
    pub fn with_cpu(&self, cpu: Cpu) -> PrivateKey {
        self.with_plan(cpu, Plan::best(cpu))
    }

    /// This key on the processor `cpu` with `plan`: for studies and tests, as it changes no result.
    ///
    /// # Panics
    /// As [`Modulus::with_plan`].
    #[must_use]
    pub fn with_plan(&self, cpu: Cpu, plan: &'static Plan) -> PrivateKey {
        let again = |n: &Nat| Modulus::with_plan(n, cpu, plan).expect("it was a modulus before");
        let public = PublicKey {
            n: again(self.public().n()),
            e: self.public().e.clone(),
            purpose: self.public().purpose,
        };
        let factors = self.0.factors.iter().map(|f| Factor {
            r: again(f.r.nat()),
            d: f.d.clone(),
            product: f.product.clone(),
            t: f.t.clone(),
        });
        PrivateKey::build(public, self.0.d.clone(), factors.collect()).expect("it was a key before")
    }

    /// Checks the whole key again: n is the product of distinct primes, each of which fits e, d, and its CRT values.
    /// Keys are checked when they are made; this is for long-lived keys in memory that may have been corrupted.
    ///
    /// Other programs make primes of unequal lengths, so each needs only half of its share of the modulus's bits: of
    /// two primes a quarter of them. Otherwise FIPS 186-5 applies: `|p - q| > 2^(nlen/2 - 100)`, `d > 2^(nlen/2)`. A
    /// private exponent above the modulus, of at most twice its length, is reduced, as files do not always have the
    /// smallest, which the standard requires. Primality is tested by Miller-Rabin with random bases: 16 rounds up to
    /// 2048 bits a prime, 2 up to 4096, 1 up to 8192, and none beyond, so that a hostile key of any size costs less
    /// than a second.
    ///
    /// # Errors
    /// A sentence saying which part is wrong.
    pub fn validate(&self) -> Result<(), KeyError> {
        let primes = self.primes().cloned().collect();
        let crt = self.crt().map(|(d, t)| (d.clone(), t.clone())).collect();
        let d = self.0.d.clone();
        off_stack::<STACK, _>(|| {
            let (_, factors) =
                validate::private(self.public(), d, primes, Some(crt), &mut Notes::new())?;
            validate::primality(factors.iter().map(|f| f.r.nat()))
        })
    }

    /// The public key.
    pub fn public(&self) -> &PublicKey {
        &self.0.public
    }

    /// The length of the modulus in bits.
    pub fn bits(&self) -> usize {
        self.public().bits()
    }

    /// The length of the modulus in bytes: the RFC's `k`.
    pub fn size(&self) -> usize {
        self.public().size()
    }

    /// The private exponent. Secret.
    pub fn d(&self) -> &Nat {
        &self.0.d
    }

    /// The prime factors p, q, r_3, ... Secret.
    pub fn primes(&self) -> impl Iterator<Item = &Nat> {
        self.in_rfc_order().map(|f| f.r.nat())
    }

    /// The CRT exponents and coefficients in the RFC's order: (dP, qInv), (dQ, 1), (d_3, t_3), ... Secret.
    pub fn crt(&self) -> impl Iterator<Item = (&Nat, &Nat)> {
        self.in_rfc_order().map(|f| (&f.d, &f.t))
    }

    fn in_rfc_order(&self) -> impl Iterator<Item = &Factor> {
        let f = &self.0.factors;
        [&f[1], &f[0]].into_iter().chain(&f[2..])
    }

    fn rejection_secret(&self) -> &[u8] {
        &self.0.rejection
    }
}

impl fmt::Debug for PrivateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PrivateKey")
            .field("public", self.public())
            .finish_non_exhaustive()
    }
}

pub(crate) fn check_digest(hash: Hash, digest: &[u8]) -> Result<(), Error> {
    match (hash.len(), digest.len()) {
        (expected, found) if expected == found => Ok(()),
        (expected, found) => Err(Error::DigestLength { expected, found }),
    }
}

pub(crate) fn refuse_sha1(hash: Hash) -> Result<(), Error> {
    if hash == Hash::Sha1 {
        Err(Error::Sha1Signature)
    } else {
        Ok(())
    }
}
