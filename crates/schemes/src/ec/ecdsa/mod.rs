//! ECDSA (FIPS 186-5, section 6), with nonces of RFC 6979.
//!
//! ```
//! use carrysave_schemes::ec::{P256, ecdsa::SigningKey};
//! let key = SigningKey::<P256>::generate();
//! let signature = key.sign(b"the message");
//! key.verifying_key().verify(b"the message", &signature)?;
//! # Ok::<_, carrysave_schemes::ec::Error>(())
//! ```

pub(crate) mod batch;
mod signature;
mod traits;

pub use signature::{RecoveryId, Signature};
pub use traits::{SigningKey, VerifyingKey};

use super::{Error, Named, PrivateKey, PublicKey};
use crate::STACK;
use crate::fault::{Faults, NoFaults};
use crate::hash::Hash;
use crate::nonce::{Nonces, leftmost};
use carrysave_arith::curve::{Affine, BaseTable, Point};
use carrysave_arith::field::{Fe, Field, Residue};
use carrysave_arith::{Nat, off_stack, publish};
use core::hint::black_box;
use rand_core::CryptoRng;
use zeroize::{Zeroize, Zeroizing};

/// An intermediate value of a signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EcdsaStage {
    /// The digest as a number.
    Digest,
    /// k.
    Nonce,
    /// k, derived again to check the signature.
    Again,
    /// The number of which the multiple of G is taken.
    Multiple,
    /// The x-coordinate of k G.
    Point,
    /// The y-coordinate of k G.
    Y,
    /// The x-coordinate modulo the order.
    X,
    /// r.
    R,
    /// k^-1 mod n.
    Inverse,
    /// d.
    Key,
    /// z + r d mod n.
    Sum,
    /// s.
    S,
}

impl<C: Named> PrivateKey<C> {
    /// The ECDSA signature of the digest of a message, with the nonce of RFC 6979: always the same one.
    ///
    /// # Errors
    /// [`Error::Sha1Signature`], [`Error::DigestLength`]; [`Error::Fault`] if the machine miscalculated.
    ///
    /// # Timing
    /// Depends on the curve, the hash, and the signature.
    ///
    /// ```
    /// use carrysave_schemes::ec::{P256, PrivateKey};
    /// use carrysave_schemes::hash::Hash;
    /// let key = PrivateKey::<P256>::generate();
    /// let digest = Hash::Sha256.digest(b"a message");
    /// let signature = key.ecdsa_sign(Hash::Sha256, &digest)?;
    /// key.public().ecdsa_verify(Hash::Sha256, &digest, &signature)?;
    /// # Ok::<_, carrysave_schemes::ec::Error>(())
    /// ```
    pub fn ecdsa_sign(&self, hash: Hash, digest: &[u8]) -> Result<Signature<C>, Error> {
        let (signature, _) = self.ecdsa_sign_recoverable(hash, digest)?;
        Ok(signature)
    }

    /// [`PrivateKey::ecdsa_sign`] with what is needed to compute the public key from the signature
    /// ([`Signature::recover`]).
    ///
    /// # Errors
    /// As [`PrivateKey::ecdsa_sign`].
    ///
    /// # Timing
    /// As [`PrivateKey::ecdsa_sign`].
    pub fn ecdsa_sign_recoverable(
        &self,
        hash: Hash,
        digest: &[u8],
    ) -> Result<(Signature<C>, RecoveryId), Error> {
        refuse_sha1(hash)?;
        self.ecdsa_sign_with(hash, digest, &[], &mut NoFaults)
    }

