//! The form of a modulus in a vector lane.

use crate::ring::Words;
use crate::ring::radix52::to_digits;
use crate::ring::saturated::Saturated;
use carrysave_kernels::mb8::DIGIT_BITS;

/// The constants of a modulus in its lane: R = 2^(52 digits).
pub(crate) struct Lane {
    pub(super) n: Words,
    /// `R^2 mod n`
    pub(super) r2: Words,
}

impl Lane {
    pub(super) fn new(c: &Saturated, digits: usize) -> Lane {
        let r2 = c.residue_of_two_to(2 * DIGIT_BITS * digits);
        Lane {
            n: to_digits(&c.n, digits),
            r2: to_digits(&r2, digits),
        }
    }
}
