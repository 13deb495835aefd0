//! Groups of prime order in GF(p)*.

use super::KeyError::{self, Group as Bad};
use super::Named;
use super::base::Base;
use carrysave_arith::{Cpu, Limb, Modulus, Nat, Plan, prime};
use core::cmp::Ordering;
use core::fmt;
use getrandom::SysRng;
use rand_core::{CryptoRng, UnwrapErr};
use std::sync::{Arc, Mutex, MutexGuard, TryLockError, Weak};

/// The subgroup of prime order q that g generates in GF(p)*, checked. Cloning is cheap.
///
/// ```
/// use carrysave_schemes::dl::{Group, Named};
/// let ffdhe = Named::Ffdhe2048.group();
/// let own = Group::new(ffdhe.p().clone(), ffdhe.q().clone(), ffdhe.g().clone()).unwrap();
/// assert_eq!(own, ffdhe);
/// let error = Group::new(ffdhe.p().clone(), ffdhe.q().clone(), ffdhe.p().clone()).unwrap_err();
/// assert!(error.to_string().contains("generator"));
/// ```
#[derive(Clone)]
pub struct Group(Arc<Inner>);

#[derive(Clone)]
struct Inner {
    p: Modulus,
    q: Modulus,
    g: Base,
    exponent_bits: usize,
    named: Option<Named>,
}

impl Group {
    /// The shortest p, in bits: for old parameters and test vectors, not for use.
    pub const MIN_BITS: usize = 512;
    /// The longest p, in bits.
    pub const MAX_BITS: usize = 8192;
    /// The shortest q, in bits.
    pub const MIN_ORDER_BITS: usize = 160;

    /// The group with these parameters.
    ///
    /// They are public, and may come from an opponent: p and q must pass the Baillie-PSW test and some rounds of
    /// Miller-Rabin with random bases (3 up to 3072 bits, 1 beyond), unless p is that of a [`Named`] group. While a
    /// clone of a checked group exists, equal parameters give a clone of it without another check.
    ///
    /// # Errors
    /// [`KeyError::Size`] unless p has 512 to 8192 bits and q 160 bits or more; [`KeyError::Group`] unless both are odd
    /// primes, q divides p - 1, and g is of order q.
    pub fn new(p: Nat, q: Nat, g: Nat) -> Result<Group, KeyError> {
        let [p, q, g] = [p, q, g].map(Nat::trim_vartime);
        if let Some(group) = in_use(&p, &q, &g) {
            return Ok(group);
        }
        check_sizes(&p, &q)?;
        let p_minus_1 = minus_one(&p);
        if !p_minus_1.div_rem_vartime(&q).1.is_zero() {
            return Err(Bad("its q does not divide p - 1"));
        }
        if !between(&g, &p) {
            return Err(Bad("its generator g is not between 1 and p - 1"));
        }
        let safe = q.shl(1) == p_minus_1;
        let named = Named::with_prime(&p).filter(|_| safe);
        if named.is_none() && !is_prime(&q) {
            return Err(Bad("its q is not a prime"));
        }
        if named.is_none() && !is_prime(&p) {
            return Err(Bad("its p is not a prime"));
        }
        let exponent_bits = match safe {
            true => short_exponent(p.bits_vartime()),
            false => q.bits_vartime(),
        };
        let group = Group::build(&p, &q, &g, exponent_bits, named);
        if !group.has_order_q(group.g()) {
            return Err(Bad("the order of its generator g is not q"));
        }
        if let Some(mut checked) = checked() {
            checked.retain(|group| group.strong_count() > 0);
            checked.push(Arc::downgrade(&group.0));
        }
        Ok(group)
    }

    /// The group of a safe prime: q is (p - 1) / 2.
    ///
    /// # Errors
    /// As [`Group::new`]; also if g has order p - 1, as in old files: its square would be valid.
    pub fn with_safe_prime(p: Nat, g: Nat) -> Result<Group, KeyError> {
        let q = p.shr(1);
        Group::new(p, q, g).map_err(|error| match error {
            Bad("its q is not a prime" | "its q is even") => Bad(
                "the order of its generator is not given, and p is no safe prime from which it would follow",
            ),
            error => error,
        })
    }

    /// A standard group, which needs no check.
    pub(super) fn known(p: &Nat, exponent_bits: usize, named: Named) -> Group {
        let g = Nat::from_limb(2);
        Group::build(p, &p.shr(1), &g, exponent_bits, Some(named))
    }

    fn build(p: &Nat, q: &Nat, g: &Nat, exponent_bits: usize, named: Option<Named>) -> Group {
        let modulus = |n: &Nat| Modulus::new(&n.clone().trim_vartime()).expect("it is odd");
        let p = modulus(p);
        let g = Base::new(g.resize(p.width()).expect("g < p"));
        Group(Arc::new(Inner {
            q: modulus(q),
            p,
            g,
            exponent_bits,
            named,
        }))
    }

