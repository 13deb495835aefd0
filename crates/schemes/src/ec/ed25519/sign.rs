//! Signatures, each checked before it is released, alone and many at once.

use super::hash::Domain;
use super::key::Expanded;
use super::{Ed25519PrivateKey, Ed25519Signature, Scalar};
use crate::STACK;
use crate::chain::sha512_each;
use crate::ec::{Error, x25519::base};
use crate::fault::{Faults, NoFaults, planted_copy};
use carrysave_arith::curve::{Edwards25519Affine, Edwards25519Point, Edwards25519Table};
use carrysave_arith::{Limb, Nat, off_stack, publish};
use core::hint::black_box;
use signature::Signer;
use zeroize::Zeroizing;

/// An intermediate value of a signature of Ed25519 or Ed448.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ed25519Stage {
    /// The hash of the message with the prefix, r.
    Nonce,
    /// The number of which the multiple of B is taken.
    Multiple,
    /// The encoding of R = `[r]B`, as a little-endian number.
    Point,
    /// The hash of R, the public key and the message, k.
    Challenge,
    /// The private number.
    Scalar,
    /// k times the private number.
    Product,
    /// r + k times the private number.
    S,
}

impl Ed25519PrivateKey {
    /// Signs a message (RFC 8032, 5.1.6): the signature of a message is always the same one. [`Signer::try_sign`] returns
    /// errors instead of panicking.
    ///
    /// # Panics
    /// If a result fails its check before release.
    ///
    /// # Timing
    /// Depends on the length of the message only.
    pub fn sign(&self, message: &[u8]) -> Ed25519Signature {
        Signer::sign(self, message)
    }

    /// Signs a message with Ed25519ctx, for a context of 1 to 255 octets.
    ///
    /// # Errors
    /// [`Error::Context`] for a context of another length; [`Error::Fault`] if the machine miscalculated.
    ///
    /// # Timing
    /// Depends on the lengths of message and context only.
    ///
    /// ```
    /// use carrysave_schemes::ec::Ed25519PrivateKey;
    /// let key = Ed25519PrivateKey::generate();
    /// let signature = key.sign_ctx(b"the message", b"example.com, 1")?;
    /// key.public().verify_ctx(b"the message", b"example.com, 1", &signature)?;
    /// assert!(key.public().verify_ctx(b"the message", b"example.com, 2", &signature).is_err());
    /// # Ok::<_, carrysave_schemes::ec::Error>(())
    /// ```
    pub fn sign_ctx(&self, message: &[u8], context: &[u8]) -> Result<Ed25519Signature, Error> {
        self.sign_in(&Domain::context(context)?, message, &mut NoFaults)
    }

    /// Signs the digest of a message, of SHA-512, with Ed25519ph, for a context of at most 255 octets.
    ///
    /// # Errors
    /// [`Error::Context`] for a longer context; [`Error::Fault`] if the machine miscalculated.
    ///
    /// # Timing
    /// Depends on the length of the context only.
    ///
    /// ```
    /// use carrysave_schemes::{ec::Ed25519PrivateKey, hash::Hash};
    /// let digest = Hash::Sha512.digest(b"the message").try_into().unwrap();
    /// let key = Ed25519PrivateKey::generate();
    /// let signature = key.sign_ph(&digest, b"")?;
    /// key.public().verify_ph(&digest, b"", &signature)?;
    /// # Ok::<_, carrysave_schemes::ec::Error>(())
    /// ```
    pub fn sign_ph(&self, digest: &[u8; 64], context: &[u8]) -> Result<Ed25519Signature, Error> {
        self.sign_in(&Domain::prehashed(context)?, digest, &mut NoFaults)
    }

    fn sign_in(
        &self,
        domain: &Domain,
        message: &[u8],
        faults: &mut impl Faults<Ed25519Stage>,
    ) -> Result<Ed25519Signature, Error> {
        let mut signatures = sign_all(domain, &[(self, message)], faults);
        signatures.pop().expect("one for each message")
    }
}

