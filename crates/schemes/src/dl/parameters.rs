//! Diffie-Hellman with the parameters that a file or a peer states, and nothing else known of them (PKCS #3; RFC 5246,
//! 7.4.3).

use super::base::Base;
use super::group::{between, exponent_below, is_prime, minus_one};
use super::{Error, Group, KeyError, Named};
use crate::STACK;
use carrysave_arith::{Modulus, Nat, off_stack, prime};
use core::cmp::Ordering;
use core::fmt;
use core::sync::atomic::AtomicBool;
use rand_core::CryptoRng;
use std::sync::Arc;
use zeroize::Zeroizing;

/// A p and a g for Diffie-Hellman as somebody states them: p is odd, and perhaps no prime; the order of g is unknown.
/// Cloning is cheap.
///
/// This is for programs that must take what TLS 1.2 or a PKCS #3 file gives them. Where there is a choice, take a
/// [`Group`], whose parameters and keys are checked: whoever chose a bad p learns of each exponent what the small factors
/// of the orders tell, so an exponent here is for one agreement.
///
/// ```
/// use carrysave_schemes::dl::{Named, Parameters};
/// # let rng = &mut rand_core::UnwrapErr(getrandom::SysRng);
/// let group = Named::Modp2048.group();
/// let stated = Parameters::new(group.p().clone(), group.g().clone()).unwrap();
/// assert_eq!(stated.named(), Some(Named::Modp2048));
/// let bits = stated.exponent_bits();
/// let [x, y] = [(); 2].map(|()| stated.random_exponent(bits, None, rng));
/// let [alice, bob] = [&x, &y].map(|x| stated.power(x, bits));
/// assert_eq!(stated.agree(&bob, &x, bits), stated.agree(&alice, &y, bits));
/// ```
#[derive(Clone)]
pub struct Parameters(Kind);

#[derive(Clone)]
enum Kind {
    /// A standard group, with the table that all have who use it.
    Named(Group),
    Stated(Arc<Stated>),
}

struct Stated {
    p: Modulus,
    g: Base,
}

impl Parameters {
    /// The shortest p, in bits: for old parameters, not for use.
    pub const MIN_BITS: usize = Group::MIN_BITS;
    /// The longest p, in bits: OpenSSL's limit for agreements.
    pub const MAX_BITS: usize = 10_000;

    /// The parameters p and g, which take a few multiplications to check.
    ///
    /// # Errors
    /// [`KeyError::Size`] unless p has 512 to 10,000 bits; [`KeyError::Group`] unless p is odd and `1 < g < p - 1`.
    ///
    /// ```
    /// use carrysave_arith::Nat;
    /// use carrysave_schemes::dl::Parameters;
    /// let odd = Nat::power_of_two(1023).add_limb(1);
    /// assert!(Parameters::new(odd.clone(), Nat::from_limb(2)).is_ok());
    /// assert!(Parameters::new(odd, Nat::one()).is_err());
    /// ```
    pub fn new(p: Nat, g: Nat) -> Result<Parameters, KeyError> {
        let [p, g] = [p, g].map(Nat::trim_vartime);
        let bits = p.bits_vartime();
        if !(Parameters::MIN_BITS..=Parameters::MAX_BITS).contains(&bits) {
            return Err(KeyError::Size {
                part: "a p",
                bits,
                allowed: "512 to 10000 bits, and 2048 or more for anything that matters",
            });
        }
        let p = Modulus::new(&p).ok_or(KeyError::Group("its p is even"))?;
        if !between(&g, p.nat()) {
            return Err(KeyError::Group(
                "its generator g is not between 1 and p - 1",
            ));
        }
        let named = Named::with_prime(p.nat()).filter(|_| g == Nat::from_limb(2));
        Ok(match (named, g.resize(p.width())) {
            (None, Some(g)) => Parameters(Kind::Stated(Arc::new(Stated { p, g: Base::new(g) }))),
            (named, _) => Parameters::from(named.expect("g is below p")),
        })
    }

