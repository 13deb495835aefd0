//! The word-level steps that portable kernels are made of.

use crate::Limb;

/// `a + b + carry` as (low word, carry out); `carry` is 0 or 1.
#[inline(always)]
pub(crate) fn adc(a: Limb, b: Limb, carry: Limb) -> (Limb, Limb) {
    let (s, c1) = a.overflowing_add(b);
    let (s, c2) = s.overflowing_add(carry);
    (s, Limb::from(c1 | c2))
}

/// `a - b - borrow` as (low word, borrow out); `borrow` is 0 or 1.
#[inline(always)]
pub(crate) fn sbb(a: Limb, b: Limb, borrow: Limb) -> (Limb, Limb) {
    let (d, b1) = a.overflowing_sub(b);
    let (d, b2) = d.overflowing_sub(borrow);
    (d, Limb::from(b1 | b2))
}

/// `a * b + c + d` as (low word, high word): it cannot overflow two words.
#[inline(always)]
pub(crate) fn mac(a: Limb, b: Limb, c: Limb, d: Limb) -> (Limb, Limb) {
    let t = u128::from(a) * u128::from(b) + u128::from(c) + u128::from(d);
    (t as Limb, (t >> 64) as Limb)
}

/// All ones for `bit` = 1, zero for 0, in a form that the optimiser cannot turn back into a branch.
#[inline(always)]
pub(crate) fn mask(bit: Limb) -> Limb {
    core::hint::black_box(bit).wrapping_neg()
}

/// 1 if `a = b`, else 0, without a comparison.
#[inline(always)]
pub(crate) fn equal(a: Limb, b: Limb) -> Limb {
    let d = a ^ b;
    1 ^ ((d | d.wrapping_neg()) >> 63)
}
