//! Signatures, each computed twice before it is released.

use super::hash::Domain;
use super::key::Expanded;
use super::{Ed25519PrivateKey, Ed25519Signature, Scalar};
use crate::STACK;
use crate::ec::{Error, x25519::base};
use crate::fault::{Faults, NoFaults};
use carrysave_arith::{Nat, off_stack, publish};
use signature::Signer;
use zeroize::{Zeroize, Zeroizing};

/// An intermediate value of a signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ed25519Stage {
    /// The hash of the message with the prefix, r.
    Nonce,
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

/// A signature, or the numbers that it is compared with.
struct Made {
    point: [u8; 32],
    s: Scalar,
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

    /// The signature of a message with planted faults.
    pub(crate) fn sign_with(
        &self,
        message: &[u8],
        faults: &mut impl Faults<Ed25519Stage>,
    ) -> Result<Ed25519Signature, Error> {
        self.sign_in(&Domain::pure(), message, faults)
    }

    /// The signature, if it comes out again from the seed.
    ///
    /// Two signatures of one message with two values of R, or of two messages with one R, reveal the key, and so does one
    /// with a known error in its nonce together with the right one. So everything is derived again: from the seed, from
    /// another copy of the public key, and by other entries of the table.
    fn sign_in(
        &self,
        domain: &Domain,
        message: &[u8],
        faults: &mut impl Faults<Ed25519Stage>,
    ) -> Result<Ed25519Signature, Error> {
        let mut signature = [0; 64];
        let fits = off_stack::<STACK, _>(|| {
            let secret = &self.0;
            let mut made = make(
                domain,
                message,
                (&secret.expanded, self.public().as_bytes()),
                faults,
            );
            let again = Expanded::new(self.as_bytes());
            let mut check = check(domain, message, (&again, &secret.octets), &made.point);
            let fits = made.s.equals(&check.s) & u64::from(made.point == check.point);
            let fits = publish(fits) == 1;
            if fits {
                signature[..32].copy_from_slice(&made.point);
                signature[32..].copy_from_slice(&made.s.to_le_bytes());
            }
            made.s.zeroize();
            check.s.zeroize();
            fits
        });
        fits.then_some(Ed25519Signature(signature))
            .ok_or(Error::Fault)
    }
}

/// The signature.
fn make(
    domain: &Domain,
    message: &[u8],
    (expanded, public): (&Expanded, &[u8; 32]),
    faults: &mut impl Faults<Ed25519Stage>,
) -> Made {
    let mut r = domain.scalar([&expanded.prefix, message, &[]]);
    plant(faults, Ed25519Stage::Nonce, &mut r);
    let mut product = base().mul(&r);
    let mut point = product.to_octets();
    plant_octets(faults, Ed25519Stage::Point, &mut point);
    let mut k = domain.scalar([&point, public, message]);
    plant(faults, Ed25519Stage::Challenge, &mut k);
    let mut a = expanded.scalar;
    plant(faults, Ed25519Stage::Scalar, &mut a);
    let mut ka = k * a;
    plant(faults, Ed25519Stage::Product, &mut ka);
    let mut s = r + ka;
    plant(faults, Ed25519Stage::S, &mut s);
    product.zeroize();
    for scalar in [&mut r, &mut a, &mut ka] {
        scalar.zeroize();
    }
    Made { point, s }
}

/// The signature again, for this encoding of R in the hash. Twice the multiple of r / 2 comes from other entries of the
/// table than the multiple of r.
fn check(
    domain: &Domain,
    message: &[u8],
    (expanded, public): (&Expanded, &[u8; 32]),
    claimed: &[u8; 32],
) -> Made {
    let mut r = domain.scalar([&expanded.prefix, message, &[]]);
    let mut half = r.half();
    let mut product = base().mul(&half).double();
    let point = product.to_octets();
    let k = domain.scalar([claimed, public, message]);
    let s = r + k * expanded.scalar;
    product.zeroize();
    r.zeroize();
    half.zeroize();
    Made { point, s }
}

/// Replaces a number by a planted one.
fn plant<F: Faults<Ed25519Stage>>(faults: &mut F, stage: Ed25519Stage, x: &mut Scalar) {
    if F::PLANTED {
        let mut octets = Zeroizing::new([0; 64]);
        octets[..32].copy_from_slice(&x.to_le_bytes());
        let (low, _) = octets.split_at_mut(32);
        let low: &mut [u8; 32] = low.try_into().expect("half of 64");
        plant_octets(faults, stage, low);
        *x = Scalar::reduce_wide(&octets);
    }
}

/// Replaces a little-endian number by a planted one, modulo 2^256.
fn plant_octets<F: Faults<Ed25519Stage>>(faults: &mut F, stage: Ed25519Stage, x: &mut [u8; 32]) {
    if F::PLANTED {
        let mut octets = *x;
        octets.reverse();
        if let Some(planted) = faults.replacement(0, stage, &Nat::from_be_bytes(&octets)) {
            let limbs = planted.limbs().iter().chain(&[0; 4]);
            for (octets, limb) in x.as_chunks_mut().0.iter_mut().zip(limbs) {
                *octets = limb.to_le_bytes();
            }
        }
    }
}

impl Signer<Ed25519Signature> for Ed25519PrivateKey {
    fn try_sign(&self, msg: &[u8]) -> signature::Result<Ed25519Signature> {
        Ok(self.sign_with(msg, &mut NoFaults)?)
    }
}
