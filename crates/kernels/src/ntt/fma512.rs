//! Residues as floating-point numbers, on AVX-512: the arithmetic of [`super::fma`] on eight lanes.

use super::{
    PRIMES,
    fma::{Fma256, MIDDLE, UNITS, words},
    lanes::Lanes,
};
use crate::{Isa, Limb};
use core::arch::x86_64::*;

/// Eight lanes of AVX-512: two groups of 16 words side by side, one in each half.
#[derive(Clone, Copy)]
pub(super) struct Fma512 {
    p: __m512d,
    inverse: __m512d,
}

impl Fma512 {
    /// The extensions that it executes, and what is too short for it.
    pub(super) const NEEDS: Isa = Isa::AVX512F.and(Fma256::NEEDS);
    /// The least length of its transforms: what the first levels leave are parts of two groups or more.
    pub(super) const LEAST: usize = 128;

    /// a / p, rounded to an integer.
    #[inline(always)]
    fn quotient(self, a: __m512d) -> __m512d {
        // SAFETY: whoever made this knows the processor.
        unsafe {
            let middle = _mm512_set1_pd(MIDDLE);
            _mm512_sub_pd(_mm512_fmadd_pd(a, self.inverse, middle), middle)
        }
    }
}

/// One vector for each half.
///
/// # Safety
/// The processor has AVX-512F.
#[inline(always)]
unsafe fn halves(low: __m256d, high: __m256d) -> __m512d {
    // SAFETY: the caller's word.
    unsafe { _mm512_insertf64x4::<1>(_mm512_castpd256_pd512(low), high) }
}

/// Of both halves the lower pairs of lanes in a and b, and the upper ones.
///
/// # Safety
/// The processor has AVX-512F.
#[inline(always)]
unsafe fn pairs(a: __m512d, b: __m512d) -> [__m512d; 2] {
    // SAFETY: the caller's word.
    unsafe {
        let low = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13);
        let high = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
        [
            _mm512_permutex2var_pd(a, low, b),
            _mm512_permutex2var_pd(a, high, b),
        ]
    }
}

impl Lanes for Fma512 {
    type Vector = __m512d;
    const STEP: usize = 8;

    #[inline(always)]
    unsafe fn new(prime: usize) -> Fma512 {
        let p = PRIMES[prime] as f64;
        // SAFETY: the caller knows the processor.
        unsafe {
            Fma512 {
                p: _mm512_set1_pd(p),
                inverse: _mm512_set1_pd(1.0 / p),
            }
        }
    }

    #[inline(always)]
    unsafe fn load(self, from: *const Limb) -> __m512d {
        // SAFETY: the caller's word; whoever made this knows the processor.
        unsafe { _mm512_loadu_pd(from.cast()) }
    }

    #[inline(always)]
    unsafe fn splat(self, from: *const Limb) -> __m512d {
        // SAFETY: as for `load`.
        unsafe { _mm512_set1_pd(f64::from_bits(*from)) }
    }

    #[inline(always)]
    unsafe fn load_groups(self, from: *const Limb) -> [__m512d; 4] {
        // SAFETY: as for `load`.
        unsafe {
            let block = |c: usize| {
                let from: *const f64 = from.add(4 * c).cast();
                halves(_mm256_loadu_pd(from), _mm256_loadu_pd(from.add(16)))
            };
            [block(0), block(1), block(2), block(3)]
        }
    }

    #[inline(always)]
    unsafe fn store_groups(self, [a, b, c, d]: [__m512d; 4], to: *mut Limb) {
        // SAFETY: as for `load`.
        unsafe {
            let block = |x: __m512d, c: usize| {
                let to: *mut f64 = to.add(4 * c).cast();
                _mm256_storeu_pd(to, _mm512_castpd512_pd256(x));
                _mm256_storeu_pd(to.add(16), _mm512_extractf64x4_pd::<1>(x));
            };
            block(a, 0);
            block(b, 1);
            block(c, 2);
            block(d, 3);
        }
    }

    #[inline(always)]
    unsafe fn group_roots(self, table: *const Limb, j: usize) -> [__m512d; 3] {
        // SAFETY: as for `load`.
        unsafe {
            let both = |low: usize, high: usize| {
                let root = _mm_load_sd(table.add(high).cast());
                _mm512_mask_broadcastsd_pd(self.splat(table.add(low)), 0b1111_0000, root)
            };
            [
                both(j, j + 1),
                both(2 * j, 2 * j + 2),
                both(2 * j + 1, 2 * j + 3),
            ]
        }
    }

