//! Rabin-Williams signatures (Williams 1980; IEEE 1363-2000, 8.2.8 and 8.2.9), compatible with Crypto++'s `RWSS<PSSR,
//! H>` and `RWSS<P1363_EMSA2, H>`. Legacy.
//!
//! p is 3 and q is 7 modulo 8, so for every x one of x, -x, x/2 and -x/2 is a square modulo n = p q. The signature is
//! the root of it that is itself a square, or n less that root if that is smaller. The last octet of the encodings
//! makes x 12 modulo 16, so the verifier can tell which of the four it was.
//!
//! ```
//! use carrysave_schemes::{hash::Hash, legacy::{KeygenOptions, rw::PrivateKey}};
//! let rng = &mut rand_core::UnwrapErr(getrandom::SysRng);
//! // 1024 bits keep this example quick; leave the options at their default for a key to use.
//! let key = PrivateKey::generate_with(rng, 1024, KeygenOptions { allow_small: true }).unwrap();
//! let digest = Hash::Sha256.digest(b"a message");
//! let signature = key.rwss_pssr_sign(rng, Hash::Sha256, b"", &digest).unwrap();
//! key.public().rwss_pssr_verify(Hash::Sha256, b"", &digest, &signature).unwrap();
//! ```

use super::roots::{self, RootStage, Roots, Symbols, Tweak};
use super::{Error, KeyError, KeygenOptions, modulus, pssr, read_integers, write_integers};
use crate::fault::{Faults, NoFaults};
use crate::hash::Hash;
use crate::rsa::{check_digest, refuse_sha1};
use carrysave_arith::{Cpu, Modulus, Nat};
use rand_core::CryptoRng;
use std::sync::Arc;
use zeroize::Zeroizing;

/// A Rabin-Williams public key `n`, checked. Cloning is cheap.
#[derive(Clone)]
pub struct PublicKey {
    n: Modulus,
}

impl PublicKey {
    /// The key with modulus `n`.
    ///
    /// # Errors
    /// [`KeyError::Size`] unless `n` has 512 to 16,384 bits; [`KeyError::Invalid`] unless `n = 5 (mod 8)`.
    pub fn new(n: Nat) -> Result<PublicKey, KeyError> {
        let n = modulus(&n, (5, 8), "its modulus is not 5 modulo 8")?;
        Ok(PublicKey { n })
    }

    /// Reads `SEQUENCE { n }`, as Crypto++ stores it.
    ///
    /// # Errors
    /// [`KeyError::Format`]; the errors of [`PublicKey::new`].
    pub fn from_der(der: &[u8]) -> Result<PublicKey, KeyError> {
        let [n] = read_integers(der, "a Rabin-Williams public key")?;
        PublicKey::new(n)
    }

    /// Writes `SEQUENCE { n }`.
    pub fn to_der(&self) -> Vec<u8> {
        write_integers(&[self.n()]).to_vec()
    }

    /// The modulus.
    pub fn n(&self) -> &Nat {
        self.n.nat()
    }

    /// The length of the modulus in bits.
    pub fn bits(&self) -> usize {
        self.n.bits()
    }

    /// The length of a signature in bytes: it is below n/2.
    pub fn signature_len(&self) -> usize {
        (self.bits() - 1).div_ceil(8)
    }

    /// `IFVP-RW` (IEEE 1363-2000, 8.2.9): the representative, 12 modulo 16, that `s` is the signature of.
    ///
    /// # Errors
    /// [`Error::Verification`] if there is none.
    pub fn ifvp_rw(&self, s: &Nat) -> Result<Nat, Error> {
        let n = &self.n;
        // 1. If s is not in the interval [0, (n - 1) / 2], output "invalid" and stop.
        if !s.lt(&n.nat().shr(1).add_limb(1)) {
            return Err(Error::Verification);
        }
        // 2. t_1 = s^2 mod n, t_2 = n - t_1. As n is odd, one of them is even.
        let t = n.sqr(&s.resize(n.width()).expect("s < n"));
        let t = if t.bit(0) { n.neg(&t) } else { t };
        // 3. - 7. The representative is that one, or twice it.
        let f = match t.limbs()[0] % 16 {
            12 => t,
            6 | 14 => t.shl(1),
            _ => return Err(Error::Verification),
        };
        match f.lt(n.nat()) {
            true => Ok(f.resize(n.width()).expect("f < n")),
            false => Err(Error::Verification),
        }
    }

