//! Arithmetic for several moduli at once: one number a vector lane.
//!
//! [`pow`] suffices for most: powers, each with its own modulus and exponent. Schemes use [`ModulusLanes`]: up to eight
//! moduli of one [`LaneClass`] side by side, and operations on an [`Element`], a residue of each.

pub(super) mod lane;
mod octets;
mod power;

use super::Modulus;
use crate::nat::Nat;
use crate::once;
use crate::plan::choose;
use crate::ring::Words;
use crate::ring::saturated::subtract_once;
use crate::work::note;
pub use carrysave_kernels::mb8::LANES;
use carrysave_kernels::{
    Cpu,
    mb8::{self, Amm, AmmSelect, Ams, Octet, ROOM},
};
use core::cell::RefCell;
use lane::Lane;
use octets::Octets;
pub use power::pow;
use zeroize::{Zeroize, Zeroizing};

/// Bits by which R exceeds a modulus, so that sums of a few residues are valid factors.
const SPARE_BITS: usize = 4;

/// What moduli must share to run side by side: the processor and the number of digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LaneClass {
    cpu: Cpu,
    /// The number of digits; `None` if there are too many for lanes.
    digits: Option<usize>,
}

impl LaneClass {
    /// The class of a modulus.
    pub fn of(n: &Modulus) -> LaneClass {
        LaneClass {
            cpu: n.cpu(),
            digits: mb8::digits(n.bits() + SPARE_BITS),
        }
    }

    /// Whether there are lanes for `digits` digits.
    ///
    /// ```
    /// use carrysave_arith::{Modulus, Nat, lanes::LaneClass};
    /// let fits = |digits| LaneClass::of(&Modulus::new(&Nat::from_hex(&"f".repeat(digits)).unwrap()).unwrap()).fits();
    /// assert!(fits(25_996 / 4) && !fits(26_000 / 4));
    /// ```
    pub fn fits(&self) -> bool {
        self.digits.is_some()
    }
}

impl Modulus {
    /// The form of the modulus in a lane, computed on first use.
    fn lane(&self, digits: usize) -> &Lane {
        let new = || Box::new(Lane::new(self.saturated(), digits));
        once(&self.0.lane, new).as_ref()
    }

    /// The number of operations with moduli like this one from which lanes are faster than one after the other, by the
    /// plan; `None` if even [`LANES`] are not.
    ///
    /// ```
    /// use carrysave_arith::{Modulus, Nat};
    /// let n = Modulus::new(&Nat::from_hex(&"f".repeat(512)).unwrap()).unwrap();
    /// match n.lanes_from() {
    ///     Some(jobs) => println!("{jobs} at once take no longer than one after the other"),
    ///     None => println!("this processor has nothing for that"),
    /// }
    /// ```
    pub fn lanes_from(&self) -> Option<usize> {
        self.in_lanes(choose(self.plan().lanes, self.bits()))
    }

    /// The number of pairs of powers modulo numbers like this one from which [`ModulusLanes::pow_pair`] is faster than
    /// [`Modulus::pow_pair`] one after the other, by the plan: of private operations of RSA, whose primes are like this.
    /// `None` if even [`LANES`] are not.
    pub fn pair_lanes_from(&self) -> Option<usize> {
        self.in_lanes(choose(self.plan().lanes_private, self.bits()))
    }

    /// A number from a plan, if so many fit lanes.
    fn in_lanes(&self, from: usize) -> Option<usize> {
        (from <= LANES && LaneClass::of(self).fits()).then_some(from)
    }

    /// Whether this many operations are faster in lanes.
    fn prefers_lanes(&self, jobs: usize) -> bool {
        self.lanes_from().is_some_and(|from| jobs >= from)
    }
}

/// Up to eight moduli of one class, one a lane. Unused lanes repeat the first one.
///
/// ```
/// use carrysave_arith::{Modulus, Nat, lanes::ModulusLanes};
/// let (p, q) = (Modulus::new(&Nat::from_limb(101)).unwrap(), Modulus::new(&Nat::from_limb(103)).unwrap());
/// let both = ModulusLanes::new(&[&p, &q]);
/// let (six, seven) = (Nat::from_limb(6), Nat::from_limb(70));
/// let mut a = both.load(&[&six, &seven]);
/// let b = both.montgomery(&both.load(&[&seven, &seven]));
/// both.mul(&mut a, &b);
/// assert_eq!(both.store(&a), [Nat::from_limb(420 % 101), Nat::from_limb(4900 % 103)]);
/// ```
pub struct ModulusLanes<'a> {
    moduli: Vec<&'a Modulus>,
    n: Octets,
    r2: Element,
    /// `-n^-1 mod 2^52`
    k0: Octet,
    amm: Amm,
    amm_select: AmmSelect,
    ams: Ams,
    /// Scratch of operations.
    scratch: RefCell<Octets>,
}