    /// New parameters: a safe prime of `bits` bits of which g is a square, so that g has the order (p - 1) / 2. `tick` is
    /// called for every tested candidate, and `None` is given only after `stop` became true.
    ///
    /// # Errors
    /// As [`Parameters::new`].
    ///
    /// # Timing
    /// Depends on p.
    ///
    /// ```
    /// use carrysave_arith::Nat;
    /// use carrysave_schemes::dl::Parameters;
    /// # let rng = &mut rand_core::UnwrapErr(getrandom::SysRng);
    /// let made = Parameters::generate_with(512, Nat::from_limb(5), None, rng, &mut || ()).unwrap().unwrap();
    /// made.check(None).unwrap();
    /// ```
    pub fn generate_with<R: CryptoRng + ?Sized>(
        bits: usize,
        g: Nat,
        stop: Option<&AtomicBool>,
        rng: &mut R,
        tick: &mut dyn FnMut(),
    ) -> Result<Option<Parameters>, KeyError> {
        // The limits, before a search that takes long.
        let least = Nat::power_of_two(bits.saturating_sub(1)).add_limb(1);
        Parameters::new(least, g.clone())?;
        let p = prime::random_safe_prime_with_square_vartime(bits, &g, stop, rng, tick);
        p.map(|p| Parameters::new(p.publish(), g)).transpose()
    }

    fn modulus(&self) -> &Modulus {
        match &self.0 {
            Kind::Named(group) => group.modulus(),
            Kind::Stated(stated) => &stated.p,
        }
    }

    fn base(&self) -> &Base {
        match &self.0 {
            Kind::Named(group) => group.base(),
            Kind::Stated(stated) => &stated.g,
        }
    }

    /// p, as wide as it needs to be.
    pub fn p(&self) -> &Nat {
        self.modulus().nat()
    }

    /// g, as wide as p.
    pub fn g(&self) -> &Nat {
        &self.base().element
    }

    /// The length of p in bits.
    pub fn bits(&self) -> usize {
        self.modulus().bits()
    }

    /// The length of p in bytes, which is that of public keys and secrets.
    pub fn size(&self) -> usize {
        self.bits().div_ceil(8)
    }

    /// The name, if this is a standard group.
    pub fn named(&self) -> Option<Named> {
        match &self.0 {
            Kind::Named(group) => group.named(),
            Kind::Stated(_) => None,
        }
    }

    /// The length of private exponents, in bits: that of RFC 7919 in a standard group, else two bits less than p has, which
    /// is below the order of g if p is a safe prime.
    pub fn exponent_bits(&self) -> usize {
        match &self.0 {
            Kind::Named(group) => group.exponent_bits(),
            Kind::Stated(stated) => stated.p.bits() - 2,
        }
    }

    /// Whether `1 < y < p - 1`: all that can be checked of a public key without the order of g.
    pub fn may_be_public_vartime(&self, y: &Nat) -> bool {
        between(y, self.p())
    }

    /// Whether a public key is of the order q.
    pub fn has_order_vartime(&self, y: &Nat, q: &Nat) -> bool {
        let y = y.resize(self.modulus().width());
        y.is_some_and(|y| self.modulus().pow_vartime(&y, q).is_one())
    }

    /// Checks p, g, and the order q of g if it is stated. An opponent may have chosen them: see [`Group::new`].
    ///
    /// # Errors
    /// [`KeyError::Group`] unless p and q are primes, q divides p - 1 and `g^q = 1`; without a q, unless p and (p - 1) / 2 are
    /// primes.
    ///
    /// ```
    /// use carrysave_arith::Nat;
    /// use carrysave_schemes::dl::Parameters;
    /// let odd = Nat::power_of_two(1023).add_limb(1);
    /// let composite = Parameters::new(odd, Nat::from_limb(2)).unwrap();
    /// let error = composite.check(None).unwrap_err();
    /// assert!(error.to_string().contains("its p is no safe prime"), "{error}");
    /// ```
    pub fn check(&self, q: Option<&Nat>) -> Result<(), KeyError> {
        const OTHER_ORDER: KeyError = KeyError::Group("the order of its generator g is not q");
        let half = self.p().shr(1).trim_vartime();
        let is_half = q.is_some_and(|q| q.cmp_vartime(&half) == Ordering::Equal);
        match q.filter(|_| !is_half) {
            None if self.named().is_some() => return Ok(()),
            None if !is_prime(&half) => {
                return Err(KeyError::Group(
                    "its p is no safe prime, nor is an order stated",
                ));
            }
            // A g of a safe prime without an order may have all others.
            None if is_half && !self.has_order_vartime(self.g(), &half) => return Err(OTHER_ORDER),
            None => {}
            Some(q) if q.cmp_vartime(self.p()) != Ordering::Less || !is_prime(q) => {
                return Err(KeyError::Group("its q is not a prime below p"));
            }
            Some(q) if !minus_one(self.p()).div_rem_vartime(q).1.is_zero() => {
                return Err(KeyError::Group("its q does not divide p - 1"));
            }
            Some(q) if !self.has_order_vartime(self.g(), q) => return Err(OTHER_ORDER),
            Some(_) => {}
        }
        match is_prime(self.p()) {
            true => Ok(()),
            false => Err(KeyError::Group("its p is not a prime")),
        }
    }