    /// Returns the group bound to a processor and a plan: for studies and tests, as neither changes a result.
    ///
    /// # Panics
    /// As [`Modulus::with_plan`].
    #[must_use]
    pub fn with_plan(&self, cpu: Cpu, plan: &'static Plan) -> Group {
        let again = |n: &Modulus| Modulus::with_plan(n.nat(), cpu, plan).expect("it is odd");
        Group(Arc::new(Inner {
            p: again(&self.0.p),
            q: again(&self.0.q),
            g: Base::new(self.g().clone()),
            exponent_bits: self.0.exponent_bits,
            named: self.0.named,
        }))
    }

    /// Returns the group with a table of powers of g, which cuts the time of key generation and signatures to a
    /// fraction. The table takes the time of about two powers, and some hundred kilobytes.
    ///
    /// A group gets a table automatically once enough powers of g to secret exponents were computed for it to have
    /// paid; so does a key for its y. All such tables together take at most 64 MiB. All clones share a table; it is
    /// freed with the last.
    #[must_use]
    pub fn precomputed(&self) -> Group {
        let inner = Inner::clone(&self.0);
        inner.g.precompute(&inner.p, inner.exponent_bits);
        Group(Arc::new(inner))
    }

    /// Returns the group without a table; only [`Group::precomputed`] gives it one. For studies, as it changes no
    /// result.
    #[must_use]
    pub fn without_tables(&self) -> Group {
        let mut inner = Inner::clone(&self.0);
        inner.g = self.0.g.without_table();
        Group(Arc::new(inner))
    }

    /// The prime p, as wide as it needs to be.
    pub fn p(&self) -> &Nat {
        self.0.p.nat()
    }

    /// The prime q: the order.
    pub fn q(&self) -> &Nat {
        self.0.q.nat()
    }

    /// The generator g, as wide as p.
    pub fn g(&self) -> &Nat {
        &self.0.g.element
    }

    /// Arithmetic modulo p, for elements.
    pub fn modulus(&self) -> &Modulus {
        &self.0.p
    }

    /// Arithmetic modulo q, for exponents.
    pub fn order(&self) -> &Modulus {
        &self.0.q
    }

    /// The name, if this is a standard group.
    pub fn named(&self) -> Option<Named> {
        self.0.named.filter(|_| *self.g() == Nat::from_limb(2))
    }

    /// The length of p in bits.
    pub fn bits(&self) -> usize {
        self.0.p.bits()
    }

    /// The length of an element in bytes.
    pub fn size(&self) -> usize {
        self.bits().div_ceil(8)
    }

    /// The length of a number modulo q in bytes.
    pub fn order_size(&self) -> usize {
        self.0.q.bits().div_ceil(8)
    }

    /// The length of private exponents, in bits: that of q, or that of RFC 7919 if p is a safe prime.
    pub fn exponent_bits(&self) -> usize {
        self.0.exponent_bits
    }

    /// A random private exponent: uniform from 1 to below q and `2^exponent_bits` (SP 800-56A, 5.6.1.1.4: by testing
    /// candidates).
    ///
    /// # Timing
    /// The number of rejected draws is made public; it says nothing of the result.
    pub fn random_exponent<R: CryptoRng + ?Sized>(&self, rng: &mut R) -> Nat {
        exponent_below(self.q(), self.exponent_bits(), rng)
    }

    /// `g^x mod p` over `bits` bits of the secret x. Repeated calls use a table: see [`Group::precomputed`].
    ///
    /// # Timing
    /// Depends on the group and on `bits`.
    pub fn power(&self, x: &Nat, bits: usize) -> Nat {
        self.0.g.power(&self.0.p, x, bits)
    }

    /// `g^x mod p` for a public x.
    pub fn power_vartime(&self, x: &Nat) -> Nat {
        self.0.g.power_vartime(&self.0.p, x)
    }

    /// Whether y is an element other than 1, for a public y: `1 < y < p - 1` and `y^q = 1` (SP 800-56A, 5.6.2.3.1).
    pub fn contains_vartime(&self, y: &Nat) -> bool {
        self.may_contain_vartime(y)
            && y.resize(self.0.p.width())
                .is_some_and(|y| self.has_order_q(&y))
    }

    /// Whether `1 < y < p - 1` for a public y.
    pub(super) fn may_contain_vartime(&self, y: &Nat) -> bool {
        between(y, self.p())
    }

    /// Whether p is 2q + 1.
    pub(super) fn has_safe_prime(&self) -> bool {
        // q divides p - 1 and is odd, so its length decides.
        self.0.q.bits() + 1 == self.bits()
    }

