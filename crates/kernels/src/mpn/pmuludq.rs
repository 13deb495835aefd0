//! Rows of products by `pmuludq`, which multiplies 32-bit words: `pmuludq` on two 64-bit lanes, `avx2` on four.
//!
//! Every lane multiplies a limb of its own by b in halves, and adds its limb of r: the result takes two limbs, x and k. The
//! carry limbs k are saved, not passed on: moved up by one lane they are a second number, and one addition of x and k at
//! the end of a turn resolves all carries.

use super::{majority, rows::Rows, word::mac};
use crate::{Limb, simd::resolve};
use core::arch::x86_64::*;

/// `r := a * b`
pub(super) const MUL: u8 = 0;
/// `r := r + a * b`
pub(super) const ADDMUL: u8 = 1;
/// `r := r - a * b`, which is `not (not r + a * b)`
pub(super) const SUBMUL: u8 = 2;

/// Rows on two lanes.
pub(super) struct Pmuludq;

impl Rows for Pmuludq {
    #[inline(always)]
    unsafe fn mul_1(r: *mut Limb, a: *const Limb, n: usize, b: Limb) -> Limb {
        // SAFETY: the contract; x86-64 has SSE2.
        unsafe { two::row::<MUL>(r, a, n, b) }
    }

    #[inline(always)]
    unsafe fn addmul_1(r: *mut Limb, a: *const Limb, n: usize, b: Limb) -> Limb {
        // SAFETY: the contract; x86-64 has SSE2.
        unsafe { two::row::<ADDMUL>(r, a, n, b) }
    }

    #[inline(always)]
    unsafe fn sub_n(r: *mut Limb, a: *const Limb, b: *const Limb, n: usize) -> Limb {
        // SAFETY: the contract.
        unsafe { super::sub_n::portable::kernel(r, a, b, n) }
    }
}

/// The limbs of a turn: eight words of 32 bits.
const TURN: usize = 4;

/// The first limbs, one at a time; returns the carry limb.
///
/// # Safety
/// The contract of the operation, but that n may be 0.
#[inline]
unsafe fn head<const OP: u8>(r: *mut Limb, a: *const Limb, n: usize, b: Limb) -> Limb {
    let invert = if OP == SUBMUL { Limb::MAX } else { 0 };
    let mut carry = 0;
    for i in 0..n {
        // SAFETY: i < n, the length of both.
        unsafe {
            let addend = if OP == MUL { 0 } else { *r.add(i) ^ invert };
            let (low, high) = mac(*a.add(i), b, addend, carry);
            *r.add(i) = low ^ invert;
            carry = high;
        }
    }
    carry
}

/// `a * b + r` in every lane, as two limbs; b in words, each in the low half of every lane.
///
/// Bounds, with w = 2^32 - 1: low <= w^2 + w; middle <= w^2 + w; upper <= w^2 + 2w = 2^64 - 1.
macro_rules! lanes {
    ($V:ty, $features:literal) => {
        #[inline]
        #[target_feature(enable = $features)]
        fn product(a: $V, (b0, b1): ($V, $V), r: $V, word: $V) -> ($V, $V) {
            let a1 = shr::<32>(a);
            let low = add(mul(a, b0), and(r, word));
            let middle = add(mul(a, b1), shr::<32>(low));
            let upper = add(add(mul(a1, b0), and(middle, word)), shr::<32>(r));
            let x = or(and(low, word), shl::<32>(upper));
            let k = add(add(mul(a1, b1), shr::<32>(middle)), shr::<32>(upper));
            (x, k)
        }

        /// The addend of a turn.
        ///
        /// # Safety
        /// A register of limbs at r.
        #[inline]
        #[target_feature(enable = $features)]
        unsafe fn addend<const OP: u8>(r: *const Limb) -> $V {
            if OP == MUL {
                return zero();
            }
            // SAFETY: passed on to the caller.
            let r = unsafe { load(r.cast()) };
            if OP == SUBMUL { xor(r, splat(-1)) } else { r }
        }
    };
}

