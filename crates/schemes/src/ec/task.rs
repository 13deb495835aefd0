//! Key agreement on elliptic curves as tasks: see [`carrysave_team::task`].
//!
//! ```
//! use carrysave_schemes::ec::{X25519PrivateKey, task::X25519Agree};
//! use carrysave_team::task::Task;
//! let rng = &mut rand_core::UnwrapErr(getrandom::SysRng);
//! let (alice, bob) = (X25519PrivateKey::generate_with(rng), X25519PrivateKey::generate_with(rng));
//! let agree = X25519Agree { key: alice.clone(), public: bob.public() };
//! assert_eq!(agree.run(rng), bob.agree(&alice.public()));
//! ```

use super::x25519;
use super::{Error, Named, PrivateKey, PublicKey, X25519PrivateKey, X25519PublicKey};
use carrysave_arith::{field::Field, lanes::LANES};
use carrysave_team::task::{Primitive, Task};
use rand_core::CryptoRng;
use zeroize::Zeroizing;

/// [`PrivateKey::agree`].
impl<C: Named> Primitive for PrivateKey<C> {
    type Class = ();
    type Input = PublicKey<C>;
    type Output = Result<Zeroizing<Vec<u8>>, Error>;

    fn class(&self) {}

    fn cost(&self) -> u64 {
        // With 16 products for a bit of the scalar.
        16 * (8 * C::Scalar::ZERO_BYTES.as_ref().len() as u64).pow(3)
    }

    fn run_group<R: CryptoRng + ?Sized>(
        _: &mut R,
        group: &[(&PrivateKey<C>, &PublicKey<C>)],
    ) -> Vec<Result<Zeroizing<Vec<u8>>, Error>> {
        group.iter().map(|(key, other)| key.agree(other)).collect()
    }
}

/// [`PrivateKey::agree`], ECDH: gives the shared secret.
#[derive(Clone, Debug)]
pub struct EcdhAgree<C: Named> {
    /// One's own key.
    pub key: PrivateKey<C>,
    /// The other's key.
    pub public: PublicKey<C>,
}

impl<C: Named> Task for EcdhAgree<C> {
    type Primitive = PrivateKey<C>;
    type Output = Zeroizing<Vec<u8>>;
    type Error = Error;

    fn primitive(&self) -> &PrivateKey<C> {
        &self.key
    }

    fn start<R: CryptoRng + ?Sized>(&self, _: &mut R) -> Result<PublicKey<C>, Error> {
        Ok(self.public.clone())
    }

    fn finish(
        &self,
        secret: Result<Zeroizing<Vec<u8>>, Error>,
    ) -> Result<Zeroizing<Vec<u8>>, Error> {
        secret
    }
}

/// The function X25519. Its result 0 is refused later, as by [`X25519PrivateKey::agree`].
impl Primitive for X25519PrivateKey {
    type Class = ();
    type Input = X25519PublicKey;
    type Output = Zeroizing<Vec<u8>>;

    /// Many more than lanes, as they share one inversion.
    const GROUP: usize = 64;

    fn class(&self) {}

    fn cost(&self) -> u64 {
        // A step of the ladder has ten products.
        10 * 256_u64.pow(3)
    }

    fn group_from(&self) -> Option<usize> {
        x25519::in_lanes().then_some(LANES)
    }

    fn group_cost(&self, _: usize, size: usize) -> u64 {
        // Eight in lanes take as long as one and a half alone.
        let halves = 3 * (size / LANES) + 2 * (size % LANES);
        self.cost() * halves as u64 / 2
    }

    fn run_group<R: CryptoRng + ?Sized>(
        _: &mut R,
        group: &[(&X25519PrivateKey, &X25519PublicKey)],
    ) -> Vec<Zeroizing<Vec<u8>>> {
        x25519::shared_octets(group)
    }
}

/// [`X25519PrivateKey::agree`]: gives the shared secret.
#[derive(Clone, Debug)]
pub struct X25519Agree {
    /// One's own key.
    pub key: X25519PrivateKey,
    /// The other's key.
    pub public: X25519PublicKey,
}

impl Task for X25519Agree {
    type Primitive = X25519PrivateKey;
    type Output = Zeroizing<Vec<u8>>;
    type Error = Error;

    fn primitive(&self) -> &X25519PrivateKey {
        &self.key
    }

    fn start<R: CryptoRng + ?Sized>(&self, _: &mut R) -> Result<X25519PublicKey, Error> {
        Ok(self.public)
    }

    fn finish(&self, octets: Zeroizing<Vec<u8>>) -> Result<Zeroizing<Vec<u8>>, Error> {
        x25519::refuse_zero(octets)
    }
}
