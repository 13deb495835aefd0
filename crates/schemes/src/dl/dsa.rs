//! DSA (FIPS 186-4, section 4), with nonces of RFC 6979.

use super::nonce::{Nonces, bits2int};
use super::{Error, PrivateKey, PublicKey, Signature};
use crate::hash::Hash;
use carrysave_arith::{Modulus, Nat};
use rand_core::CryptoRng;
use zeroize::Zeroizing;

/// Where a signature can be made to fail by [`PrivateKey::dsa_sign_with`].
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// The digest as a number.
    Digest,
    /// k.
    Nonce,
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

/// What may take the place of an intermediate value: for tests.
#[doc(hidden)]
pub type Fault<'a> = &'a mut dyn FnMut(Stage, &Nat) -> Option<Nat>;

impl PrivateKey {
    /// The DSA signature of the digest of a message, with the nonce of RFC 6979: the same every time.
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
    /// let (group, _) = Group::generate(rng, 512, 160, Hash::Sha256, &mut || ()).unwrap();
    /// let key = PrivateKey::generate(&group, rng);
    /// let digest = Hash::Sha256.digest(b"a message");
    /// let signature = key.dsa_sign(Hash::Sha256, &digest).unwrap();
    /// key.public().dsa_verify(Hash::Sha256, &digest, &signature).unwrap();
    /// ```
    pub fn dsa_sign(&self, hash: Hash, digest: &[u8]) -> Result<Signature, Error> {
        refuse_sha1(hash)?;
        self.dsa_sign_with(hash, digest, &[], &mut |_, _| None)
    }

    /// The DSA signature of the digest of a message, with a nonce that 32 random octets go into (RFC 6979, 3.6):
    /// another every time, and as good as [`PrivateKey::dsa_sign`] where the generator is bad.
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
        self.dsa_sign_with(hash, digest, &*more, &mut |_, _| None)
    }

    /// [`PrivateKey::dsa_sign`] with additional data for the nonce, in which `fault` may replace intermediate values:
    /// for tests of the checks at the end.
    #[doc(hidden)]
    pub fn dsa_sign_with(
        &self,
        hash: Hash,
        digest: &[u8],
        more: &[u8],
        fault: Fault<'_>,
    ) -> Result<Signature, Error> {
        check_digest(hash, digest)?;
        let mut nonces = Nonces::new(self, hash, digest, more);
        // A second nonce is needed once in 2^160 signatures, when r or s is 0.
        for count in 1.. {
            let k = replace(fault, Stage::Nonce, nonces.next());
            let power = self.group().power(&k, self.group().order().bits());
            if let Some(signature) = self.dsa_sign_finish(digest, &k, power, fault) {
                let verified = self.public().dsa_verify(hash, digest, &signature);
                let mut again = Nonces::new(self, hash, digest, more);
                let again = (0..count).map(|_| again.next()).last();
                return release(signature, verified, &k, again);
            }
        }
        unreachable!("there is always a next nonce")
    }

    /// The DSA signature with a nonce of the caller's choice, which must never be used for another digest: for test
    /// vectors.
    #[doc(hidden)]
    pub fn dsa_sign_with_nonce(&self, digest: &[u8], k: &Nat) -> Result<Signature, Error> {
        let q = self.group().order();
        let k = k.resize(q.width()).ok_or(Error::Fault)?;
        let power = self.group().power(&k, q.bits());
        let signature = self.dsa_sign_finish(digest, &k, power, &mut |_, _| None);
        signature.ok_or(Error::Fault)
    }

    /// The signature once `g^k mod p` is known, not yet checked; `None` if r or s is 0.
    pub(super) fn dsa_sign_finish(
        &self,
        digest: &[u8],
        k: &Nat,
        power: Nat,
        fault: Fault<'_>,
    ) -> Option<Signature> {
        let q = self.group().order();
        let z = q.reduce(&bits2int(digest, q.bits()));
        let z = replace(fault, Stage::Digest, z);
        // r = (g^k mod p) mod q
        let power = replace(fault, Stage::Power, power);
        let r = replace(fault, Stage::R, q.reduce(&power));
        // s = k^-1 (z + x r) mod q
        let inverse = replace(fault, Stage::Inverse, inverse(q, k));
        let x = self.x().resize(q.width()).expect("x < q");
        let x = replace(fault, Stage::Exponent, x);
        let sum = q.add(&z, &q.mul(&x, &r));
        let sum = replace(fault, Stage::Sum, sum);
        let s = replace(fault, Stage::S, q.mul(&inverse, &sum));
        (!r.is_zero() && !s.is_zero()).then(|| Signature::new(r.publish(), s.publish()))
    }
}

impl PublicKey {
    /// Checks the DSA signature of the digest of a message (FIPS 186-4, 4.7).
    ///
    /// # Errors
    /// [`Error::Verification`] if it is not one of this key for that digest; [`Error::DigestLength`].
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

    /// What is raised to which power to verify: g to the first, y to the second.
    pub(super) fn dsa_exponents(
        &self,
        digest: &[u8],
        signature: &Signature,
    ) -> Result<(Nat, Nat), Error> {
        let q = self.group().order();
        let below_q = |x: &Nat| {
            Some(x)
                .filter(|x| !x.is_zero() && x.lt(q.nat()))?
                .resize(q.width())
        };
        let (r, s) = (below_q(signature.r()), below_q(signature.s()));
        let (Some(r), Some(s)) = (r, s) else {
            return Err(Error::Verification);
        };
        // w = s^-1 mod q, u1 = z w mod q, u2 = r w mod q
        let w = q.inv_vartime(&s).ok_or(Error::Verification)?;
        let w = q.reduce(&w);
        let z = q.reduce(&bits2int(digest, q.bits()));
        Ok((q.mul(&z, &w), q.mul(&r, &w)))
    }

    /// The verdict, once `g^u1 y^u2 mod p` is known.
    pub(super) fn dsa_verify_finish(&self, signature: &Signature, v: &Nat) -> Result<(), Error> {
        match self.group().order().reduce(v) == *signature.r() {
            true => Ok(()),
            false => Err(Error::Verification),
        }
    }
}

/// A new signature, if it verifies and has the nonce that it should have, which was derived again. What does not verify
/// may give away the key. A wrong nonce gives what verifies, and gives away the key beside the signature with the right
/// one.
pub(crate) fn release(
    signature: Signature,
    verified: Result<(), Error>,
    k: &Nat,
    again: Option<Nat>,
) -> Result<Signature, Error> {
    match verified.is_ok() && again.as_ref() == Some(k) {
        true => Ok(signature),
        false => Err(Error::Fault),
    }
}

/// `k^-1 mod q` for a secret k: `k^(q - 2)` (Fermat), whose exponent is public.
fn inverse(q: &Modulus, k: &Nat) -> Nat {
    q.pow_vartime(k, &q.nat().sub_limb(2).expect("a long prime"))
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

fn replace(fault: Fault<'_>, stage: Stage, value: Nat) -> Nat {
    fault(stage, &value).unwrap_or(value)
}