    /// Verifies a signature with PSSR over the part `m1` of the message that is inside it and the digest of the rest.
    ///
    /// # Errors
    /// [`Error::Verification`] if the signature is not valid for this key and both parts; [`Error::DigestLength`].
    pub fn rwss_pssr_verify(
        &self,
        hash: Hash,
        m1: &[u8],
        digest: &[u8],
        signature: &[u8],
    ) -> Result<(), Error> {
        match self.rwss_pssr_recover(hash, digest, signature)? == m1 {
            true => Ok(()),
            false => Err(Error::Verification),
        }
    }

    /// The part of the message inside a signature with PSSR, given the digest of the rest.
    ///
    /// # Errors
    /// As [`PublicKey::rwss_pssr_verify`].
    pub fn rwss_pssr_recover(
        &self,
        hash: Hash,
        digest: &[u8],
        signature: &[u8],
    ) -> Result<Vec<u8>, Error> {
        let bits = self.bits() - 1;
        pssr::recover(hash, digest, bits, || self.representative(signature).ok())
    }

    /// Verifies a signature with EMSA2 of the digest of a message.
    ///
    /// # Errors
    /// [`Error::Verification`] if the signature is not this key's for that digest; the errors of [`emsa2_encode`].
    pub fn rwss_emsa2_verify(
        &self,
        hash: Hash,
        digest: &[u8],
        signature: &[u8],
    ) -> Result<(), Error> {
        let em = emsa2_encode(hash, digest, self.bits() - 1)?;
        match self.representative(signature)? == Nat::from_be_bytes(&em) {
            true => Ok(()),
            false => Err(Error::Verification),
        }
    }

    fn representative(&self, signature: &[u8]) -> Result<Nat, Error> {
        match signature.len() == self.signature_len() {
            true => self.ifvp_rw(&Nat::from_be_bytes(signature)),
            false => Err(Error::Verification),
        }
    }
}

key_traits!(n);

