//! Verification of signatures, alone and many at once.

use super::hash::Domain;
use super::{Ed25519PublicKey, Ed25519Signature, Scalar};
use crate::ec::{Error, x25519::base};
use carrysave_arith::{Cpu, curve::Edwards25519Point};

impl Ed25519Signature {
    /// The encoding of R, and s, which must be below the order.
    pub(super) fn parts(&self) -> Result<(&[u8; 32], Scalar), Error> {
        let (point, s) = self.0.split_first_chunk().expect("64 octets");
        let s = Scalar::from_le_bytes(s).ok_or(Error::Verification)?;
        Ok((point, s))
    }
}

impl Ed25519PublicKey {
    /// Verifies the signature of a message, as OpenSSL, ring and most programs do: without the cofactor, and with R in its
    /// canonical encoding.
    ///
    /// # Errors
    /// [`Error::Verification`] if it is not valid for this key and message, or the key not in its canonical encoding.
    ///
    /// # Timing
    /// Depends on the key, the message and the signature.
    pub fn verify(&self, message: &[u8], signature: &Ed25519Signature) -> Result<(), Error> {
        self.verify_in(&Domain::pure(), message, signature)
            .map(|_| ())
    }

    /// [`verify`](Ed25519PublicKey::verify) for Ed25519ctx, with a context of 1 to 255 octets.
    ///
    /// # Errors
    /// [`Error::Verification`] if it is not valid for this key, message and context; [`Error::Context`].
    ///
    /// # Timing
    /// Depends on the key, the message and the signature.
    pub fn verify_ctx(
        &self,
        message: &[u8],
        context: &[u8],
        signature: &Ed25519Signature,
    ) -> Result<(), Error> {
        self.verify_in(&Domain::context(context)?, message, signature)
            .map(|_| ())
    }

    /// [`verify`](Ed25519PublicKey::verify) for Ed25519ph: for the digest of a message, of SHA-512, with a context of at
    /// most 255 octets.
    ///
    /// # Errors
    /// [`Error::Verification`] if it is not valid for this key, digest and context; [`Error::Context`].
    ///
    /// # Timing
    /// Depends on the key, the digest and the signature.
    pub fn verify_ph(
        &self,
        digest: &[u8; 64],
        context: &[u8],
        signature: &Ed25519Signature,
    ) -> Result<(), Error> {
        self.verify_in(&Domain::prehashed(context)?, digest, signature)
            .map(|_| ())
    }

    /// [`verify`](Ed25519PublicKey::verify), refusing a key or a point R of small order too: with such a key a signature may
    /// be valid for any message.
    ///
    /// # Errors
    /// [`Error::Verification`] if it is not valid for this key and message, or a point is of small order.
    ///
    /// # Timing
    /// Depends on the key, the message and the signature.
    pub fn verify_strict(&self, message: &[u8], signature: &Ed25519Signature) -> Result<(), Error> {
        let point = self.verify_in(&Domain::pure(), message, signature)?;
        match self.minus.is_small_order() || point.is_small_order() {
            true => Err(Error::Verification),
            false => Ok(()),
        }
    }

    /// Verifies the signature of a message by the rules of ZIP 215: with the cofactor, and with points in any encoding. So
    /// does [`verify_batch`](super::verify_batch).
    ///
    /// # Errors
    /// [`Error::Verification`] if it is not valid for this key and message.
    ///
    /// # Timing
    /// Depends on the key, the message and the signature.
    pub fn verify_zip215(&self, message: &[u8], signature: &Ed25519Signature) -> Result<(), Error> {
        let (octets, s) = signature.parts()?;
        let k = Domain::pure().scalar([octets, self.as_bytes(), message]);
        let sum = base().double_mul_vartime(&s, &k, &self.minus);
        match is_near(&sum, octets) {
            true => Ok(()),
            false => Err(Error::Verification),
        }
    }

    /// The point R, if it is `[s]B - [k]A`.
    fn verify_in(
        &self,
        domain: &Domain,
        message: &[u8],
        signature: &Ed25519Signature,
    ) -> Result<Edwards25519Point, Error> {
        let (octets, s) = signature.parts()?;
        let k = domain.scalar([octets, self.as_bytes(), message]);
        let point = base().double_mul_vartime(&s, &k, &self.minus);
        match self.canonical && point.to_octets() == *octets {
            true => Ok(point),
            false => Err(Error::Verification),
        }
    }
}

