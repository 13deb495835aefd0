//! What operands may hold.

use super::{Draft, Len, Source};
use crate::Limb;
use core::fmt;

/// Which values an operand may hold on entry.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// Any.
    Any,
    /// Odd numbers, so that they can be Montgomery moduli.
    Odd,
    /// Numbers below a bound.
    Below(Bound),
    /// A digit of `radix` bits in each word; the `slack` bits above it hold carries that are owed to the next digit.
    Digits {
        /// The bits of a digit.
        radix: u32,
        /// The bits above it.
        slack: u32,
    },
    /// Values that the family generates, for another operand if one is named.
    Custom(&'static Generator, Option<&'static str>),
}

/// An exclusive upper bound of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// The operand of that name, which is [`Value::Odd`].
    Operand(&'static str),
    /// The operand of that name times `2^(64n)`.
    TimesR(&'static str),
    /// 2 to this power.
    Power(usize),
}

/// The one-word argument of a kernel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scalar {
    /// No scalar.
    None,
    /// A secret scalar.
    Secret(Word),
    /// A scalar that time may depend on.
    Public(Word),
}

impl Scalar {
    /// Whether time may depend on it.
    pub const fn is_public(self) -> bool {
        matches!(self, Scalar::Public(_))
    }

    /// Its values, if there is one.
    pub const fn word(self) -> Option<Word> {
        match self {
            Scalar::None => None,
            Scalar::Secret(word) | Scalar::Public(word) => Some(word),
        }
    }
}

/// Which values one word may have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Word {
    /// Any.
    Any,
    /// From the first on and below the second.
    Range(usize, Len),
    /// `-v^-1` modulo 2 to this power for the operand `v` of that name.
    NegInverse(&'static str, u32),
    /// Values that the family generates.
    Custom(&'static Generator),
}

impl Word {
    /// A condition, 0 or 1.
    pub const BIT: Word = Word::Range(0, Len::words(2));
}

/// The values that a family generates for itself.
pub struct Generator {
    /// What they are.
    pub about: &'static str,
    /// Makes words of such values: as many as the last argument says. The slice holds the words of the operand that
    /// they depend on, or none.
    pub make: fn(&mut dyn Source, &Draft, &[Limb], usize) -> Vec<Limb>,
}

/// A divisor of n: the length of each of the parts that a call's data consists of.
pub(crate) static DIVISOR: Generator = Generator {
    about: "a divisor of n",
    make: |source, draft, _, _| {
        let n = draft.n;
        let divisors: Vec<usize> = (1..=n).filter(|d| n.is_multiple_of(*d)).collect();
        vec![divisors[source.choose(divisors.len())] as Limb]
    },
};

impl PartialEq for &'static Generator {
    fn eq(&self, other: &Self) -> bool {
        self.about == other.about
    }
}

impl fmt::Debug for Generator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.about)
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Any => f.write_str("any"),
            Value::Odd => f.write_str("odd"),
            Value::Below(Bound::Operand(name)) => write!(f, "below {name}"),
            Value::Below(Bound::TimesR(name)) => write!(f, "below {name}*2^(64n)"),
            Value::Below(Bound::Power(bits)) => write!(f, "below 2^{bits}"),
            Value::Digits { radix, slack } => write!(f, "digits of {radix} bits and {slack} above"),
            Value::Custom(generator, None) => f.write_str(generator.about),
            Value::Custom(generator, Some(of)) => write!(f, "{} {of}", generator.about),
        }
    }
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Scalar::None => f.write_str("none"),
            Scalar::Secret(word) => word.fmt(f),
            Scalar::Public(word) => write!(f, "{word}, public"),
        }
    }
}

impl fmt::Display for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Word::Any => f.write_str("any"),
            Word::Range(from, below) => write!(f, "from {from}, below {below}"),
            Word::NegInverse(of, bits) => write!(f, "-{of}^-1 mod 2^{bits}"),
            Word::Custom(generator) => f.write_str(generator.about),
        }
    }
}
