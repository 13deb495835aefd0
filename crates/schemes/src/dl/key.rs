//! Key pairs: x and y = g^x mod p.

use super::base::Base;
use super::batch::LANES;
use super::group::words;
use super::{Group, KeyError};
use crate::STACK;
use carrysave_arith::{Cpu, FixedBase, Nat, Plan, off_stack, once, task::Exponentiation};
use core::fmt;
use getrandom::SysRng;
use rand_core::{CryptoRng, UnwrapErr};
use std::sync::{Arc, OnceLock};
use zeroize::Zeroizing;

/// A public key: an element y of a group other than 1, checked. Cloning is cheap.
#[derive(Clone)]
pub struct PublicKey(Arc<Public>);

#[derive(Clone)]
struct Public {
    group: Group,
    y: Base,
}

impl PublicKey {
    /// The key with this y.
    ///
    /// # Errors
    /// [`KeyError::Invalid`] unless `1 < y < p - 1` and `y^q = 1` (SP 800-56A, 5.6.2.3.1).
    ///
    /// ```
    /// use carrysave_arith::Nat;
    /// use carrysave_schemes::dl::{Named, PublicKey};
    /// let group = Named::Ffdhe2048.group();
    /// assert!(PublicKey::new(&group, Nat::from_limb(4)).is_ok());
    /// assert!(PublicKey::new(&group, Nat::one()).is_err());
    /// ```
    pub fn new(group: &Group, y: Nat) -> Result<PublicKey, KeyError> {
        if !group.contains_vartime(&y) {
            return Err(KeyError::Invalid(
                "its y is not an element of the group, or 1",
            ));
        }
        Ok(PublicKey::build(group.clone(), &y))
    }

    fn build(group: Group, y: &Nat) -> PublicKey {
        let y = y.resize(group.modulus().width()).expect("y < p");
        let y = Base::new(y);
        PublicKey(Arc::new(Public { group, y }))
    }

    /// Decodes a key from big-endian octets, as many as p has.
    ///
    /// # Errors
    /// [`KeyError::Format`] for another number of octets; [`KeyError::Invalid`] as for [`PublicKey::new`].
    pub fn from_be_bytes(group: &Group, octets: &[u8]) -> Result<PublicKey, KeyError> {
        if octets.len() != group.size() {
            return Err(KeyError::Format {
                expected: "a public key as octets",
                detail: format!("it has {}, and p has {}", octets.len(), group.size()),
            });
        }
        PublicKey::new(group, Nat::from_be_bytes(octets))
    }

    /// y in big-endian octets, as many as p has.
    pub fn to_be_bytes(&self) -> Vec<u8> {
        self.group().i2osp(self.y()).to_vec()
    }

    /// The group.
    pub fn group(&self) -> &Group {
        &self.0.group
    }

    /// y, as wide as p.
    pub fn y(&self) -> &Nat {
        &self.0.y.element
    }

    /// This key on the processor `cpu` with `plan`: for studies and tests, as it changes no result.
    ///
    /// # Panics
    /// As [`Group::with_plan`].
    #[must_use]
    pub fn with_plan(&self, cpu: Cpu, plan: &'static Plan) -> PublicKey {
        PublicKey::build(self.group().with_plan(cpu, plan), self.y())
    }

    /// This key with tables of powers of g and of y, which cut the time of verification and agreement to a fraction:
    /// see [`Group::precomputed`].
    #[must_use]
    pub fn precomputed(&self) -> PublicKey {
        let mut public = Public::clone(&self.0);
        public.group = self.group().precomputed();
        let bits = public.group.exponent_bits();
        public.y.precompute(public.group.modulus(), bits);
        PublicKey(Arc::new(public))
    }

    /// This key without tables; only [`PublicKey::precomputed`] gives it some. For studies, as it changes no result.
    #[must_use]
    pub fn without_tables(&self) -> PublicKey {
        let (group, y) = (self.group().without_tables(), self.0.y.without_table());
        PublicKey(Arc::new(Public { group, y }))
    }

    /// y with its table, if there is one.
    pub(super) fn base(&self) -> &Base {
        &self.0.y
    }

    /// Whether both are clones of one key.
    pub(super) fn is_clone_of(&self, other: &PublicKey) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// `g^a y^b mod p` for public exponents.
    pub(crate) fn power_product_vartime(&self, a: &Nat, b: &Nat) -> Nat {
        let (group, p) = (self.group(), self.group().modulus());
        match self.has_tables() {
            true => p.mul(&group.power_vartime(a), &self.0.y.power_vartime(p, b)),
            false => p.pow_product_vartime(&[(group.g(), a), (self.y(), b)]),
        }
    }