    /// The ECDSA signature of the digest of a message, with 32 random octets in the nonce (RFC 6979, 3.6): different
    /// every time, and no worse than [`PrivateKey::ecdsa_sign`] if the generator is bad.
    ///
    /// # Errors
    /// As [`PrivateKey::ecdsa_sign`].
    ///
    /// # Timing
    /// As [`PrivateKey::ecdsa_sign`].
    pub fn ecdsa_sign_randomized<R: CryptoRng + ?Sized>(
        &self,
        rng: &mut R,
        hash: Hash,
        digest: &[u8],
    ) -> Result<Signature<C>, Error> {
        refuse_sha1(hash)?;
        let mut more = Zeroizing::new([0; 32]);
        rng.fill_bytes(&mut *more);
        let (signature, _) = self.ecdsa_sign_with(hash, digest, &*more, &mut NoFaults)?;
        Ok(signature)
    }

    /// [`PrivateKey::ecdsa_sign_randomized`] for programs that hash by themselves: of any octets, as OpenSSL's
    /// `EVP_PKEY_sign` takes them. Only as many bits as the order has count, from the left, and octets that others choose
    /// must come from a hash.
    ///
    /// # Errors
    /// [`Error::Fault`] if the machine miscalculated.
    ///
    /// # Timing
    /// Depends on the curve, the number of octets, and the signature.
    pub fn ecdsa_sign_octets<R: CryptoRng + ?Sized>(
        &self,
        rng: &mut R,
        octets: &[u8],
    ) -> Result<Signature<C>, Error> {
        let mut more = Zeroizing::new([0; 32]);
        rng.fill_bytes(&mut *more);
        let (signature, _) = self.sign_octets_with(C::HASH, octets, &*more, &mut NoFaults)?;
        Ok(signature)
    }

    /// [`PrivateKey::ecdsa_sign_octets`] with the nonce of RFC 6979, by HMAC of a hash.
    ///
    /// # Errors
    /// As [`PrivateKey::ecdsa_sign_octets`].
    ///
    /// # Timing
    /// As [`PrivateKey::ecdsa_sign_octets`], and on the hash.
    pub fn ecdsa_sign_octets_deterministic(
        &self,
        hash: Hash,
        octets: &[u8],
    ) -> Result<Signature<C>, Error> {
        let (signature, _) = self.sign_octets_with(hash, octets, &[], &mut NoFaults)?;
        Ok(signature)
    }

    /// [`PrivateKey::ecdsa_sign_recoverable`] with additional data for the nonce, of any hash.
    pub(crate) fn ecdsa_sign_with(
        &self,
        hash: Hash,
        digest: &[u8],
        more: &[u8],
        faults: &mut impl Faults<EcdsaStage>,
    ) -> Result<(Signature<C>, RecoveryId), Error> {
        check_digest(hash, digest)?;
        self.sign_octets_with(hash, digest, more, faults)
    }

    /// The signature of octets, with a nonce by HMAC of a hash.
    fn sign_octets_with(
        &self,
        hash: Hash,
        digest: &[u8],
        more: &[u8],
        faults: &mut impl Faults<EcdsaStage>,
    ) -> Result<(Signature<C>, RecoveryId), Error> {
        off_stack::<STACK, _>(|| {
            let mut nonces = self.nonces(hash, digest, more);
            loop {
                let [nonce, again] = next_nonces::<C, _>(&mut nonces);
                if let Some(released) = self.sign(digest, &nonce, &again, faults).transpose() {
                    return released;
                }
            }
        })
    }

    /// The ECDSA signature with a nonce of the caller's choice, which must never be used for another digest.
    pub(crate) fn ecdsa_sign_with_nonce(
        &self,
        digest: &[u8],
        k: &[u8],
    ) -> Result<Signature<C>, Error> {
        let k = Zeroizing::new(Fe::from_be_bytes(k).ok_or(Error::Fault)?);
        let made = self.sign(digest, &k, &k, &mut NoFaults)?;
        made.map(|(signature, _)| signature).ok_or(Error::Fault)
    }

    /// The nonces for a digest, each derived twice.
    pub(crate) fn nonces(&self, hash: Hash, digest: &[u8], more: &[u8]) -> Nonces<2> {
        derivations([(self, digest); 2], hash, more)
    }