    #[inline(always)]
    unsafe fn block_roots(self, table: *const Limb, j: usize) -> [__m512d; 3] {
        // SAFETY: as for `load`.
        unsafe {
            let roots = self.load(table.add(4 * j));
            let (a, b) = (self.load(table.add(8 * j)), self.load(table.add(8 * j + 8)));
            let even = _mm512_setr_epi64(0, 4, 2, 6, 8, 12, 10, 14);
            let odd = _mm512_setr_epi64(1, 5, 3, 7, 9, 13, 11, 15);
            [
                _mm512_permutex_pd::<0b11_01_10_00>(roots),
                _mm512_permutex2var_pd(a, even, b),
                _mm512_permutex2var_pd(a, odd, b),
            ]
        }
    }

    #[inline(always)]
    unsafe fn digits(self, from: *const u8, apart: usize, mask: Limb) -> __m512d {
        // SAFETY: as for `load`.
        unsafe {
            let words = halves(words(from, apart), words(from.add(4 * apart), apart));
            let mask = _mm512_set1_epi64(mask as i64);
            let digits = _mm512_and_si512(_mm512_castpd_si512(words), mask);
            let units = _mm512_set1_pd(UNITS);
            let above = _mm512_or_si512(digits, _mm512_castpd_si512(units));
            _mm512_sub_pd(_mm512_castsi512_pd(above), units)
        }
    }

    #[inline(always)]
    unsafe fn store(self, x: __m512d, to: *mut Limb) {
        // SAFETY: as for `load`.
        unsafe { _mm512_storeu_pd(to.cast(), x) }
    }

    #[inline(always)]
    fn add(self, a: __m512d, b: __m512d) -> __m512d {
        // SAFETY: whoever made this knows the processor.
        unsafe { _mm512_add_pd(a, b) }
    }

    #[inline(always)]
    fn sub(self, a: __m512d, b: __m512d) -> __m512d {
        // SAFETY: whoever made this knows the processor.
        unsafe { _mm512_sub_pd(a, b) }
    }

    #[inline(always)]
    fn mul(self, a: __m512d, b: __m512d) -> __m512d {
        // SAFETY: whoever made this knows the processor.
        unsafe {
            let h = _mm512_mul_pd(a, b);
            let l = _mm512_fmsub_pd(a, b, h);
            _mm512_add_pd(_mm512_fnmadd_pd(self.quotient(h), self.p, h), l)
        }
    }

    #[inline(always)]
    fn reduce(self, a: __m512d) -> __m512d {
        // SAFETY: whoever made this knows the processor.
        unsafe { _mm512_fnmadd_pd(self.quotient(a), self.p, a) }
    }

    /// No 0 is negative: what is equal has a difference of +0, and so has every product and every reduced number.
    #[inline(always)]
    fn canonical(self, a: __m512d) -> __m512d {
        // SAFETY: whoever made this knows the processor.
        unsafe {
            let negative = _mm512_cmp_pd_mask::<_CMP_LT_OQ>(a, _mm512_setzero_pd());
            _mm512_mask_add_pd(a, negative, a, self.p)
        }
    }

    #[inline(always)]
    unsafe fn integers(self, a: __m512d, to: *mut Limb) {
        // SAFETY: as for `load`.
        unsafe {
            let units = _mm512_set1_pd(UNITS);
            let bits = _mm512_castpd_si512(_mm512_add_pd(a, units));
            let integers = _mm512_xor_si512(bits, _mm512_castpd_si512(units));
            _mm512_storeu_si512(to.cast(), integers);
        }
    }

    #[inline(always)]
    fn outward(self, [x0, x1, x2, x3]: [__m512d; 4]) -> [__m512d; 4] {
        // SAFETY: whoever made this knows the processor.
        unsafe {
            let [y0, y2] = pairs(_mm512_unpacklo_pd(x0, x2), _mm512_unpacklo_pd(x1, x3));
            let [y1, y3] = pairs(_mm512_unpackhi_pd(x0, x2), _mm512_unpackhi_pd(x1, x3));
            [y0, y1, y2, y3]
        }
    }

    #[inline(always)]
    fn inward(self, [y0, y1, y2, y3]: [__m512d; 4]) -> [__m512d; 4] {
        // SAFETY: whoever made this knows the processor.
        unsafe {
            let ([a, c], [b, d]) = (pairs(y0, y2), pairs(y1, y3));
            [
                _mm512_unpacklo_pd(a, b),
                _mm512_unpacklo_pd(c, d),
                _mm512_unpackhi_pd(a, b),
                _mm512_unpackhi_pd(c, d),
            ]
        }
    }
}
