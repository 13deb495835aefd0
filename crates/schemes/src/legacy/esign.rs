//! ESIGN signatures (Okamoto 1990; IEEE 1363a-2004, IFSP-ESIGN with EMSA5), compatible with Crypto++'s `ESIGN<H>`.
//! Legacy.
//!
//! n is p^2 q. A signature is an approximate e-th root: the third of s^e mod n below its top bit is a hash of the message.
//! With p q known, one division finds it from a random r: `s = r + t p q`. It is several times faster than RSA, and
//! relies on approximate roots being hard to find. They are easy for e = 2 and 3 (Brickell, DeLaurentis 1985; Vallée,
//! Girault, Toffin 1988), e = 8 is the least that the standard allows, and 32 is what Crypto++ and
//! [`PrivateKey::generate_with`] take.
//!
//! ```
//! use carrysave_schemes::{hash::Hash, legacy::{KeygenOptions, esign::PrivateKey}};
//! let rng = &mut rand_core::UnwrapErr(getrandom::SysRng);
//! // 1023 bits keep this example quick; leave the options at their default for a key to use.
//! let key = PrivateKey::generate_with(rng, 1023, KeygenOptions { allow_small: true }).unwrap();
//! let digest = Hash::Sha256.digest(b"a message");
//! let signature = key.esign_emsa5_sign(rng, Hash::Sha256, &digest).unwrap();
//! key.public().esign_emsa5_verify(Hash::Sha256, &digest, &signature).unwrap();
//! ```

use super::{Error, KeyError, KeygenOptions, modulus, read_integers, write_integers};
use crate::fault::{Faults, NoFaults};
use crate::hash::Hash;
use crate::mgf::mgf1_xor;
use crate::rsa::{check_digest, check_primes, primality, refuse_sha1, top_mask};
use KeyError::Invalid;
use carrysave_arith::prime::{PrimeOptions, random_prime};
use carrysave_arith::{Cpu, Limb, Modulus, Nat, inv_mod};
use rand_core::CryptoRng;
use std::sync::Arc;
use zeroize::Zeroizing;

/// The most random numbers tried for a signature. Each succeeds with a probability of at least one half.
const TRIES: u32 = 256;

/// The hash that derives random numbers.
const HASH: Hash = Hash::Sha512;

/// An intermediate value of a signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EsignStage {
    /// r^e mod n
    Power,
    /// a = f 2^(2k+2) - r^e mod n
    Difference,
    /// w_1
    Remainder,
    /// w_0
    Quotient,
    /// 1 / (e r^e) mod p
    Inverse,
    /// t
    Factor,
    /// p q, as the factor of t.
    Product,
    /// s
    Result,
}

/// An ESIGN public key `(n, e)`, checked. Cloning is cheap.
#[derive(Clone)]
pub struct PublicKey {
    n: Modulus,
    e: Nat,
}

impl PublicKey {
    /// The exponent of generated keys.
    pub const DEFAULT_E: Limb = 32;

    /// The key with modulus `n` and exponent `e`.
    ///
    /// # Errors
    /// [`KeyError::Size`] unless `n` has 512 to 16,384 bits; [`KeyError::Invalid`] unless their number is a multiple of
    /// 3, `n` is odd, and `e` is at least 8 and of 64 bits at most.
    pub fn new(n: Nat, e: Nat) -> Result<PublicKey, KeyError> {
        let n = modulus(&n, (1, 2), "its modulus is even")?;
        if !n.bits().is_multiple_of(3) {
            return Err(Invalid("its modulus is not three times as long as a prime"));
        }
        if e.bits_vartime() > 64 || e.bits_vartime() < 4 {
            return Err(Invalid("its exponent is not from 8 to below 2^64"));
        }
        Ok(PublicKey {
            n,
            e: e.trim_vartime(),
        })
    }

    /// Reads `SEQUENCE { n, e }`, as Crypto++ stores it.
    ///
    /// # Errors
    /// [`KeyError::Format`]; the errors of [`PublicKey::new`].
    pub fn from_der(der: &[u8]) -> Result<PublicKey, KeyError> {
        let [n, e] = read_integers(der, "an ESIGN public key")?;
        PublicKey::new(n, e)
    }

    /// Writes `SEQUENCE { n, e }`.
    pub fn to_der(&self) -> Vec<u8> {
        write_integers(&[self.n(), &self.e]).to_vec()
    }

    /// The modulus.
    pub fn n(&self) -> &Nat {
        self.n.nat()
    }

    /// The exponent.
    pub fn e(&self) -> &Nat {
        &self.e
    }

    /// The length of the modulus in bits.
    pub fn bits(&self) -> usize {
        self.n.bits()
    }

