//! One number over Z registers: the rows that the `ifma512` and `ifma256` kernels are made of.
//!
//! A row adds a * b_i and q * n to the accumulators and moves them down by a digit. The low halves of products belong
//! to the digit's own place, the high halves to the next, which is the same place after the move.

use crate::Limb;
use core::arch::x86_64::*;

/// Rows of one vector width: the same source for eight digits a register and for four.
macro_rules! rows {
    (
        $(#[$doc:meta])*
        $Rows:ident($vector:ty, $digits:literal, $features:literal),
        lo: $lo:ident, hi: $hi:ident, load: $load:ident, store: $store:ident, splat: $splat:ident, zero: $zero:ident,
        add: $add:ident, and: $and:ident, srli: $srli:ident, srli_lanes: $maskz_srli:ident, add_lanes: $mask_add:ident,
        above: $gt:ident, equal: $eq:ident, align: $align:ident, low: $low:expr $(,)?
    ) => {
        $(#[$doc])*
        ///
        /// Invariant between rows: t = (a * b_{<i} + q n) / 2^(52 i), but for t\[0\], which holds the low halves of its
        /// register of a times b_i already, so that the next quotient digit waits for nothing else. Every word stays
        /// below 4 (i + 1) 2^52 < 2^64 for i < 1023.
        pub(super) struct $Rows<const Z: usize> {
            t: [$vector; Z],
            a: *const $vector,
            n: *const $vector,
            k0: Limb,
        }

        impl<const Z: usize> $Rows<Z> {
            /// Nothing added yet; `first` is the lowest digit of b.
            ///
            /// # Safety
            /// `a` and `n` have Z registers of digits; the processor has what the vectors need.
            #[inline]
            #[target_feature(enable = $features)]
            pub(super) unsafe fn new(a: *const Limb, n: *const Limb, k0: Limb, first: Limb) -> Self {
                let mut t = [$zero(); Z];
                // SAFETY: Z >= 1 registers are readable.
                t[0] = unsafe { $lo(t[0], $load(a.cast()), $splat(first as i64)) };
                $Rows { t, a: a.cast(), n: n.cast(), k0 }
            }

            /// The row of the digit `y`; `next` is the digit after it, or 0.
            ///
            /// # Safety
            /// As for `new`.
            #[inline]
            #[target_feature(enable = $features)]
            #[allow(clippy::needless_range_loop)] // z walks t, a and n at once
            pub(super) unsafe fn row(&mut self, y: Limb, next: Limb) {
                let t = &mut self.t;
                let (y, next) = ($splat(y as i64), $splat(next as i64));
                // SAFETY: z < Z.
                let (a, n) = unsafe { (|z| $load(self.a.add(z).cast()), |z| $load(self.n.add(z).cast())) };
                // Bits above 52 don't matter: the multiplier reads 52.
                let low = _mm_cvtsi128_si64($low(t[0])) as Limb;
                let q = $splat(low.wrapping_mul(self.k0) as i64);
                let mut coming = $hi($lo($zero(), a(0), next), a(0), y);
                coming = $hi(coming, n(0), q);
                t[0] = $lo(t[0], n(0), q);
                for z in 1..Z {
                    t[z] = $lo(t[z], a(z), y);
                    t[z] = $lo(t[z], n(z), q);
                }
                // The lowest digit is 0 mod 2^52 now: its carry moves on with the rest.
                let carry = $maskz_srli::<52>(1, t[0]);
                for z in 0..Z {
                    let above = if z + 1 < Z { t[z + 1] } else { $zero() };
                    t[z] = $align::<1>(above, t[z]);
                }
                t[0] = $add(t[0], $add(coming, carry));
                for z in 1..Z {
                    t[z] = $hi(t[z], a(z), y);
                    t[z] = $hi(t[z], n(z), q);
                }
            }

            /// Pays the carries and stores the result.
            ///
            /// One parallel round leaves words below 2^52 + 2^12; the last round's carries (0 or 1) ripple as the
            /// carries of an integer addition of "generates" to "propagates", register by register.
            ///
            /// # Safety
            /// `r` has Z registers of digits; the processor has what the vectors need.
            #[inline]
            #[target_feature(enable = $features)]
            pub(super) unsafe fn finish(self, r: *mut Limb) {
                let mask = $splat(super::word::MASK as i64);
                let mut below = $zero();
                let mut ripple = 0u32; // bit 0: carry into this register
                for (z, t) in self.t.into_iter().enumerate() {
                    let carry = $srli::<52>(t);
                    let moved = $align::<{ $digits - 1 }>(carry, below);
                    below = carry;
                    let t = $add($and(t, mask), moved);
                    let generate = u32::from($gt(t, mask));
                    let propagate = u32::from($eq(t, mask));
                    let sum = (generate << 1 | ripple) + propagate;
                    let incoming = (sum ^ propagate) as u8;
                    ripple = (sum >> $digits) & 1;
                    let t = $mask_add(t, incoming, t, $splat(1));
                    // SAFETY: z < Z.
                    unsafe { $store(r.cast::<$vector>().add(z).cast(), $and(t, mask)) };
                }
            }
        }
    };
}

rows! {
    /// One multiplication under way, eight digits a register.
    Rows512(__m512i, 8, "avx512f,avx512ifma"),
    lo: _mm512_madd52lo_epu64, hi: _mm512_madd52hi_epu64, load: _mm512_loadu_epi64, store: _mm512_storeu_epi64,
    splat: _mm512_set1_epi64, zero: _mm512_setzero_si512, add: _mm512_add_epi64, and: _mm512_and_si512,
    srli: _mm512_srli_epi64, srli_lanes: _mm512_maskz_srli_epi64, add_lanes: _mm512_mask_add_epi64,
    above: _mm512_cmpgt_epu64_mask, equal: _mm512_cmpeq_epu64_mask, align: _mm512_alignr_epi64,
    low: _mm512_castsi512_si128,
}

rows! {
    /// One multiplication under way, four digits a register.
    Rows256(__m256i, 4, "avx512f,avx512vl,avx512ifma"),
    lo: _mm256_madd52lo_epu64, hi: _mm256_madd52hi_epu64, load: _mm256_loadu_epi64, store: _mm256_storeu_epi64,
    splat: _mm256_set1_epi64x, zero: _mm256_setzero_si256, add: _mm256_add_epi64, and: _mm256_and_si256,
    srli: _mm256_srli_epi64, srli_lanes: _mm256_maskz_srli_epi64, add_lanes: _mm256_mask_add_epi64,
    above: _mm256_cmpgt_epu64_mask, equal: _mm256_cmpeq_epu64_mask, align: _mm256_alignr_epi64,
    low: _mm256_castsi256_si128,
}

/// Calls `$f::<Z>` for a number of registers that is one of those listed.
macro_rules! by_registers {
    ($registers:expr, $f:ident $args:tt, $($z:literal)*) => {
        match $registers { $($z => by_registers!(! $f $z $args),)* _ => unreachable!("checked in the fence") }
    };
    (! $f:ident $z:literal ($($arg:expr),*)) => { $f::<$z>($($arg),*) };
}
pub(super) use by_registers;