/// A residue of each modulus of some [`ModulusLanes`], as digits: below 2n, or below 4n where an operation says so; in
/// Montgomery form (times R) or not. All operations except [`ModulusLanes::add`], [`ModulusLanes::sub`] and
/// [`ModulusLanes::store`] accept residues below 4n. Wiped when dropped.
#[derive(Clone)]
pub struct Element(Octets);

/// One residue of an [`Element`], for storage. Wiped when dropped.
#[derive(Clone)]
pub struct Digits(Words);

impl<'a> ModulusLanes<'a> {
    /// The moduli side by side.
    ///
    /// # Panics
    /// If there are none or more than [`LANES`], or if they have several classes or are too long.
    pub fn new(moduli: &[&'a Modulus]) -> ModulusLanes<'a> {
        assert!((1..=LANES).contains(&moduli.len()), "1 to 8 moduli");
        let class = LaneClass::of(moduli[0]);
        assert!(
            moduli.iter().all(|n| LaneClass::of(n) == class),
            "moduli of one class"
        );
        let digits = class.digits.expect("few enough digits for lanes");
        let lanes: Vec<&Lane> = moduli.iter().map(|n| n.lane(digits)).collect();
        let k0 = |l: usize| moduli.get(l).unwrap_or(&moduli[0]).0.saturated.n0 & mb8::DIGIT_MASK;
        let cpu = class.cpu;
        let plan = moduli[0].plan();
        let (amm, select, ams) = (
            choose(plan.lane_amm, digits),
            choose(plan.lane_amm_select, digits),
            choose(plan.lane_ams, digits),
        );
        ModulusLanes {
            n: Octets::from_digits(digits, lanes.iter().map(|lane| &lane.n[..])),
            r2: Element(Octets::from_digits(
                digits,
                lanes.iter().map(|lane| &lane.r2[..]),
            )),
            k0: Octet(core::array::from_fn(k0)),
            amm: Amm::named(cpu, amm).unwrap_or(Amm::best(cpu)),
            amm_select: AmmSelect::named(cpu, select).unwrap_or(AmmSelect::best(cpu)),
            ams: Ams::named(cpu, ams).unwrap_or(Ams::best(cpu)),
            moduli: moduli.to_vec(),
            scratch: RefCell::new(Octets::zeros(ROOM * digits)),
        }
    }

    fn digits(&self) -> usize {
        self.n.len()
    }

    /// Loads numbers unchanged, one for each modulus.
    ///
    /// # Panics
    /// If there is not one for each modulus, or one does not fit the digits.
    pub fn load(&self, numbers: &[&Nat]) -> Element {
        assert_eq!(numbers.len(), self.moduli.len(), "a number a modulus");
        Element(Octets::from_nats(self.digits(), numbers))
    }

    /// The residues of an element below 2n, fully reduced, each as wide as its modulus.
    ///
    /// # Panics
    /// If the element has not as many digits as these moduli.
    pub fn store(&self, x: &Element) -> Vec<Nat> {
        self.check([x, x]);
        let residue = |(l, n): (usize, &&Modulus)| {
            let c = &n.0.saturated;
            subtract_once(&c.mpn, &c.n, x.0.to_nat(l, n.width() + 1))
        };
        self.moduli.iter().enumerate().map(residue).collect()
    }

    /// `R mod n`: one in Montgomery form.
    pub fn one(&self) -> Element {
        let mut one = self.r2.clone();
        self.redc(&mut one);
        one
    }

    /// `x R`: the Montgomery form of an `x` below `R`.
    ///
    /// # Panics
    /// As [`ModulusLanes::mul`].
    pub fn montgomery(&self, x: &Element) -> Element {
        let mut x = x.clone();
        self.mul(&mut x, &self.r2);
        x
    }

    /// `x := x / R`, at most n: out of Montgomery form.
    ///
    /// # Panics
    /// As [`ModulusLanes::mul`].
    pub fn redc(&self, x: &mut Element) {
        let one = Element(Octets::one(self.digits()));
        self.mul(x, &one);
    }

    /// `a := a b / R`, below 2n.
    ///
    /// # Panics
    /// If an element has not as many digits as these moduli.
    pub fn mul(&self, a: &mut Element, b: &Element) {
        let t = &mut self.scratch.borrow_mut();
        note("mb8_amm", self.digits() * self.digits());
        self.amm.call_in_place(&mut a.0, &b.0, &self.n, &self.k0, t);
    }

    /// `a := a^2 / R`, below 2n.
    ///
    /// # Panics
    /// As [`ModulusLanes::mul`].
    pub fn sqr(&self, a: &mut Element) {
        let t = &mut self.scratch.borrow_mut();
        note("mb8_ams", self.digits() * self.digits());
        self.ams.call_in_place(&mut a.0, &self.n, &self.k0, t);
    }

    /// `a + b` of elements below 2n: below 4n.
    ///
    /// # Panics
    /// As [`ModulusLanes::mul`].
    pub fn add(&self, a: &Element, b: &Element) -> Element {
        self.check([a, b]);
        Element(a.0.combine(|l, i| a.0[i].0[l].wrapping_add(b.0[i].0[l])))
    }

    fn check(&self, elements: [&Element; 2]) {
        for x in elements {
            assert_eq!(x.0.len(), self.digits(), "an element of these moduli");
        }
    }

    /// `a - b + 2n` of elements below 2n: below 4n.
    ///
    /// # Panics
    /// As [`ModulusLanes::mul`].
    pub fn sub(&self, a: &Element, b: &Element) -> Element {
        self.check([a, b]);
        let n = &self.n;
        Element(a.0.combine(|l, i| {
            let twice = 2 * n[i].0[l];
            (a.0[i].0[l] + twice).wrapping_sub(b.0[i].0[l])
        }))
    }

    /// The residues of an element of other moduli, in Montgomery form: `x R mod n`, below 4n, for an `x` of any length.
    pub fn reduce(&self, x: &Element) -> Element {
        let digits = self.digits();
        let mut sum: Option<Element> = None;
        for chunk in x.0.chunks(digits).rev() {
            // sum := sum R + chunk R
            let chunk = self.montgomery(&Element(Octets::padded(digits, chunk)));
            sum = Some(match sum {
                None => chunk,
                Some(sum) => self.add(&self.montgomery(&sum), &chunk),
            });
        }
        sum.expect("an element has digits")
    }

    /// Copies an element of other moduli, which has at most as many digits.
    ///
    /// # Panics
    /// If it has more digits.
    pub fn widen(&self, x: &Element) -> Element {
        Element(Octets::padded(self.digits(), &x.0))
    }

    /// The residue of each lane, for storage.
    pub fn split(&self, x: &Element) -> Vec<Digits> {
        (0..self.moduli.len())
            .map(|l| Digits(Zeroizing::new(x.0.lane(l).collect())))
            .collect()
    }

    /// [`ModulusLanes::split`] into existing storage.
    ///
    /// # Panics
    /// If that is not one for each modulus, with as many digits.
    pub fn split_into<'d>(&self, x: &Element, kept: impl ExactSizeIterator<Item = &'d mut Digits>) {
        assert_eq!(kept.len(), self.moduli.len(), "a residue a modulus");
        for (l, Digits(digits)) in kept.enumerate() {
            assert_eq!(digits.len(), x.0.len(), "as many digits in each lane");
            for (digit, of_lane) in digits.iter_mut().zip(x.0.lane(l)) {
                *digit = of_lane;
            }
        }
    }

    /// An element from the stored residue of each lane.
    ///
    /// # Panics
    /// If there is not one for each modulus, with as many digits.
    pub fn join(&self, lanes: &[&Digits]) -> Element {
        assert_eq!(lanes.len(), self.moduli.len(), "a residue a modulus");
        let digits = lanes.iter().map(|lane| &lane.0[..]);
        Element(Octets::from_digits(self.digits(), digits))
    }
}

impl Drop for ModulusLanes<'_> {
    fn drop(&mut self) {
        self.k0.0.zeroize();
    }
}
