//! Products of saturated limbs through radix 2^52, on AVX-512 IFMA: `ifma512`.
//!
//! Both factors become digits of 52 bits, eight a vector. Vector c of the product gathers, for each digit b_s, the low
//! halves of b_s times the digits of a from 8c - s on, and the high halves of b_s times those from 8c - s - 1 on: the
//! same eight digits, loaded once, meet b_s and b_(s-1). Nothing carries until all are summed; then the carries are
//! resolved vector by vector and the digits packed into limbs.

use crate::{Limb, simd::resolve};
use core::{arch::x86_64::*, mem::MaybeUninit};

/// The most limbs of a factor. The sums would bear more: 2048 digits.
pub(super) const MOST: usize = 128;

/// Vectors of the product that are summed at a time: enough sums for the multiplier's latency.
const COLUMNS: usize = 2;

/// Vectors of a factor of [`MOST`] limbs.
const VECTORS: usize = (64 * MOST).div_ceil(416);

const MASK: i64 = (1 << 52) - 1;

/// The sums of a product, in whole `COLUMNS`.
type Sums = Scratch<{ 2 * VECTORS + COLUMNS }>;

/// Where lane l finds its bits: `[from + step * l]` in words of `width` bits as (word, bit).
const fn places(from: usize, step: usize, width: usize) -> ([i64; 8], [i64; 8]) {
    let (mut words, mut bits) = ([0; 8], [0; 8]);
    let mut lane = 0;
    while lane < 8 {
        let place = from + step * lane;
        (words[lane], bits[lane]) = ((place / width) as i64, (place % width) as i64);
        lane += 1;
    }
    (words, bits)
}

/// The digits of vectors 0 and 1 in limbs from 0 and from 6 on; the pattern repeats every 13 limbs.
static DIGITS: [([i64; 8], [i64; 8]); 2] = [places(0, 52, 64), places(32, 52, 64)];

/// The limbs 0 to 7 and 8 to 12 in sixteen digits.
static LIMBS: [([i64; 8], [i64; 8]); 2] = [places(0, 64, 52), places(512, 64, 52)];

/// Scratch in vectors, wiped by [`Scratch::wipe`].
#[repr(align(64))]
struct Scratch<const N: usize>([MaybeUninit<__m512i>; N]);

impl<const N: usize> Scratch<N> {
    fn new() -> Self {
        Scratch([MaybeUninit::uninit(); N])
    }

    fn digits(&mut self) -> *mut Limb {
        self.0.as_mut_ptr().cast()
    }

    /// Zero to the vectors of `range`.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn wipe(&mut self, range: core::ops::Range<usize>) {
        crate::wipe(&mut self.0[range], MaybeUninit::zeroed());
    }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn vector(lanes: &[i64; 8]) -> __m512i {
    // SAFETY: eight words.
    unsafe { _mm512_loadu_si512(lanes.as_ptr().cast()) }
}

/// The lowest `count` lanes.
#[inline]
fn lanes(count: usize) -> __mmask8 {
    (0xff >> (8 - count.min(8))) as __mmask8
}

/// How many vectors the digits of n limbs fill.
#[inline]
fn vectors(n: usize) -> usize {
    (64 * n).div_ceil(416)
}

/// The digits of `a[n]`; returns how many vectors they fill.
///
/// # Safety
/// `d` has room for 8 ceil(64n / 416) digits; the processor has AVX-512 F.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn to_digits(d: *mut Limb, a: *const Limb, n: usize) -> usize {
    let vectors = vectors(n);
    for v in 0..vectors {
        let first = 13 * (v / 2) + 6 * (v % 2);
        let (limb, bit) = &DIGITS[v % 2];
        let (limb, bit) = (vector(limb), vector(bit));
        // SAFETY: only limbs below n are read; v is below what d has room for.
        unsafe {
            let x = _mm512_maskz_loadu_epi64(lanes(n - first), a.add(first).cast());
            let low = _mm512_permutexvar_epi64(limb, x);
            let high = _mm512_permutexvar_epi64(_mm512_add_epi64(limb, _mm512_set1_epi64(1)), x);
            let low = _mm512_srlv_epi64(low, bit);
            let high = _mm512_sllv_epi64(high, _mm512_sub_epi64(_mm512_set1_epi64(64), bit));
            let digits = _mm512_and_si512(_mm512_or_si512(low, high), _mm512_set1_epi64(MASK));
            _mm512_store_si512(d.add(8 * v).cast(), digits);
        }
    }
    vectors
}

