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
            /// # Safety
            /// `r` has Z registers of digits; the processor has what the vectors need.
            #[inline]
            #[target_feature(enable = $features)]
            pub(super) unsafe fn finish(self, r: *mut Limb) {
                // SAFETY: as the caller says.
                unsafe { Self::pay(&self.t, r) }
            }

            /// Stores words as digits below 2^52, the carries paid.
            ///
            /// One parallel round leaves words below 2^52 + 2^12; the last round's carries (0 or 1) ripple as the
            /// carries of an integer addition of "generates" to "propagates", register by register.
            ///
            /// # Safety
            /// `r` has as many registers of digits as `t`; the processor has what the vectors need.
            #[inline]
            #[target_feature(enable = $features)]
            unsafe fn pay(t: &[$vector], r: *mut Limb) {
                let mask = $splat(super::word::MASK as i64);
                let mut below = $zero();
                let mut ripple = 0u32; // bit 0: carry into this register
                for (z, &t) in t.iter().enumerate() {
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
                    // SAFETY: z is below the length.
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

/// A multiplication of more registers than the processor has: the same rows, the accumulators in memory.
///
/// A row keeps the invariant of [`Rows512`]: four additions a word, so that the carries are moved up every 512 rows.
///
/// # Safety
/// The contract of `radix52_amm`; the processor has AVX-512 F and IFMA.
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) unsafe fn amm_in_memory<const MAX: usize>(
    r: *mut Limb,
    a: *const Limb,
    b: *const Limb,
    n: *const Limb,
    blocks: usize,
    m: usize,
    k0: Limb,
) {
    let zero = _mm512_setzero_si512();
    let mut memory = [zero; MAX];
    let t = &mut memory[..blocks];
    let load = |p: *const Limb, z: usize| {
        // SAFETY: z < blocks, the length of a and of n.
        unsafe { _mm512_loadu_epi64(p.add(8 * z).cast()) }
    };
    // SAFETY: i < m, at most the length of b.
    let digit = |i: usize| if i < m { unsafe { *b.add(i) } } else { 0 };
    let splat = |x: Limb| _mm512_set1_epi64(x as i64);
    t[0] = _mm512_madd52lo_epu64(zero, load(a, 0), splat(digit(0)));
    for i in 0..m {
        let (y, next) = (splat(digit(i)), splat(digit(i + 1)));
        let low = _mm_cvtsi128_si64(_mm512_castsi512_si128(t[0])) as Limb;
        let q = splat(low.wrapping_mul(k0));
        let (a0, n0) = (load(a, 0), load(n, 0));
        let mut coming = _mm512_madd52hi_epu64(_mm512_madd52lo_epu64(zero, a0, next), a0, y);
        coming = _mm512_madd52hi_epu64(coming, n0, q);
        let mut here = _mm512_madd52lo_epu64(t[0], n0, q);
        coming = _mm512_add_epi64(coming, _mm512_maskz_srli_epi64::<52>(1, here));
        for z in 0..blocks {
            let mut above = zero;
            if z + 1 < blocks {
                above = _mm512_madd52lo_epu64(t[z + 1], load(a, z + 1), y);
                above = _mm512_madd52lo_epu64(above, load(n, z + 1), q);
            }
            let moved = _mm512_alignr_epi64::<1>(above, here);
            t[z] = _mm512_add_epi64(moved, coming);
            coming = zero;
            if z + 1 < blocks {
                coming = _mm512_madd52hi_epu64(zero, load(a, z + 1), y);
                coming = _mm512_madd52hi_epu64(coming, load(n, z + 1), q);
            }
            here = above;
        }
        if i % 512 == 511 {
            let mut below = zero;
            for t in t.iter_mut() {
                let carry = _mm512_srli_epi64::<52>(*t);
                let kept = _mm512_and_si512(*t, splat(super::word::MASK));
                *t = _mm512_add_epi64(kept, _mm512_alignr_epi64::<7>(carry, below));
                below = carry;
            }
        }
    }
    // SAFETY: r has as many blocks as t.
    unsafe { Rows512::<1>::pay(t, r) };
    for t in t {
        // SAFETY: a live reference.
        unsafe { core::ptr::write_volatile(t, zero) };
    }
}

/// Calls `$f::<Z>` for a number of registers that is one of those listed.
macro_rules! by_registers {
    ($registers:expr, $f:ident $args:tt, $($z:literal)*) => {
        match $registers { $($z => by_registers!(! $f $z $args),)* _ => unreachable!("checked in the fence") }
    };
    (! $f:ident $z:literal ($($arg:expr),*)) => { $f::<$z>($($arg),*) };
}
pub(super) use by_registers;
