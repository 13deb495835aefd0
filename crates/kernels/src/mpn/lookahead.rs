//! Addition and subtraction in eight 64-bit lanes with carry look-ahead: `lookahead512`.
//!
//! One comparison tells which lanes generate a carry, another which lanes would pass one on: [`resolve`] does the rest.

use super::chain::carry_chain;
use super::word::{adc, mask, sbb};
use crate::{Limb, simd::resolve};
use core::arch::x86_64::*;

/// Below this length the chain through the carry flag is as fast, and does not wait for limbs that were just written.
const FEW: usize = 32;

/// `a + b`, or `a - b`, in eight lanes, with the lanes that carry and those that pass a carry on.
#[inline]
#[target_feature(enable = "avx512f")]
fn combine<const SUBTRACT: bool>(a: __m512i, b: __m512i) -> (__m512i, Limb, Limb) {
    let (r, generate, pass) = if SUBTRACT {
        let generate = _mm512_cmplt_epu64_mask(a, b);
        let pass = _mm512_cmpeq_epi64_mask(a, b);
        (_mm512_sub_epi64(a, b), generate, pass)
    } else {
        let r = _mm512_add_epi64(a, b);
        let generate = _mm512_cmplt_epu64_mask(r, a);
        let pass = _mm512_cmpeq_epi64_mask(r, _mm512_set1_epi64(-1));
        (r, generate, pass)
    };
    (r, generate.into(), pass.into())
}

/// Adds 1 to, or takes 1 from, the lanes of the low eight bits of `carries`.
#[inline]
#[target_feature(enable = "avx512f")]
fn carry_in<const SUBTRACT: bool>(r: __m512i, carries: Limb) -> __m512i {
    let minus_one = _mm512_set1_epi64(-1);
    if SUBTRACT {
        _mm512_mask_add_epi64(r, carries as __mmask8, r, minus_one)
    } else {
        _mm512_mask_sub_epi64(r, carries as __mmask8, r, minus_one)
    }
}

/// `n` limbs along the carry flag.
///
/// # Safety
/// The contract of `mpn_add_n` or `mpn_sub_n`, but that n may be 0.
#[inline]
unsafe fn chain<const SUBTRACT: bool>(
    r: *mut Limb,
    a: *const Limb,
    b: *const Limb,
    n: usize,
) -> Limb {
    // SAFETY: reads a[n] and b[n], writes r[n], each limb after its sources were read.
    unsafe {
        if SUBTRACT {
            carry_chain!("sbb", r, a, b, n)
        } else {
            carry_chain!("adc", r, a, b, n)
        }
    }
}

/// The limbs that fill no turn along the carry flag, then sixteen a turn in two registers; returns the carry.
///
/// # Safety
/// The contract of `mpn_add_n` or `mpn_sub_n`; the processor has AVX-512 F.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) unsafe fn vectors<const SUBTRACT: bool>(
    r: *mut Limb,
    a: *const Limb,
    b: *const Limb,
    n: usize,
) -> Limb {
    // SAFETY: head <= n; eight limbs from i + 8 on end at n at most, the length of all three.
    unsafe {
        if n < FEW {
            return chain::<SUBTRACT>(r, a, b, n);
        }
        let head = n % 16;
        let carry = chain::<SUBTRACT>(r, a, b, head);
        turns::<SUBTRACT>(r, a, head, n, carry, |i| {
            _mm512_loadu_si512(b.add(i).cast())
        })
    }
}