/// The limbs `r[n]` of the sums `d`: carries resolved, digits packed.
///
/// # Safety
/// `d` has the digits of n limbs and is filled up to whole pairs of vectors; the processor has AVX-512 F.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn from_sums(r: *mut Limb, n: usize, d: *const Limb) {
    let mask = _mm512_set1_epi64(MASK);
    let (mut above, mut carry) = (_mm512_setzero_si512(), 0);
    for (i, first) in (0..n).step_by(13).enumerate() {
        // SAFETY: the pair is in d; only limbs below n are written.
        unsafe {
            let mut pair = [0, 8].map(|j| {
                let x = _mm512_load_si512(d.add(16 * i + j).cast());
                let over = _mm512_srli_epi64::<52>(x);
                let entering = _mm512_alignr_epi64::<7>(over, above);
                above = over;
                _mm512_add_epi64(_mm512_and_si512(x, mask), entering)
            });
            let bits = |f: fn(__m512i, __m512i) -> __mmask8| {
                Limb::from(f(pair[0], mask)) | Limb::from(f(pair[1], mask)) << 8
            };
            let generate = bits(|x, y| _mm512_cmpgt_epu64_mask(x, y));
            let pass = bits(|x, y| _mm512_cmpeq_epu64_mask(x, y));
            let (carries, out) = resolve(16, generate, pass, carry);
            carry = out;
            for (x, carries) in pair.iter_mut().zip([carries, carries >> 8]) {
                let y = _mm512_mask_sub_epi64(*x, carries as __mmask8, *x, _mm512_set1_epi64(-1));
                *x = _mm512_and_si512(y, mask);
            }
            for (at, (digit, bit)) in [0, 8].into_iter().zip(&LIMBS) {
                let (digit, bit) = (vector(digit), vector(bit));
                let place = |k: i64| {
                    let digit = _mm512_add_epi64(digit, _mm512_set1_epi64(k));
                    _mm512_permutex2var_epi64(pair[0], digit, pair[1])
                };
                let up = |k: i64| _mm512_sub_epi64(_mm512_set1_epi64(52 * k), bit);
                let x = _mm512_srlv_epi64(place(0), bit);
                let x = _mm512_or_si512(x, _mm512_sllv_epi64(place(1), up(1)));
                let x = _mm512_or_si512(x, _mm512_sllv_epi64(place(2), up(2)));
                let left = n - first;
                if left > at {
                    let count = (left - at).min(if at == 0 { 8 } else { 5 });
                    _mm512_mask_storeu_epi64(r.add(first + at).cast(), lanes(count), x);
                }
            }
        }
    }
}

/// Two vectors of the product, in two parts that are independent for the multiplier's latency.
#[derive(Clone, Copy)]
struct Columns {
    low: [__m512i; COLUMNS],
    high: [__m512i; COLUMNS],
}

impl Columns {
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn zero() -> Self {
        let zero = [_mm512_setzero_si512(); COLUMNS];
        Columns {
            low: zero,
            high: zero,
        }
    }

    /// Adds the products of the eight digits at `y` with those at `x`, and around it as far as they reach these columns.
    ///
    /// On the diagonal of a square x and y are the same digits, and of those from 8c on, times digit s, only the ones
    /// above digit s count.
    ///
    /// # Safety
    /// `x` has 8 digits below it and 8 `COLUMNS` from it on, `y` has 8; the processor has AVX-512 F and IFMA.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    unsafe fn add<const DIAGONAL: bool>(&mut self, x: *const Limb, y: *const Limb) {
        let above = |lane: isize| -> __mmask8 {
            match (DIAGONAL, lane) {
                (false, _) | (_, ..0) => 0xff,
                (_, 0..8) => (0xff << (lane + 1)) as __mmask8,
                _ => 0,
            }
        };
        let mut below = _mm512_setzero_si512();
        for s in 0..9 {
            // SAFETY: s < 8 where the digit is read; the window starts s <= 8 digits below.
            let digit = unsafe {
                if s < 8 {
                    _mm512_set1_epi64(*y.add(s) as i64)
                } else {
                    below
                }
            };
            for c in 0..COLUMNS {
                // SAFETY: as above.
                let window = unsafe { _mm512_loadu_si512(x.add(8 * c).sub(s).cast()) };
                let first = 2 * s as isize - 8 * c as isize;
                if s < 8 {
                    let (sum, lanes) = (&mut self.low[c], above(first));
                    *sum = _mm512_mask_madd52lo_epu64(*sum, lanes, window, digit);
                }
                if s > 0 {
                    let (sum, lanes) = (&mut self.high[c], above(first - 1));
                    *sum = _mm512_mask_madd52hi_epu64(*sum, lanes, window, below);
                }
            }
            below = digit;
        }
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn sum(&self, c: usize) -> __m512i {
        _mm512_add_epi64(self.low[c], self.high[c])
    }
}