    /// Makes both tables, for all clones of the key and of its group, if they pay for this many verifications and the
    /// budget of memory allows.
    pub(super) fn expect_verifications(&self, count: usize) {
        if self.tables_from().is_some_and(|from| count >= from) {
            let (group, bits) = (self.group(), self.group().order().bits());
            group.base().precompute_unasked(group.modulus(), bits);
            self.0.y.precompute_unasked(group.modulus(), bits);
        }
    }

    /// Whether there are tables of powers of g and y to exponents below q.
    fn has_tables(&self) -> bool {
        let (group, bits) = (self.group(), self.group().order().bits());
        group.base().table(bits).and(self.0.y.table(bits)).is_some()
    }

    /// The number of verifications at once that make both tables; `None` if they exist, or a full group is too few.
    fn tables_from(&self) -> Option<usize> {
        let (group, bits) = (self.group(), self.group().order().bits());
        let from = 2 * FixedBase::pays_from(group.modulus(), bits);
        (from <= LANES && !self.has_tables()).then_some(from)
    }

    /// The number of verifications from which [`batch::dsa_verify`](super::batch::dsa_verify) is faster than one after
    /// the other: with keys of one class in lanes or, if [`PublicKey::lanes_from`] is `None`, with clones of this key,
    /// which get tables. `None` if no group is faster, as with tables.
    pub fn verifications_from(&self) -> Option<usize> {
        self.lanes_from().or_else(|| self.tables_from())
    }

    /// The number of operations in groups of one class from which lanes are faster than one after the other, as
    /// [`Modulus::lanes_from`](carrysave_arith::Modulus::lanes_from); `None` with tables.
    pub fn lanes_from(&self) -> Option<usize> {
        self.group()
            .modulus()
            .lanes_from()
            .filter(|_| !self.has_tables())
    }
}

impl PartialEq for PublicKey {
    fn eq(&self, other: &PublicKey) -> bool {
        self.y() == other.y() && self.group() == other.group()
    }
}

impl Eq for PublicKey {}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PublicKey")
            .field("group", self.group())
            .field("y", &self.y().to_hex_vartime())
            .finish()
    }
}

/// A private key: an exponent x with its public key, checked. Cloning is cheap and shares the key, which is wiped with
/// the last clone.
#[derive(Clone)]
pub struct PrivateKey(Arc<Private>);

struct Private {
    public: PublicKey,
    /// Raises to x, which is as wide as `bits` needs.
    exponentiation: Exponentiation,
    /// The bits of the longest exponent of this class.
    bits: usize,
    /// `x^-1 mod q`, computed on first use. Boxed: an empty place must not hold what was on the stack.
    inverse: OnceLock<Box<Nat>>,
}

impl PrivateKey {
    /// Generates a key of a group with the operating system's randomness.
    ///
    /// # Panics
    /// If the operating system has no randomness.
    ///
    /// # Timing
    /// Depends on the group only.
    pub fn generate(group: &Group) -> PrivateKey {
        PrivateKey::generate_with(group, &mut UnwrapErr(SysRng))
    }

    /// Generates a key of a group from `rng` (SP 800-56A, 5.6.1.1.4; FIPS 186-4, B.1.2).
    ///
    /// # Timing
    /// Depends on the group only.
    pub fn generate_with<R: CryptoRng + ?Sized>(group: &Group, rng: &mut R) -> PrivateKey {
        PrivateKey::build(group.clone(), &group.random_exponent(rng))
    }

    /// The key with this x.
    ///
    /// # Errors
    /// [`KeyError::Invalid`] unless `0 < x < q`.
    ///
    /// # Timing
    /// Reveals only whether x is accepted, and whether it is longer than the group's private exponents.
    pub fn new(group: &Group, x: &Nat) -> Result<PrivateKey, KeyError> {
        if x.is_zero() || !x.lt(group.q()) {
            return Err(KeyError::Invalid("its x is not between 0 and q"));
        }
        Ok(PrivateKey::build(group.clone(), x))
    }

    /// The key with this x and its claimed public y.
    ///
    /// # Errors
    /// [`KeyError::Invalid`] unless `0 < x < q` and `y = g^x mod p`.
    ///
    /// # Timing
    /// As [`PrivateKey::new`].
    pub fn with_public(group: &Group, x: &Nat, y: &Nat) -> Result<PrivateKey, KeyError> {
        let key = PrivateKey::new(group, x)?;
        if key.public().y() != y {
            return Err(KeyError::Invalid("its y is not g^x mod p"));
        }
        Ok(key)
    }