/// Two lanes, twice a turn.
pub(super) mod two {
    use super::*;
    use core::arch::x86_64::{
        _mm_add_epi64 as add, _mm_and_si128 as and, _mm_loadu_si128 as load, _mm_mul_epu32 as mul,
        _mm_or_si128 as or, _mm_set1_epi64x as splat, _mm_setzero_si128 as zero,
        _mm_slli_epi64 as shl, _mm_srli_epi64 as shr, _mm_xor_si128 as xor,
    };

    lanes!(__m128i, "sse2");

    /// # Safety
    /// The contract of the operation.
    #[inline]
    #[target_feature(enable = "sse2")]
    pub(in super::super) unsafe fn row<const OP: u8>(
        r: *mut Limb,
        a: *const Limb,
        n: usize,
        b: Limb,
    ) -> Limb {
        let first = n % TURN;
        let factor = (splat(b as i64), splat((b >> 32) as i64));
        let word = splat(0xffff_ffff);
        // SAFETY: i + 2 <= n, the length of both.
        unsafe {
            let mut saved = _mm_cvtsi64_si128(head::<OP>(r, a, first, b) as i64);
            let mut carry = zero();
            for turn in (first..n).step_by(TURN) {
                for i in [turn, turn + 2] {
                    let (x, k) =
                        product(load(a.add(i).cast()), factor, addend::<OP>(r.add(i)), word);
                    let moved = _mm_unpacklo_epi64(saved, k);
                    saved = _mm_srli_si128::<8>(k);
                    let (sum, out) = majority::pair::<false>(x, moved, carry);
                    carry = out;
                    let sum = if OP == SUBMUL {
                        xor(sum, splat(-1))
                    } else {
                        sum
                    };
                    _mm_storeu_si128(r.add(i).cast(), sum);
                }
            }
            _mm_cvtsi128_si64(add(saved, carry)) as Limb
        }
    }
}

/// Four lanes.
pub(super) mod four {
    use super::*;
    use core::arch::x86_64::{
        _mm256_add_epi64 as add, _mm256_and_si256 as and, _mm256_loadu_si256 as load,
        _mm256_mul_epu32 as mul, _mm256_or_si256 as or, _mm256_set1_epi64x as splat,
        _mm256_setzero_si256 as zero, _mm256_slli_epi64 as shl, _mm256_srli_epi64 as shr,
        _mm256_xor_si256 as xor,
    };

    lanes!(__m256i, "avx2");

    /// Lanes that are all ones, as the bits of an integer.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn bits(lanes: __m256i) -> Limb {
        _mm256_movemask_pd(_mm256_castsi256_pd(lanes)) as Limb
    }

    /// # Safety
    /// The contract of the operation; the processor has AVX2.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(in super::super) unsafe fn row<const OP: u8>(
        r: *mut Limb,
        a: *const Limb,
        n: usize,
        b: Limb,
    ) -> Limb {
        let first = n % TURN;
        let factor = (splat(b as i64), splat((b >> 32) as i64));
        let word = splat(0xffff_ffff);
        let top = splat(i64::MIN);
        let lane = _mm256_set_epi64x(8, 4, 2, 1);
        // SAFETY: i + 4 <= n, the length of both.
        unsafe {
            let mut saved = splat(head::<OP>(r, a, first, b) as i64); // the low lane counts
            let mut carry = 0;
            for i in (first..n).step_by(TURN) {
                let (x, k) = product(load(a.add(i).cast()), factor, addend::<OP>(r.add(i)), word);
                let turned = _mm256_permute4x64_epi64::<0b10_01_00_11>(k);
                let moved = _mm256_blend_epi32::<0b11>(turned, saved);
                saved = turned;
                let sum = add(x, moved);
                let generate = bits(_mm256_cmpgt_epi64(xor(moved, top), xor(sum, top)));
                let pass = bits(_mm256_cmpeq_epi64(sum, splat(-1)));
                let (carries, out) = resolve(TURN, generate, pass, carry);
                carry = out;
                let enters = _mm256_cmpeq_epi64(and(splat(carries as i64), lane), lane);
                let sum = _mm256_sub_epi64(sum, enters);
                let sum = if OP == SUBMUL {
                    xor(sum, splat(-1))
                } else {
                    sum
                };
                _mm256_storeu_si256(r.add(i).cast(), sum);
            }
            _mm256_extract_epi64::<0>(saved) as Limb + carry
        }
    }
}