    /// The signature with a nonce; `None` if r or s is 0, which needs another nonce.
    ///
    /// It is released only if it matches the nonce, which is derived again: the multiples that made k G add up to it
    /// ([`BaseTable::mul_counted`](carrysave_arith::curve::BaseTable::mul_counted)), the point is on the curve, and
    /// s k = z + r d. A signature that does not verify may reveal the key, and a wrong nonce gives one that may verify
    /// and reveals the key together with the right one. This takes a tenth of the time of a verification.
    fn sign(
        &self,
        digest: &[u8],
        nonce: &Fe<C::Scalar>,
        again: &Fe<C::Scalar>,
        faults: &mut impl Faults<EcdsaStage>,
    ) -> Result<Option<(Signature<C>, RecoveryId)>, Error> {
        let k = Zeroizing::new(replace(faults, EcdsaStage::Nonce, *nonce));
        let again = Zeroizing::new(replace(faults, EcdsaStage::Again, *again));
        let multiple = Zeroizing::new(replace(faults, EcdsaStage::Multiple, *k));
        let (point, count) = C::base().mul_counted(&multiple);
        let point = Zeroizing::new(point);
        let same = publish((count == BaseTable::<C>::count(&again)).into());
        let (mut x, mut y): Affine<C> = point.to_affine().ok_or(Error::Fault)?;
        x = replace(faults, EcdsaStage::Point, x);
        y = replace(faults, EcdsaStage::Y, y);
        let on_curve = Point::<C>::from_affine(x, y).is_some();
        let [of_point, same_x] = [&x, black_box(&x)].map(modulo_order::<C>);
        let replaced = replace(faults, EcdsaStage::X, of_point.fe);
        let r = replace(faults, EcdsaStage::R, replaced).publish();
        let id = RecoveryId::new(of_point.reduced, publish(u64::from(y.is_odd())) == 1);
        x.zeroize();
        y.zeroize();
        let z = replace(faults, EcdsaStage::Digest, number::<C>(digest));
        let d = Zeroizing::new(replace(faults, EcdsaStage::Key, **self.d));
        let inverse = Zeroizing::new(replace(faults, EcdsaStage::Inverse, k.inv()));
        let sum = Zeroizing::new(replace(faults, EcdsaStage::Sum, z + r * *d));
        let s = replace(faults, EcdsaStage::S, *inverse * *sum).publish();
        let right = Zeroizing::new(number::<C>(digest) + same_x.fe * **self.d);
        let fits = publish((s * *again).equals(&right)) & r.equals(&same_x.fe);
        if !on_curve || same & fits != 1 {
            return Err(Error::Fault);
        }
        Ok(Signature::new(r, s).map(|signature| (signature, id)))
    }
}

/// Derivations of nonces for digests.
fn derivations<C: Named, const N: usize>(
    jobs: [(&PrivateKey<C>, &[u8]); N],
    hash: Hash,
    more: &[u8],
) -> Nonces<N> {
    let inputs = jobs.map(|job| {
        let (key, digest) = black_box(job);
        (key.to_be_bytes(), number::<C>(digest).to_be_bytes())
    });
    let inputs = inputs.each_ref().map(|(x, h1)| [&**x, h1.as_ref(), more]);
    Nonces::new(hash, <C::Scalar as Field>::Residue::BITS, inputs)
}

/// The next nonces: numbers from 1 to below the order.
pub(crate) fn next_nonces<C: Named, const N: usize>(
    nonces: &mut Nonces<N>,
) -> [Zeroizing<Fe<C::Scalar>>; N] {
    nonces.next(|octets| {
        let k = Zeroizing::new(Fe::from_be_bytes(octets)?);
        (publish(k.zero_bit()) == 0).then_some(k)
    })
}

/// A coordinate modulo the order.
pub(crate) struct Reduced<C: Named> {
    pub(crate) fe: Fe<C::Scalar>,
    /// Whether it reached the order.
    reduced: bool,
}

