//! Exponentiation as a primitive and a task, for batches.

use crate::{
    FixedBase, Modulus, Nat,
    lanes::{self, LaneClass},
};
use carrysave_team::{
    Team,
    task::{Primitive, Task},
};
use core::convert::Infallible;
use core::fmt;
use rand_core::CryptoRng;
use std::sync::Arc;

/// A number is not below its modulus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfRange;

impl fmt::Display for OutOfRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the number is not below the modulus: reduce or split the input")
    }
}

impl core::error::Error for OutOfRange {}

/// Raises numbers below a modulus to a secret exponent, whose width is public.
///
/// The input of this primitive, as of [`lanes::pow`], is a number as wide as the modulus and below it.
#[derive(Clone, Debug)]
pub struct Exponentiation {
    modulus: Modulus,
    exponent: Nat,
}

impl Exponentiation {
    /// The exponentiation with this modulus and this exponent.
    pub fn new(modulus: Modulus, exponent: Nat) -> Exponentiation {
        Exponentiation { modulus, exponent }
    }

    /// The modulus.
    pub fn modulus(&self) -> &Modulus {
        &self.modulus
    }

    /// The exponent. Secret.
    pub fn exponent(&self) -> &Nat {
        &self.exponent
    }
}

impl Primitive for Exponentiation {
    /// With the exponent's width in limbs.
    type Class = (LaneClass, usize);
    type Input = Nat;
    type Output = Nat;

    fn class(&self) -> (LaneClass, usize) {
        (LaneClass::of(&self.modulus), self.exponent.width())
    }

    fn cost(&self) -> u64 {
        let (bits, exponent) = (self.modulus.bits(), 64 * self.exponent.width());
        (bits as u64).pow(2).saturating_mul(exponent as u64)
    }

    fn group_from(&self) -> Option<usize> {
        self.modulus.lanes_from()
    }

    fn run_group<R: CryptoRng + ?Sized>(_: &mut R, group: &[(&Exponentiation, &Nat)]) -> Vec<Nat> {
        let powers = group.iter();
        let powers = powers.map(|&(of, base)| (&of.modulus, base, &of.exponent));
        lanes::pow(&powers.collect::<Vec<_>>())
    }

    fn run_on<R: CryptoRng + ?Sized>(&self, team: &dyn Team, _: &mut R, base: &Nat) -> Nat {
        self.modulus.pow_on(team, base, &self.exponent)
    }
}

/// [`Modulus::pow`] with a secret exponent, as in Diffie-Hellman.
///
/// ```
/// use carrysave_arith::{Modulus, Nat, task::Power};
/// use carrysave_team::task::Task;
/// # let rng = &mut rand_core::UnwrapErr(getrandom::SysRng);
/// let n = Modulus::new(&Nat::from_limb(101)).unwrap();
/// let power = Power::new(n, Nat::from_limb(2), Nat::from_limb(10));
/// assert_eq!(power.run(rng), Ok(Nat::from_limb(14)));
/// ```
#[derive(Clone, Debug)]
pub struct Power {
    exponentiation: Exponentiation,
    base: Nat,
}

impl Power {
    /// `base^exponent`, of a base below the modulus.
    pub fn new(modulus: Modulus, base: Nat, exponent: Nat) -> Power {
        Power {
            exponentiation: Exponentiation::new(modulus, exponent),
            base,
        }
    }

    /// The base.
    pub fn base(&self) -> &Nat {
        &self.base
    }
}

impl Task for Power {
    type Primitive = Exponentiation;
    type Output = Nat;
    type Error = OutOfRange;

    fn primitive(&self) -> &Exponentiation {
        &self.exponentiation
    }

    fn start<R: CryptoRng + ?Sized>(&self, _: &mut R) -> Result<Nat, OutOfRange> {
        let n = self.exponentiation.modulus();
        let base = Some(&self.base).filter(|base| base.lt(n.nat()));
        base.and_then(|base| base.resize(n.width()))
            .ok_or(OutOfRange)
    }

    fn finish(&self, power: Nat) -> Result<Nat, OutOfRange> {
        Ok(power)
    }
}

/// [`FixedBase::pow`], the power of a base with a table: for batches of many powers of one base.
impl Primitive for FixedBase {
    /// All bases are of one class: a group runs one after the other.
    type Class = ();
    type Input = Nat;
    type Output = Nat;

    fn class(&self) {}

    fn cost(&self) -> u64 {
        // About an eighth of the exponent's bits are squared or multiplied.
        let (bits, exponent) = (self.modulus().bits() as u64, self.bits() as u64);
        bits.pow(2).saturating_mul(exponent.div_ceil(8))
    }

    fn run_group<R: CryptoRng + ?Sized>(_: &mut R, group: &[(&FixedBase, &Nat)]) -> Vec<Nat> {
        group.iter().map(|(base, exp)| base.pow(exp)).collect()
    }
}

/// [`FixedBase::pow`] with a secret exponent.
///
/// ```
/// use carrysave_arith::{FixedBase, Modulus, Nat, task::FixedPower};
/// use carrysave_team::task::Task;
/// use std::sync::Arc;
/// # let rng = &mut rand_core::UnwrapErr(getrandom::SysRng);
/// let n = Modulus::new(&Nat::from_limb(101)).unwrap();
/// let base = Arc::new(FixedBase::new(&n, &Nat::from_limb(2), 64));
/// let power = FixedPower { base, exponent: Nat::from_limb(10) };
/// assert_eq!(power.run(rng), Ok(Nat::from_limb(14)));
/// ```
#[derive(Clone, Debug)]
pub struct FixedPower {
    /// The base with its table.
    pub base: Arc<FixedBase>,
    /// The exponent, of which as many bits count as the table is for. Secret.
    pub exponent: Nat,
}

impl Task for FixedPower {
    type Primitive = FixedBase;
    type Output = Nat;
    type Error = Infallible;

    fn primitive(&self) -> &FixedBase {
        &self.base
    }

    fn start<R: CryptoRng + ?Sized>(&self, _: &mut R) -> Result<Nat, Infallible> {
        Ok(self.exponent.clone())
    }

    fn finish(&self, power: Nat) -> Result<Nat, Infallible> {
        Ok(power)
    }
}
