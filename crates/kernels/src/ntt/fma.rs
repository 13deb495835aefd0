//! Residues as floating-point numbers, on AVX2 and FMA.
//!
//! All numbers are integers below 2^53, so that sums are exact. Of a product a b the number h is a b rounded, and
//! l = a b - h what was lost, both exact; q is h / p rounded to an integer, so that h - q p is small, and exact, too.
//! h / p is at most 2^51, as adding and subtracting 1.5 2^52 rounds to an integer only up to there; it is off by up to
//! `|a b / p| 2^-52`: a result is at most p/2 and a quarter of what a b is by p^2, by p.
//!
//! No number is ever subnormal: time depends on none.

use super::{PRIMES, lanes::Lanes};
use crate::{Isa, Limb};
use core::arch::x86_64::*;

/// 2^52: the last bit of its mantissa stands for 1.
pub(super) const UNITS: f64 = (1_u64 << 52) as f64;
/// Halfway from there to 2^53: what is added to it is rounded to an integer.
pub(super) const MIDDLE: f64 = 1.5 * UNITS;

/// The words at four places, `apart` bytes from each other.
///
/// # Safety
/// They can be read; the processor has AVX.
#[inline(always)]
pub(super) unsafe fn words(from: *const u8, apart: usize) -> __m256d {
    // SAFETY: the caller's word. The places are at any addresses.
    unsafe {
        let at = |i: usize| from.add(i * apart).cast::<f64>().read_unaligned();
        _mm256_setr_pd(at(0), at(1), at(2), at(3))
    }
}

/// Four lanes of AVX2 and FMA.
#[derive(Clone, Copy)]
pub(super) struct Fma256 {
    p: __m256d,
    inverse: __m256d,
}

impl Fma256 {
    /// The extensions that it executes.
    pub(super) const NEEDS: Isa = Isa::AVX2.and(Isa::FMA);

    /// a / p, rounded to an integer.
    #[inline(always)]
    fn quotient(self, a: __m256d) -> __m256d {
        // SAFETY: whoever made this knows the processor.
        unsafe {
            let middle = _mm256_set1_pd(MIDDLE);
            _mm256_sub_pd(_mm256_fmadd_pd(a, self.inverse, middle), middle)
        }
    }
}

impl Lanes for Fma256 {
    type Vector = __m256d;

    #[inline(always)]
    unsafe fn new(prime: usize) -> Fma256 {
        let p = PRIMES[prime] as f64;
        // SAFETY: the caller knows the processor.
        unsafe {
            Fma256 {
                p: _mm256_set1_pd(p),
                inverse: _mm256_set1_pd(1.0 / p),
            }
        }
    }

    #[inline(always)]
    unsafe fn load(self, from: *const Limb) -> __m256d {
        // SAFETY: the caller's word; whoever made this knows the processor.
        unsafe { _mm256_loadu_pd(from.cast()) }
    }

    #[inline(always)]
    unsafe fn splat(self, from: *const Limb) -> __m256d {
        // SAFETY: as for `load`.
        unsafe { _mm256_set1_pd(f64::from_bits(*from)) }
    }

    #[inline(always)]
    unsafe fn block_roots(self, table: *const Limb, j: usize) -> [__m256d; 3] {
        // SAFETY: as for `load`.
        unsafe {
            let roots = self.load(table.add(4 * j));
            let (low, high) = (self.load(table.add(8 * j)), self.load(table.add(8 * j + 4)));
            [
                _mm256_permute4x64_pd::<0b11_01_10_00>(roots),
                _mm256_unpacklo_pd(low, high),
                _mm256_unpackhi_pd(low, high),
            ]
        }
    }

    #[inline(always)]
    unsafe fn digits(self, from: *const u8, apart: usize, mask: Limb) -> __m256d {
        // SAFETY: as for `load`.
        unsafe {
            let words = _mm256_castpd_si256(words(from, apart));
            let digits = _mm256_and_si256(words, _mm256_set1_epi64x(mask as i64));
            let units = _mm256_set1_pd(UNITS);
            let above = _mm256_or_pd(_mm256_castsi256_pd(digits), units);
            _mm256_sub_pd(above, units)
        }
    }

    #[inline(always)]
    unsafe fn store(self, x: __m256d, to: *mut Limb) {
        // SAFETY: as for `load`.
        unsafe { _mm256_storeu_pd(to.cast(), x) }
    }

    #[inline(always)]
    fn add(self, a: __m256d, b: __m256d) -> __m256d {
        // SAFETY: whoever made this knows the processor.
        unsafe { _mm256_add_pd(a, b) }
    }

    #[inline(always)]
    fn sub(self, a: __m256d, b: __m256d) -> __m256d {
        // SAFETY: whoever made this knows the processor.
        unsafe { _mm256_sub_pd(a, b) }
    }

    #[inline(always)]
    fn mul(self, a: __m256d, b: __m256d) -> __m256d {
        // SAFETY: whoever made this knows the processor.
        unsafe {
            let h = _mm256_mul_pd(a, b);
            let l = _mm256_fmsub_pd(a, b, h);
            _mm256_add_pd(_mm256_fnmadd_pd(self.quotient(h), self.p, h), l)
        }
    }

    #[inline(always)]
    fn reduce(self, a: __m256d) -> __m256d {
        // SAFETY: whoever made this knows the processor.
        unsafe { _mm256_fnmadd_pd(self.quotient(a), self.p, a) }
    }

    #[inline(always)]
    fn canonical(self, a: __m256d) -> __m256d {
        // SAFETY: whoever made this knows the processor.
        unsafe {
            let negative = _mm256_cmp_pd::<_CMP_LT_OQ>(a, _mm256_setzero_pd());
            _mm256_add_pd(a, _mm256_and_pd(negative, self.p))
        }
    }

    #[inline(always)]
    unsafe fn integers(self, a: __m256d, to: *mut Limb) {
        // SAFETY: as for `load`.
        unsafe {
            let units = _mm256_set1_pd(UNITS);
            self.store(_mm256_xor_pd(_mm256_add_pd(a, units), units), to);
        }
    }

    #[inline(always)]
    fn outward(self, [x0, x1, x2, x3]: [__m256d; 4]) -> [__m256d; 4] {
        // SAFETY: whoever made this knows the processor.
        unsafe {
            let (a, b) = (_mm256_unpacklo_pd(x0, x2), _mm256_unpackhi_pd(x0, x2));
            let (c, d) = (_mm256_unpacklo_pd(x1, x3), _mm256_unpackhi_pd(x1, x3));
            [
                _mm256_permute2f128_pd::<0x20>(a, c),
                _mm256_permute2f128_pd::<0x20>(b, d),
                _mm256_permute2f128_pd::<0x31>(a, c),
                _mm256_permute2f128_pd::<0x31>(b, d),
            ]
        }
    }

    #[inline(always)]
    fn inward(self, [y0, y1, y2, y3]: [__m256d; 4]) -> [__m256d; 4] {
        // SAFETY: whoever made this knows the processor.
        unsafe {
            let a = _mm256_permute2f128_pd::<0x20>(y0, y2);
            let b = _mm256_permute2f128_pd::<0x20>(y1, y3);
            let c = _mm256_permute2f128_pd::<0x31>(y0, y2);
            let d = _mm256_permute2f128_pd::<0x31>(y1, y3);
            [
                _mm256_unpacklo_pd(a, b),
                _mm256_unpacklo_pd(c, d),
                _mm256_unpackhi_pd(a, b),
                _mm256_unpackhi_pd(c, d),
            ]
        }
    }
}
