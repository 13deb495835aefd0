//! DSA (FIPS 186-4, section 4), with nonces of RFC 6979.

use super::powers::{NoncePower, nonce_powers};
use super::{Error, PrivateKey, PublicKey, Signature};
use crate::STACK;
use crate::fault::{Faults, NoFaults};
use crate::hash::Hash;
use crate::nonce::{Nonces, leftmost};
use carrysave_arith::{Nat, off_stack};
use core::hint::black_box;
use rand_core::CryptoRng;
use zeroize::Zeroizing;

/// An intermediate value of a signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DsaStage {
    /// The digest as a number.
    Digest,
    /// k.
    Nonce,
    /// k, derived again to check the signature.
    Again,
    /// g^k mod p.
    Power,
    /// r.
    R,
    /// k^-1 mod q.
    Inverse,
    /// x.
    Exponent,
    /// z + x r mod q.
    Sum,
    /// s.
    S,
}

impl PrivateKey {
    /// The DSA signature of the digest of a message, with the nonce of RFC 6979: the same every time.
    ///
    /// A key that signs repeatedly gets tables of powers of g, and of y for the check of the result, as described at
    /// [`Group::precomputed`](super::Group::precomputed).
    ///
    /// # Errors
    /// [`Error::Sha1Signature`], [`Error::DigestLength`]; [`Error::Fault`] if the machine miscalculated.
    ///
    /// # Timing
    /// Depends on the group, the hash, and the signature.
    ///
    /// ```
    /// use carrysave_schemes::dl::{Group, PrivateKey};
    /// use carrysave_schemes::hash::Hash;
    /// # let rng = &mut rand_core::UnwrapErr(getrandom::SysRng);
    /// // 512 bits keep this example quick; take 2048 and 256, or more, for a group to use.
    /// let (group, _) = Group::generate_with(rng, 512, 160, Hash::Sha256, &mut || ()).unwrap();
    /// let key = PrivateKey::generate_with(&group, rng);
    /// let digest = Hash::Sha256.digest(b"a message");
    /// let signature = key.dsa_sign(Hash::Sha256, &digest).unwrap();
    /// key.public().dsa_verify(Hash::Sha256, &digest, &signature).unwrap();
    /// ```
    pub fn dsa_sign(&self, hash: Hash, digest: &[u8]) -> Result<Signature, Error> {
        refuse_sha1(hash)?;
        self.dsa_sign_with(hash, digest, &[], &mut NoFaults)
    }

    /// The DSA signature of the digest of a message, with 32 random octets in the nonce (RFC 6979, 3.6): different
    /// every time, and no worse than [`PrivateKey::dsa_sign`] if the generator is bad.
    ///
    /// # Errors
    /// As [`PrivateKey::dsa_sign`].
    ///
    /// # Timing
    /// As [`PrivateKey::dsa_sign`].
    pub fn dsa_sign_randomized<R: CryptoRng + ?Sized>(
        &self,
        rng: &mut R,
        hash: Hash,
        digest: &[u8],
    ) -> Result<Signature, Error> {
        refuse_sha1(hash)?;
        let mut more = Zeroizing::new([0; 32]);
        rng.fill_bytes(&mut *more);
        self.dsa_sign_with(hash, digest, &*more, &mut NoFaults)
    }

    /// [`PrivateKey::dsa_sign`] with additional data for the nonce, of any hash.
    pub(crate) fn dsa_sign_with(
        &self,
        hash: Hash,
        digest: &[u8],
        more: &[u8],
        faults: &mut impl Faults<DsaStage>,
    ) -> Result<Signature, Error> {
        off_stack::<STACK, _>(|| {
            let mut made = sign(&[ToSign::new(self, hash, digest, more)], faults);
            made.pop().expect("one each")
        })
    }

