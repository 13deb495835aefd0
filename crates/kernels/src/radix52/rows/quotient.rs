//! Quotient digits in pairs: the two that clear the two lowest digits of a number.

use super::super::word::MASK;
use crate::{
    Limb,
    simd::{Across, Madd52, scalar},
};

/// The low 52 bits of a product of two digits.
#[inline(always)]
pub(in crate::radix52) fn low52(x: Limb, y: Limb) -> Limb {
    x.wrapping_mul(y) & MASK
}

/// The high 52 bits of a product of two digits.
#[inline(always)]
pub(in crate::radix52) fn high52(x: Limb, y: Limb) -> Limb {
    ((u128::from(x << 12) * u128::from(y)) >> 64) as Limb
}

/// Both halves of the product of two digits, low and high, given the first one 12 bits up.
#[inline(always)]
fn halves(x: Limb, y: Limb) -> (Limb, Limb) {
    let product = u128::from(x) * u128::from(y);
    (product as Limb >> 12, (product >> 64) as Limb)
}

/// How the rows find their quotient digits: in scalar registers, from the lowest digits of the vectors.
pub(in crate::radix52) const SCALAR: u8 = 0;
/// In vectors: more instructions, and a shorter way from one pair to the next.
pub(in crate::radix52) const VECTOR: u8 = 1;
/// In scalar registers, from digits that are there before the vectors have them ([`Ahead`]): still more instructions,
/// and the shortest way, as nothing on it waits for vectors.
pub(in crate::radix52) const AHEAD: u8 = 2;

/// The lowest digits of a multiplication, beside the vectors: what q n adds to the digits that are the lowest ones after
/// two rows is worked out here too, so that the next quotient digits do not wait for the vectors to have it.
pub(super) struct Ahead {
    /// The two digits of -n^-1 mod 2^104.
    pub k: [Limb; 2],
    /// The four lowest digits of n, each 12 bits up.
    pub n: [Limb; 4],
    /// The two lowest words of t.
    pub head: [Limb; 2],
}

impl Ahead {
    /// The two quotient digits for these lowest words, what they carry out, and what q n adds to the two words above.
    #[inline(always)]
    pub(super) fn quotient(&self, first: Limb, second: Limb) -> ([Limb; 2], Limb, [Limb; 2]) {
        let (first, second) = (scalar(first), scalar(second));
        let ([k0, k1], [n0, n1, n2, n3]) = (self.k, self.n);
        let digit = first & MASK;
        let (q0, high) = halves(k0 << 12, digit);
        let q0 = scalar(q0);
        let low = (second + (first >> 52))
            .wrapping_mul(k0)
            .wrapping_add(digit.wrapping_mul(k1));
        let q1 = low.wrapping_add(high) & MASK;
        let ((l1, h1), (l2, h2)) = (halves(n1, q0), halves(n2, q0));
        let (m1, g1) = halves(n1, q1);
        let second = second + ((first + MASK) >> 52) + halves(n0, q0).1 + l1;
        let third = l2 + h1 + m1 + halves(n0, q1).1;
        let fourth = halves(n3, q0).0 + h2 + halves(n2, q1).0 + g1;
        ([q0, q1], (second + MASK) >> 52, [third, fourth])
    }
}

/// The quotient digits that clear the two lowest digits of a number, each in the lowest lane.
///
/// `w` holds those two digits, carries owed; `k` the two digits of -n^-1 mod 2^104. The multiplier reads 52 bits, so
/// that nothing has to be masked.
///
/// # Safety
/// The processor has what the vectors need.
#[inline(always)]
pub(super) unsafe fn quotient<P: Madd52 + Across>(w: P, [k0, k1]: [P; 2]) -> (P, P) {
    // SAFETY: as the caller says.
    unsafe {
        let second = P::align::<1>(w, w).add(w.shr(52));
        let q0 = P::zero().lo(w, k0);
        let cross = P::zero().lo(w, k1).add(P::zero().hi(w, k0));
        let q1 = P::zero().lo(second, k0).add(cross);
        (q0, q1)
    }
}

/// The second digit of -n^-1 mod 2^104, given the first and the two lowest digits of n.
pub(super) fn second_digit(n0: Limb, n1: Limb, k0: Limb) -> Limb {
    let high = ((u128::from(n0) * u128::from(k0) + 1) >> 52) as Limb;
    high.wrapping_add(n1.wrapping_mul(k0)).wrapping_mul(k0) & MASK
}
