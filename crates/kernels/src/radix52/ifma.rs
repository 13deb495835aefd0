//! One number over Z registers: the rows that the `ifma512` and `ifma256` kernels are made of.
//!
//! A row adds a * b_i and q * n to the accumulators and moves them down by a digit. The low halves of products belong
//! to the digit's own place, the high halves to the next, which is the same place after the move.

use super::word::MASK;
use crate::{Limb, mpn::lookahead::resolve};
use core::arch::x86_64::*;

/// The same pointer, of which the compiler knows nothing: so that operands stay in memory, where instructions take them
/// for nothing, instead of moving into registers that the accumulators need.
#[inline(always)]
#[allow(clippy::pointers_in_nomem_asm_block)] // there is no instruction, so that none reads
fn opaque<T>(mut p: *const T) -> *const T {
    // SAFETY: no instruction at all.
    unsafe {
        core::arch::asm!("/* {0} */", inout(reg) p, options(nomem, nostack, preserves_flags))
    };
    p
}

/// The low 52 bits of a product of two digits.
#[inline(always)]
fn low52(x: Limb, y: Limb) -> Limb {
    x.wrapping_mul(y) & MASK
}

/// The high 52 bits of a product of two digits.
#[inline(always)]
fn high52(x: Limb, y: Limb) -> Limb {
    ((u128::from(x << 12) * u128::from(y)) >> 64) as Limb
}