    /// A random private exponent of at most `bits` bits: uniform below q where the order is stated; else its highest bit is
    /// set, as OpenSSL sets it.
    ///
    /// # Panics
    /// If `bits` is 0, or q is below 2.
    ///
    /// # Timing
    /// As [`Group::random_exponent`].
    pub fn random_exponent<R: CryptoRng + ?Sized>(
        &self,
        bits: usize,
        q: Option<&Nat>,
        rng: &mut R,
    ) -> Nat {
        match (&self.0, q) {
            (Kind::Named(group), None) => exponent_below(group.q(), bits, rng),
            (_, Some(q)) => {
                assert!(q.bits_vartime() > 1, "there is an exponent below q");
                exponent_below(q, bits, rng)
            }
            (Kind::Stated(_), None) => {
                let mut x = Nat::random_bits(bits, rng);
                x.set_bit(bits - 1);
                x
            }
        }
    }

    /// `g^x mod p` over `bits` bits of the secret x. Repeated calls use a table: see [`Group::precomputed`].
    ///
    /// # Timing
    /// Depends on p and on `bits`.
    pub fn power(&self, x: &Nat, bits: usize) -> Nat {
        off_stack::<STACK, _>(|| self.base().power(self.modulus(), x, bits).publish())
    }

    /// The shared secret `y^x mod p` over `bits` bits of the secret x, in as many octets as p has. It is not uniform: derive
    /// keys from it by a key derivation function such as HKDF.
    ///
    /// # Errors
    /// [`Error::SmallOrder`] if y is not between 1 and p - 1, or if the result is 0, 1 or p - 1, as all know it then.
    ///
    /// # Timing
    /// Depends on p and on `bits`.
    pub fn agree(&self, y: &Nat, x: &Nat, bits: usize) -> Result<Zeroizing<Vec<u8>>, Error> {
        let y = y.resize(self.modulus().width());
        let y = y.filter(|y| self.may_be_public_vartime(y));
        let y = y.ok_or(Error::SmallOrder)?;
        off_stack::<STACK, _>(|| {
            let z = self.modulus().pow_bits(&y, x, bits);
            match z.is_zero() || z.is_one() || z == minus_one(self.p()) {
                true => Err(Error::SmallOrder),
                false => Ok(z.to_be_bytes(self.size()).expect("below p")),
            }
        })
    }
}

impl From<Named> for Parameters {
    fn from(named: Named) -> Parameters {
        Parameters(Kind::Named(named.group()))
    }
}

/// Two are equal if their p and g are.
impl PartialEq for Parameters {
    fn eq(&self, other: &Parameters) -> bool {
        let same = |a: &Nat, b: &Nat| a.cmp_vartime(b) == Ordering::Equal;
        match (&self.0, &other.0) {
            (Kind::Named(a), Kind::Named(b)) => a == b,
            (Kind::Stated(a), Kind::Stated(b)) if Arc::ptr_eq(a, b) => true,
            _ => same(self.p(), other.p()) && same(self.g(), other.g()),
        }
    }
}

impl Eq for Parameters {}

impl fmt::Debug for Parameters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(named) = self.named() {
            return write!(f, "Parameters({named})");
        }
        f.debug_struct("Parameters")
            .field("p", &self.p().to_hex_vartime())
            .field("g", &self.g().to_hex_vartime())
            .finish()
    }
}
