//! Addition and subtraction in the 64-bit lanes of a vector that has no carry flag: `majority64`, `majority64x2`.
//!
//! The carry out of a lane follows from the top bits of both operands and of the result r = a + b + carry, whatever the
//! carry was: it is the majority of a, b and not r, (a & b) | (!r & (a | b)). The borrow out of r = a - b - borrow is
//! (!a & b) | (!(a ^ b) & r).

use crate::Limb;
use core::arch::x86_64::*;

/// `a + b`, or `a - b`, in every lane.
#[inline]
#[target_feature(enable = "sse2")]
fn combine<const SUBTRACT: bool>(a: __m128i, b: __m128i) -> __m128i {
    if SUBTRACT {
        _mm_sub_epi64(a, b)
    } else {
        _mm_add_epi64(a, b)
    }
}

/// The carry (or borrow) out of every lane, as 0 or 1.
#[inline]
#[target_feature(enable = "sse2")]
fn carry_out<const SUBTRACT: bool>(a: __m128i, b: __m128i, r: __m128i) -> __m128i {
    let carry = if SUBTRACT {
        let differ = _mm_xor_si128(a, b);
        _mm_or_si128(_mm_andnot_si128(a, b), _mm_andnot_si128(differ, r))
    } else {
        let either = _mm_or_si128(a, b);
        _mm_or_si128(_mm_and_si128(a, b), _mm_andnot_si128(r, either))
    };
    _mm_srli_epi64::<63>(carry)
}

/// One limb in the low lanes: the result, and the carry out for the next.
#[inline]
#[target_feature(enable = "sse2")]
pub(super) fn single<const SUBTRACT: bool>(
    a: __m128i,
    b: __m128i,
    carry: __m128i,
) -> (__m128i, __m128i) {
    let r = combine::<SUBTRACT>(combine::<SUBTRACT>(a, b), carry);
    (r, carry_out::<SUBTRACT>(a, b, r))
}

/// Two limbs: the result, and the carry out in the low lane. `carry` is in the low lane, the other is zero.
///
/// The carry of the low lane moves up. It carries out of the high lane if the top bit changes there from 1 to 0
/// (a borrow: from 0 to 1), which excludes a carry from the operands themselves.
#[inline]
#[target_feature(enable = "sse2")]
pub(super) fn pair<const SUBTRACT: bool>(
    a: __m128i,
    b: __m128i,
    carry: __m128i,
) -> (__m128i, __m128i) {
    let (lanes, out) = single::<SUBTRACT>(a, b, carry);
    let r = combine::<SUBTRACT>(lanes, _mm_slli_si128::<8>(out));
    let changed = if SUBTRACT {
        _mm_andnot_si128(lanes, r)
    } else {
        _mm_andnot_si128(r, lanes)
    };
    let out = _mm_or_si128(out, _mm_srli_epi64::<63>(changed));
    (r, _mm_srli_si128::<8>(out))
}

/// The limbs from `i` on, one at a time; returns the carry.
///
/// # Safety
/// The contract of `mpn_add_n` or `mpn_sub_n`; `i <= n`; `carry` is 0 or 1 in the low lane.
#[inline]
#[target_feature(enable = "sse2")]
pub(super) unsafe fn singles<const SUBTRACT: bool>(
    r: *mut Limb,
    a: *const Limb,
    b: *const Limb,
    (i, n): (usize, usize),
    mut carry: __m128i,
) -> Limb {
    for i in i..n {
        // SAFETY: i < n, the length of all three.
        unsafe {
            let (x, y) = (
                _mm_loadl_epi64(a.add(i).cast()),
                _mm_loadl_epi64(b.add(i).cast()),
            );
            let (sum, out) = single::<SUBTRACT>(x, y, carry);
            _mm_storel_epi64(r.add(i).cast(), sum);
            carry = out;
        }
    }
    _mm_cvtsi128_si64(carry) as Limb
}

/// Two limbs at a time, then one if there is one; returns the carry.
///
/// # Safety
/// The contract of `mpn_add_n` or `mpn_sub_n`.
#[inline]
#[target_feature(enable = "sse2")]
pub(super) unsafe fn pairs<const SUBTRACT: bool>(
    r: *mut Limb,
    a: *const Limb,
    b: *const Limb,
    n: usize,
) -> Limb {
    let mut carry = _mm_setzero_si128();
    let even = n / 2 * 2;
    // SAFETY: i + 2 <= n, the length of all three.
    unsafe {
        for i in (0..even).step_by(2) {
            let (x, y) = (
                _mm_loadu_si128(a.add(i).cast()),
                _mm_loadu_si128(b.add(i).cast()),
            );
            let (sum, out) = pair::<SUBTRACT>(x, y, carry);
            _mm_storeu_si128(r.add(i).cast(), sum);
            carry = out;
        }
        singles::<SUBTRACT>(r, a, b, (even, n), carry)
    }
}