/// The signature of each message with its key, if it comes out again from the seed.
///
/// Two signatures of one message with two values of R, or of two messages with one R, reveal the key, and so does one with
/// a known error in its nonce together with the right one. So everything is derived again: from the seed, and from another
/// copy of the public key. A multiple of the base point is right if it is on the curve, and its rows count the number.
fn sign_all(
    domain: &Domain,
    jobs: &[(&Ed25519PrivateKey, &[u8])],
    faults: &mut impl Faults<Ed25519Stage>,
) -> Vec<Result<Ed25519Signature, Error>> {
    off_stack::<STACK, _>(|| {
        let all = jobs.len();
        let (mut nonces, keys) = first_hashes(domain, jobs);
        for (i, r) in nonces.iter_mut().enumerate() {
            plant(faults, i, Ed25519Stage::Nonce, r);
        }
        let planted = planted_copy(faults, &nonces, |faults, i, number| {
            plant(faults, i, Ed25519Stage::Multiple, number);
        });
        let (points, counts) = base().mul_batch_counted(planted.as_ref().unwrap_or(&nonces));
        let points = Zeroizing::new(points);
        let affine = Zeroizing::new(Edwards25519Point::to_affine_batch(&points));
        let mut encoded: Vec<[u8; 32]> = affine.iter().map(|point| point.to_octets()).collect();
        for (i, octets) in encoded.iter_mut().enumerate() {
            plant_octets(faults, i, Ed25519Stage::Point, octets);
        }
        // No call hashes both of two that are compared: the nonces anew go beside the challenges.
        let hashes = domain.scalars(2 * all, |i| match (i / all, jobs[i % all]) {
            (0, (_, message)) => [&keys[i].prefix, message, &[]],
            (_, (key, message)) => [&encoded[i % all], key.public().as_bytes(), message],
        });
        let (again, challenges) = hashes.split_at(all);
        let same_challenges = domain.scalars(all, |i| {
            let (key, message) = jobs[i];
            [&encoded[i], &key.0.octets, message]
        });
        let mut signatures = Vec::with_capacity(all);
        for (i, (key, _)) in jobs.iter().enumerate() {
            let (secret, octets) = (&key.0, encoded[i]);
            let mut k = challenges[i];
            plant(faults, i, Ed25519Stage::Challenge, &mut k);
            let mut a = Zeroizing::new(secret.expanded.scalar);
            plant(faults, i, Ed25519Stage::Scalar, &mut a);
            let mut ka = Zeroizing::new(k * *a);
            plant(faults, i, Ed25519Stage::Product, &mut ka);
            let mut s = Zeroizing::new(nonces[i] + *ka);
            plant(faults, i, Ed25519Stage::S, &mut s);
            let expected = Zeroizing::new(again[i] + same_challenges[i] * keys[i].scalar);
            let same = u64::from(black_box(&affine[i]).to_octets() == octets);
            let right = is_multiple(&points[i], &affine[i], counts[i], &again[i]);
            let fits = right & (publish(same & s.equals(&expected)) == 1);
            let mut signature = [0; 64];
            if fits {
                signature[..32].copy_from_slice(&octets);
                signature[32..].copy_from_slice(&s.to_le_bytes());
            }
            let signature = fits.then_some(Ed25519Signature(signature));
            signatures.push(signature.ok_or(Error::Fault));
        }
        signatures
    })
}

/// The nonce of each message, and what each seed stands for: independent hashes, side by side.
fn first_hashes(
    domain: &Domain,
    jobs: &[(&Ed25519PrivateKey, &[u8])],
) -> (Zeroizing<Vec<Scalar>>, Vec<Expanded>) {
    let all = jobs.len();
    let mut nonces = Zeroizing::new(Vec::with_capacity(all));
    let mut keys = Vec::with_capacity(all);
    let message = |i: usize| {
        let (key, message) = jobs[i % all];
        match i < all {
            true => domain.message([&key.0.expanded.prefix, message, &[]]),
            false => [&key.as_bytes()[..], &[], &[], &[]],
        }
    };
    sha512_each(2 * all, message, |digest| match nonces.len() < all {
        true => nonces.push(Scalar::reduce_wide(digest)),
        false => keys.push(Expanded::of(&mut Zeroizing::new(*digest))),
    });
    (nonces, keys)
}

