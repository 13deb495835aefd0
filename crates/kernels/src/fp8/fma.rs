//! Products of digits by floating-point numbers, on AVX2 and FMA.
//!
//! A product of two digits below 2^52 is below 2^104, so that 2^104 + a b, rounded, is 2^104 plus a multiple of 2^52: its
//! mantissa is the high half, rounded to nearest. What is left, a b less that multiple, is no more than 2^51 either way,
//! and comes from a second multiplication without any rounding (Emmart, Zheng, Weems, ARITH 2018, there with rounding
//! towards zero). Both are added as the integers that their bits are, which leaves their exponents as a surplus.
//!
//! No number is ever subnormal: time depends on none.

use super::{DIGIT_BITS, Lanes, Part, Program, ROWS, pick_by_masks};
use crate::{Cpu, Isa, Limb, simd};
use core::arch::x86_64::*;

/// 2^52: the last bit of its mantissa stands for 1.
const UNITS: f64 = (1_u64 << 52) as f64;
/// Halfway from there to 2^53, so that there is room on both sides.
const MIDDLE: f64 = 1.5 * UNITS;
/// 2^104: the last bit of its mantissa stands for 2^52.
const HIGH: f64 = UNITS * UNITS;

/// Four lanes of AVX2 and FMA.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fma256(pub(super) ());

impl Fma256 {
    /// The extensions that it executes.
    pub const NEEDS: Isa = Isa::AVX2.and(Isa::FMA);

    /// The proof, if there is one.
    pub fn new(cpu: Cpu) -> Option<Fma256> {
        cpu.has(Fma256::NEEDS).then_some(Fma256(()))
    }

    /// # Safety
    /// The processor has AVX2 and FMA.
    #[target_feature(enable = "avx2,fma")]
    unsafe fn enter<P: Program>(self, program: P) -> P::Output {
        program.run(self)
    }

    /// # Safety
    /// The processor has AVX2 and FMA.
    #[target_feature(enable = "avx2,fma")]
    #[inline(never)]
    unsafe fn part<P: Part<Self>>(self, part: P) -> P::Output {
        part.run(self)
    }

    /// Both halves of a product, as the bits of numbers.
    #[inline(always)]
    fn product(self, a: __m256d, b: __m256d) -> [__m256i; 2] {
        // SAFETY: `new` checked the processor.
        unsafe {
            let high = _mm256_fmadd_pd(a, b, _mm256_set1_pd(HIGH));
            let less = _mm256_sub_pd(_mm256_set1_pd(HIGH), high);
            // Exact: an odd multiple of 2^51 below 2^105.
            let less = _mm256_add_pd(less, _mm256_set1_pd(MIDDLE));
            let low = _mm256_fmadd_pd(a, b, less);
            [_mm256_castpd_si256(low), _mm256_castpd_si256(high)]
        }
    }
}

impl Lanes for Fma256 {
    const LANES: usize = 4;
    const SIGNED: bool = true;
    const SURPLUS: [Limb; 2] = [MIDDLE.to_bits(), HIGH.to_bits()];
    type Vector = __m256i;
    type Factor = __m256d;
    type Digits<const N: usize, const BITS: usize> = super::Digits<Self, N, BITS>;
    pick_by_masks!();

    fn run<P: Program>(self, program: P) -> P::Output {
        // SAFETY: `new` checked the processor.
        unsafe { self.enter(program) }
    }

    #[inline(always)]
    fn call<P: Part<Self>>(self, part: P) -> P::Output {
        // SAFETY: `new` checked the processor.
        unsafe { self.part(part) }
    }

    #[inline(always)]
    fn load(self, from: &[Limb; 8], part: usize) -> __m256i {
        // SAFETY: the slice has a vector's length; `new` checked the processor.
        unsafe { _mm256_loadu_si256(from[4 * part..][..4].as_ptr().cast()) }
    }

    #[inline(always)]
    fn store(self, words: __m256i, to: &mut [Limb; 8], part: usize) {
        // SAFETY: the slice has a vector's length; `new` checked the processor.
        unsafe { _mm256_storeu_si256(to[4 * part..][..4].as_mut_ptr().cast(), words) }
    }

    #[inline(always)]
    fn splat(self, word: Limb) -> __m256i {
        // SAFETY: `new` checked the processor.
        unsafe { _mm256_set1_epi64x(word as i64) }
    }

    #[inline(always)]
    fn add(self, a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: `new` checked the processor.
        unsafe { _mm256_add_epi64(a, b) }
    }

    #[inline(always)]
    fn sub(self, a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: `new` checked the processor.
        unsafe { _mm256_sub_epi64(a, b) }
    }

    #[inline(always)]
    fn and(self, a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: `new` checked the processor.
        unsafe { _mm256_and_si256(a, b) }
    }

    #[inline(always)]
    fn or(self, a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: `new` checked the processor.
        unsafe { _mm256_or_si256(a, b) }
    }

    #[inline(always)]
    fn hidden(self, masks: __m256i) -> __m256i {
        // By way of memory: assembly may name no vector where the compiler does not know that there are some.
        *simd::unseen(&masks)
    }

    #[inline(always)]
    fn xor(self, a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: `new` checked the processor.
        unsafe { _mm256_xor_si256(a, b) }
    }

    #[inline(always)]
    fn shr(self, a: __m256i, bits: usize) -> __m256i {
        // SAFETY: `new` checked the processor.
        unsafe { _mm256_srl_epi64(a, _mm_cvtsi64_si128(bits as i64)) }
    }

    /// By a logical shift, whose upper bits are then made those of the sign.
    #[inline(always)]
    fn sar(self, a: __m256i, bits: usize) -> __m256i {
        let sign = self.splat(1 << (63 - bits));
        self.sub(self.xor(self.shr(a, bits), sign), sign)
    }

    #[inline(always)]
    fn shl(self, a: __m256i, bits: usize) -> __m256i {
        // SAFETY: `new` checked the processor.
        unsafe { _mm256_sll_epi64(a, _mm_cvtsi64_si128(bits as i64)) }
    }

    /// The digits as floating-point numbers: the bits of 2^52 plus the digits, less 2^52.
    #[inline(always)]
    fn factor(self, digits: __m256i) -> __m256d {
        let bits = self.or(digits, self.splat(UNITS.to_bits()));
        // SAFETY: `new` checked the processor.
        unsafe { _mm256_sub_pd(_mm256_castsi256_pd(bits), _mm256_set1_pd(UNITS)) }
    }

    #[inline(always)]
    fn mac(self, [low, high]: [__m256i; 2], a: __m256d, b: __m256d) -> [__m256i; 2] {
        let [l, h] = self.product(a, b);
        [self.add(low, l), self.add(high, h)]
    }

    #[inline(always)]
    fn mac_floor(self, [low, high]: [__m256i; 2], a: __m256d, b: __m256d) -> [__m256i; 2] {
        let [l, h] = self.product(a, b);
        // 1 where the low half is negative.
        let borrow = self.shr(self.sub(l, self.splat(MIDDLE.to_bits())), 63);
        let l = self.add(l, self.shl(borrow, DIGIT_BITS));
        [self.add(low, l), self.add(high, self.sub(h, borrow))]
    }

    #[inline(always)]
    fn mac_low(self, low: __m256i, a: __m256d, b: __m256d) -> __m256i {
        // SAFETY: `new` checked the processor.
        let product = unsafe { _mm256_castpd_si256(_mm256_fmadd_pd(a, b, _mm256_set1_pd(MIDDLE))) };
        self.add(low, product)
    }
}