    /// The key of an x between 0 and q.
    fn build(group: Group, x: &Nat) -> PrivateKey {
        let short = x.resize(words(group.exponent_bits()));
        let short = short.filter(|x| x.shr(group.exponent_bits()).is_zero());
        let (x, bits) = match short {
            Some(x) => (x, group.exponent_bits()),
            None => (
                x.resize(group.order().width()).expect("x < q"),
                group.order().bits(),
            ),
        };
        let y = off_stack::<STACK, _>(|| group.power(&x, bits).publish());
        let public = PublicKey::build(group, &y);
        PrivateKey::of(public, x, bits)
    }

    fn of(public: PublicKey, x: Nat, bits: usize) -> PrivateKey {
        let modulus = public.group().modulus().clone();
        PrivateKey(Arc::new(Private {
            public,
            exponentiation: Exponentiation::new(modulus, x),
            bits,
            inverse: OnceLock::new(),
        }))
    }

    /// This key on the processor `cpu` with `plan`: for studies and tests, as it changes no result.
    ///
    /// # Panics
    /// As [`Group::with_plan`].
    #[must_use]
    pub fn with_plan(&self, cpu: Cpu, plan: &'static Plan) -> PrivateKey {
        self.with(self.public().with_plan(cpu, plan))
    }

    /// This key with tables of powers of g and of y, which cut the time of signatures to a fraction: see
    /// [`Group::precomputed`].
    #[must_use]
    pub fn precomputed(&self) -> PrivateKey {
        self.with(self.public().precomputed())
    }

    /// This key without tables: see [`PublicKey::without_tables`].
    #[must_use]
    pub fn without_tables(&self) -> PrivateKey {
        self.with(self.public().without_tables())
    }

    fn with(&self, public: PublicKey) -> PrivateKey {
        let (x, bits) = (self.x().clone(), self.0.bits);
        PrivateKey::of(public, x, bits)
    }

    /// The public key.
    pub fn public(&self) -> &PublicKey {
        &self.0.public
    }

    /// The group.
    pub fn group(&self) -> &Group {
        self.public().group()
    }

    /// The private exponent. Secret.
    pub fn x(&self) -> &Nat {
        self.0.exponentiation.exponent()
    }

    /// Raises elements of the group to x.
    pub(super) fn exponentiation(&self) -> &Exponentiation {
        &self.0.exponentiation
    }

    /// x in big-endian octets, as many as q has. Secret.
    pub fn to_be_bytes(&self) -> Zeroizing<Vec<u8>> {
        let octets = self.x().to_be_bytes(self.group().order_size());
        octets.expect("x < q")
    }

    /// `x^-1 mod q`, as wide as q. Secret. It is kept in memory, so its user must check it.
    pub(super) fn inverse(&self) -> &Nat {
        let new = || {
            let q = self.group().order();
            let x = self.x().resize(q.width()).expect("x < q");
            // Only 0 has no inverse, and x is not 0.
            Box::new(q.reduce(&q.inv(&x).unwrap_or_default()))
        };
        once(&self.0.inverse, new).as_ref()
    }

    /// `b^x mod p`
    pub(super) fn power(&self, b: &Base) -> Nat {
        b.power(self.group().modulus(), self.x(), self.0.bits)
    }
}

/// Without x.
impl fmt::Debug for PrivateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PrivateKey")
            .field("public", self.public())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::Hash;
    use crate::legacy::nr;
    use getrandom::SysRng;
    use rand_core::UnwrapErr;

    #[test]
    fn a_key_whose_parts_are_not_of_each_other_signs_nothing() {
        let (rng, hash) = (&mut UnwrapErr(SysRng), Hash::Sha256);
        let (group, _) = Group::generate_with(rng, 512, 160, hash, &mut || ()).unwrap();
        let [key, other] = [(); 2].map(|()| PrivateKey::generate_with(&group, rng));
        let digest = hash.digest(b"a message");
        let made = |y: &PrivateKey, x: &PrivateKey, inverse: &PrivateKey| {
            let (public, exponentiation) = (y.public().clone(), x.exponentiation().clone());
            let (bits, inverse) = (
                y.0.bits,
                OnceLock::from(Box::new(inverse.inverse().clone())),
            );
            PrivateKey(Arc::new(Private {
                public,
                exponentiation,
                bits,
                inverse,
            }))
        };
        for (key, fits) in [
            (made(&key, &key, &key), true),
            (made(&other, &key, &key), false),
            (made(&key, &other, &key), false),
            (made(&key, &key, &other), false),
        ] {
            for sign in [nr::sign, PrivateKey::dsa_sign] {
                match sign(&key, hash, &digest) {
                    Ok(_) => assert!(fits),
                    Err(error) => assert!(error == crate::dl::Error::Fault && !fits),
                }
            }
        }
    }
}