/// [`Ed25519PublicKey::verify`] of each signature of a message, in order: sums of points in vector lanes, and one inversion for
/// all.
///
/// # Timing
/// Depends on keys, messages and signatures.
///
/// ```
/// use carrysave_schemes::ec::{Ed25519PrivateKey, ed25519::verify_each};
/// let keys: Vec<_> = (0..10).map(|_| Ed25519PrivateKey::generate()).collect();
/// let mut signatures: Vec<_> = keys.iter().map(|key| key.sign(b"the message")).collect();
/// signatures[3].0[0] ^= 1;
/// let all = keys.iter().zip(&signatures).map(|(key, signature)| (key.public(), &b"the message"[..], signature));
/// let verdicts = verify_each(&all.collect::<Vec<_>>());
/// assert!(verdicts.iter().enumerate().all(|(i, verdict)| verdict.is_ok() == (i != 3)));
/// ```
pub fn verify_each(
    signatures: &[(&Ed25519PublicKey, &[u8], &Ed25519Signature)],
) -> Vec<Result<(), Error>> {
    let sums = sums(signatures, |key| key.canonical);
    let points: Vec<Edwards25519Point> = sums.iter().flatten().map(|(_, sum)| *sum).collect();
    let mut points = Edwards25519Point::to_affine_batch(&points).into_iter();
    let verdict = |sum: &Option<([u8; 32], _)>| match sum {
        Some((octets, _)) if points.next().is_some_and(|it| it.to_octets() == *octets) => Ok(()),
        _ => Err(Error::Verification),
    };
    sums.iter().map(verdict).collect()
}

/// [`Ed25519PublicKey::verify_zip215`] of each signature of a message, in order: sums of points in vector lanes.
///
/// # Timing
/// Depends on keys, messages and signatures.
pub(super) fn verify_each_zip215(
    signatures: &[(&Ed25519PublicKey, &[u8], &Ed25519Signature)],
) -> Vec<Result<(), Error>> {
    let verdict = |sum: &Option<([u8; 32], Edwards25519Point)>| match sum {
        Some((octets, sum)) if is_near(sum, octets) => Ok(()),
        _ => Err(Error::Verification),
    };
    sums(signatures, |_| true).iter().map(verdict).collect()
}

/// Whether eight times the point is eight times the one that these octets encode by the rules of ZIP 215.
fn is_near(sum: &Edwards25519Point, octets: &[u8; 32]) -> bool {
    let point = Edwards25519Point::from_octets_zip215_vartime(Cpu::native(), octets);
    point.is_some_and(|point| sum.add(&point.neg()).mul_by_cofactor().is_identity())
}

/// The encoding of R, and `[s]B - [k]A`, of each signature by a usable key whose s is below the order.
fn sums(
    signatures: &[(&Ed25519PublicKey, &[u8], &Ed25519Signature)],
    usable: fn(&Ed25519PublicKey) -> bool,
) -> Vec<Option<([u8; 32], Edwards25519Point)>> {
    let parts = |&(key, _, signature): &(&Ed25519PublicKey, &[u8], &Ed25519Signature)| {
        let (octets, s) = signature.parts().ok().filter(|_| usable(key))?;
        Some((*octets, s))
    };
    let all: Vec<_> = signatures.iter().map(parts).collect();
    let good = all.iter().zip(signatures);
    let good: Vec<_> = good
        .filter_map(|(parts, job)| Some((parts.as_ref()?, job)))
        .collect();
    let k = Domain::pure().scalars(good.len(), |i| {
        let ((octets, _), (key, message, _)) = good[i];
        [octets, key.as_bytes(), message]
    });
    let s: Vec<Scalar> = good.iter().map(|((_, s), _)| *s).collect();
    let keys: Vec<Edwards25519Point> = good.iter().map(|(_, (key, ..))| key.minus).collect();
    let mut sums = base().mul_add_batch_vartime(&s, &keys, &k).into_iter();
    let each = all.iter();
    each.map(|parts| Some((parts.as_ref()?.0, sums.next()?)))
        .collect()
}