/// The x-coordinate of a signature modulo the order. As it is a part of the signature, it is public.
pub(crate) fn modulo_order<C: Named>(x: &Fe<C::Base>) -> Reduced<C> {
    let octets = x.publish().to_be_bytes();
    let octets = octets.as_ref();
    Reduced {
        fe: reduce::<C>(octets),
        reduced: Fe::<C::Scalar>::from_be_bytes(octets).is_none(),
    }
}

/// The digest as a number modulo the order (FIPS 186-5, 6.4.1).
fn number<C: Named>(digest: &[u8]) -> Fe<C::Scalar> {
    leftmost_number::<C>(digest, <C::Scalar as Field>::Residue::BITS)
}

/// The leftmost bits of octets as a number modulo the order, which has no fewer.
pub(crate) fn leftmost_number<C: Named>(octets: &[u8], bits: usize) -> Fe<C::Scalar> {
    match 8 * octets.len() > bits {
        true => reduce::<C>(&leftmost(octets, bits)),
        false => reduce::<C>(octets),
    }
}

/// A number modulo the order, in big-endian octets with no more bits than the order has.
fn reduce<C: Named>(octets: &[u8]) -> Fe<C::Scalar> {
    let mut reversed = C::Scalar::ZERO_BYTES;
    let low = reversed.as_mut().iter_mut().zip(octets.iter().rev());
    low.for_each(|(to, octet)| *to = *octet);
    Fe::reduce_le_bytes(reversed.as_ref())
}

/// `value` or the replacement that is planted at this stage of a signature alone.
pub(crate) fn replace<F: Field>(
    faults: &mut impl Faults<EcdsaStage>,
    stage: EcdsaStage,
    value: Fe<F>,
) -> Fe<F> {
    replace_in(faults, 0, stage, value)
}

/// `value` or the replacement that is planted at this stage of the signature of this index in its group.
fn replace_in<F: Field>(
    faults: &mut impl Faults<EcdsaStage>,
    index: usize,
    stage: EcdsaStage,
    value: Fe<F>,
) -> Fe<F> {
    fn planted<F: Field, P: Faults<EcdsaStage>>(
        faults: &mut P,
        index: usize,
        stage: EcdsaStage,
        value: &Fe<F>,
    ) -> Option<Fe<F>> {
        let number = Nat::from_be_bytes(value.to_be_bytes().as_ref());
        let other = faults.replacement(index, stage, &number)?;
        let octets = other.to_be_bytes(value.to_be_bytes().as_ref().len())?;
        Fe::from_be_bytes(&octets)
    }
    fn plants<P: Faults<EcdsaStage>>(_: &P) -> bool {
        P::PLANTED
    }
    match plants(faults) {
        true => planted(faults, index, stage, &value).unwrap_or(value),
        false => value,
    }
}

impl<C: Named> PublicKey<C> {
    /// Checks the ECDSA signature of the digest of a message (FIPS 186-5, 6.4.2).
    ///
    /// # Errors
    /// [`Error::Verification`] if it is not valid for this key and digest; [`Error::DigestLength`].
    ///
    /// # Timing
    /// Depends on the key, the digest and the signature.
    pub fn ecdsa_verify(
        &self,
        hash: Hash,
        digest: &[u8],
        signature: &Signature<C>,
    ) -> Result<(), Error> {
        check_digest(hash, digest)?;
        self.ecdsa_verify_octets(digest, signature)
    }

    /// Checks a signature of [`PrivateKey::ecdsa_sign_octets`].
    ///
    /// # Errors
    /// [`Error::Verification`] if it is not valid for this key and these octets.
    ///
    /// # Timing
    /// Depends on the key, the octets and the signature.
    pub fn ecdsa_verify_octets(
        &self,
        octets: &[u8],
        signature: &Signature<C>,
    ) -> Result<(), Error> {
        let (r, s) = (signature.r(), signature.s());
        let (z, w) = (number::<C>(octets), s.inv());
        let sum = C::base().mul_add_vartime(&(z * w), &self.0, &(*r * w));
        match sum.x_is_vartime(r) {
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