    /// The length of the modulus and of a signature in bytes.
    pub fn size(&self) -> usize {
        self.bits().div_ceil(8)
    }

    /// The length of a representative in bits: one less than the primes have.
    pub fn k(&self) -> usize {
        self.bits() / 3 - 1
    }

    /// `IFVP-ESIGN` (IEEE 1363a-2004, 8.2.11): the number whose signature `s` is, `(s^e mod n) / 2^(2k+2)` rounded down.
    ///
    /// # Errors
    /// [`Error::Verification`] unless `s < n` and the number is of `k` bits.
    pub fn ifvp_esign(&self, s: &Nat) -> Result<Nat, Error> {
        let n = &self.n;
        if !s.lt(n.nat()) {
            return Err(Error::Verification);
        }
        let power = n.pow_vartime(&s.resize(n.width()).expect("s < n"), &self.e);
        let f = power.shr(2 * self.k() + 2);
        match f.bits() > self.k() {
            true => Err(Error::Verification),
            false => Ok(f),
        }
    }

    /// Verifies a signature of the digest of a message, encoded with EMSA5 and MGF1.
    ///
    /// # Errors
    /// [`Error::Verification`] if the signature is not this key's for that digest; [`Error::DigestLength`].
    pub fn esign_emsa5_verify(
        &self,
        hash: Hash,
        digest: &[u8],
        signature: &[u8],
    ) -> Result<(), Error> {
        let f = emsa5_encode(hash, digest, self.k())?;
        let right = signature.len() == self.size();
        let found = self.ifvp_esign(&Nat::from_be_bytes(signature))?;
        match right && found == Nat::from_be_bytes(&f) {
            true => Ok(()),
            false => Err(Error::Verification),
        }
    }
}

key_traits!(n, e);

/// An ESIGN private key, checked. Cloning is cheap and shares the key, which is wiped with the last clone.
#[derive(Clone)]
pub struct PrivateKey(Arc<Inner>);

struct Inner {
    public: PublicKey,
    p: Modulus,
    q: Nat,
    pq: Modulus,
    /// (p q)^-1 modulo a power of two above p: for an exact division by p q.
    pq_inv: Nat,
    /// The secret that random numbers are derived from, beside randomness.
    hedge: Zeroizing<Vec<u8>>,
}

impl PrivateKey {
    /// Generates a key of `bits` bits (2046 to 16,384, a multiple of 3, or from 768 if the options allow it) with the
    /// exponent 32.
    ///
    /// # Errors
    /// [`KeyError::Size`].
    pub fn generate_with<R: CryptoRng + ?Sized>(
        rng: &mut R,
        bits: usize,
        options: KeygenOptions,
    ) -> Result<PrivateKey, KeyError> {
        let smallest = if options.allow_small { 768 } else { 2046 };
        if !(smallest..=16_384).contains(&bits) || !bits.is_multiple_of(3) {
            let allowed = "a multiple of 3 from 2046 to 16384, or from 768 where small keys are explicitly allowed";
            return Err(KeyError::Size {
                part: "a modulus",
                bits,
                allowed,
            });
        }
        let options = PrimeOptions {
            top_two_bits: true,
            ..Default::default()
        };
        loop {
            let mut prime = || {
                let prime = random_prime(bits / 3, &options, rng, &mut || ());
                prime.expect("the search is not stopped")
            };
            let (p, q) = (prime(), prime());
            let n = p.sqr().mul(&q).publish().trim_vartime();
            // A product of three may be a bit short.
            if n.bits_vartime() == bits && check(&n, &p, &q).is_ok() {
                let public = PublicKey::new(n, Nat::from_limb(PublicKey::DEFAULT_E))?;
                return PrivateKey::build(public, p, q);
            }
        }
    }

    /// The key with modulus `n = p^2 q` and exponent `e`.
    ///
    /// # Errors
    /// As [`PrivateKey::validate`].
    ///
    /// # Timing
    /// Depends on the bit lengths of the parts and on `e`, as long as the key is accepted.
    pub fn from_components(n: Nat, e: Nat, p: Nat, q: Nat) -> Result<PrivateKey, KeyError> {
        let public = PublicKey::new(n, e)?;
        check(public.n(), &p, &q)?;
        primality([&p, &q])?;
        PrivateKey::build(public, p.trim(), q.trim())
    }

    /// Reads `SEQUENCE { n, e, p, q }`, as Crypto++ stores it.
    ///
    /// # Errors
    /// [`KeyError::Format`]; the errors of [`PrivateKey::validate`].
    ///
    /// # Timing
    /// As [`PrivateKey::from_components`].
    pub fn from_der(der: &[u8]) -> Result<PrivateKey, KeyError> {
        let [n, e, p, q] = read_integers(der, "an ESIGN private key")?;
        PrivateKey::from_components(n, e, p, q)
    }