/// `a + b`, or `a - b`, if the bit c is 1, else `a`: b is masked, not branched on; returns the carry.
///
/// # Safety
/// The contract of `mpn_cnd_add_n` or `mpn_cnd_sub_n`; the processor has AVX-512 F.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) unsafe fn masked<const SUBTRACT: bool>(
    c: Limb,
    r: *mut Limb,
    a: *const Limb,
    b: *const Limb,
    n: usize,
) -> Limb {
    let keep = mask(c);
    let end = n - n % 16;
    // SAFETY: as above; the rest is less than sixteen limbs.
    unsafe {
        let carry = turns::<SUBTRACT>(r, a, 0, end, 0, |i| {
            let keep = _mm512_set1_epi64(keep as i64);
            _mm512_and_si512(_mm512_loadu_si512(b.add(i).cast()), keep)
        });
        rest::<SUBTRACT>(r, a, end, n, carry, |i, lanes| {
            let keep = _mm512_set1_epi64(keep as i64);
            _mm512_and_si512(_mm512_maskz_loadu_epi64(lanes, b.add(i).cast()), keep)
        })
    }
}

/// `a + b`, or `a - b`, for one limb b: above the lowest limb only the carry is left to add; returns the carry.
///
/// # Safety
/// The contract of `mpn_add_1` or `mpn_sub_1`; the processor has AVX-512 F.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) unsafe fn ripple<const SUBTRACT: bool>(
    r: *mut Limb,
    a: *const Limb,
    n: usize,
    b: Limb,
) -> Limb {
    let end = n - (n - 1) % 16;
    let step = if SUBTRACT { sbb } else { adc };
    // SAFETY: as above; n >= 1, and the rest is less than sixteen limbs.
    unsafe {
        let (lowest, carry) = step(*a, b, 0);
        *r = lowest;
        let carry = turns::<SUBTRACT>(r, a, 1, end, carry, |_| _mm512_setzero_si512());
        rest::<SUBTRACT>(r, a, end, n, carry, |_, _| _mm512_setzero_si512())
    }
}

/// The limbs from `start` to `end`, sixteen a turn in two registers; `b` gives eight limbs; returns the carry.
///
/// # Safety
/// r and a have `end` limbs, which are the same or do not overlap, and end - start is a multiple of sixteen.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn turns<const SUBTRACT: bool>(
    r: *mut Limb,
    a: *const Limb,
    start: usize,
    end: usize,
    mut carry: Limb,
    b: impl Fn(usize) -> __m512i,
) -> Limb {
    for i in (start..end).step_by(16) {
        // SAFETY: i + 16 <= end.
        unsafe {
            let (r, a) = (r.add(i), a.add(i));
            let (low, high) = (
                _mm512_loadu_si512(a.cast()),
                _mm512_loadu_si512(a.add(8).cast()),
            );
            let (x, g0, p0) = combine::<SUBTRACT>(low, b(i));
            let (y, g1, p1) = combine::<SUBTRACT>(high, b(i + 8));
            let (carries, out) = resolve(16, g1 << 8 | g0, p1 << 8 | p0, carry);
            carry = out;
            _mm512_storeu_si512(r.cast(), carry_in::<SUBTRACT>(x, carries));
            _mm512_storeu_si512(r.add(8).cast(), carry_in::<SUBTRACT>(y, carries >> 8));
        }
    }
    carry
}

/// The limbs from `start` to `end`, less than sixteen, eight lanes at most a turn.
///
/// # Safety
/// r and a have `end` limbs, which are the same or do not overlap.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn rest<const SUBTRACT: bool>(
    r: *mut Limb,
    a: *const Limb,
    start: usize,
    end: usize,
    mut carry: Limb,
    b: impl Fn(usize, __mmask8) -> __m512i,
) -> Limb {
    for i in (start..end).step_by(8) {
        let count = (end - i).min(8);
        let lanes = (0xff >> (8 - count)) as __mmask8;
        // SAFETY: i + count <= end.
        unsafe {
            let a = _mm512_maskz_loadu_epi64(lanes, a.add(i).cast());
            let (x, generate, pass) = combine::<SUBTRACT>(a, b(i, lanes));
            let (carries, _) = resolve(8, generate, pass, carry);
            carry = carries >> count & 1;
            let x = carry_in::<SUBTRACT>(x, carries);
            _mm512_mask_storeu_epi64(r.add(i).cast(), lanes, x);
        }
    }
    carry
}
