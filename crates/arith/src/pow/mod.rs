//! Exponentiation: one file a method, each over any [`Ring`], with one row in [`METHODS`].

mod binary_lr;
mod binary_rl;
pub(crate) mod common_multiplicand;
pub(crate) mod fixed_window;
mod signed_digit;
pub(crate) mod sliding_lr;
pub(crate) mod sliding_rl;
#[cfg(test)]
mod tests;

use crate::nat::{LIMB_BITS, Nat};
use crate::plan::{Steps, choose};
use crate::ring::{InRing, Ring, Words};
use carrysave_kernels::{Limb, op::Timing};
use core::fmt;

/// A method of exponentiation, for comparison: a row of [`METHODS`].
pub struct Method {
    /// Its name.
    pub name: &'static str,
    /// Whether the time depends on the exponent's value.
    pub timing: Timing,
    /// The source.
    pub source: &'static str,
    power: Power,
}

/// The power of an element to an exponent, in the given scratch.
type Power = fn(&dyn Ring, &[Limb], &Nat, &mut [Limb]) -> Words;

macro_rules! methods {
    ($($name:ident: $timing:ident, $source:literal, $power:expr;)*) => {
        /// All methods, the one for secrets first.
        pub static METHODS: &[Method] = &[$(Method {
            name: stringify!($name),
            timing: Timing::$timing,
            source: $source,
            power: $power,
        }),*];
    };
}

methods! {
    fixed_window: Constant, "HAC 14.82", |ring, base, exp, t| {
        fixed_window::power(ring, base, &[exp], exp.width() * LIMB_BITS, t)
    };
    sliding_lr: Variable, "HAC 14.85", sliding_lr::power;
    sliding_rl_worst: Variable, "Zidenberg, Optimizing Crypto++ library for P4", |ring, base, exp, _| {
        sliding_rl_powers(ring, base, &[exp], sliding_rl::WORST_CASE).remove(0)
    };
    sliding_rl_average: Variable, "Zidenberg, Optimizing Crypto++ library for P4", |ring, base, exp, _| {
        sliding_rl_powers(ring, base, &[exp], sliding_rl::AVERAGE_CASE).remove(0)
    };
    binary_lr: Variable, "HAC 14.79", binary_lr::power;
    binary_rl: Variable, "HAC 14.76; Khalifa 2011, list 17", binary_rl::power;
    signed_digit: Variable, "HAC 14.121; Khalifa 2011, list 18", signed_digit::power;
    common_multiplicand: Variable, "Yen, Laih 1993; Ha, Moon 1998", common_multiplicand::power;
}

impl Method {
    /// The method with this name.
    ///
    /// ```
    /// use carrysave_arith::{Method, Modulus, Nat};
    /// let n = Modulus::new(&Nat::from_limb(101)).unwrap();
    /// let method = Method::named("sliding_rl_worst").unwrap();
    /// assert!(n.pow_by(method, &Nat::from_limb(2), &Nat::from_limb(100)).is_one());
    /// ```
    pub fn named(name: &str) -> Option<&'static Method> {
        METHODS.iter().find(|method| method.name == name)
    }

    /// The power of an element of a ring.
    pub(crate) fn power(&self, ring: &dyn Ring, g: &[Limb], exp: &Nat, t: &mut [Limb]) -> Words {
        (self.power)(ring, g, exp, t)
    }
}

impl fmt::Debug for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Method({})", self.name)
    }
}

/// The powers to some exponents by windows from the right; the bits of each exponent decide the width.
pub(crate) fn sliding_rl_powers(
    ring: &dyn Ring,
    base: &[Limb],
    exps: &[&Nat],
    policy: Steps<usize>,
) -> Vec<Words> {
    let exps: Vec<_> = exps
        .iter()
        .map(|&exp| (exp, choose(policy, exp.bits_vartime())))
        .collect();
    let base = Words::new(base.to_vec());
    sliding_rl::powers(&mut InRing::new(ring), &base, &exps)
}