    /// Whether `y^q = 1` for a residue y.
    fn has_order_q(&self, y: &Nat) -> bool {
        // Squares are half of the numbers below a safe prime (Euler's criterion).
        if self.has_safe_prime() {
            return y.jacobi_vartime(self.p()) == 1;
        }
        self.0.p.pow_vartime(y, self.q()).is_one()
    }

    /// g with its table, if there is one.
    pub(super) fn base(&self) -> &Base {
        &self.0.g
    }

    /// `I2OSP(y, size())` of an element.
    pub(crate) fn i2osp(&self, y: &Nat) -> zeroize::Zeroizing<Vec<u8>> {
        y.to_be_bytes(self.size()).expect("below p")
    }
}

impl PartialEq for Group {
    fn eq(&self, other: &Group) -> bool {
        let same = |(a, b): (&Nat, &Nat)| a.cmp_vartime(b) == Ordering::Equal;
        Arc::ptr_eq(&self.0, &other.0)
            || [
                (self.p(), other.p()),
                (self.q(), other.q()),
                (self.g(), other.g()),
            ]
            .into_iter()
            .all(same)
    }
}

impl Eq for Group {}

impl fmt::Debug for Group {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(named) = self.named() {
            return write!(f, "Group({named})");
        }
        f.debug_struct("Group")
            .field("p", &self.p().to_hex_vartime())
            .field("q", &self.q().to_hex_vartime())
            .field("g", &self.g().to_hex_vartime())
            .finish()
    }
}

/// The groups in use that passed the check of [`Group::new`]; `None` while another thread has them, which in the child of a
/// fork may be for ever: then a group is checked once more.
fn checked() -> Option<MutexGuard<'static, Vec<Weak<Inner>>>> {
    static CHECKED: Mutex<Vec<Weak<Inner>>> = Mutex::new(Vec::new());
    match CHECKED.try_lock() {
        Ok(checked) => Some(checked),
        Err(TryLockError::Poisoned(checked)) => Some(checked.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    }
}

/// The group in use with these parameters.
fn in_use(p: &Nat, q: &Nat, g: &Nat) -> Option<Group> {
    let same = |a: &Nat, b: &Nat| a.cmp_vartime(b) == Ordering::Equal;
    let groups: Vec<Weak<Inner>> = checked()?.clone();
    let mut groups = groups.iter().filter_map(Weak::upgrade).map(Group);
    groups.find(|group| same(group.p(), p) && same(group.q(), q) && same(group.g(), g))
}

pub(super) fn minus_one(x: &Nat) -> Nat {
    x.sub_limb(1).unwrap_or_default()
}

/// Whether `1 < y < p - 1`.
pub(super) fn between(y: &Nat, p: &Nat) -> bool {
    y.bits_vartime() > 1 && y.cmp_vartime(&minus_one(p)) == Ordering::Less
}

/// Checks the lengths, and that p and q are odd.
fn check_sizes(p: &Nat, q: &Nat) -> Result<(), KeyError> {
    let (bits, order_bits) = (p.bits_vartime(), q.bits_vartime());
    if !(Group::MIN_BITS..=Group::MAX_BITS).contains(&bits) {
        return Err(KeyError::Size {
            part: "a p",
            bits,
            allowed: "512 to 8192 bits, and 2048 or more for anything that matters",
        });
    }
    if !(Group::MIN_ORDER_BITS..bits).contains(&order_bits) {
        return Err(KeyError::Size {
            part: "a q",
            bits: order_bits,
            allowed: "160 bits or more but fewer than p has, and 224 or more for anything that matters",
        });
    }
    if !p.is_odd() {
        return Err(Bad("its p is even"));
    }
    if !q.is_odd() {
        return Err(Bad("its q is even"));
    }
    Ok(())
}

/// Whether a number that an opponent may have chosen is a prime; longer numbers get fewer rounds.
pub(super) fn is_prime(n: &Nat) -> bool {
    let rounds = if n.bits_vartime() <= 3072 { 3 } else { 1 };
    prime::is_prime_vartime(n) && prime::is_prime(n, rounds, &mut UnwrapErr(SysRng))
}

/// A random exponent: uniform from 1 to below q and `2^bits`.
pub(super) fn exponent_below<R: CryptoRng + ?Sized>(q: &Nat, bits: usize, rng: &mut R) -> Nat {
    loop {
        let x = Nat::random_bits(bits, rng);
        if x.lt(q) && !x.is_zero() {
            return x;
        }
    }
}

/// The length of private exponents for a safe prime, in bits: at least twice the strength of the group, by the sizes of
/// RFC 7919, appendix A.
fn short_exponent(bits: usize) -> usize {
    match bits {
        ..=2048 => 225,
        2049..=3072 => 275,
        3073..=4096 => 325,
        4097..=6144 => 375,
        _ => 400,
    }
}

/// The number of words for `bits` bits.
pub(super) fn words(bits: usize) -> usize {
    bits.div_ceil(Limb::BITS as usize)
}
