//! Rabin encryption and signatures (Rabin 1979), compatible with Crypto++'s `Rabin<OAEP<H>>` and `RabinSS<PSSR, H>`.
//! Legacy.
//!
//! A square modulo n = p q has four roots. To make the root unique, the key has a number r that is a square modulo p
//! only, and s that is one modulo q only. The image of m is m^2, times r if m is odd, times s if (m / n) = -1. So every
//! number below n is the image of exactly one number, which is as hard to find as the factors of n.
//!
//! ```
//! use carrysave_schemes::{hash::Hash, legacy::{KeygenOptions, rabin::PrivateKey}};
//! let rng = &mut rand_core::UnwrapErr(getrandom::SysRng);
//! // 1024 bits keep this example quick; leave the options at their default for a key to use.
//! let key = PrivateKey::generate_with(rng, 1024, KeygenOptions { allow_small: true }).unwrap();
//! let c = key.public().rabines_oaep_encrypt(rng, Hash::Sha256, b"", b"a secret").unwrap();
//! assert_eq!(*key.rabines_oaep_decrypt(rng, Hash::Sha256, b"", &c).unwrap(), b"a secret");
//!
//! let digest = Hash::Sha256.digest(b"a message");
//! let signature = key.rabinss_pssr_sign(rng, Hash::Sha256, b"", &digest).unwrap();
//! key.public().rabinss_pssr_verify(Hash::Sha256, b"", &digest, &signature).unwrap();
//! ```

use super::roots::{self, RootStage, Roots, Symbols, Tweak, nonresidue};
use super::{Error, KeyError, KeygenOptions, modulus, pssr, read_integers, write_integers};
use crate::fault::{Faults, NoFaults};
use crate::hash::Hash;
use crate::rsa::{eme_oaep_decode, eme_oaep_encode};
use KeyError::Invalid;
use carrysave_arith::{Cpu, Limb, Modulus, Nat, publish};
use rand_core::CryptoRng;
use std::sync::Arc;
use zeroize::Zeroizing;

/// A Rabin public key `(n, r, s)`, checked. Cloning is cheap.
#[derive(Clone)]
pub struct PublicKey {
    n: Modulus,
    r: Nat,
    s: Nat,
}

impl PublicKey {
    /// The key with modulus `n`, and `r` and `s` that distinguish the square roots.
    ///
    /// # Errors
    /// [`KeyError::Size`] unless `n` has 512 to 16,384 bits; [`KeyError::Invalid`] unless `n = 1 (mod 4)`, and `r` and
    /// `s` are different numbers from 2 to below `n` with the Jacobi symbol -1.
    pub fn new(n: Nat, r: Nat, s: Nat) -> Result<PublicKey, KeyError> {
        let n = modulus(&n, (1, 4), "its modulus is not 1 modulo 4")?;
        for (x, refused) in [
            (
                &r,
                "its r is not a number from 2 to below the modulus with the Jacobi symbol -1",
            ),
            (
                &s,
                "its s is not a number from 2 to below the modulus with the Jacobi symbol -1",
            ),
        ] {
            if !x.lt(n.nat()) || x.is_one() || x.jacobi_vartime(n.nat()) != -1 {
                return Err(Invalid(refused));
            }
        }
        if r == s {
            return Err(Invalid("its r and s are one number"));
        }
        let (r, s) = (n.reduce(&r), n.reduce(&s));
        Ok(PublicKey { n, r, s })
    }

    /// Reads `SEQUENCE { n, r, s }`, as Crypto++ stores it.
    ///
    /// # Errors
    /// [`KeyError::Format`]; the errors of [`PublicKey::new`].
    pub fn from_der(der: &[u8]) -> Result<PublicKey, KeyError> {
        let [n, r, s] = read_integers(der, "a Rabin public key")?;
        PublicKey::new(n, r, s)
    }

    /// Writes `SEQUENCE { n, r, s }`.
    pub fn to_der(&self) -> Vec<u8> {
        write_integers(&[self.n(), &self.r, &self.s]).to_vec()
    }

    /// The modulus.
    pub fn n(&self) -> &Nat {
        self.n.nat()
    }

    /// r: a square modulo p, and none modulo q.
    pub fn r(&self) -> &Nat {
        &self.r
    }

    /// s: a square modulo q, and none modulo p.
    pub fn s(&self) -> &Nat {
        &self.s
    }

    /// The length of the modulus in bits.
    pub fn bits(&self) -> usize {
        self.n.bits()
    }

    /// The length of the modulus, of a ciphertext and of a signature in bytes.
    pub fn size(&self) -> usize {
        self.bits().div_ceil(8)
    }

