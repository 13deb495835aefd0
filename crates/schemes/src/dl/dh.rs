//! Diffie-Hellman key agreement (SP 800-56A, 5.7.1.1; RFC 2631).

use super::{Error, PrivateKey, PublicKey};
use carrysave_arith::Nat;
use zeroize::Zeroizing;

impl PrivateKey {
    /// The shared secret of this key and another's public one: `Z = y^x mod p` as so many octets as p has, leading
    /// zeros included. It is no key yet, as it is not uniform: derive keys of it by a function made for that, such as
    /// HKDF.
    ///
    /// # Errors
    /// [`Error::OtherGroup`] if the keys are of different groups. [`Error::SmallOrder`] if the result is 0 or 1, which
    /// takes a fault of the machine, as a [`PublicKey`] is of order q.
    ///
    /// # Timing
    /// Depends on the group, and on the length of this key's exponents.
    ///
    /// ```
    /// use carrysave_schemes::dl::{Named, PrivateKey, PublicKey};
    /// let rng = &mut rand_core::UnwrapErr(getrandom::SysRng);
    /// let group = Named::Ffdhe2048.group();
    /// let (alice, bob) = (PrivateKey::generate(&group, rng), PrivateKey::generate(&group, rng));
    /// let sent = bob.public().to_be_bytes();
    /// let received = PublicKey::from_be_bytes(&group, &sent).unwrap();
    /// assert_eq!(alice.dh_agree(&received), bob.dh_agree(alice.public()));
    /// ```
    pub fn dh_agree(&self, other: &PublicKey) -> Result<Zeroizing<Vec<u8>>, Error> {
        self.dh_agree_start(other)?;
        self.dh_agree_finish(&self.power(other.base()))
    }

    /// [`PrivateKey::dh_agree`] up to the power: its base.
    #[doc(hidden)]
    pub fn dh_agree_start<'a>(&self, other: &'a PublicKey) -> Result<&'a Nat, Error> {
        if other.group() != self.group() {
            return Err(Error::OtherGroup);
        }
        Ok(other.y())
    }

    /// [`PrivateKey::dh_agree`] after the power, which gave `z`.
    #[doc(hidden)]
    pub fn dh_agree_finish(&self, z: &Nat) -> Result<Zeroizing<Vec<u8>>, Error> {
        if z.is_zero() || z.is_one() {
            return Err(Error::SmallOrder);
        }
        Ok(self.group().i2osp(z))
    }
}