    /// Writes `SEQUENCE { n, e, p, q }`.
    pub fn to_der(&self) -> Zeroizing<Vec<u8>> {
        let Inner { public, p, q, .. } = &*self.0;
        write_integers(&[public.n(), public.e(), p.nat(), q])
    }

    fn build(public: PublicKey, p: Nat, q: Nat) -> Result<PrivateKey, KeyError> {
        let n = &public.n;
        let modulus = |x: &Nat| Modulus::with_plan(x, n.cpu(), n.plan());
        let odd = Invalid("one of its primes is even or 1");
        let pq = modulus(&p.mul(&q).trim()).ok_or(odd.clone())?;
        let hedge = pq.nat().to_be_bytes(public.size()).ok_or(odd.clone())?;
        let p = modulus(&p).ok_or(odd.clone())?;
        let power = Nat::power_of_two(Limb::BITS as usize * p.width());
        let pq_inv = inv_mod(pq.nat(), &power).ok_or(odd)?;
        let pq_inv = low(&pq_inv, p.width());
        Ok(PrivateKey(Arc::new(Inner {
            p,
            q,
            pq,
            pq_inv,
            hedge,
            public,
        })))
    }

    /// A copy of the key that computes with the kernels that `cpu` can execute.
    #[must_use]
    pub fn with_cpu(&self, cpu: Cpu) -> PrivateKey {
        let Inner { public, p, q, .. } = &*self.0;
        let n = Modulus::with_cpu(public.n(), cpu).expect("it was a modulus before");
        let e = public.e.clone();
        let again = PrivateKey::build(PublicKey { n, e }, p.nat().clone(), q.clone());
        again.expect("it was a key before")
    }

    /// Checks the whole key again: n is p^2 q for two primes of one length, not close together.
    ///
    /// # Errors
    /// A sentence saying which part is wrong.
    pub fn validate(&self) -> Result<(), KeyError> {
        let Inner { public, p, q, .. } = &*self.0;
        let (n, e) = (public.n().clone(), public.e.clone());
        PrivateKey::from_components(n, e, p.nat().clone(), q.clone()).map(|_| ())
    }

    /// The public key.
    pub fn public(&self) -> &PublicKey {
        &self.0.public
    }

    /// `IFSP-ESIGN` (IEEE 1363a-2004, 8.2.10): a signature of the number `f`, checked before it is returned. The random
    /// number is derived from `rng`, the key and `f`, so that a bad generator does not reveal the key.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless `f` is of `k` bits; [`Error::Fault`] if the result did not pass its check.
    ///
    /// # Timing
    /// Depends on the bit lengths of the key's parts, on e, on the signature, and on the number of random numbers
    /// tried, which is independent of the one used.
    pub fn ifsp_esign<R: CryptoRng + ?Sized>(&self, rng: &mut R, f: &Nat) -> Result<Nat, Error> {
        self.ifsp_esign_with(rng, f, &mut NoFaults)
    }

    /// The private operation, with a check of the result.
    pub(crate) fn ifsp_esign_with<R: CryptoRng + ?Sized>(
        &self,
        rng: &mut R,
        f: &Nat,
        faults: &mut impl Faults<EsignStage>,
    ) -> Result<Nat, Error> {
        let Inner { public, p, pq, .. } = &*self.0;
        let (n, k) = (&public.n, public.k());
        if f.bits() > k {
            return Err(Error::OutOfRange);
        }
        // A planted fault has the width of the value.
        let mut faulty = |stage, m: &Modulus, x: Nat| match faults.replacement(0, stage, &x) {
            Some(other) => m.reduce(&other),
            None => x,
        };
        // f has k bits, n 3 k + 3.
        let z = f.shl(2 * k + 2).resize(n.width()).expect("below n");
        let e = public.e().resize(p.width()).expect("of 64 bits at most");
        let seed = self.seed(rng, f).ok_or(Error::OutOfRange)?;
        for attempt in 0..TRIES {
            // 1. A random r below p q
            let Some(r) = self.random(&seed, attempt) else {
                continue;
            };
            // 2. 3. a = f 2^(2k+2) - r^e mod n
            let wide = r.resize(n.width()).expect("below n");
            let power = n.pow_vartime(&wide, public.e());
            let power = faulty(EsignStage::Power, n, power);
            let a = faulty(EsignStage::Difference, n, n.sub(&z, &power));
            // 4. a = w_0 p q - w_1 with w_1 below p q; 5. try again unless w_1 < 2^(2k+1).
            let w_1 = faulty(EsignStage::Remainder, pq, pq.neg(&pq.reduce(&a)));
            if !w_1.shr(2 * k + 1).is_zero() {
                continue;
            }
            // w_0 is at most p, so it fits its lowest limbs.
            let sum = low(&a.add(&w_1), p.width());
            let w_0 = low(&sum.mul(&self.0.pq_inv), p.width());
            let w_0 = faulty(EsignStage::Quotient, p, p.reduce(&w_0));
            // 6. t = w_0 / (e r^(e-1)) = w_0 r / (e r^e) mod p
            let inverse = p.inv(&p.mul(&e, &p.reduce(&power))).ok_or(Error::Fault)?;
            let inverse = faulty(EsignStage::Inverse, p, inverse);
            let t = p.mul(&p.mul(&w_0, &p.reduce(&r)), &inverse);
            let t = faulty(EsignStage::Factor, p, t);
            // 7. s = r + t p q
            let product = faulty(EsignStage::Product, n, pq.nat().clone());
            let s = faulty(EsignStage::Result, n, t.mul(&product).add(&r));
            // From here on s is public or dropped: a number r plus a multiple of p q that is no signature would reveal
            // p q.
            let s = s.publish();
            return match public.ifvp_esign(&s).as_ref() == Ok(f) {
                true => Ok(s),
                false => Err(Error::Fault),
            };
        }
        Err(Error::Fault)
    }