    /// The image of a secret number: `m^2 mod n`, times r if m is odd, times s if (m / n) = -1.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless `m < n`.
    ///
    /// # Timing
    /// Depends on the key only.
    pub fn apply<R: CryptoRng + ?Sized>(&self, rng: &mut R, m: &Nat) -> Result<Nat, Error> {
        let m = self.residue(m)?;
        Ok(self.image(&m, self.minus(rng, &m)))
    }

    /// The image of a public number.
    ///
    /// # Errors
    /// As [`PublicKey::apply`].
    pub fn apply_vartime(&self, m: &Nat) -> Result<Nat, Error> {
        let m = self.residue(m)?;
        Ok(self.image(&m, Limb::from(m.jacobi_vartime(self.n()) == -1)))
    }

    fn residue(&self, m: &Nat) -> Result<Nat, Error> {
        match m.lt(self.n()) {
            true => Ok(m.resize(self.n.width()).expect("m < n")),
            false => Err(Error::OutOfRange),
        }
    }

    fn image(&self, m: &Nat, minus: Limb) -> Nat {
        let n = &self.n;
        let image = n.sqr(m);
        let image = image.select(m.limbs()[0], &n.mul(&image, &self.r));
        image.select(minus, &n.mul(&image, &self.s))
    }

    /// 1 if (m / n) = -1, else 0, for a secret m.
    fn minus<R: CryptoRng + ?Sized>(&self, rng: &mut R, m: &Nat) -> Limb {
        let n = &self.n;
        // m times a random square has the symbol of m, and a coin decides whether r changes the sign. The public value
        // is random: it reveals neither m nor its symbol.
        let square = n.sqr(&Nat::random_below(n.nat(), rng));
        let coin = Nat::random_bits(1, rng).limbs()[0];
        let blinded = n.mul(m, &square);
        let blinded = blinded.select(coin, &n.mul(&blinded, &self.r));
        match blinded.publish().jacobi_vartime(n.nat()) {
            0 => 0,
            1 => coin,
            _ => 1 ^ coin,
        }
    }

    /// Encrypts `m` with OAEP (RFC 8017, 7.1, and Rabin in place of RSA); `label` is associated data that is not sent.
    /// One hash serves the label and MGF1.
    ///
    /// # Errors
    /// [`Error::MessageTooLong`], [`Error::KeyTooSmall`].
    ///
    /// # Timing
    /// Depends on the key and the lengths only.
    pub fn rabines_oaep_encrypt<R: CryptoRng + ?Sized>(
        &self,
        rng: &mut R,
        hash: Hash,
        label: &[u8],
        m: &[u8],
    ) -> Result<Vec<u8>, Error> {
        let mut seed = Zeroizing::new([0; 64]);
        let seed = &mut seed[..hash.len()];
        rng.fill_bytes(seed);
        let em = eme_oaep_encode(hash, hash, label, m, seed, self.size())?;
        let c = self.apply(rng, &Nat::from_be_bytes(&em))?;
        Ok(c.to_be_bytes(self.size())
            .ok_or(Error::OutOfRange)?
            .to_vec())
    }

    /// Verifies a signature with PSSR over the part `m1` of the message that is inside it and the digest of the rest.
    ///
    /// # Errors
    /// [`Error::Verification`] if the signature is not valid for this key and both parts; [`Error::DigestLength`].
    pub fn rabinss_pssr_verify(
        &self,
        hash: Hash,
        m1: &[u8],
        digest: &[u8],
        signature: &[u8],
    ) -> Result<(), Error> {
        match self.rabinss_pssr_recover(hash, digest, signature)? == m1 {
            true => Ok(()),
            false => Err(Error::Verification),
        }
    }

    /// The part of the message inside a signature with PSSR, given the digest of the rest.
    ///
    /// # Errors
    /// As [`PublicKey::rabinss_pssr_verify`].
    pub fn rabinss_pssr_recover(
        &self,
        hash: Hash,
        digest: &[u8],
        signature: &[u8],
    ) -> Result<Vec<u8>, Error> {
        pssr::recover(hash, digest, self.bits() - 1, || {
            let right = signature.len() == self.size();
            self.apply_vartime(&Nat::from_be_bytes(signature))
                .ok()
                .filter(|_| right)
        })
    }
}

key_traits!(n, r, s);

/// A Rabin private key, checked. Cloning is cheap and shares the key, which is wiped with the last clone.
#[derive(Clone)]
pub struct PrivateKey(Arc<Inner>);

