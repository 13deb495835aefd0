//! The carries that words of 64 bits owe, paid in one pass, and those of twice a number.

use super::super::word::MASK;
use crate::{
    Limb,
    simd::{Across, resolve},
};

/// Stores words as digits below 2^52, the carries paid, and returns what is carried out.
///
/// One parallel round leaves words below 2^52 + 2^12. The carries of the last round (0 or 1) ripple as those of an
/// addition do ([`resolve`]), vector by vector.
///
/// # Safety
/// `t` and `r` have that many vectors of words, at any address; the processor has what the vectors need.
#[inline(always)]
pub(in crate::radix52) unsafe fn pay<V: Across>(
    t: *const Limb,
    vectors: usize,
    r: *mut Limb,
) -> Limb {
    // SAFETY: as the caller says.
    unsafe { pay_sum::<V>(t, None, vectors, r) }
}

/// Stores the sums of the words of `t` and `plus` as digits below 2^52, the carries paid, and returns what is carried
/// out. No sum is longer than a word.
///
/// # Safety
/// As [`pay`], of `plus`, too.
#[inline(always)]
pub(in crate::radix52) unsafe fn pay_sum<V: Across>(
    t: *const Limb,
    plus: Option<*const Limb>,
    vectors: usize,
    r: *mut Limb,
) -> Limb {
    // SAFETY: z is below the length.
    unsafe {
        let mask = V::splat(MASK);
        let mut below = V::zero();
        let mut ripple = 0; // the carry into this vector
        for z in 0..vectors {
            let at = V::LANES * z;
            let mut t = V::load(t.add(at));
            if let Some(plus) = plus {
                t = t.add(V::load(plus.add(at)));
            }
            let carry = t.shr(52);
            let t = t.and(mask).add(V::up(carry, below));
            below = carry;
            let (generate, pass) = (t.above(mask).into(), t.equal(mask).into());
            let incoming;
            (incoming, ripple) = resolve(V::LANES, generate, pass, ripple);
            let t = t.add_where(incoming as u8, V::splat(1));
            t.and(mask).store(r.add(at));
        }
        V::up(V::zero(), below).lowest() + ripple
    }
}

/// The digits of 2a, and behind them those digits with the lowest bit of each vector cleared: that bit came from the
/// vector below, and is not there where only the vectors from this one on are doubled.
///
/// # Safety
/// `a` has Z vectors of digits, below R / 2 together; the processor has what the vectors need.
#[inline(always)]
#[allow(clippy::needless_range_loop)] // z walks twice and a at once
pub(in crate::radix52) unsafe fn doubled<V: Across, const Z: usize>(a: *const Limb) -> [[V; Z]; 2] {
    // SAFETY: z < Z.
    unsafe {
        let mut twice = [[V::zero(); Z]; 2];
        let mut below = V::zero();
        for z in 0..Z {
            let a = V::load(a.add(V::LANES * z));
            let even = a.add(a).and(V::splat(MASK));
            let top = a.shr(51);
            twice[0][z] = even.add(V::up(top, below));
            twice[1][z] = V::select(1, even, twice[0][z]);
            below = top;
        }
        twice
    }
}