    /// The DSA signature with a nonce of the caller's choice, which must never be used for another digest.
    pub(crate) fn dsa_sign_with_nonce(&self, digest: &[u8], k: &Nat) -> Result<Signature, Error> {
        let q = self.group().order();
        let k = k.resize(q.width()).ok_or(Error::Fault)?;
        let power = self.group().power(&k, q.bits());
        let signature = self.dsa_sign_finish(digest, &k, &power, (0, &mut NoFaults));
        let right = self.dsa_fits(digest, &signature, &k, &power);
        right.then_some(signature).ok_or(Error::Fault)
    }

    /// The signature from `g^k mod p`, not yet checked, with the planted faults of an index.
    fn dsa_sign_finish(
        &self,
        digest: &[u8],
        k: &Nat,
        power: &Nat,
        (index, faults): (usize, &mut impl Faults<DsaStage>),
    ) -> Signature {
        let q = self.group().order();
        let z = q.reduce(&bits2int(digest, q.bits()));
        let z = faults.replace(index, DsaStage::Digest, z);
        // r = (g^k mod p) mod q
        let r = faults.replace(index, DsaStage::R, q.reduce(power));
        // s = k^-1 (z + x r) mod q
        let inverse = q.inv(k).unwrap_or_default();
        let inverse = faults.replace(index, DsaStage::Inverse, q.reduce(&inverse));
        let x = self.x().resize(q.width()).expect("x < q");
        let x = faults.replace(index, DsaStage::Exponent, x);
        let sum = q.add(&z, &q.mul(&x, &r));
        let sum = faults.replace(index, DsaStage::Sum, sum);
        let s = faults.replace(index, DsaStage::S, q.mul(&inverse, &sum));
        Signature::new(r.publish(), s.publish())
    }

    /// Whether this is the signature for a nonce k and `g^k mod p`: neither number is 0, and `s k = z + x r (mod q)`. A
    /// zero, with a chance of 1 in 2^160, would need another nonce.
    fn dsa_fits(&self, digest: &[u8], signature: &Signature, k: &Nat, power: &Nat) -> bool {
        let q = self.group().order();
        let Some([r, s]) = signature.below(q) else {
            return false;
        };
        let z = q.reduce(&bits2int(digest, q.bits()));
        let x = self.x().resize(q.width()).expect("x < q");
        q.reduce(power) == r && q.mul(&s, k) == q.add(&z, &q.mul(&x, &r))
    }
}

/// The number in the leftmost bits of the octets, at most `bits` (RFC 6979, 2.3.2).
pub(crate) fn bits2int(octets: &[u8], bits: usize) -> Nat {
    Nat::from_be_bytes(&leftmost(octets, bits))
}

/// The nonce of RFC 6979 for a digest, derived twice: a number from 1 to below q, as wide as q.
pub(crate) fn nonce(key: &PrivateKey, hash: Hash, digest: &[u8], more: &[u8]) -> [Nat; 2] {
    let (q, size) = (key.group().order(), key.group().order_size());
    let inputs = [key, black_box(key)].map(|key| {
        let h1 = q.reduce(&bits2int(black_box(digest), q.bits()));
        (key.to_be_bytes(), h1.to_be_bytes(size).expect("below q"))
    });
    let inputs = inputs.each_ref().map(|(x, h1)| [&**x, &**h1, more]);
    Nonces::new(hash, q.bits(), inputs).next(|octets| {
        let k = Nat::from_be_bytes(octets);
        let fits = k.lt(q.nat()) && !k.is_zero();
        fits.then(|| k.resize(q.width()).expect("below q"))
    })
}

/// The number to be signed.
pub(super) struct ToSign<'a> {
    pub(super) key: &'a PrivateKey,
    hash: Hash,
    digest: &'a [u8],
    more: &'a [u8],
}

impl<'a> ToSign<'a> {
    pub(super) fn new(
        key: &'a PrivateKey,
        hash: Hash,
        digest: &'a [u8],
        more: &'a [u8],
    ) -> Result<ToSign<'a>, Error> {
        check_digest(hash, digest)?;
        Ok(ToSign {
            key,
            hash,
            digest,
            more,
        })
    }

    fn nonce(&self) -> [Nat; 2] {
        nonce(self.key, self.hash, self.digest, self.more)
    }
}