    /// The input of the random numbers for a signature of `f`.
    ///
    /// Two signatures with a common r, or part of it, reveal p q. So r is derived by a hash of the key, f and the
    /// randomness.
    fn seed<R: CryptoRng + ?Sized>(&self, rng: &mut R, f: &Nat) -> Option<Zeroizing<Vec<u8>>> {
        let mut fresh = Zeroizing::new([0; 64]);
        rng.fill_bytes(&mut *fresh);
        let mut hasher = HASH.hasher();
        hasher.update(&self.0.hedge);
        hasher.update(&f.to_be_bytes(self.public().size())?);
        hasher.update(&*fresh);
        Some(Zeroizing::new(hasher.finish()))
    }

    /// The random number of this attempt, or `None` if it is not below p q.
    fn random(&self, seed: &[u8], attempt: u32) -> Option<Nat> {
        let seed = Zeroizing::new([seed, &attempt.to_be_bytes()].concat());
        let bits = self.0.pq.bits();
        let mut octets = Zeroizing::new(vec![0; bits.div_ceil(8)]);
        mgf1_xor(HASH, &seed, &mut octets);
        octets[0] &= top_mask(bits);
        Some(Nat::from_be_bytes(&octets)).filter(|r| r.lt(self.0.pq.nat()))
    }

    /// Signs the digest of a message, encoded with EMSA5 and MGF1.
    ///
    /// # Errors
    /// [`Error::Sha1Signature`], [`Error::DigestLength`]; [`Error::Fault`] if the machine miscalculated.
    ///
    /// # Timing
    /// As [`PrivateKey::ifsp_esign`].
    pub fn esign_emsa5_sign<R: CryptoRng + ?Sized>(
        &self,
        rng: &mut R,
        hash: Hash,
        digest: &[u8],
    ) -> Result<Vec<u8>, Error> {
        refuse_sha1(hash)?;
        let f = emsa5_encode(hash, digest, self.public().k())?;
        let s = self.ifsp_esign(rng, &Nat::from_be_bytes(&f))?;
        let octets = s.to_be_bytes(self.public().size());
        Ok(octets.ok_or(Error::OutOfRange)?.to_vec())
    }
}

/// `EMSA5` (IEEE 1363a-2004, 12.1.5) of a digest: `bits` bits of MGF1 with the digest's hash.
///
/// # Errors
/// [`Error::DigestLength`] if the digest is not of the hash's length.
pub fn emsa5_encode(hash: Hash, digest: &[u8], bits: usize) -> Result<Vec<u8>, Error> {
    check_digest(hash, digest)?;
    let mut em = vec![0; bits.div_ceil(8)];
    mgf1_xor(hash, digest, &mut em);
    if let Some(first) = em.first_mut() {
        *first &= top_mask(bits);
    }
    Ok(em)
}

/// The lowest limbs.
fn low(x: &Nat, width: usize) -> Nat {
    Nat::from_limbs(&x.limbs()[..width])
}

/// The cheap conditions on the primes.
fn check(n: &Nat, p: &Nat, q: &Nat) -> Result<(), KeyError> {
    let bits = n.bits_vartime();
    if [p, q].iter().any(|r| r.bits() != bits / 3) {
        return Err(Invalid("its primes are not a third as long as its modulus"));
    }
    check_primes(&[p.clone(), q.clone()], p.mul(q).bits())?;
    match p.sqr().mul(q) == *n {
        true => Ok(()),
        false => Err(Invalid("its modulus is not p^2 q")),
    }
}