/// A Rabin-Williams private key, checked. Cloning is cheap and shares the key, which is wiped with the last clone.
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
        let [p, q] = roots::generate(rng, bits, [(3, 8), (7, 8)], options)?;
        let public = PublicKey::new(p.mul(&q).publish())?;
        PrivateKey::build(public, [p, q], None)
    }

    /// The key with modulus `n` and prime factors `p = 3 (mod 8)` and `q = 7 (mod 8)`.
    ///
    /// # Errors
    /// As [`PrivateKey::validate`].
    ///
    /// # Timing
    /// Depends on the bit lengths of the parts only, as long as the key is accepted.
    pub fn from_components(n: Nat, p: Nat, q: Nat) -> Result<PrivateKey, KeyError> {
        PrivateKey::assemble(n, [p, q], None)
    }

    /// Reads `SEQUENCE { n, p, q, q^-1 mod p }`, as Crypto++ stores it.
    ///
    /// # Errors
    /// [`KeyError::Format`]; the errors of [`PrivateKey::validate`].
    ///
    /// # Timing
    /// As [`PrivateKey::from_components`].
    pub fn from_der(der: &[u8]) -> Result<PrivateKey, KeyError> {
        let [n, p, q, u] = read_integers(der, "a Rabin-Williams private key")?;
        PrivateKey::assemble(n, [p, q], Some(u))
    }

    /// Writes `SEQUENCE { n, p, q, q^-1 mod p }`.
    pub fn to_der(&self) -> Zeroizing<Vec<u8>> {
        let [p, q, u] = self.0.roots.parts();
        write_integers(&[self.public().n(), p, q, u])
    }

    fn assemble(n: Nat, [p, q]: [Nat; 2], u: Option<Nat>) -> Result<PrivateKey, KeyError> {
        let public = PublicKey::new(n)?;
        roots::check(public.n(), &p, &q)?;
        let right = [
            (&p, false, "its p is not 3 modulo 8"),
            (&q, true, "its q is not 7 modulo 8"),
        ];
        for (r, third, refused) in right {
            if !(r.bit(0) && r.bit(1) && r.bit(2) == third) {
                return Err(KeyError::Invalid(refused));
            }
        }
        let key = PrivateKey::build(public, [p, q].map(Nat::trim), u)?;
        key.0.roots.primality()?;
        Ok(key)
    }

    fn build(public: PublicKey, primes: [Nat; 2], u: Option<Nat>) -> Result<PrivateKey, KeyError> {
        // -1 is no square modulo either prime, 2 modulo p only. The root is to be a square.
        let tweak = |[of_p, of_q]: Symbols| Tweak {
            magnitude: Nat::from_limb(1 + (of_p ^ of_q)),
            negative: of_q == 1,
            root: [0, 0],
        };
        let roots = Roots::new(&public.n, primes, u, tweak)?;
        Ok(PrivateKey(Arc::new(Inner { public, roots })))
    }

    /// A copy of the key that computes with the kernels that `cpu` can execute.
    #[must_use]
    pub fn with_cpu(&self, cpu: Cpu) -> PrivateKey {
        let n = Modulus::with_cpu(self.public().n(), cpu).expect("it was a modulus before");
        PrivateKey(Arc::new(Inner {
            public: PublicKey { n },
            roots: self.0.roots.with_cpu(cpu),
        }))
    }

    /// Checks the whole key again: n is the product of two primes of one length, 3 and 7 modulo 8 and not close
    /// together.
    ///
    /// # Errors
    /// A sentence saying which part is wrong.
    pub fn validate(&self) -> Result<(), KeyError> {
        let [p, q, u] = self.0.roots.parts().map(Nat::clone);
        PrivateKey::assemble(self.public().n().clone(), [p, q], Some(u)).map(|_| ())
    }

    /// The public key.
    pub fn public(&self) -> &PublicKey {
        &self.0.public
    }

    /// `IFSP-RW` (IEEE 1363-2000, 8.2.8): the signature of a representative, blinded with randomness of `rng` and checked
    /// before it is returned. It depends on the key and `f` only.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless `f < n` and `f = 12 (mod 16)`; [`Error::Fault`] if the result did not pass its check.
    ///
    /// # Timing
    /// Depends on the bit lengths of the key's parts and on the signature.
    pub fn ifsp_rw<R: CryptoRng + ?Sized>(&self, rng: &mut R, f: &Nat) -> Result<Nat, Error> {
        self.ifsp_rw_with(rng, f, &mut NoFaults)
    }

    /// The private operation, with a check of the result.
    pub(crate) fn ifsp_rw_with<R: CryptoRng + ?Sized>(
        &self,
        rng: &mut R,
        f: &Nat,
        faults: &mut impl Faults<RootStage>,
    ) -> Result<Nat, Error> {
        let (public, roots) = (self.public(), &self.0.roots);
        let n = &public.n;
        // 1. f is the representative of a message.
        if !f.lt(n.nat()) || f.limbs()[0] % 16 != 12 {
            return Err(Error::OutOfRange);
        }
        // 2. u = f or f/2, t = u^d mod n
        let (t, _, blinding) = roots.root(n, rng, f, faults);
        // 3. s = min(t, n - t)
        let other = n.neg(&t);
        let s = t.select(other.below(&t), &other);
        // From here on s is public or dropped.
        let s = s.publish();
        // Two different roots reveal the primes, and all four pass the verification. The right one and its negative
        // have the Jacobi symbol 1, the others -1.
        if public.ifvp_rw(&s).as_ref() == Ok(f) && s.jacobi_vartime(n.nat()) == 1 {
            roots.put(blinding);
            Ok(s)
        } else {
            Err(Error::Fault)
        }
    }

    /// Signs the digest of a message with PSSR (IEEE 1363a, EMSR3): a random salt of the hash's length, and the part `m1`
    /// of the message inside the signature, `b""` for a signature beside the message.
    ///
    /// # Errors
    /// [`Error::Sha1Signature`], [`Error::DigestLength`], [`Error::KeyTooSmall`], [`Error::MessageTooLong`];
    /// [`Error::Fault`] if the machine miscalculated.
    ///
    /// # Timing
    /// As [`PrivateKey::ifsp_rw`].
    pub fn rwss_pssr_sign<R: CryptoRng + ?Sized>(
        &self,
        rng: &mut R,
        hash: Hash,
        m1: &[u8],
        digest: &[u8],
    ) -> Result<Vec<u8>, Error> {
        let f = pssr::representative(rng, hash, m1, digest, self.public().bits() - 1)?;
        self.signature(&self.ifsp_rw(rng, &f)?)
    }

    /// Signs the digest of a message with EMSA2 (ISO 9796-2). One digest has one signature.
    ///
    /// # Errors
    /// [`Error::Sha1Signature`]; the errors of [`emsa2_encode`]; [`Error::Fault`] if the machine miscalculated.
    ///
    /// # Timing
    /// As [`PrivateKey::ifsp_rw`].
    pub fn rwss_emsa2_sign<R: CryptoRng + ?Sized>(
        &self,
        rng: &mut R,
        hash: Hash,
        digest: &[u8],
    ) -> Result<Vec<u8>, Error> {
        refuse_sha1(hash)?;
        let em = emsa2_encode(hash, digest, self.public().bits() - 1)?;
        self.signature(&self.ifsp_rw(rng, &Nat::from_be_bytes(&em))?)
    }

    fn signature(&self, s: &Nat) -> Result<Vec<u8>, Error> {
        let octets = s.to_be_bytes(self.public().signature_len());
        Ok(octets.ok_or(Error::OutOfRange)?.to_vec())
    }
}

