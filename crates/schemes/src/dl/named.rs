//! The groups that RFC 7919 and RFC 3526 define.

use super::Group;
use carrysave_arith::{Nat, once};
use core::fmt;
use core::str::FromStr;
use std::sync::OnceLock;

macro_rules! named {
    ($($(#[$doc:meta])* $name:ident = $text:literal, $bits:literal, $constant:expr, $x:literal, $exponent:literal;)*) => {
        /// A standard group: p is a safe prime, q is (p - 1) / 2 and g is 2.
        ///
        /// ```
        /// use carrysave_schemes::dl::Named;
        /// let group = "ffdhe2048".parse::<Named>().unwrap().group();
        /// assert_eq!(group.bits(), 2048);
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Named { $($(#[$doc])* $name),* }

        impl Named {
            /// All standard groups, in the order of their standards.
            pub const ALL: &'static [Named] = &[$(Named::$name),*];

            /// The usual name.
            pub const fn name(self) -> &'static str {
                match self { $(Named::$name => $text),* }
            }

            /// The length of p in bits.
            pub const fn bits(self) -> usize {
                match self { $(Named::$name => $bits),* }
            }

            /// The group. It is made once.
            pub fn group(self) -> Group {
                match self {
                    $(Named::$name => {
                        static GROUP: OnceLock<Group> = OnceLock::new();
                        let group = || Group::known(&prime($bits, $constant, $x), $exponent, self);
                        once(&GROUP, group).clone()
                    })*
                }
            }
        }
    };
}

// RFC 7919, appendix A: the constant of each formula, and the lengths of private exponents. RFC 3526 has the same
// formula with pi; private exponents are as long as in a group of RFC 7919 of the same size.
named! {
    /// 2048 bits (RFC 7919, A.1).
    Ffdhe2048 = "ffdhe2048", 2048, e, 560_316, 225;
    /// 3072 bits (RFC 7919, A.2).
    Ffdhe3072 = "ffdhe3072", 3072, e, 2_625_351, 275;
    /// 4096 bits (RFC 7919, A.3).
    Ffdhe4096 = "ffdhe4096", 4096, e, 5_736_041, 325;
    /// 6144 bits (RFC 7919, A.4).
    Ffdhe6144 = "ffdhe6144", 6144, e, 15_705_020, 375;
    /// 8192 bits (RFC 7919, A.5).
    Ffdhe8192 = "ffdhe8192", 8192, e, 10_965_728, 400;
    /// 1536 bits (RFC 3526, 2): too short for new uses.
    Modp1536Legacy = "modp1536-legacy", 1536, pi, 741_804, 225;
    /// 2048 bits (RFC 3526, 3).
    Modp2048 = "modp2048", 2048, pi, 124_476, 225;
    /// 3072 bits (RFC 3526, 4).
    Modp3072 = "modp3072", 3072, pi, 1_690_314, 275;
    /// 4096 bits (RFC 3526, 5).
    Modp4096 = "modp4096", 4096, pi, 240_904, 325;
    /// 6144 bits (RFC 3526, 6).
    Modp6144 = "modp6144", 6144, pi, 929_484, 375;
    /// 8192 bits (RFC 3526, 7).
    Modp8192 = "modp8192", 8192, pi, 4_743_158, 400;
}

impl Named {
    /// The group that has this p.
    pub fn with_prime(p: &Nat) -> Option<Named> {
        let bits = p.bits_vartime();
        // First the common part: 64 ones at the top.
        let ones = bits.is_multiple_of(64) && p.shr(bits.saturating_sub(64)).limbs()[0] == u64::MAX;
        let mut named = Named::ALL.iter().copied();
        named.find(|named| ones && named.bits() == bits && named.group().p() == p)
    }
}

impl fmt::Display for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// No standard group has this name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownGroup(String);

impl fmt::Display for UnknownGroup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is no standard group \"{}\"; use one of", self.0)?;
        Named::ALL
            .iter()
            .try_for_each(|named| write!(f, " {named}"))
    }
}

impl std::error::Error for UnknownGroup {}

impl FromStr for Named {
    type Err = UnknownGroup;

    fn from_str(text: &str) -> Result<Named, UnknownGroup> {
        let found = Named::ALL.iter().find(|named| named.name() == text);
        found.copied().ok_or_else(|| UnknownGroup(text.to_owned()))
    }
}

/// `2^bits - 2^(bits - 64) - 1 + 2^64 (floor(2^(bits - 130) c) + x)` for c = e or pi.
fn prime(bits: usize, constant: fn(usize) -> Nat, x: u64) -> Nat {
    let middle = constant(bits - 130).add_limb(x).shl(64);
    let top = Nat::power_of_two(bits).sub(&Nat::power_of_two(bits - 64));
    let top = top.and_then(|top| top.sub_limb(1)).expect("not negative");
    top.add(&middle).trim_vartime()
}

/// More bits than the errors of all terms of a series reach.
const GUARD_BITS: usize = 64;

/// `floor(2^s e)`: the sum of 1 / k!.
fn e(s: usize) -> Nat {
    let mut term = Nat::power_of_two(s + GUARD_BITS);
    let mut sum = term.clone();
    for k in 1.. {
        term = quotient(&term, k);
        if term.is_zero() {
            break;
        }
        sum = sum.add(&term).trim_vartime();
    }
    sum.shr(GUARD_BITS)
}

/// `floor(2^s pi)`: 16 arctan(1/5) - 4 arctan(1/239) (Machin).
fn pi(s: usize) -> Nat {
    let (a, b) = (arccot(s + GUARD_BITS, 5), arccot(s + GUARD_BITS, 239));
    let pi = a.mul_limb(16).sub(&b.mul_limb(4));
    pi.expect("not negative").shr(GUARD_BITS)
}

/// `2^s arctan(1/n)`, less the errors of the terms: the sum of (-1)^k / ((2k + 1) n^(2k + 1)).
fn arccot(s: usize, n: u64) -> Nat {
    let mut power = quotient(&Nat::power_of_two(s), n);
    let (mut plus, mut minus) = (Nat::zero(), Nat::zero());
    for k in 0.. {
        if power.is_zero() {
            break;
        }
        let term = quotient(&power, 2 * k + 1);
        let sum = if k % 2 == 0 { &mut plus } else { &mut minus };
        *sum = sum.add(&term).trim_vartime();
        power = quotient(&power, n * n);
    }
    plus.sub(&minus).expect("the terms fall").trim_vartime()
}

fn quotient(x: &Nat, d: u64) -> Nat {
    x.div_rem_vartime(&Nat::from_limb(d)).0.trim_vartime()
}
