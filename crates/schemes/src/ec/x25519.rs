//! X25519 as a key agreement (RFC 7748, 6.1).

use super::Error;
use crate::STACK_OF_POINTS;
use carrysave_arith::{
    Cpu,
    curve::{X25519Table, x25519},
    off_stack, publish,
};
use core::fmt;
use rand_core::CryptoRng;
use std::sync::OnceLock;
use zeroize::{Zeroize, Zeroizing};

/// An X25519 public key: any 32 octets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct X25519PublicKey(pub [u8; 32]);

/// An X25519 private key: any 32 octets, wiped when dropped.
///
/// ```
/// use carrysave_schemes::ec::X25519PrivateKey;
/// let rng = &mut rand_core::UnwrapErr(getrandom::SysRng);
/// let (alice, bob) = (X25519PrivateKey::generate(rng), X25519PrivateKey::generate(rng));
/// assert_eq!(alice.agree(&bob.public()), bob.agree(&alice.public()));
/// ```
pub struct X25519PrivateKey(
    /// On the heap: what is moved on the stack leaves a copy there.
    Box<Zeroizing<[u8; 32]>>,
);

impl X25519PrivateKey {
    /// A new key.
    pub fn generate<R: CryptoRng + ?Sized>(rng: &mut R) -> Self {
        let mut key = X25519PrivateKey::from_bytes(&[0; 32]);
        off_stack::<STACK_OF_POINTS, _>(|| rng.fill_bytes(&mut **key.0));
        key
    }

    /// The key of these octets.
    pub fn from_bytes(octets: &[u8; 32]) -> Self {
        let mut key = Box::new(Zeroizing::new([0; 32]));
        key.copy_from_slice(octets);
        X25519PrivateKey(key)
    }

    /// The octets. Secret.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The public key.
    pub fn public(&self) -> X25519PublicKey {
        static BASE: OnceLock<X25519Table> = OnceLock::new();
        let base = BASE.get_or_init(|| X25519Table::new(Cpu::native()));
        X25519PublicKey(off_stack::<STACK_OF_POINTS, _>(|| base.public(&self.0)))
    }

    /// The shared secret.
    ///
    /// # Errors
    /// [`Error::SmallOrder`] where it would be all zeros, whatever the private key.
    ///
    /// # Timing
    /// Whether it is all zeros is made public, nothing else.
    pub fn agree(&self, other: &X25519PublicKey) -> Result<Zeroizing<Vec<u8>>, Error> {
        let shared = off_stack::<STACK_OF_POINTS, _>(|| {
            let mut octets = x25519(Cpu::native(), &self.0, &other.0);
            let shared = Zeroizing::new(octets.to_vec());
            octets.zeroize();
            shared
        });
        let any = shared.iter().fold(0, |any, octet| any | octet);
        if publish(any.into()) == 0 {
            return Err(Error::SmallOrder);
        }
        Ok(shared)
    }
}

/// Without the octets.
impl fmt::Debug for X25519PrivateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("X25519PrivateKey")
    }
}
