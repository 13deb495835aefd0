//! One number over Z registers of eight digits: the rows that the `ifma512` kernels are made of.
//!
//! A row adds a * b_i and q * n to the accumulators and moves them down by a digit. The low halves of products belong
//! to the digit's own place, the high halves to the next, which is the same place after the move.

use crate::Limb;
use core::arch::x86_64::*;

/// One multiplication under way: accumulators t, and where its operands lie.
///
/// Invariant between rows: t = (a * b_{<i} + q n) / 2^(52 i), but for t\[0\], which holds the low halves of
/// a\[0..8\] * b_i already, so that the next quotient digit waits for nothing else. Every word stays below
/// 4 (i + 1) 2^52 < 2^64 for i < 1023.
pub(super) struct Rows<const Z: usize> {
    t: [__m512i; Z],
    a: *const __m512i,
    n: *const __m512i,
    k0: Limb,
}

impl<const Z: usize> Rows<Z> {
    /// # Safety
    /// `a` and `n` have 8 Z digits; the processor has AVX-512 F and IFMA.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(super) unsafe fn new(a: *const Limb, n: *const Limb, k0: Limb, first: Limb) -> Rows<Z> {
        let mut t = [_mm512_setzero_si512(); Z];
        let a = a.cast();
        // SAFETY: Z >= 1 blocks are readable.
        t[0] = unsafe { _mm512_madd52lo_epu64(t[0], _mm512_loadu_si512(a), splat(first)) };
        Rows {
            t,
            a,
            n: n.cast(),
            k0,
        }
    }

    /// The row of the digit `y`; `next` is the digit after it, or 0.
    ///
    /// # Safety
    /// As for `new`.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    #[allow(clippy::needless_range_loop)] // z walks t, a and n at once
    pub(super) unsafe fn row(&mut self, y: Limb, next: Limb) {
        let t = &mut self.t;
        let (y, next) = (splat(y), splat(next));
        let zero = _mm512_setzero_si512();
        // SAFETY: z < Z.
        let (a, n) = unsafe {
            (
                |z| _mm512_loadu_si512(self.a.add(z)),
                |z| _mm512_loadu_si512(self.n.add(z)),
            )
        };
        // Bits above 52 don't matter: the multiplier reads 52.
        let low = _mm_cvtsi128_si64(_mm512_castsi512_si128(t[0])) as Limb;
        let q = splat(low.wrapping_mul(self.k0));
        let mut coming = _mm512_madd52hi_epu64(_mm512_madd52lo_epu64(zero, a(0), next), a(0), y);
        coming = _mm512_madd52hi_epu64(coming, n(0), q);
        t[0] = _mm512_madd52lo_epu64(t[0], n(0), q);
        for z in 1..Z {
            t[z] = _mm512_madd52lo_epu64(t[z], a(z), y);
            t[z] = _mm512_madd52lo_epu64(t[z], n(z), q);
        }
        // The lowest digit is 0 mod 2^52 now: its carry moves on with the rest.
        let carry = _mm512_maskz_srli_epi64(1, t[0], 52);
        for z in 0..Z {
            let above = if z + 1 < Z { t[z + 1] } else { zero };
            t[z] = _mm512_alignr_epi64(above, t[z], 1);
        }
        t[0] = _mm512_add_epi64(t[0], _mm512_add_epi64(coming, carry));
        for z in 1..Z {
            t[z] = _mm512_madd52hi_epu64(t[z], a(z), y);
            t[z] = _mm512_madd52hi_epu64(t[z], n(z), q);
        }
    }

    /// Pays the carries and stores the result.
    ///
    /// One parallel round leaves words below 2^52 + 2^12; the last round's carries (0 or 1) ripple as the carries of
    /// an integer addition of "generates" to "propagates", eight digits at a time.
    ///
    /// # Safety
    /// `r` has 8 Z digits; the processor has AVX-512 F and IFMA.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(super) unsafe fn finish(self, r: *mut Limb) {
        let mask = splat(super::word::MASK);
        let mut below = _mm512_setzero_si512();
        let mut ripple = 0u32; // bit 0: carry into this block
        for (z, t) in self.t.into_iter().enumerate() {
            let carry = _mm512_srli_epi64(t, 52);
            let moved = _mm512_alignr_epi64(carry, below, 7);
            below = carry;
            let t = _mm512_add_epi64(_mm512_and_si512(t, mask), moved);
            let generate = u32::from(_mm512_cmpgt_epu64_mask(t, mask));
            let propagate = u32::from(_mm512_cmpeq_epu64_mask(t, mask));
            let sum = (generate << 1 | ripple) + propagate;
            let incoming = (sum ^ propagate) as u8;
            ripple = (sum >> 8) & 1;
            let t = _mm512_mask_add_epi64(t, incoming, t, splat(1));
            // SAFETY: z < Z.
            unsafe { _mm512_storeu_si512(r.cast::<__m512i>().add(z), _mm512_and_si512(t, mask)) };
        }
    }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn splat(x: Limb) -> __m512i {
    _mm512_set1_epi64(x as i64)
}

/// Calls `$f::<Z>` for a number of blocks from 1 to 20.
macro_rules! by_blocks {
    ($blocks:expr, $f:ident($($arg:expr),*)) => {
        by_blocks!(@ $blocks, $f($($arg),*), 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20)
    };
    (@ $blocks:expr, $f:ident $args:tt, $($z:literal)*) => {
        match $blocks { $($z => by_blocks!(! $f $z $args),)* _ => unreachable!("checked in the fence") }
    };
    (! $f:ident $z:literal ($($arg:expr),*)) => { $f::<$z>($($arg),*) };
}
pub(super) use by_blocks;