/// The signatures of at most [`LANES`](carrysave_arith::lanes::LANES) digests with keys of one class, in order. Refused
/// ones take no lane.
///
/// A signature is released only if it matches the nonce, which is derived again. A signature that does not verify may
/// reveal the key. A wrong nonce or power gives a signature that may verify, and reveals the key together with the
/// right one.
pub(super) fn sign(
    all: &[Result<ToSign<'_>, Error>],
    faults: &mut impl Faults<DsaStage>,
) -> Vec<Result<Signature, Error>> {
    let good = all.iter().enumerate();
    let good = good.filter_map(|(i, to_sign)| Some((i, to_sign.as_ref().ok()?)));
    let good: Vec<(usize, &ToSign<'_>)> = good.collect();
    let jobs = good.iter().map(|&(i, to_sign)| {
        let [nonce, again] = to_sign.nonce();
        NoncePower {
            key: to_sign.key,
            nonce: faults.replace(i, DsaStage::Nonce, nonce),
            again: faults.replace(i, DsaStage::Again, again),
        }
    });
    let jobs: Vec<NoncePower<'_>> = jobs.collect();
    let powers = nonce_powers(&jobs);
    let mut released = Vec::new();
    for ((&(i, to_sign), of), [power, check]) in good.iter().zip(&jobs).zip(powers) {
        let power = faults.replace(i, DsaStage::Power, power);
        let (key, digest) = (to_sign.key, to_sign.digest);
        let signature = key.dsa_sign_finish(digest, &of.nonce, &power, (i, faults));
        let fits = key.dsa_fits(digest, &signature, &of.again, &power);
        released.push(match fits && power == check {
            true => Ok(signature),
            false => Err(Error::Fault),
        });
    }
    let mut released = released.into_iter();
    let result = |to_sign: &Result<ToSign<'_>, Error>| match to_sign {
        Ok(_) => released.next().expect("one each"),
        Err(error) => Err(error.clone()),
    };
    all.iter().map(result).collect()
}

impl PublicKey {
    /// Checks the DSA signature of the digest of a message (FIPS 186-4, 4.7).
    ///
    /// # Errors
    /// [`Error::Verification`] if it is not valid for this key and digest; [`Error::DigestLength`].
    pub fn dsa_verify(
        &self,
        hash: Hash,
        digest: &[u8],
        signature: &Signature,
    ) -> Result<(), Error> {
        check_digest(hash, digest)?;
        let (u1, u2) = self.dsa_exponents(digest, signature)?;
        self.dsa_verify_finish(signature, &self.power_product_vartime(&u1, &u2))
    }

    /// The exponents of the verification: of g and of y.
    pub(super) fn dsa_exponents(
        &self,
        digest: &[u8],
        signature: &Signature,
    ) -> Result<(Nat, Nat), Error> {
        let q = self.group().order();
        let Some([r, s]) = signature.below(q) else {
            return Err(Error::Verification);
        };
        // w = s^-1 mod q, u1 = z w mod q, u2 = r w mod q
        let w = q.inv(&s).ok_or(Error::Verification)?;
        let z = q.reduce(&bits2int(digest, q.bits()));
        Ok((q.mul(&z, &w), q.mul(&r, &w)))
    }

    /// The verdict, from `g^u1 y^u2 mod p`.
    pub(super) fn dsa_verify_finish(&self, signature: &Signature, v: &Nat) -> Result<(), Error> {
        match self.group().order().reduce(v) == *signature.r() {
            true => Ok(()),
            false => Err(Error::Verification),
        }
    }
}

pub(crate) fn check_digest(hash: Hash, digest: &[u8]) -> Result<(), Error> {
    match (hash.len(), digest.len()) {
        (expected, found) if expected == found => Ok(()),
        (expected, found) => Err(Error::DigestLength { expected, found }),
    }
}

pub(crate) fn refuse_sha1(hash: Hash) -> Result<(), Error> {
    match hash {
        Hash::Sha1 => Err(Error::Sha1Signature),
        _ => Ok(()),
    }
}
