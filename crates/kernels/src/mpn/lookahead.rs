//! Addition and subtraction in eight 64-bit lanes with carry look-ahead: `lookahead512`.
//!
//! One comparison tells which lanes generate a carry, another which lanes would pass one on: [`resolve`] does the rest.

use super::chain::carry_chain;
use crate::Limb;
use core::arch::x86_64::*;

/// The lanes that a carry enters, and the carry out of all `LANES`; `generate` and `pass` have no lane in common.
///
/// With the lanes as the bits of integers g and p, and the carry in as c, take the integer sum (2g + c) + p: a carry that
/// enters lane i sets bit i, unless the lane passes it on; then it clears that bit, which p had set, and enters bit i + 1.
/// Where the sum differs from p, a carry enters.
#[inline(always)]
pub(crate) fn resolve<const LANES: usize>(generate: Limb, pass: Limb, carry: Limb) -> (Limb, Limb) {
    let sum = (generate << 1 | carry) + pass;
    (sum ^ pass, sum >> LANES)
}

/// Below so many limbs the chain through the carry flag is as fast, and does not wait for limbs that were just written.
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
    // SAFETY: head <= n; i + 16 <= n, the length of all three.
    unsafe {
        if n < FEW {
            return chain::<SUBTRACT>(r, a, b, n);
        }
        let head = n % 16;
        let mut carry = chain::<SUBTRACT>(r, a, b, head);
        for i in (head..n).step_by(16) {
            let (r, a, b) = (r.add(i), a.add(i), b.add(i));
            let low = |p: *const Limb| _mm512_loadu_si512(p.cast());
            let high = |p: *const Limb| _mm512_loadu_si512(p.add(8).cast());
            let (x, g0, p0) = combine::<SUBTRACT>(low(a), low(b));
            let (y, g1, p1) = combine::<SUBTRACT>(high(a), high(b));
            let (carries, out) = resolve::<16>(g1 << 8 | g0, p1 << 8 | p0, carry);
            carry = out;
            _mm512_storeu_si512(r.cast(), carry_in::<SUBTRACT>(x, carries));
            _mm512_storeu_si512(r.add(8).cast(), carry_in::<SUBTRACT>(y, carries >> 8));
        }
        carry
    }
}
