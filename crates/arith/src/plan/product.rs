//! Methods of multiplication.

use std::fmt;

/// A method of multiplication.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Product {
    /// Every limb by every limb.
    Schoolbook,
    /// Karatsuba's: three products of halves.
    Toom22,
    /// Toom's and Cook's: five products of thirds.
    Toom33,
    /// Seven products of fourths.
    Toom44,
    /// Fourier transforms modulo small primes, up to some hundred million bits; above, Toom-4 over them.
    Fft,
}
use Product::{Fft, Schoolbook, Toom22, Toom33, Toom44};

impl Product {
    /// All of them, the simplest first.
    pub const ALL: [Product; 5] = [Schoolbook, Toom22, Toom33, Toom44, Fft];

    /// The least number of limbs: the parts must be longer than the values beside them.
    pub fn least(self) -> usize {
        match self {
            Schoolbook => 1,
            Toom22 => 4,
            Toom33 => 28,
            Toom44 => 52,
            // Without transforms it is Toom-4.
            Fft if cfg!(feature = "transforms") => 1,
            Fft => 52,
        }
    }
}

impl fmt::Display for Product {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Schoolbook => "schoolbook",
            Toom22 => "toom22",
            Toom33 => "toom33",
            Toom44 => "toom44",
            Fft => "fft",
        })
    }
}
