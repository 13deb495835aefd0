//! Rows of `pmuludq` on 32-bit words, every carry saved: a word of the sum has 64 bits, and nothing carries before the end.
//!
//! A row adds a b\[j\] and m n, two words a register: the lower halves of the products to the column of their word, the
//! upper ones to the next. Then the lowest column is a multiple of 2^32, and all columns move down by one, which is how the
//! sum fits 2k limbs of scratch. A column gets four halves a row, and so stays below 2^64 for s < 2^29 words.
//! Source: SSE2 assisted RSA (2004), whose author proposes the form.

use crate::{
    Limb,
    mpn::{montgomery::subtract_once, sub_n},
};
use core::arch::x86_64::*;

/// # Safety
/// The contract of `mpn_mont_mul`.
#[target_feature(enable = "sse2")]
pub(super) unsafe fn kernel(
    r: *mut Limb,
    a: *const Limb,
    b: *const Limb,
    n: *const Limb,
    k: usize,
    n0: Limb,
    t: *mut Limb,
) {
    // SAFETY: t has 2k columns, which become k limbs, and then the two halves that the subtraction takes.
    unsafe {
        t.write_bytes(0, 2 * k);
        for j in 0..k {
            row(t, a, n, k, *b.add(j), n0);
            row(t, a, n, k, *b.add(j) >> 32, n0);
        }
        let top = carry(t, k);
        t.copy_to(t.add(k), k);
        subtract_once(sub_n::portable::kernel, r, t, n, k, top);
    }
}

/// The words of a limb, one in each lane; what is above them there is not 0.
///
/// # Safety
/// A limb at p.
#[inline]
#[target_feature(enable = "sse2")]
unsafe fn words(p: *const Limb) -> __m128i {
    // SAFETY: a limb at p.
    let limb = unsafe { _mm_loadl_epi64(p.cast()) };
    _mm_shuffle_epi32::<0b01_01_00_00>(limb)
}

/// `t := (t + a * b + m * n) / 2^32` in columns, with the lowest words of `b` and `n0`.
///
/// # Safety
/// t\[2k\], a\[k\], n\[k\], k >= 1.
#[inline]
#[target_feature(enable = "sse2")]
unsafe fn row(t: *mut Limb, a: *const Limb, n: *const Limb, k: usize, b: Limb, n0: Limb) {
    let word = _mm_set1_epi64x(0xffff_ffff);
    let b = _mm_set1_epi64x(b as i64);
    // SAFETY: i < k, and columns 2i and 2i + 1 are below 2k.
    unsafe {
        let lowest = _mm_add_epi64(_mm_mul_epu32(words(a), b), _mm_loadu_si128(t.cast()));
        let m = _mm_mul_epu32(lowest, _mm_set1_epi64x(n0 as i64));
        let m = _mm_shuffle_epi32::<0>(m);
        let add = |i: usize| {
            let (x, y) = (
                _mm_mul_epu32(words(a.add(i)), b),
                _mm_mul_epu32(words(n.add(i)), m),
            );
            let low = _mm_add_epi64(_mm_and_si128(x, word), _mm_and_si128(y, word));
            let high = _mm_add_epi64(_mm_srli_epi64::<32>(x), _mm_srli_epi64::<32>(y));
            let sum = _mm_add_epi64(_mm_loadu_si128(t.add(2 * i).cast()), low);
            (sum, high)
        };
        let (mut sum, mut high) = add(0);
        // What the lowest column has above its word.
        high = _mm_add_epi64(high, _mm_move_epi64(_mm_srli_epi64::<32>(sum)));
        for i in 1..k {
            let (next, above) = add(i);
            let moved = _mm_or_si128(_mm_srli_si128::<8>(sum), _mm_slli_si128::<8>(next));
            _mm_storeu_si128(t.add(2 * i - 2).cast(), _mm_add_epi64(moved, high));
            (sum, high) = (next, above);
        }
        let moved = _mm_srli_si128::<8>(sum);
        _mm_storeu_si128(t.add(2 * k - 2).cast(), _mm_add_epi64(moved, high));
    }
}

/// Packs 2k columns into the lowest k limbs, and returns what is carried out of them.
///
/// # Safety
/// t\[2k\].
#[inline(always)]
unsafe fn carry(t: *mut Limb, k: usize) -> Limb {
    let mut carry = 0;
    for i in 0..k {
        // SAFETY: i < k; limb i is written when columns 2i and 2i + 1 are not needed any more, and no later one is at it.
        unsafe {
            let low = *t.add(2 * i) + carry;
            let high = *t.add(2 * i + 1) + (low >> 32);
            *t.add(i) = low & 0xffff_ffff | high << 32;
            carry = high >> 32;
        }
    }
    carry
}