struct Inner {
    public: PublicKey,
    roots: Roots,
}

impl PrivateKey {
    /// Generates a key of `bits` bits (512 to 16,384, a multiple of 8; below 2048 only if the options allow it).
    ///
    /// # Errors
    /// [`KeyError::Size`].
    pub fn generate_with<R: CryptoRng + ?Sized>(
        rng: &mut R,
        bits: usize,
        options: KeygenOptions,
    ) -> Result<PrivateKey, KeyError> {
        let [p, q] = roots::generate(rng, bits, [(3, 4); 2], options)?;
        let n = p.mul(&q).publish().trim_vartime();
        // The smallest numbers with the Jacobi symbol -1 that are squares modulo p only and modulo q only, so that they
        // reveal nothing.
        let modulo_q = Modulus::new(&q).expect("a prime");
        let of_q = |t: &Nat| publish(nonresidue(&modulo_q, t)) == 1;
        let mut unlike = (2..)
            .map(Nat::from_limb)
            .filter(|t| t.jacobi_vartime(&n) == -1);
        let first = unlike.next().expect("half of all numbers");
        let is_r = of_q(&first);
        let other = unlike.find(|t| of_q(t) != is_r).expect("half of the rest");
        let (r, s) = if is_r { (first, other) } else { (other, first) };
        PrivateKey::build(PublicKey::new(n, r, s)?, [p, q], None)
    }

    /// The key with modulus `n`, and `r`, `s`, and prime factors `p` and `q`, where r is a square modulo p only and s
    /// modulo q only.
    ///
    /// # Errors
    /// As [`PrivateKey::validate`].
    ///
    /// # Timing
    /// Depends on the bit lengths of the parts only, as long as the key is accepted.
    pub fn from_components(n: Nat, r: Nat, s: Nat, p: Nat, q: Nat) -> Result<PrivateKey, KeyError> {
        PrivateKey::assemble(n, r, s, [p, q], None)
    }

    /// Reads `SEQUENCE { n, r, s, p, q, q^-1 mod p }`, as Crypto++ stores it.
    ///
    /// # Errors
    /// [`KeyError::Format`]; the errors of [`PrivateKey::validate`].
    ///
    /// # Timing
    /// As [`PrivateKey::from_components`].
    pub fn from_der(der: &[u8]) -> Result<PrivateKey, KeyError> {
        let [n, r, s, p, q, u] = read_integers(der, "a Rabin private key")?;
        PrivateKey::assemble(n, r, s, [p, q], Some(u))
    }

    /// Writes `SEQUENCE { n, r, s, p, q, q^-1 mod p }`.
    pub fn to_der(&self) -> Zeroizing<Vec<u8>> {
        let (public, [p, q, u]) = (self.public(), self.0.roots.parts());
        write_integers(&[public.n(), &public.r, &public.s, p, q, u])
    }

    fn assemble(
        n: Nat,
        r: Nat,
        s: Nat,
        [p, q]: [Nat; 2],
        u: Option<Nat>,
    ) -> Result<PrivateKey, KeyError> {
        let public = PublicKey::new(n, r, s)?;
        check_primes(public.n(), &p, &q)?;
        let key = PrivateKey::build(public, [p, q].map(Nat::trim), u)?;
        key.0.roots.primality()?;
        Ok(key)
    }

    fn build(public: PublicKey, primes: [Nat; 2], u: Option<Nat>) -> Result<PrivateKey, KeyError> {
        let tweak = |[of_p, of_q]: Symbols| Tweak {
            magnitude: match (of_p, of_q) {
                (0, 0) => Nat::one(),
                (0, _) => public.r.clone(),
                (_, 0) => public.s.clone(),
                _ => public.r.mul(&public.s),
            },
            negative: false,
            root: [of_p, 0],
        };
        let roots = Roots::new(&public.n, primes, u, tweak)?;
        let refused = "its r is not a square modulo p only, or its s not modulo q only";
        let rules = [(&public.r, [0, 1]), (&public.s, [1, 0])];
        if rules
            .iter()
            .any(|(x, symbols)| roots.symbols(x).map(publish) != *symbols)
        {
            return Err(Invalid(refused));
        }
        Ok(PrivateKey(Arc::new(Inner { public, roots })))
    }

    /// A copy of the key that computes with the kernels that `cpu` can execute.
    #[must_use]
    pub fn with_cpu(&self, cpu: Cpu) -> PrivateKey {
        let public = self.public();
        let n = Modulus::with_cpu(public.n(), cpu).expect("it was a modulus before");
        let (r, s) = (public.r.clone(), public.s.clone());
        PrivateKey(Arc::new(Inner {
            public: PublicKey { n, r, s },
            roots: self.0.roots.with_cpu(cpu),
        }))
    }

