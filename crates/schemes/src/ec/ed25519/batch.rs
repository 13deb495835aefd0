//! Verification of many signatures at once (Bernstein, Duif, Lange, Schwabe, Yang, CHES 2011, section 5).

use super::hash::Domain;
use super::{Ed25519PublicKey, Ed25519Signature, Scalar};
use crate::ec::{Error, x25519::base};
use carrysave_arith::{Cpu, curve::Edwards25519Point};
use getrandom::SysRng;
use rand_core::{CryptoRng, UnwrapErr};
use std::collections::BTreeMap;

/// Verifies signatures together, by the rules of ZIP 215: it succeeds if [`Ed25519PublicKey::verify_zip215`] accepts each of
/// them, and takes a fraction of the time, less still where keys recur. Which of them fails is not told.
///
/// # Errors
/// [`Error::Verification`] if any is not valid for its key and message. A set with one that is not valid is accepted with a
/// probability of 2^-128.
///
/// # Panics
/// If the operating system has no randomness.
///
/// # Timing
/// Depends on keys, messages and signatures.
///
/// ```
/// use carrysave_schemes::ec::{Ed25519PrivateKey, ed25519::verify_batch};
/// let keys: Vec<_> = (0..10).map(|_| Ed25519PrivateKey::generate()).collect();
/// let signatures: Vec<_> = keys.iter().map(|key| key.sign(b"the message")).collect();
/// let all = keys.iter().zip(&signatures).map(|(key, signature)| (key.public(), &b"the message"[..], signature));
/// verify_batch(&all.collect::<Vec<_>>())?;
/// # Ok::<_, carrysave_schemes::ec::Error>(())
/// ```
pub fn verify_batch(
    signatures: &[(&Ed25519PublicKey, &[u8], &Ed25519Signature)],
) -> Result<(), Error> {
    verify_batch_with(&mut UnwrapErr(SysRng), signatures)
}

/// [`verify_batch`] with coefficients from `rng`, which the makers of the signatures must not be able to predict.
///
/// # Errors
/// As [`verify_batch`].
///
/// # Timing
/// Depends on keys, messages and signatures.
pub fn verify_batch_with<R: CryptoRng + ?Sized>(
    rng: &mut R,
    signatures: &[(&Ed25519PublicKey, &[u8], &Ed25519Signature)],
) -> Result<(), Error> {
    let mut base_scalar = Scalar::zero();
    let mut terms = Vec::with_capacity(2 * signatures.len());
    let mut of_keys = BTreeMap::<&[u8; 32], (Scalar, Edwards25519Point)>::new();
    let domain = Domain::pure();
    let k = domain.scalars(signatures.len(), |i| {
        let (key, message, signature) = signatures[i];
        [&signature.0[..32], key.as_bytes(), message]
    });
    for (&(key, _, signature), k) in signatures.iter().zip(k.iter()) {
        let (octets, s) = signature.parts()?;
        let point = Edwards25519Point::from_octets_zip215_vartime(Cpu::native(), octets);
        let point = point.ok_or(Error::Verification)?;
        let mut z = [0; 32];
        rng.fill_bytes(&mut z[..16]);
        let z = Scalar::reduce_le_bytes(&z);
        base_scalar += z * s;
        terms.push((z, point.neg()));
        let of_key = of_keys.entry(key.as_bytes());
        of_key.or_insert((Scalar::zero(), key.minus)).0 += z * *k;
    }
    terms.extend(of_keys.into_values());
    // The sum of z ([s]B - R - [k]A).
    let sum = base().sum_vartime(&base_scalar, &terms);
    match sum.mul_by_cofactor().is_identity() {
        true => Ok(()),
        false => Err(Error::Verification),
    }
}
