//! Residues modulo 2^521 - 1, the prime of P-521, where what is above is added below as it is.

use super::{MAX_LIMBS, Residue, word::mask};
use crate::Limb;

/// A residue modulo 2^521 - 1: a number below 2^521, where the modulus itself stands for zero.
#[derive(Clone, Copy, Debug)]
pub struct Mersenne521(pub(super) Number);

/// A number of 521 bits or a few more.
type Number = [Limb; 9];

/// The bits of the highest limb.
const TOP: usize = 9;
/// The largest value of the highest limb.
const HIGHEST: Limb = (1 << TOP) - 1;

/// `x + y`, folded at 2^521: below 2^521, for both below that.
#[inline(always)]
fn add(x: &Number, y: &Number) -> Number {
    let (mut r, mut carry) = (*x, false);
    for (r, y) in r.iter_mut().zip(y) {
        (*r, carry) = r.carrying_add(*y, carry);
    }
    let above = r[8] >> TOP;
    r[8] &= HIGHEST;
    (r[0], carry) = r[0].carrying_add(above, false);
    for r in &mut r[1..] {
        (*r, carry) = r.carrying_add(0, carry);
    }
    r
}

/// The product by the schoolbook method, folded.
#[inline(always)]
pub(super) fn mul(a: &Number, b: &Number) -> Number {
    let mut t = [0; 18];
    for (i, &b) in b.iter().enumerate() {
        let mut carry = 0;
        for (j, &a) in a.iter().enumerate() {
            (t[i + j], carry) = a.carrying_mul_add(b, t[i + j], carry);
        }
        t[i + 9] = carry;
    }
    let high = core::array::from_fn(|i| t[i + 8] >> TOP | t[i + 9] << (64 - TOP));
    t[8] &= HIGHEST;
    add(&core::array::from_fn(|i| t[i]), &high)
}

impl Mersenne521 {
    /// The residue of any x plus 2^521 times a number, given what there is room for beside the bits of x above that.
    #[inline(always)]
    pub(super) fn folded(mut x: Number, above: Limb) -> Self {
        let mut high = [0; 9];
        high[0] = above + (x[8] >> TOP);
        x[8] &= HIGHEST;
        Mersenne521(add(&x, &high))
    }
}

impl Residue for Mersenne521 {
    const BITS: usize = 521;
    const MODULUS: [Limb; MAX_LIMBS] = {
        let mut p = [Limb::MAX; MAX_LIMBS];
        p[8] = HIGHEST;
        p
    };
    const ZERO: Self = Mersenne521([0; 9]);
    const ONE: Self = Mersenne521([1, 0, 0, 0, 0, 0, 0, 0, 0]);

    #[inline(always)]
    fn from_limbs(limbs: &[Limb; MAX_LIMBS]) -> Self {
        Mersenne521(*limbs)
    }

    #[inline(always)]
    fn to_limbs(&self) -> [Limb; MAX_LIMBS] {
        // x + 1 reaches 2^521 where x is the modulus.
        let mut carry = true;
        let next = self.0.map(|limb| {
            let sum;
            (sum, carry) = limb.carrying_add(0, carry);
            sum
        });
        let number = mask(1 ^ next[8] >> TOP);
        self.0.map(|limb| limb & number)
    }

    #[inline(always)]
    fn add(&self, other: &Self) -> Self {
        Mersenne521(add(&self.0, &other.0))
    }

    #[inline(always)]
    fn sub(&self, other: &Self) -> Self {
        // The modulus less a number has the other bits.
        let minus = core::array::from_fn(|i| other.0[i] ^ Self::MODULUS[i]);
        Mersenne521(add(&self.0, &minus))
    }

    #[inline(always)]
    fn half(&self) -> Self {
        // As 2^520 is the half of 1.
        let x = &self.0;
        Mersenne521(core::array::from_fn(|i| match i {
            8 => x[8] >> 1 | (x[0] & 1) << (TOP - 1),
            _ => x[i] >> 1 | x[i + 1] << 63,
        }))
    }

    #[inline(always)]
    fn mul_word(&self, word: Limb) -> Self {
        let (mut r, mut carry) = (self.0, 0);
        for r in &mut r {
            (*r, carry) = r.carrying_mul_add(word, 0, carry);
        }
        Self::folded(r, carry << (64 - TOP))
    }

    #[inline]
    fn mul(&self, other: &Self) -> Self {
        Mersenne521(mul(&self.0, &other.0))
    }

    #[inline]
    fn sqr(&self) -> Self {
        Mersenne521(mul(&self.0, &self.0))
    }

    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn mul_mulx_adx(&self, other: &Self, proof: super::MulxAdx) -> Self {
        Mersenne521(proof.p521_mul(&self.0, &other.0))
    }

    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn sqr_mulx_adx(&self, proof: super::MulxAdx) -> Self {
        Mersenne521(proof.p521_sqr(&self.0))
    }

    #[inline(always)]
    fn select(a: &Self, b: &Self, bit: Limb) -> Self {
        let mask = mask(bit);
        let r = core::array::from_fn(|i| a.0[i] ^ (a.0[i] ^ b.0[i]) & mask);
        Mersenne521(r)
    }
}