    /// Checks the whole key again: n is the product of two primes of one length that are 3 modulo 4 and not close
    /// together, r is a square modulo p only and s modulo q only.
    ///
    /// # Errors
    /// A sentence saying which part is wrong.
    pub fn validate(&self) -> Result<(), KeyError> {
        let PublicKey { n, r, s } = self.public().clone();
        let [p, q, u] = self.0.roots.parts().map(Nat::clone);
        PrivateKey::assemble(n.nat().clone(), r, s, [p, q], Some(u)).map(|_| ())
    }

    /// The public key.
    pub fn public(&self) -> &PublicKey {
        &self.0.public
    }

    /// The number whose image is `c`, blinded with randomness of `rng` and checked before it is returned.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless `c < n`; [`Error::Fault`] if the result did not pass its check.
    ///
    /// # Timing
    /// Depends on the bit lengths of the key's parts, not on their values, nor on `c`.
    pub fn invert<R: CryptoRng + ?Sized>(&self, rng: &mut R, c: &Nat) -> Result<Nat, Error> {
        self.invert_with(rng, c, &mut NoFaults)
    }

    /// The private operation, with a check of the result.
    pub(crate) fn invert_with<R: CryptoRng + ?Sized>(
        &self,
        rng: &mut R,
        c: &Nat,
        faults: &mut impl Faults<RootStage>,
    ) -> Result<Nat, Error> {
        let (public, roots) = (self.public(), &self.0.roots);
        if !c.lt(public.n()) {
            return Err(Error::OutOfRange);
        }
        let (root, [_, of_q], blinding) = roots.root(&public.n, rng, c, faults);
        // The root has the right symbol; it is odd if c has the factor r.
        let root = root.select(root.limbs()[0] ^ of_q, &public.n.neg(&root));
        // Two different roots reveal the primes, so a wrong one does: its image must be c, else it is dropped.
        if public.apply(rng, &root)? == *c {
            roots.put(blinding);
            Ok(root)
        } else {
            Err(Error::Fault)
        }
    }

    /// Decrypts a ciphertext of [`PublicKey::rabines_oaep_encrypt`].
    ///
    /// # Errors
    /// [`Error::Decryption`] for every failure; [`Error::Fault`] if the machine miscalculated.
    ///
    /// # Timing
    /// As [`PrivateKey::invert`] and [`eme_oaep_decode`].
    pub fn rabines_oaep_decrypt<R: CryptoRng + ?Sized>(
        &self,
        rng: &mut R,
        hash: Hash,
        label: &[u8],
        c: &[u8],
    ) -> Result<Zeroizing<Vec<u8>>, Error> {
        let size = self.public().size();
        let c = Some(Nat::from_be_bytes(c)).filter(|n| c.len() == size && n.lt(self.public().n()));
        let m = self.invert(rng, &c.ok_or(Error::Decryption)?)?;
        let em = m.to_be_bytes(size).ok_or(Error::Decryption)?;
        eme_oaep_decode(hash, hash, label, &em)
    }

    /// Signs the digest of a message with PSSR (IEEE 1363a, EMSR3): a random salt of the hash's length, and the part `m1`
    /// of the message inside the signature, `b""` for a signature beside the message.
    ///
    /// # Errors
    /// [`Error::Sha1Signature`], [`Error::DigestLength`], [`Error::KeyTooSmall`], [`Error::MessageTooLong`];
    /// [`Error::Fault`] if the machine miscalculated.
    ///
    /// # Timing
    /// As [`PrivateKey::invert`].
    pub fn rabinss_pssr_sign<R: CryptoRng + ?Sized>(
        &self,
        rng: &mut R,
        hash: Hash,
        m1: &[u8],
        digest: &[u8],
    ) -> Result<Vec<u8>, Error> {
        let x = pssr::representative(rng, hash, m1, digest, self.public().bits() - 1)?;
        let s = self.invert(rng, &x)?;
        let octets = s.to_be_bytes(self.public().size());
        Ok(octets.ok_or(Error::OutOfRange)?.to_vec())
    }
}

/// The cheap conditions on the primes.
fn check_primes(n: &Nat, p: &Nat, q: &Nat) -> Result<(), KeyError> {
    roots::check(n, p, q)?;
    match [p, q].iter().all(|r| r.bit(0) && r.bit(1)) {
        true => Ok(()),
        false => Err(Invalid("one of its primes is not 3 modulo 4")),
    }
}
