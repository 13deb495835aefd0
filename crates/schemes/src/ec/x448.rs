//! X448 as a key agreement (RFC 7748, 6.2).

use super::Error;
use super::x25519::refuse_zero;
use crate::{STACK, published};
use carrysave_arith::{
    Cpu,
    curve::{Edwards448Table, x448},
    off_stack, once,
};
use core::fmt;
use getrandom::SysRng;
use rand_core::{CryptoRng, UnwrapErr};
use std::sync::{Arc, OnceLock};
use zeroize::{Zeroize, Zeroizing};

/// An X448 public key: any 56 octets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct X448PublicKey(pub [u8; 56]);

impl AsRef<[u8]> for X448PublicKey {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

/// An X448 private key: any 56 octets. Cloning is cheap and shares the key, which is wiped with the last clone.
///
/// ```
/// use carrysave_schemes::ec::X448PrivateKey;
/// let (alice, bob) = (X448PrivateKey::generate(), X448PrivateKey::generate());
/// assert_eq!(alice.agree(&bob.public())?, bob.agree(&alice.public())?);
/// # Ok::<_, carrysave_schemes::ec::Error>(())
/// ```
#[derive(Clone)]
pub struct X448PrivateKey(
    /// On the heap: a move on the stack would leave a copy there.
    Arc<Zeroizing<[u8; 56]>>,
);

impl X448PrivateKey {
    /// Generates a key with the operating system's randomness.
    ///
    /// # Panics
    /// If the operating system has no randomness.
    ///
    /// # Timing
    /// Depends on no secret.
    pub fn generate() -> Self {
        X448PrivateKey::generate_with(&mut UnwrapErr(SysRng))
    }

    /// Generates a key from `rng`.
    ///
    /// # Timing
    /// Depends on no secret.
    pub fn generate_with<R: CryptoRng + ?Sized>(rng: &mut R) -> Self {
        off_stack::<STACK, _>(|| X448PrivateKey::fill(|octets| rng.fill_bytes(octets)))
    }

    /// The key of these octets.
    pub fn from_bytes(octets: &[u8; 56]) -> Self {
        X448PrivateKey::fill(|own| own.copy_from_slice(octets))
    }

    /// Makes a key whose octets are written in their final place.
    fn fill(write: impl FnOnce(&mut [u8])) -> Self {
        let mut key = Arc::new(Zeroizing::new([0; 56]));
        let octets = Arc::get_mut(&mut key).expect("there is no clone yet");
        write(&mut **octets);
        X448PrivateKey(key)
    }

    /// The octets. Secret.
    pub fn as_bytes(&self) -> &[u8; 56] {
        &self.0
    }

    /// The public key.
    pub fn public(&self) -> X448PublicKey {
        X448PublicKey(published(off_stack::<STACK, _>(|| {
            base().x448_public(&self.0)
        })))
    }

    /// The shared secret.
    ///
    /// # Errors
    /// [`Error::SmallOrder`] if it would be all zeros, for any private key.
    ///
    /// # Timing
    /// Reveals only whether it is all zeros.
    pub fn agree(&self, other: &X448PublicKey) -> Result<Zeroizing<Vec<u8>>, Error> {
        refuse_zero(off_stack::<STACK, _>(|| {
            let mut octets = x448(&self.0, &other.0);
            let shared = Zeroizing::new(octets.to_vec());
            octets.zeroize();
            shared
        }))
    }
}

/// Without the octets.
impl fmt::Debug for X448PrivateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("X448PrivateKey")
    }
}

/// Multiples of the base point of Edwards448, computed on first use.
pub(super) fn base() -> &'static Edwards448Table {
    static BASE: OnceLock<Edwards448Table> = OnceLock::new();
    once(&BASE, || Edwards448Table::new(Cpu::native()))
}
