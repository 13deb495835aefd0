//! Residues modulo 2^127 - 1, where what is above is added below as it is.

#[cfg(target_arch = "x86_64")]
use super::MulxAdx;
use super::{MAX_LIMBS, Residue, Word};
use crate::Limb;

/// A residue modulo 2^127 - 1 in two limbs: a number below 2^127, where the modulus itself stands for zero.
#[derive(Clone, Copy, Debug)]
pub struct Mersenne127(pub(super) u128);

/// The modulus, and the bits of a number below 2^127.
pub(super) const P: u128 = (1 << 127) - 1;

/// `x` folded at 2^127: `x mod 2^127 + x div 2^127`, below 2^127 as a carry leaves at most 2^127 - 2 below itself.
#[inline(always)]
fn fold(x: u128) -> u128 {
    (x & P) + (x >> 127)
}

/// The sum `x + y 2^128` of a product below 2^254, folded at 2^127.
#[inline(always)]
fn fold_wide(low: u128, high: u128) -> u128 {
    fold((low & P) + (high << 1 | low >> 127))
}

/// A number below 2^254, folded.
#[inline(always)]
pub(super) fn fold_limbs([t0, t1, t2, t3]: [Limb; 4]) -> [Limb; 2] {
    split(fold_wide(join([t0, t1]), join([t2, t3])))
}

/// The product by the schoolbook method, folded.
#[inline(always)]
pub(super) fn mul(a: u128, b: u128) -> u128 {
    let ([a0, a1], [b0, b1]) = (split(a), split(b));
    let low = wide(a0, b0);
    // Upper limbs are below 2^63, so that the three do not reach 2^128.
    let middle = wide(a0, b1) + wide(a1, b0) + (low >> 64);
    let high = wide(a1, b1) + (middle >> 64);
    fold_wide(middle << 64 | low & u128::from(u64::MAX), high)
}

/// The product by Karatsuba's method, folded: three products, the middle one of sums that fit a limb and a bit.
#[inline(always)]
pub(super) fn mul_karatsuba(a: u128, b: u128) -> u128 {
    let (a, b) = (split(a), split(b));
    let t = super::product::karatsuba(&a, &b);
    fold_wide(join([t[0], t[1]]), join([t[2], t[3]]))
}

/// The square, folded.
#[inline(always)]
pub(super) fn sqr(a: u128) -> u128 {
    let [a0, a1] = split(a);
    let low = wide(a0, a0);
    let middle = wide(a0, a1 << 1) + (low >> 64);
    let high = wide(a1, a1) + (middle >> 64);
    fold_wide(middle << 64 | low & u128::from(u64::MAX), high)
}

#[inline(always)]
fn split(x: u128) -> [Limb; 2] {
    [x as Limb, (x >> 64) as Limb]
}

#[inline(always)]
fn join([low, high]: [Limb; 2]) -> u128 {
    u128::from(high) << 64 | u128::from(low)
}

#[inline(always)]
fn wide(a: Limb, b: Limb) -> u128 {
    u128::from(a) * u128::from(b)
}

/// An operand of the operations on these residues.
///
/// # Safety
/// `a` is valid for reads of two limbs.
#[inline(always)]
pub(super) unsafe fn load(a: *const Limb) -> u128 {
    // SAFETY: the caller's.
    join(unsafe { super::load(a) })
}

/// Where they leave a result.
///
/// # Safety
/// `r` is valid for writes of two limbs.
#[inline(always)]
pub(super) unsafe fn store(r: *mut Limb, value: u128) {
    // SAFETY: the caller's.
    unsafe { super::store(r, split(value)) }
}

impl Residue for Mersenne127 {
    const BITS: usize = 127;
    const MODULUS: [Limb; MAX_LIMBS] = {
        let mut p = [0; MAX_LIMBS];
        p[0] = u64::MAX;
        p[1] = u64::MAX >> 1;
        p
    };

    const ZERO: Self = Mersenne127(0);
    const ONE: Self = Mersenne127(1);

    #[inline(always)]
    fn from_limbs(limbs: &[Limb; MAX_LIMBS]) -> Self {
        Mersenne127(fold(u128::from(limbs[1]) << 64 | u128::from(limbs[0])))
    }

    #[inline(always)]
    fn to_limbs(&self) -> [Limb; MAX_LIMBS] {
        // x + 1 reaches 2^127 where x is the modulus.
        let modulus = (self.0 + 1) >> 127;
        let mut limbs = [0; MAX_LIMBS];
        for (limb, x) in limbs.iter_mut().zip(split(self.0)) {
            *limb = Limb::select(x, 0, modulus as Limb);
        }
        limbs
    }

    #[inline(always)]
    fn add(&self, other: &Self) -> Self {
        debug_assert!(self.0 <= P && other.0 <= P);
        Mersenne127(fold(self.0 + other.0))
    }

    #[inline(always)]
    fn sub(&self, other: &Self) -> Self {
        debug_assert!(self.0 <= P && other.0 <= P);
        Mersenne127(fold(self.0 + (P - other.0)))
    }

    #[inline(always)]
    fn half(&self) -> Self {
        // As 2^126 is the half of 1.
        Mersenne127(self.0 >> 1 | (self.0 & 1) << 126)
    }

    #[inline(always)]
    fn mul_word(&self, word: Limb) -> Self {
        let [a0, a1] = split(self.0);
        let low = wide(a0, word);
        let high = wide(a1, word) + (low >> 64);
        let below = (high << 64) | low & u128::from(u64::MAX);
        Mersenne127(fold_wide(below, high >> 64))
    }

    #[inline(always)]
    fn mul(&self, other: &Self) -> Self {
        debug_assert!(self.0 <= P && other.0 <= P);
        Mersenne127(mul(self.0, other.0))
    }

    #[inline(always)]
    fn sqr(&self) -> Self {
        debug_assert!(self.0 <= P);
        Mersenne127(sqr(self.0))
    }

    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn mul_mulx_adx(&self, other: &Self, proof: MulxAdx) -> Self {
        debug_assert!(self.0 <= P && other.0 <= P);
        Mersenne127(join(proof.mul_127(split(self.0), split(other.0))))
    }

    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn sqr_mulx_adx(&self, proof: MulxAdx) -> Self {
        debug_assert!(self.0 <= P);
        Mersenne127(join(proof.sqr_127(split(self.0))))
    }

    #[inline(always)]
    fn select(a: &Self, b: &Self, bit: Limb) -> Self {
        let ([a0, a1], [b0, b1]) = (split(a.0), split(b.0));
        Mersenne127(join([Limb::select(a0, b0, bit), Limb::select(a1, b1, bit)]))
    }
}