/// Rows of one vector width: the same source for eight digits a register and for four.
macro_rules! rows {
    (
        $(#[$doc:meta])*
        $Rows:ident($vector:ty, $digits:literal, $features:literal),
        lo: $lo:ident, hi: $hi:ident, load: $load:ident, store: $store:ident, splat: $splat:ident, zero: $zero:ident,
        add: $add:ident, and: $and:ident, srli: $srli:ident, add_lanes: $mask_add:ident, above: $gt:ident,
        equal: $eq:ident, align: $align:ident, low: $low:ident $(,)?
    ) => {
        $(#[$doc])*
        ///
        /// Invariant between rows: t = (a * b_{<i} + q n) / 2^(52 i). Every word stays below 4 (i + 1) 2^52 < 2^64 for
        /// i < 1023.
        pub(super) struct $Rows<const Z: usize> {
            t: [$vector; Z],
            a: *const Limb,
            n: *const Limb,
            k0: Limb,
        }

        impl<const Z: usize> $Rows<Z> {
            /// Nothing added yet.
            ///
            /// # Safety
            /// `a` and `n` have Z registers of digits, two at least; the processor has what the vectors need.
            #[inline]
            #[target_feature(enable = $features)]
            unsafe fn new(a: *const Limb, n: *const Limb, k0: Limb) -> Self {
                $Rows { t: [$zero(); Z], a, n, k0 }
            }

            /// The row of the digit at `b`.
            ///
            /// # Safety
            /// As for `new`; the digit is readable.
            #[inline]
            #[target_feature(enable = $features)]
            #[allow(clippy::needless_range_loop)] // z walks t, a and n at once
            unsafe fn row(&mut self, b: *const Limb) {
                let (t, pa, pn) = (&mut self.t, self.a, self.n);
                // SAFETY: z < Z; the digit is readable.
                let (a, n, y) = unsafe {
                    (
                        |z| $load(pa.add($digits * z).cast()),
                        |z| $load(pn.add($digits * z).cast()),
                        $splat(*b as i64),
                    )
                };
                for z in 0..Z {
                    t[z] = $lo(t[z], a(z), y);
                }
                // Bits above 52 don't matter: the multiplier reads 52.
                let first = _mm_cvtsi128_si64($low(t[0])) as Limb;
                let q = $splat(first.wrapping_mul(self.k0) as i64);
                // The lowest digit becomes 0 mod 2^52: 2^52 more, unless it was 0. Its carry moves on with the rest.
                let carry = (first + MASK) >> 52;
                for z in 0..Z {
                    t[z] = $lo(t[z], n(z), q);
                }
                for z in 0..Z {
                    let above = if z + 1 < Z { t[z + 1] } else { $zero() };
                    t[z] = $hi($hi($align::<1>(above, t[z]), a(z), y), n(z), q);
                }
                t[0] = $mask_add(t[0], 1, t[0], $splat(carry as i64));
            }

            /// The rows of the two digits at `b`, for one round trip between vectors and general registers: the two
            /// lowest digits of everything, and the quotient digits q0 and q1 that they decide, are found by scalar
            /// instructions.
            ///
            /// # Safety
            /// As for `new`; the digits are readable.
            #[inline]
            #[target_feature(enable = $features)]
            #[allow(clippy::needless_range_loop)] // z walks t, a and n at once
            unsafe fn two_rows(&mut self, b: *const Limb) {
                let (t, k0) = (&mut self.t, self.k0);
                let (pa, pn, b) = (opaque(self.a), opaque(self.n), opaque(b));
                let two = |p: *const Limb| {
                    // SAFETY: two digits of each at least.
                    unsafe { (*p, *p.add(1)) }
                };
                let ((a0, a1), (n0, n1), (b0, b1)) = (two(pa), two(pn), two(b));
                // SAFETY: z < Z; the digits are readable.
                let (a, n, y0, y1) = unsafe {
                    (
                        |z| $load(pa.add($digits * z).cast()),
                        |z| $load(pn.add($digits * z).cast()),
                        $splat(*b as i64),
                        $splat(*b.add(1) as i64),
                    )
                };
                let lowest = $low(t[0]);
                let first = _mm_cvtsi128_si64(lowest) as Limb + low52(a0, b0);
                let q0 = low52(first, k0);
                let second = _mm_extract_epi64::<1>(lowest) as Limb
                    + (high52(a0, b0) + low52(a1, b0) + low52(a0, b1))
                    + ((first + MASK) >> 52) // the carry of a digit that became 0 mod 2^52
                    + high52(n0, q0)
                    + low52(n1, q0);
                let q1 = low52(second, k0);
                let carry = (second + MASK) >> 52;
                let (q0, q1) = ($splat(q0 as i64), $splat(q1 as i64));
                // What belongs to the digits from 0, 1 and 2 on.
                let from_0 = |t, z| $lo($lo(t, a(z), y0), n(z), q0);
                let from_1 = |z| $lo($hi($lo($hi($zero(), a(z), y0), a(z), y1), n(z), q0), n(z), q1);
                let (mut here_0, mut here_1) = (from_0(t[0], 0), from_1(0));
                for z in 0..Z {
                    let (mut above_0, mut above_1) = ($zero(), $zero());
                    if z + 1 < Z {
                        (above_0, above_1) = (from_0(t[z + 1], z + 1), from_1(z + 1));
                    }
                    let moved = $add($align::<2>(above_0, here_0), $align::<1>(above_1, here_1));
                    t[z] = $add(moved, $hi($hi($zero(), a(z), y1), n(z), q1));
                    (here_0, here_1) = (above_0, above_1);
                }
                t[0] = $mask_add(t[0], 1, t[0], $splat(carry as i64));
            }

            /// One multiplication: `radix52_amm` for as many digits as Z registers hold.
            ///
            /// # Safety
            /// The contract of `radix52_amm` with digits for Z registers; the processor has what the vectors need.
            #[target_feature(enable = $features)]
            pub(super) unsafe fn one(
                r: *mut Limb, a: *const Limb, b: *const Limb, n: *const Limb, m: usize, k0: Limb,
            ) {
                // SAFETY: a, n and r have Z registers of digits; i < m, at most the length of b.
                unsafe {
                    let mut x = Self::new(a, n, k0);
                    let odd = m % 2;
                    if odd == 1 {
                        x.row(b);
                    }
                    for i in (odd..m).step_by(2) {
                        x.two_rows(b.add(i));
                    }
                    x.finish(r);
                }
            }

            /// Two multiplications, the rows of both in turn; the second has its operands d digits above the first.
            ///
            /// # Safety
            /// The contract of `radix52_amm_x2` with digits for Z registers; the processor has what the vectors need.
            #[target_feature(enable = $features)]
            pub(super) unsafe fn pair(
                r: *mut Limb, a: *const Limb, b: *const Limb, n: *const Limb, k0: *const Limb, d: usize, m: usize,
            ) {
                // SAFETY: each half of a, n and r has Z registers of digits; i < m, at most the length of each half of b.
                unsafe {
                    let (b, c) = (b, b.add(d));
                    let mut x = Self::new(a, n, *k0);
                    let mut y = Self::new(a.add(d), n.add(d), *k0.add(1));
                    let odd = m % 2;
                    if odd == 1 {
                        x.row(b);
                        y.row(c);
                    }
                    for i in (odd..m).step_by(2) {
                        x.two_rows(b.add(i));
                        y.two_rows(c.add(i));
                    }
                    x.finish(r);
                    y.finish(r.add(d));
                }
            }

            /// Pays the carries and stores the result.
            ///
            /// # Safety
            /// `r` has Z registers of digits; the processor has what the vectors need.
            #[inline]
            #[target_feature(enable = $features)]
            unsafe fn finish(self, r: *mut Limb) {
                // SAFETY: as the caller says.
                unsafe { Self::pay(&self.t, r) }
            }

            /// Stores words as digits below 2^52, the carries paid.
            ///
            /// One parallel round leaves words below 2^52 + 2^12; the last round's carries (0 or 1) ripple as
            /// those of an addition do ([`resolve`]), register by register.
            ///
            /// # Safety
            /// `r` has as many registers of digits as `t`; the processor has what the vectors need.
            #[inline]
            #[target_feature(enable = $features)]
            unsafe fn pay(t: &[$vector], r: *mut Limb) {
                let mask = $splat(MASK as i64);
                let mut below = $zero();
                let mut ripple = 0; // the carry into this register
                for (z, &t) in t.iter().enumerate() {
                    let carry = $srli::<52>(t);
                    let moved = $align::<{ $digits - 1 }>(carry, below);
                    below = carry;
                    let t = $add($and(t, mask), moved);
                    let (generate, pass) = ($gt(t, mask).into(), $eq(t, mask).into());
                    let incoming;
                    (incoming, ripple) = resolve::<$digits>(generate, pass, ripple);
                    let t = $mask_add(t, incoming as u8, t, $splat(1));
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
    srli: _mm512_srli_epi64, add_lanes: _mm512_mask_add_epi64,
    above: _mm512_cmpgt_epu64_mask, equal: _mm512_cmpeq_epu64_mask, align: _mm512_alignr_epi64,
    low: _mm512_castsi512_si128,
}

rows! {
    /// One multiplication under way, four digits a register.
    Rows256(__m256i, 4, "avx512f,avx512vl,avx512ifma"),
    lo: _mm256_madd52lo_epu64, hi: _mm256_madd52hi_epu64, load: _mm256_loadu_epi64, store: _mm256_storeu_epi64,
    splat: _mm256_set1_epi64x, zero: _mm256_setzero_si256, add: _mm256_add_epi64, and: _mm256_and_si256,
    srli: _mm256_srli_epi64, add_lanes: _mm256_mask_add_epi64,
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
                let kept = _mm512_and_si512(*t, splat(MASK));
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

/// Calls `$Rows::<Z>::$f` for a number of registers that is one of those listed.
macro_rules! by_registers {
    ($registers:expr, $Rows:ident :: $f:ident $args:tt, $($z:literal)*) => {
        match $registers { $($z => by_registers!(! $Rows $f $z $args),)* _ => unreachable!("checked in the fence") }
    };
    (! $Rows:ident $f:ident $z:literal ($($arg:expr),*)) => { $Rows::<$z>::$f($($arg),*) };
}
pub(super) use by_registers;