/// `EMSA2` (IEEE 1363-2000, 12.1.2; ISO 9796-2) of a digest in `bits` bits, one less than the modulus has.
///
/// # Errors
/// [`Error::DigestLength`] if the digest is not of the hash's length; [`Error::KeyTooSmall`] if it does not fit;
/// [`Error::Unfit`] if the modulus is not of whole octets, or ISO 10118 has no number for the hash.
pub fn emsa2_encode(hash: Hash, digest: &[u8], bits: usize) -> Result<Vec<u8>, Error> {
    check_digest(hash, digest)?;
    let identifier = match hash {
        Hash::Sha1 => 0x33,
        Hash::Sha224 => 0x38,
        Hash::Sha256 => 0x34,
        Hash::Sha384 => 0x36,
        Hash::Sha512 => 0x35,
        _ => {
            return Err(Error::Unfit(
                "EMSA2 has sha1, sha224, sha256, sha384 and sha512 only",
            ));
        }
    };
    if bits % 8 != 7 {
        return Err(Error::Unfit("EMSA2 needs a modulus of whole octets"));
    }
    let padding = bits.div_ceil(8).checked_sub(digest.len() + 4);
    let padding = padding.ok_or(Error::KeyTooSmall)?;
    // 4b or 6b, bb ... bb, ba, the digest, the hash's identifier, cc
    let first = if *digest == *hash.digest(b"") {
        0x4b
    } else {
        0x6b
    };
    let mut em = vec![first];
    em.resize(1 + padding, 0xbb);
    em.push(0xba);
    em.extend(digest);
    em.extend([identifier, 0xcc]);
    Ok(em)
}
