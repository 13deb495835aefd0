//! Signatures, each checked before it is released.

use super::hash::Domain;
use super::key::Expanded;
use super::{Ed448PrivateKey, Ed448Signature, Scalar};
use crate::STACK;
use crate::ec::{Error, ed25519::Ed25519Stage as Stage, x448::base};
use crate::fault::{Faults, NoFaults};
use carrysave_arith::{Nat, curve::Edwards448Table, off_stack, publish};
use core::hint::black_box;
use signature::Signer;
use zeroize::Zeroizing;

impl Ed448PrivateKey {
    /// Signs a message (RFC 8032, 5.2.6), with an empty context: the signature of a message is always the same one.
    /// [`Signer::try_sign`] returns errors instead of panicking.
    ///
    /// # Panics
    /// If a result fails its check before release.
    ///
    /// # Timing
    /// Depends on the length of the message only.
    pub fn sign(&self, message: &[u8]) -> Ed448Signature {
        Signer::sign(self, message)
    }

    /// Signs a message for a context of at most 255 octets.
    ///
    /// # Errors
    /// [`Error::Context`] for a longer context; [`Error::Fault`] if the machine miscalculated.
    ///
    /// # Timing
    /// Depends on the lengths of message and context only.
    ///
    /// ```
    /// use carrysave_schemes::ec::Ed448PrivateKey;
    /// let key = Ed448PrivateKey::generate();
    /// let signature = key.sign_ctx(b"the message", b"example.com, 1")?;
    /// key.public().verify_ctx(b"the message", b"example.com, 1", &signature)?;
    /// assert!(key.public().verify_ctx(b"the message", b"example.com, 2", &signature).is_err());
    /// # Ok::<_, carrysave_schemes::ec::Error>(())
    /// ```
    pub fn sign_ctx(&self, message: &[u8], context: &[u8]) -> Result<Ed448Signature, Error> {
        sign_in(&Domain::pure(context)?, self, message, &mut NoFaults)
    }

    /// Signs the digest of a message, 64 octets of SHAKE256, with Ed448ph, for a context of at most 255 octets.
    ///
    /// # Errors
    /// [`Error::Context`] for a longer context; [`Error::Fault`] if the machine miscalculated.
    ///
    /// # Timing
    /// Depends on the length of the context only.
    ///
    /// ```
    /// use carrysave_schemes::{ec::Ed448PrivateKey, hash::Hash};
    /// let digest = Hash::Shake256.digest(b"the message").try_into().unwrap();
    /// let key = Ed448PrivateKey::generate();
    /// let signature = key.sign_ph(&digest, b"")?;
    /// key.public().verify_ph(&digest, b"", &signature)?;
    /// # Ok::<_, carrysave_schemes::ec::Error>(())
    /// ```
    pub fn sign_ph(&self, digest: &[u8; 64], context: &[u8]) -> Result<Ed448Signature, Error> {
        sign_in(&Domain::prehashed(context)?, self, digest, &mut NoFaults)
    }
}

/// The signature of a message, if it comes out again from the seed: two signatures of one message with two values of R, or
/// of two messages with one R, reveal the key, and so does one with a known error in its nonce together with the right one.
fn sign_in(
    domain: &Domain,
    key: &Ed448PrivateKey,
    message: &[u8],
    faults: &mut impl Faults<Stage>,
) -> Result<Ed448Signature, Error> {
    off_stack::<STACK, _>(|| {
        let secret = &key.0;
        let found = parts(
            domain,
            &secret.expanded,
            key.public().as_bytes(),
            message,
            faults,
        );
        let again = black_box(Expanded::new(key.as_bytes()));
        let again = parts(domain, &again, &secret.octets, message, &mut NoFaults);
        let (Some((octets, s)), Some((expected, t))) = (found, again) else {
            return Err(Error::Fault);
        };
        // Neither is public before they are equal.
        let pairs = octets.iter().zip(&expected);
        let differing = pairs.fold(0, |all, (a, b)| all | (a ^ b));
        if publish(u64::from(differing) | (1 ^ s.equals(&t))) != 0 {
            return Err(Error::Fault);
        }
        let mut signature = [0; 114];
        signature[..57].copy_from_slice(&octets);
        signature[57..113].copy_from_slice(&s.to_le_bytes());
        Ok(Ed448Signature(signature))
    })
}

/// The encoding of R, and s, which is secret before it is checked; `None` if R is no point of an honest signer.
fn parts(
    domain: &Domain,
    key: &Expanded,
    public: &[u8; 57],
    message: &[u8],
    faults: &mut impl Faults<Stage>,
) -> Option<([u8; 57], Zeroizing<Scalar>)> {
    let mut r = Zeroizing::new(domain.scalar([&key.prefix, message, &[]]));
    plant(faults, Stage::Nonce, &mut r);
    let mut multiple = Zeroizing::new(*r);
    plant(faults, Stage::Multiple, &mut multiple);
    let (point, count) = base().mul_counted(&multiple);
    let point = Zeroizing::new(point);
    let counted = publish((count == Edwards448Table::count(black_box(&r))).into()) == 1;
    let right = counted & point.is_on_curve() && publish(point.is_identity().into()) == 0;
    let mut octets = point.to_octets();
    plant_octets(faults, Stage::Point, &mut octets);
    let mut k = domain.scalar([&octets, public, message]);
    plant(faults, Stage::Challenge, &mut k);
    let mut a = Zeroizing::new(key.scalar);
    plant(faults, Stage::Scalar, &mut a);
    let mut ka = Zeroizing::new(k * *a);
    plant(faults, Stage::Product, &mut ka);
    let mut s = Zeroizing::new(*r + *ka);
    plant(faults, Stage::S, &mut s);
    right.then_some((octets, s))
}

/// The signature of a message with planted faults.
pub(crate) fn sign_with(
    key: &Ed448PrivateKey,
    message: &[u8],
    faults: &mut impl Faults<Stage>,
) -> Result<Ed448Signature, Error> {
    sign_in(&Domain::pure(&[])?, key, message, faults)
}

/// Replaces a number by a planted one.
fn plant<F: Faults<Stage>>(faults: &mut F, stage: Stage, x: &mut Scalar) {
    if F::PLANTED {
        let mut octets = [0; 57];
        octets[..56].copy_from_slice(&x.to_le_bytes());
        plant_octets(faults, stage, &mut octets);
        *x = Scalar::reduce_wide(&octets);
    }
}

/// Replaces a little-endian number by a planted one, modulo 2^456.
fn plant_octets<F: Faults<Stage>>(faults: &mut F, stage: Stage, x: &mut [u8; 57]) {
    if F::PLANTED {
        let mut octets = *x;
        octets.reverse();
        if let Some(planted) = faults.replacement(0, stage, &Nat::from_be_bytes(&octets)) {
            let planted = planted.limbs().iter().flat_map(|limb| limb.to_le_bytes());
            for (octet, planted) in x.iter_mut().zip(planted.chain([0; 57])) {
                *octet = planted;
            }
        }
    }
}

impl Signer<Ed448Signature> for Ed448PrivateKey {
    fn try_sign(&self, msg: &[u8]) -> signature::Result<Ed448Signature> {
        Ok(self.sign_ctx(msg, &[])?)
    }
}
