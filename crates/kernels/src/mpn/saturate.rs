//! Addition and subtraction in eight 16-bit words: `saturate16x8`.
//!
//! SSE2 has no carry, but it adds 16-bit words with saturation: a word carries if that differs from the sum that wraps.
//! Carries move up by one word at once. That one of them goes on through a word of all ones is rare, and a loop of its own,
//! so that time depends on the values.

use super::majority;
use crate::Limb;
use core::arch::x86_64::*;

/// All ones in the words that carry (or borrow), and what the words hold.
#[inline]
#[target_feature(enable = "sse2")]
fn words<const SUBTRACT: bool>(a: __m128i, b: __m128i) -> (__m128i, __m128i) {
    let (wrapped, saturated) = if SUBTRACT {
        (_mm_sub_epi16(a, b), _mm_subs_epu16(a, b))
    } else {
        (_mm_add_epi16(a, b), _mm_adds_epu16(a, b))
    };
    let same = _mm_cmpeq_epi16(wrapped, saturated);
    (_mm_xor_si128(same, _mm_set1_epi16(-1)), wrapped)
}

/// Adds 1 to (or takes 1 from) the words that are all ones in `carry`; returns the result and where that carried.
#[inline]
#[target_feature(enable = "sse2")]
fn carry_in<const SUBTRACT: bool>(r: __m128i, carry: __m128i) -> (__m128i, __m128i) {
    let (r, wrapped) = if SUBTRACT {
        (_mm_add_epi16(r, carry), _mm_set1_epi16(-1))
    } else {
        (_mm_sub_epi16(r, carry), _mm_setzero_si128())
    };
    (r, _mm_and_si128(_mm_cmpeq_epi16(r, wrapped), carry))
}

/// Two limbs at a time, then one if there is one; returns the carry.
///
/// # Safety
/// The contract of `mpn_add_n` or `mpn_sub_n`, but for timing.
#[inline]
#[target_feature(enable = "sse2")]
pub(super) unsafe fn vectors<const SUBTRACT: bool>(
    r: *mut Limb,
    a: *const Limb,
    b: *const Limb,
    n: usize,
) -> Limb {
    let mut last = _mm_setzero_si128(); // the carry into word 0, all ones or zero
    let even = n / 2 * 2;
    // SAFETY: i + 2 <= n, the length of all three.
    unsafe {
        for i in (0..even).step_by(2) {
            let (x, y) = (
                _mm_loadu_si128(a.add(i).cast()),
                _mm_loadu_si128(b.add(i).cast()),
            );
            let (mut carry, sum) = words::<SUBTRACT>(x, y);
            let moved = _mm_or_si128(_mm_slli_si128::<2>(carry), last);
            let (mut sum, mut ripple) = carry_in::<SUBTRACT>(sum, moved);
            while _mm_movemask_epi8(ripple) != 0 {
                carry = _mm_or_si128(carry, ripple);
                (sum, ripple) = carry_in::<SUBTRACT>(sum, _mm_slli_si128::<2>(ripple));
            }
            last = _mm_srli_si128::<14>(carry);
            _mm_storeu_si128(r.add(i).cast(), sum);
        }
        let carry = _mm_srli_epi16::<15>(last);
        majority::singles::<SUBTRACT>(r, a, b, (even, n), carry)
    }
}
