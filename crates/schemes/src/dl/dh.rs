//! Diffie-Hellman key agreement (SP 800-56A, 5.7.1.1; RFC 2631).

use super::base::Base;
use super::powers::powers;
use super::{Error, Group, PrivateKey, PublicKey};
use crate::STACK;
use carrysave_arith::{Nat, off_stack};
use rand_core::CryptoRng;
use zeroize::Zeroizing;

impl PrivateKey {
    /// The shared secret of this key and another's public key: `Z = y^x mod p`, in as many octets as p has, with
    /// leading zeros. It is not uniform: derive keys from it by a key derivation function such as HKDF.
    ///
    /// # Errors
    /// [`Error::OtherGroup`] if the keys are of different groups. [`Error::SmallOrder`] if the result is 0 or 1, which
    /// only a fault of the machine can cause, as a [`PublicKey`] has order q.
    ///
    /// # Timing
    /// Depends on the group, and on the length of this key's exponents.
    ///
    /// ```
    /// use carrysave_schemes::dl::{Named, PrivateKey, PublicKey};
    /// let group = Named::Ffdhe2048.group();
    /// let (alice, bob) = (PrivateKey::generate(&group), PrivateKey::generate(&group));
    /// let sent = bob.public().to_be_bytes();
    /// let received = PublicKey::from_be_bytes(&group, &sent).unwrap();
    /// assert_eq!(alice.agree(&received), bob.agree(alice.public()));
    /// ```
    pub fn agree(&self, other: &PublicKey) -> Result<Zeroizing<Vec<u8>>, Error> {
        self.agree_start(other)?;
        off_stack::<STACK, _>(|| self.agree_finish(&self.power(other.base())))
    }

    /// The first step of [`PrivateKey::agree`]: the base of the power.
    pub(super) fn agree_start<'a>(&self, other: &'a PublicKey) -> Result<&'a Nat, Error> {
        if other.group() != self.group() {
            return Err(Error::OtherGroup);
        }
        Ok(other.y())
    }

    /// The last step of [`PrivateKey::agree`], after the power `z`.
    pub(super) fn agree_finish(&self, z: &Nat) -> Result<Zeroizing<Vec<u8>>, Error> {
        secret(self.group(), z)
    }

    /// [`PrivateKey::agree`] with a public key as octets. The check that it is an element of the group runs beside
    /// the power.
    pub(crate) fn agree_once(&self, other: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
        let group = self.group();
        if group.has_safe_prime() {
            let other = PublicKey::from_be_bytes(group, other).ok()?;
            return self.agree(&other).ok();
        }
        let y = Some(Nat::from_be_bytes(other)).filter(|_| other.len() == group.size());
        let y = y.filter(|y| group.may_contain_vartime(y))?;
        // This catches anything that goes wrong in one power.
        let y = Base::new(y.resize(group.modulus().width())?).without_table();
        let (q, bits) = (group.order(), group.order().bits());
        let x = self.x().resize(q.width())?;
        let [z, one] = both(group, [(&y, &x), (&y, q.nat())], bits);
        // z is not released before y is known to be an element.
        secret(group, &z).ok().filter(|_| one.is_one())
    }
}

impl PublicKey {
    /// A new public key, as octets, and the secret that its owner shares with this key's.
    pub(crate) fn dh_meet_new<R: CryptoRng + ?Sized>(
        &self,
        rng: &mut R,
    ) -> Result<(Vec<u8>, Zeroizing<Vec<u8>>), Error> {
        let group = self.group();
        let x = group.random_exponent(rng);
        let [public, z] = both(
            group,
            [(group.base(), &x), (self.base(), &x)],
            group.exponent_bits(),
        );
        Ok((group.i2osp(&public.publish()).to_vec(), secret(group, &z)?))
    }
}

/// Two powers to exponents of `bits` bits.
fn both(group: &Group, of: [(&Base, &Nat); 2], bits: usize) -> [Nat; 2] {
    let jobs = of.map(|(base, exponent)| (group, base, exponent, bits));
    powers(&jobs).try_into().expect("one each")
}

/// A shared secret as octets.
fn secret(group: &Group, z: &Nat) -> Result<Zeroizing<Vec<u8>>, Error> {
    match z.is_zero() || z.is_one() {
        true => Err(Error::SmallOrder),
        false => Ok(group.i2osp(z)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::Hash;
    use getrandom::SysRng;
    use rand_core::UnwrapErr;

    #[test]
    fn octets_of_no_element_are_not_agreed_with() {
        let rng = &mut UnwrapErr(SysRng);
        // An element and p may take one bit more than p alone, and be refused for that.
        let (key, y) = loop {
            let (group, _) = Group::generate_with(rng, 512, 160, Hash::Sha256, &mut || ()).unwrap();
            let keys = [(); 8].map(|()| PrivateKey::generate_with(&group, rng));
            let [key, others @ ..] = keys;
            let y = |other: &PrivateKey| other.public().y().clone();
            let mut short = others.iter().map(y);
            if let Some(y) = short.find(|y| y.add(group.p()).bits() == 512) {
                break (key, y);
            }
        };
        let (p, size) = (key.group().p().clone(), key.group().size());
        let agreed = |y: &Nat| key.agree_once(&y.to_be_bytes(size).unwrap());
        let public = PublicKey::new(key.group(), y.clone()).unwrap();
        assert_eq!(agreed(&y), Some(key.agree(&public).unwrap()));
        let longer = [&[0][..], &y.to_be_bytes(size).unwrap()].concat();
        assert_eq!(key.agree_once(&longer), None);
        let minus_one = p.sub_limb(1).unwrap();
        let of_another_order = Nat::from_limb(3);
        for y in [
            Nat::zero(),
            Nat::one(),
            of_another_order,
            minus_one,
            p.clone(),
            p.add(&y),
        ] {
            assert_eq!(agreed(&y), None);
        }
    }
}