/// The digits of a factor with `COLUMNS` vectors of zeros below and above, for the windows that reach out of it.
type Padded = Scratch<{ VECTORS + 2 * COLUMNS }>;

/// Fills `x` with the digits of `a[n]`; returns where they are, and how many vectors.
///
/// # Safety
/// 1 <= n <= [`MOST`]; the processor has AVX-512 F.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn pad(x: &mut Padded, a: *const Limb, n: usize) -> (*const Limb, usize) {
    // SAFETY: x has room for MOST limbs between the zeros.
    unsafe {
        let p = vectors(n);
        x.wipe(0..COLUMNS);
        x.wipe(COLUMNS + p..2 * COLUMNS + p);
        let digits = x.digits().add(8 * COLUMNS);
        to_digits(digits, a, n);
        (digits, p)
    }
}

/// `r := a * b`.
///
/// # Safety
/// `r[n + m]`, `a[n]`, `b[m]`, n and m from 1 to [`MOST`]; `r` overlaps nothing; the processor has AVX-512 F and IFMA.
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) unsafe fn mul(r: *mut Limb, a: *const Limb, n: usize, b: *const Limb, m: usize) {
    let (mut x, mut y) = (Padded::new(), Scratch::<VECTORS>::new());
    let mut sums = Sums::new();
    // SAFETY: the lengths; the window of columns i - j to i - j + COLUMNS starts COLUMNS - 1 vectors below x at most,
    // and p above it.
    unsafe {
        let (px, p) = pad(&mut x, a, n);
        let py = y.digits();
        let q = to_digits(py, b, m);
        for i in (0..p + q).step_by(COLUMNS) {
            let mut columns = Columns::zero();
            for j in i.saturating_sub(p)..q.min(i + COLUMNS) {
                columns.add::<false>(px.offset(8 * (i as isize - j as isize)), py.add(8 * j));
            }
            for c in 0..COLUMNS {
                _mm512_store_si512(sums.digits().add(8 * (i + c)).cast(), columns.sum(c));
            }
        }
        from_sums(r, n + m, sums.digits());
        x.wipe(COLUMNS..COLUMNS + p);
        y.wipe(0..q);
        sums.wipe(0..p + q);
    }
}

/// `r := a^2`: the products of different digits once, doubled, and the squares of digits.
///
/// # Safety
/// `r[2n]`, `a[n]`, n from 1 to [`MOST`]; `r` does not overlap `a`; the processor has AVX-512 F and IFMA.
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) unsafe fn sqr(r: *mut Limb, a: *const Limb, n: usize) {
    let (mut x, mut sums) = (Padded::new(), Sums::new());
    // SAFETY: as for `mul`. Digits from 4i on are in x or in the zeros above it.
    unsafe {
        let (px, p) = pad(&mut x, a, n);
        for i in (0..2 * p).step_by(COLUMNS) {
            let mut columns = Columns::zero();
            for j in i.saturating_sub(p)..i / 2 {
                columns.add::<false>(px.add(8 * (i - j)), px.add(8 * j));
            }
            columns.add::<true>(px.add(4 * i), px.add(4 * i));
            for c in 0..COLUMNS {
                let four = _mm256_loadu_si256(px.add(4 * (i + c)).cast());
                let twice = _mm512_set_epi64(3, 3, 2, 2, 1, 1, 0, 0);
                let digits = _mm512_permutexvar_epi64(twice, _mm512_castsi256_si512(four));
                let sum = columns.sum(c);
                let sum = _mm512_add_epi64(sum, sum);
                let sum = _mm512_mask_madd52lo_epu64(sum, 0b0101_0101, digits, digits);
                let sum = _mm512_mask_madd52hi_epu64(sum, 0b1010_1010, digits, digits);
                _mm512_store_si512(sums.digits().add(8 * (i + c)).cast(), sum);
            }
        }
        from_sums(r, 2 * n, sums.digits());
        x.wipe(COLUMNS..COLUMNS + p);
        sums.wipe(0..2 * p);
    }
}
