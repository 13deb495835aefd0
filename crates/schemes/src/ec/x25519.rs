//! X25519 as a key agreement (RFC 7748, 6.1).

use super::Error;
use crate::{STACK, published};
use carrysave_arith::{
    Cpu,
    curve::{Edwards25519Table, x25519, x25519_batch},
    field::Vectors,
    off_stack, once, publish,
};
use core::fmt;
use getrandom::SysRng;
use rand_core::{CryptoRng, UnwrapErr};
use std::sync::{Arc, OnceLock};
use zeroize::{Zeroize, Zeroizing};

/// An X25519 public key: any 32 octets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct X25519PublicKey(pub [u8; 32]);

impl AsRef<[u8]> for X25519PublicKey {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

/// An X25519 private key: any 32 octets. Cloning is cheap and shares the key, which is wiped with the last clone.
///
/// ```
/// use carrysave_schemes::ec::X25519PrivateKey;
/// let (alice, bob) = (X25519PrivateKey::generate(), X25519PrivateKey::generate());
/// assert_eq!(alice.agree(&bob.public())?, bob.agree(&alice.public())?);
/// # Ok::<_, carrysave_schemes::ec::Error>(())
/// ```
#[derive(Clone)]
pub struct X25519PrivateKey(
    /// On the heap: a move on the stack would leave a copy there.
    Arc<Zeroizing<[u8; 32]>>,
);

impl X25519PrivateKey {
    /// Generates a key with the operating system's randomness.
    ///
    /// # Panics
    /// If the operating system has no randomness.
    ///
    /// # Timing
    /// Depends on no secret.
    pub fn generate() -> Self {
        X25519PrivateKey::generate_with(&mut UnwrapErr(SysRng))
    }

    /// Generates a key from `rng`.
    ///
    /// # Timing
    /// Depends on no secret.
    pub fn generate_with<R: CryptoRng + ?Sized>(rng: &mut R) -> Self {
        off_stack::<STACK, _>(|| X25519PrivateKey::fill(|octets| rng.fill_bytes(octets)))
    }

    /// The key of these octets.
    pub fn from_bytes(octets: &[u8; 32]) -> Self {
        X25519PrivateKey::fill(|own| own.copy_from_slice(octets))
    }

    /// Makes a key whose octets are written in their final place.
    fn fill(write: impl FnOnce(&mut [u8])) -> Self {
        let mut key = Arc::new(Zeroizing::new([0; 32]));
        let octets = Arc::get_mut(&mut key).expect("there is no clone yet");
        write(&mut **octets);
        X25519PrivateKey(key)
    }

    /// The octets. Secret.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The public key.
    pub fn public(&self) -> X25519PublicKey {
        X25519PublicKey(published(off_stack::<STACK, _>(|| {
            base().x25519_public(&self.0)
        })))
    }

    /// The public keys of many, in vector lanes where that is faster.
    ///
    /// # Timing
    /// Depends on the number of keys only.
    ///
    /// ```
    /// use carrysave_schemes::ec::X25519PrivateKey;
    /// let keys: Vec<_> = (0..9).map(|_| X25519PrivateKey::generate()).collect();
    /// assert_eq!(X25519PrivateKey::public_keys(&keys)[8], keys[8].public());
    /// ```
    pub fn public_keys(keys: &[X25519PrivateKey]) -> Vec<X25519PublicKey> {
        off_stack::<STACK, _>(|| {
            let mut scalars = Zeroizing::new(Vec::with_capacity(keys.len()));
            scalars.extend(keys.iter().map(|key| **key.0));
            let keys = base().x25519_public_batch(&scalars);
            keys.into_iter()
                .map(|key| X25519PublicKey(published(key)))
                .collect()
        })
    }

    /// The shared secret.
    ///
    /// # Errors
    /// [`Error::SmallOrder`] if it would be all zeros, for any private key.
    ///
    /// # Timing
    /// Reveals only whether it is all zeros.
    pub fn agree(&self, other: &X25519PublicKey) -> Result<Zeroizing<Vec<u8>>, Error> {
        refuse_zero(off_stack::<STACK, _>(|| {
            let mut octets = x25519(Cpu::native(), &self.0, &other.0);
            let shared = Zeroizing::new(octets.to_vec());
            octets.zeroize();
            shared
        }))
    }
}

/// Multiples of the base point of Edwards25519, computed on first use.
pub(super) fn base() -> &'static Edwards25519Table {
    static BASE: OnceLock<Edwards25519Table> = OnceLock::new();
    once(&BASE, || Edwards25519Table::new(Cpu::native()))
}

/// The shared octets, unless they are all zeros.
pub(super) fn refuse_zero(shared: Zeroizing<Vec<u8>>) -> Result<Zeroizing<Vec<u8>>, Error> {
    let any = shared.iter().fold(0, |any, octet| any | octet);
    match publish(any.into()) {
        0 => Err(Error::SmallOrder),
        _ => Ok(shared),
    }
}

/// Whether eight agreements in the lanes of a vector are faster than one after the other.
pub(super) fn in_lanes() -> bool {
    Vectors::best(Cpu::native()).have_ifma()
}

/// The shared octets of each pair of keys, in lanes where that is faster.
pub(super) fn shared_octets(
    pairs: &[(&X25519PrivateKey, &X25519PublicKey)],
) -> Vec<Zeroizing<Vec<u8>>> {
    off_stack::<STACK, _>(|| {
        let mut scalars = Zeroizing::new(Vec::with_capacity(pairs.len()));
        scalars.extend(pairs.iter().map(|(key, _)| **key.0));
        let points: Vec<[u8; 32]> = pairs.iter().map(|(_, other)| other.0).collect();
        let shared = Zeroizing::new(x25519_batch(Cpu::native(), &scalars, &points));
        let octets = shared.iter().map(|octets| octets.to_vec().into());
        octets.collect()
    })
}

/// Without the octets.
impl fmt::Debug for X25519PrivateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("X25519PrivateKey")
    }
}
