//! Key pairs: a seed, and a point.

use super::Scalar;
use crate::STACK;
use crate::chain::{sha512, sha512_each};
use crate::ec::{INVALID, KeyError, seeded::seeded, x25519::base};
use carrysave_arith::{Cpu, curve::Edwards25519Point, off_stack};
use rand_core::CryptoRng;
#[cfg(doc)]
use signature::Verifier;
use zeroize::Zeroizing;

/// An Ed25519 public key: a point in 32 octets. It implements the trait [`Verifier`] of the crate `signature`.
#[derive(Clone, Copy)]
pub struct Ed25519PublicKey {
    octets: [u8; 32],
    /// The point's negative.
    pub(super) minus: Edwards25519Point,
    /// Whether the octets are the encoding that RFC 8032 asks for.
    pub(super) canonical: bool,
}

impl Ed25519PublicKey {
    /// Decodes a key from its canonical encoding (RFC 8032, 5.1.3).
    ///
    /// # Errors
    /// [`KeyError::Invalid`] for anything else.
    pub fn from_bytes(octets: &[u8; 32]) -> Result<Self, KeyError> {
        let point = Edwards25519Point::from_octets_vartime(Cpu::native(), octets).ok_or(INVALID)?;
        Ok(Ed25519PublicKey {
            octets: *octets,
            minus: point.neg(),
            canonical: true,
        })
    }

    /// Decodes a key from any encoding that ZIP 215 accepts. With one that is not canonical only
    /// [`verify_zip215`](Ed25519PublicKey::verify_zip215) and [`verify_batch`](super::verify_batch) accept signatures.
    ///
    /// # Errors
    /// [`KeyError::Invalid`] if there is no such point.
    pub fn from_bytes_zip215(octets: &[u8; 32]) -> Result<Self, KeyError> {
        Ed25519PublicKey::from_bytes(octets).or_else(|_| {
            let point = Edwards25519Point::from_octets_zip215_vartime(Cpu::native(), octets);
            Ok(Ed25519PublicKey {
                octets: *octets,
                minus: point.ok_or(INVALID)?.neg(),
                canonical: false,
            })
        })
    }
}

/// What the seed stands for (RFC 8032, 5.1.5).
pub(super) struct Expanded {
    /// s, modulo the order.
    pub(super) scalar: Scalar,
    /// What is hashed with a message to a nonce.
    pub(super) prefix: [u8; 32],
}

impl Expanded {
    pub(super) fn new(seed: &[u8; 32]) -> Expanded {
        let mut digest = sha512(&[seed]);
        Expanded::of(&mut digest)
    }

    /// Of the digest of the seed.
    pub(super) fn of(digest: &mut [u8; 64]) -> Expanded {
        digest[0] &= 248;
        digest[31] &= 127;
        digest[31] |= 64;
        let (s, prefix) = digest.split_at(32);
        let mut expanded = Expanded {
            scalar: Scalar::reduce_wide(s),
            prefix: [0; 32],
        };
        expanded.prefix.copy_from_slice(prefix);
        expanded
    }
}

/// The public key of an expanded seed.
fn public(expanded: &Expanded) -> Ed25519PublicKey {
    let point = base().mul(&expanded.scalar);
    at(&point, point.to_octets())
}

/// The public key that is a point with this encoding.
fn at(point: &Edwards25519Point, octets: [u8; 32]) -> Ed25519PublicKey {
    Ed25519PublicKey {
        octets,
        minus: point.neg(),
        canonical: true,
    }
}

impl Ed25519PrivateKey {
    /// Generates many keys as [`generate_with`](Self::generate_with) does, in vector lanes where that is faster.
    ///
    /// # Timing
    /// Depends on the number of keys only.
    ///
    /// ```
    /// use carrysave_schemes::ec::Ed25519PrivateKey;
    /// let rng = &mut rand_core::UnwrapErr(getrandom::SysRng);
    /// let keys = Ed25519PrivateKey::generate_many_with(rng, 9);
    /// assert_eq!(Ed25519PrivateKey::from_bytes(keys[8].as_bytes()).public(), keys[8].public());
    /// ```
    pub fn generate_many_with<R: CryptoRng + ?Sized>(rng: &mut R, count: usize) -> Vec<Self> {
        off_stack::<STACK, _>(|| {
            let mut seeds = Zeroizing::new(vec![[0; 32]; count]);
            seeds.iter_mut().for_each(|seed| rng.fill_bytes(seed));
            let mut digests = Zeroizing::new(Vec::with_capacity(count));
            sha512_each(count, |i| [&seeds[i][..]], |digest| digests.push(*digest));
            // What is moved out of a vector stays behind there.
            let expanded = |i: usize| Expanded::of(&mut Zeroizing::new(digests[i]));
            let mut scalars = Zeroizing::new(Vec::with_capacity(count));
            scalars.extend((0..count).map(|i| expanded(i).scalar));
            let points = Zeroizing::new(base().mul_batch(&scalars));
            let affine = Edwards25519Point::to_affine_batch(&points);
            let key = |i: usize| {
                let public = at(&points[i], affine[i].to_octets());
                Self::of(Zeroizing::new(seeds[i]), expanded(i), public)
            };
            (0..count).map(key).collect()
        })
    }
}

seeded!(Ed25519PrivateKey, Ed25519PublicKey, 32, "Ed25519");