/// The signatures of messages with planted faults.
pub(crate) fn sign_all_with(
    jobs: &[(&Ed25519PrivateKey, &[u8])],
    faults: &mut impl Faults<Ed25519Stage>,
) -> Vec<Result<Ed25519Signature, Error>> {
    sign_all(&Domain::pure(), jobs, faults)
}

/// Whether a point is that multiple of the base point and has these coordinates: it is on the curve, and its rows count the
/// number.
fn is_multiple(
    point: &Edwards25519Point,
    affine: &Edwards25519Affine,
    count: Limb,
    number: &Scalar,
) -> bool {
    let counted = publish((count == Edwards25519Table::count(number)).into()) == 1;
    // The neutral element, where nothing was added, is a point, too.
    let there = publish(point.is_identity().into()) == 0;
    counted & point.is_on_curve() & there & point.is_at(affine)
}

/// Replaces a number by a planted one.
fn plant<F: Faults<Ed25519Stage>>(faults: &mut F, i: usize, stage: Ed25519Stage, x: &mut Scalar) {
    if F::PLANTED {
        let mut octets = Zeroizing::new(x.to_le_bytes());
        plant_octets(faults, i, stage, &mut octets);
        *x = Scalar::reduce_wide(&*octets);
    }
}

/// Replaces a little-endian number by a planted one, modulo 2^256.
fn plant_octets<F: Faults<Ed25519Stage>>(
    faults: &mut F,
    i: usize,
    stage: Ed25519Stage,
    x: &mut [u8; 32],
) {
    if F::PLANTED {
        let mut octets = *x;
        octets.reverse();
        if let Some(planted) = faults.replacement(i, stage, &Nat::from_be_bytes(&octets)) {
            let limbs = planted.limbs().iter().chain(&[0; 4]);
            for (octets, limb) in x.as_chunks_mut().0.iter_mut().zip(limbs) {
                *octets = limb.to_le_bytes();
            }
        }
    }
}

impl Signer<Ed25519Signature> for Ed25519PrivateKey {
    fn try_sign(&self, msg: &[u8]) -> signature::Result<Ed25519Signature> {
        Ok(self.sign_in(&Domain::pure(), msg, &mut NoFaults)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use zeroize::Zeroize;

    /// Whether a point at its own coordinates is taken for a multiple whose rows were counted right.
    fn passes(point: &Edwards25519Point) -> bool {
        let number = Scalar::from_limb(1001);
        let count = Edwards25519Table::count(&number);
        is_multiple(point, &point.to_affine(), count, &number)
    }

    /// Nothing was added, whatever the rows say.
    #[test]
    fn the_neutral_element_is_no_multiple() {
        let neutral = Edwards25519Point::identity();
        assert!(neutral.is_on_curve() && !passes(&neutral));
        assert!(passes(&base().mul(&Scalar::from_limb(1001))));
    }

    /// A point of zeros has no multiples. As an addend among many its coordinates become 0 and 0, which are off the curve.
    #[test]
    fn a_point_off_the_curve_is_no_multiple() {
        let mut zeros = Edwards25519Point::base();
        zeros.zeroize();
        let terms = vec![(Scalar::one(), zeros); 1000];
        let off = base().sum_vartime(&Scalar::zero(), &terms);
        assert!(!off.is_on_curve() && !off.is_identity() && off.is_at(&off.to_affine()));
        assert!(!passes(&off));
    }

    /// The coordinates are those of the point, and the count is that of the number.
    #[test]
    fn coordinates_and_count_of_another_point_are_refused() {
        let number = Scalar::from_limb(1001);
        let (point, count) = base().mul_counted(&number);
        let is =
            |at: &Edwards25519Point, count| is_multiple(&point, &at.to_affine(), count, &number);
        assert!(is(&point, count));
        for other in [point.neg(), point.double()] {
            assert!(!is(&other, count));
        }
        assert!(!is(&point, count ^ 1));
    }
}
