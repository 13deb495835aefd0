//! The loops of the `fma256` kernels: products of digits by floating-point numbers, on four lanes of AVX2 and FMA.
//!
//! A product of two digits is two numbers, as in `fp8/fma.rs`: 2^104 + a b, rounded, whose mantissa is the high half,
//! and what is left, which may be negative. Both are added as the integers that their bits are. How many exponents get
//! into a sum follows from its place alone, so they are taken away beforehand.
//!
//! Columns of blocks are summed as in `madd52`. With 16 registers a block has five digits at most. Factors are made
//! numbers once, in working space.
//!
//! Every sum stays below (4n + 2) 2^52 < 2^63 and above -n 2^52, as low halves are from -2^51 to 2^51.

use super::{DIGIT_MASK, LANES};
use crate::{Limb, simd::unroll};
use core::arch::x86_64::*;

/// 2^52: the last bit of its mantissa stands for 1.
const UNITS: f64 = (1_u64 << 52) as f64;
/// Halfway from there to 2^53, so that there is room on both sides.
const MIDDLE: f64 = 1.5 * UNITS;
/// 2^104: the last bit of its mantissa stands for 2^52.
const HIGH: f64 = UNITS * UNITS;
/// Lanes of a vector.
const WIDTH: usize = 4;
/// Keeps a sum above zero while it gives its carry away, which is then too large by `OWED`.
const LIFT: Limb = 1 << 62;
const OWED: Limb = LIFT >> 52;

type Sums<const T: usize> = [__m256i; T];

// Helpers are always inlined, into functions that enable what the vectors need; so is `mac`, as it is small.

#[inline(always)]
unsafe fn splat(x: Limb) -> __m256i {
    // SAFETY: the processor has what the vectors need, as in all of these.
    unsafe { _mm256_set1_epi64x(x as i64) }
}

/// Digit i of four lanes of octets.
#[inline(always)]
unsafe fn digit(x: *const Limb, i: usize) -> __m256i {
    // SAFETY: as the caller says.
    unsafe { _mm256_loadu_si256(x.add(LANES * i).cast()) }
}

#[inline(always)]
unsafe fn set(x: *mut Limb, i: usize, v: __m256i) {
    // SAFETY: as the caller says.
    unsafe { _mm256_storeu_si256(x.add(LANES * i).cast(), v) }
}

/// Factor i.
#[inline(always)]
unsafe fn factor(x: *const f64, i: usize) -> __m256d {
    // SAFETY: as the caller says.
    unsafe { _mm256_loadu_pd(x.add(WIDTH * i)) }
}

/// A digit as a number: the bits of 2^52 plus the digit, less 2^52.
#[inline(always)]
unsafe fn number(digit: __m256i) -> __m256d {
    // SAFETY: as the caller says.
    unsafe {
        let bits = _mm256_or_si256(digit, splat(UNITS.to_bits()));
        _mm256_sub_pd(_mm256_castsi256_pd(bits), _mm256_set1_pd(UNITS))
    }
}

/// Digits as factors.
#[inline(always)]
unsafe fn numbers(f: *mut f64, x: *const Limb, digits: usize) {
    for i in 0..digits {
        // SAFETY: as the caller says.
        unsafe { _mm256_storeu_pd(f.add(WIDTH * i), number(digit(x, i))) }
    }
}

/// `low` and `high` plus the halves of x y. In assembly, as a compiler takes many products at once, and then has no
/// registers left for sums.
#[inline]
#[target_feature(enable = "avx2,fma")]
unsafe fn mac(low: &mut __m256i, high: &mut __m256i, x: __m256d, y: *const f64) {
    // SAFETY: as the caller says.
    unsafe {
        core::arch::asm!(
            "vmovupd {y}, [{at}]",
            "vmovapd {h}, {unit}",
            "vfmadd231pd {h}, {x}, {y}",
            "vsubpd {l}, {unit}, {h}",
            "vaddpd {l}, {l}, {middle}",
            "vfmadd231pd {l}, {x}, {y}",
            "vpaddq {low}, {low}, {l}",
            "vpaddq {high}, {high}, {h}",
            at = in(reg) y,
            x = in(ymm_reg) x,
            unit = in(ymm_reg) _mm256_set1_pd(HIGH),
            middle = in(ymm_reg) _mm256_set1_pd(MIDDLE),
            y = out(ymm_reg) _,
            h = out(ymm_reg) _,
            l = out(ymm_reg) _,
            low = inout(ymm_reg) *low,
            high = inout(ymm_reg) *high,
            options(pure, readonly, nostack, preserves_flags),
        )
    }
}

/// t += x y_j 2^(52 (i + j)) for the factors j from `from` on of a block.
#[inline(always)]
unsafe fn row<const B: usize, const T: usize>(
    t: &mut Sums<T>,
    i: usize,
    x: __m256d,
    y: *const f64,
    from: usize,
) {
    for j in from..B {
        // SAFETY: as the caller says.
        unsafe {
            let (mut low, mut high) = (t[i + j], t[i + j + 1]);
            mac(&mut low, &mut high, x, y.add(WIDTH * j));
            (t[i + j], t[i + j + 1]) = (low, high);
        }
    }
}

/// The exponents that the products of rows i and factors `from(i)` and on of a block leave in sum k.
const fn surplus(b: usize, k: usize, upper: bool) -> Limb {
    let mut sum: Limb = 0;
    let mut i = 0;
    while i < b {
        let mut j = if upper { i + 1 } else { 0 };
        while j < b {
            if i + j == k {
                sum = sum.wrapping_add(MIDDLE.to_bits());
            }
            if i + j + 1 == k {
                sum = sum.wrapping_add(HIGH.to_bits());
            }
            j += 1;
        }
        i += 1;
    }
    sum
}

struct Surplus<const B: usize, const T: usize>;
impl<const B: usize, const T: usize> Surplus<B, T> {
    const BLOCK: [Limb; T] = Self::of(false);
    const TRIANGLE: [Limb; T] = Self::of(true);
    const fn of(upper: bool) -> [Limb; T] {
        let mut s = [0; T];
        let mut k = 0;
        while k < T {
            s[k] = surplus(B, k, upper);
            k += 1;
        }
        s
    }
}

/// t less the surplus of `blocks` blocks that will be added.
#[inline(always)]
unsafe fn expect<const B: usize, const T: usize>(t: &mut Sums<T>, blocks: usize) {
    for (t, surplus) in t.iter_mut().zip(const { Surplus::<B, T>::BLOCK }) {
        // SAFETY: as the caller says.
        unsafe { *t = _mm256_sub_epi64(*t, splat(surplus.wrapping_mul(blocks as Limb))) }
    }
}

/// The products of the blocks x_i and y_(c-i) for `range`.
#[inline(always)]
unsafe fn products<const B: usize, const T: usize>(
    t: &mut Sums<T>,
    x: *const f64,
    y: *const f64,
    c: usize,
    range: core::ops::Range<usize>,
) {
    for i in range {
        // SAFETY: as the caller says.
        unsafe {
            let (x, y) = (x.add(WIDTH * B * i), y.add(WIDTH * B * (c - i)));
            unroll!(i < B of 5, row::<B, T>(t, i, factor(x, i), y, 0));
        }
    }
}

/// k0 in halves.
#[derive(Clone, Copy)]
struct Inverse([__m256i; 2]);

impl Inverse {
    #[inline(always)]
    unsafe fn of(k0: *const Limb) -> Inverse {
        // SAFETY: as the caller says.
        unsafe {
            let k0 = digit(k0, 0);
            Inverse([k0, _mm256_srli_epi64::<32>(k0)])
        }
    }

    /// x k0 mod 2^52.
    #[inline(always)]
    unsafe fn times(&self, x: __m256i) -> __m256i {
        let Inverse([low, high]) = *self;
        // SAFETY: as the caller says.
        unsafe {
            let middle = _mm256_add_epi64(
                _mm256_mul_epu32(_mm256_srli_epi64::<32>(x), low),
                _mm256_mul_epu32(x, high),
            );
            let product =
                _mm256_add_epi64(_mm256_mul_epu32(x, low), _mm256_slli_epi64::<32>(middle));
            _mm256_and_si256(product, splat(DIGIT_MASK))
        }
    }
}

/// The quotient digit that makes t_i disappear, as a factor; t += q n_j for the block of n, and t_i moves on.
#[inline(always)]
unsafe fn reduce<const B: usize, const T: usize>(
    t: &mut Sums<T>,
    i: usize,
    k0: &Inverse,
    n: *const f64,
) -> __m256d {
    // SAFETY: as the caller says.
    unsafe {
        // The exponent of what makes it disappear is taken away already.
        let q = number(k0.times(_mm256_add_epi64(t[i], splat(MIDDLE.to_bits()))));
        row::<B, T>(t, i, q, n, 0);
        let carry = _mm256_srli_epi64::<52>(_mm256_add_epi64(t[i], splat(LIFT)));
        t[i + 1] = _mm256_add_epi64(t[i + 1], _mm256_sub_epi64(carry, splat(OWED)));
        q
    }
}

/// The lower half of t as digits of the result: `owed` is what the digits before have above theirs, and `OWED`.
#[inline(always)]
unsafe fn pay<const B: usize, const T: usize>(
    t: &Sums<T>,
    r: *mut Limb,
    mut owed: __m256i,
) -> __m256i {
    for (i, sum) in t[..B].iter().enumerate() {
        // SAFETY: as the caller says.
        unsafe {
            let sum = _mm256_add_epi64(_mm256_add_epi64(*sum, splat(LIFT - OWED)), owed);
            owed = _mm256_srli_epi64::<52>(sum);
            set(r, i, _mm256_and_si256(sum, splat(DIGIT_MASK)));
        }
    }
    owed
}

/// The upper half in the place of the lower.
#[inline(always)]
unsafe fn next_column<const B: usize, const T: usize>(t: &Sums<T>) -> Sums<T> {
    // SAFETY: as the caller says.
    let mut next = unsafe { [_mm256_setzero_si256(); T] };
    next[..B].copy_from_slice(&t[B..]);
    next
}

/// Multiplication of factors.
///
/// # Safety
/// `blocks` times B digits each, which are factors but for r; the processor has AVX2 and FMA.
#[target_feature(enable = "avx2,fma")]
unsafe fn multiply<const B: usize, const T: usize>(
    r: *mut Limb,
    a: *const f64,
    b: *const f64,
    n: *const f64,
    k0: *const Limb,
    q: *mut f64,
    blocks: usize,
) {
    // SAFETY: as the caller says.
    unsafe {
        let k0 = Inverse::of(k0);
        let mut t = [_mm256_setzero_si256(); T];
        let mut owed = splat(OWED);
        for c in 0..2 * blocks {
            let range = (c + 1).saturating_sub(blocks)..c.min(blocks);
            expect::<B, T>(&mut t, 2 * range.len() + if c < blocks { 2 } else { 0 });
            for (x, y) in [(q.cast_const(), n), (b, a)] {
                products::<B, T>(&mut t, x, y, c, range.clone());
            }
            if c < blocks {
                let (b, q) = (b.add(WIDTH * B * c), q.add(WIDTH * B * c));
                unroll!(i < B of 5, {
                    row::<B, T>(&mut t, i, factor(b, i), a, 0);
                    let digit = reduce::<B, T>(&mut t, i, &k0, n);
                    _mm256_storeu_pd(q.add(WIDTH * i), digit);
                });
            } else {
                owed = pay::<B, T>(&t, r.add(LANES * B * (c - blocks)), owed);
            }
            t = next_column::<B, T>(&t);
        }
    }
}

/// Squaring.
///
/// # Safety
/// As for `multiply`.
#[target_feature(enable = "avx2,fma")]
unsafe fn square<const B: usize, const T: usize>(
    r: *mut Limb,
    a: *const f64,
    n: *const f64,
    k0: *const Limb,
    q: *mut f64,
    blocks: usize,
) {
    // SAFETY: as the caller says.
    unsafe {
        let k0 = Inverse::of(k0);
        let mut above = [_mm256_setzero_si256(); B];
        let mut owed = splat(OWED);
        for c in 0..2 * blocks {
            // Products of different digits once, and doubled.
            let mut t = [_mm256_setzero_si256(); T];
            let range = (c + 1).saturating_sub(blocks)..c.div_ceil(2);
            let rest = (c + 1).saturating_sub(blocks)..c.min(blocks);
            let others = rest.len() + usize::from(c < blocks);
            products::<B, T>(&mut t, a, a, c, range.clone());
            let middle = a.add(WIDTH * B * (c / 2));
            if c % 2 == 0 {
                unroll!(i < B of 5,
                    row::<B, T>(&mut t, i, factor(middle, i), middle, i + 1)
                );
            }
            for k in 0..T {
                t[k] = _mm256_add_epi64(t[k], t[k]);
                if k < B {
                    t[k] = _mm256_add_epi64(t[k], above[k]);
                }
                let mut surplus = const { Surplus::<B, T>::BLOCK }[k]
                    .wrapping_mul((2 * range.len() + others) as Limb);
                if c % 2 == 0 {
                    let own = if k % 2 == 0 { MIDDLE } else { HIGH };
                    surplus = surplus
                        .wrapping_add((const { Surplus::<B, T>::TRIANGLE }[k]).wrapping_mul(2))
                        .wrapping_add(own.to_bits());
                }
                t[k] = _mm256_sub_epi64(t[k], splat(surplus));
            }
            if c % 2 == 0 {
                unroll!(i < B of 5, {
                    let (mut low, mut high) = (t[2 * i], t[2 * i + 1]);
                    let y = middle.add(WIDTH * i);
                    mac(&mut low, &mut high, factor(middle, i), y);
                    (t[2 * i], t[2 * i + 1]) = (low, high);
                });
            }
            products::<B, T>(&mut t, q, n, c, rest);
            if c < blocks {
                let q = q.add(WIDTH * B * c);
                unroll!(i < B of 5, {
                    let digit = reduce::<B, T>(&mut t, i, &k0, n);
                    _mm256_storeu_pd(q.add(WIDTH * i), digit);
                });
            } else {
                owed = pay::<B, T>(&t, r.add(LANES * B * (c - blocks)), owed);
            }
            above = core::array::from_fn(|i| t[i + B]);
        }
    }
}

/// The digits of a block: as many as are a part of all, up to five.
fn block(digits: usize) -> usize {
    (1..=5)
        .rev()
        .find(|b| digits.is_multiple_of(*b))
        .unwrap_or(1)
}

macro_rules! by_block {
    ($digits:expr, $f:ident $args:tt) => {
        match block($digits) {
            5 => by_block!(! $f 5 10 $args),
            4 => by_block!(! $f 4 8 $args),
            3 => by_block!(! $f 3 6 $args),
            2 => by_block!(! $f 2 4 $args),
            _ => by_block!(! $f 1 2 $args),
        }
    };
    (! $f:ident $B:literal $T:literal ($($arg:expr),*)) => { $f::<$B, $T>($($arg),*) };
}

/// Per lane, selects one of the M entries at `table` by that lane's index, given as one mask a bit. Reads all of them.
#[inline(always)]
unsafe fn pick<const M: usize>(table: *const Limb, bits: &[__m256d; 5]) -> __m256i {
    // SAFETY: M entries; the processor has AVX2 and FMA.
    unsafe {
        let mut picked = [_mm256_setzero_pd(); M];
        for (i, entry) in picked.iter_mut().enumerate() {
            *entry = _mm256_castsi256_pd(digit(table, i));
        }
        let mut half = M / 2;
        for bit in &bits[..M.ilog2() as usize] {
            for i in 0..half {
                picked[i] = _mm256_blendv_pd(picked[2 * i], picked[2 * i + 1], *bit);
            }
            half /= 2;
        }
        _mm256_castpd_si256(picked[0])
    }
}

/// Digits of entries of a table as factors.
#[inline(always)]
unsafe fn entries<const M: usize>(
    f: *mut f64,
    table: *const Limb,
    index: *const Limb,
    digits: usize,
) {
    // SAFETY: a table of M entries, and room for the factors; the processor has AVX2 and FMA.
    unsafe {
        let index = digit(index, 0);
        let bits = [
            _mm256_slli_epi64::<63>(index),
            _mm256_slli_epi64::<62>(index),
            _mm256_slli_epi64::<61>(index),
            _mm256_slli_epi64::<60>(index),
            _mm256_slli_epi64::<59>(index),
        ];
        let bits = bits.map(|bits| _mm256_castsi256_pd(bits));
        for i in 0..digits {
            let x = number(pick::<M>(table.add(LANES * M * i), &bits));
            _mm256_storeu_pd(f.add(WIDTH * i), x);
        }
    }
}

/// Where factors are in the working space.
#[inline(always)]
unsafe fn room<const N: usize>(t: *mut Limb, digits: usize) -> [*mut f64; N] {
    // SAFETY: there is room for six octets a digit.
    core::array::from_fn(|i| unsafe { t.cast::<f64>().add(WIDTH * digits * i) })
}

/// # Safety
/// The contract of `mb8_amm`; the processor has AVX2 and FMA.
#[target_feature(enable = "avx2,fma")]
pub(super) unsafe fn amm(
    r: *mut Limb,
    a: *const Limb,
    b: *const Limb,
    n: *const Limb,
    k0: *const Limb,
    t: *mut Limb,
    digits: usize,
) {
    let blocks = digits / block(digits);
    for l in (0..LANES).step_by(WIDTH) {
        // SAFETY: the same contract, for the lanes from l on.
        unsafe {
            let [q, x, y, m] = room(t, digits);
            numbers(x, a.add(l), digits);
            numbers(y, b.add(l), digits);
            numbers(m, n.add(l), digits);
            by_block!(digits, multiply(r.add(l), x, y, m, k0.add(l), q, blocks));
        }
    }
}

/// # Safety
/// The contract of `mb8_amm_select`; the processor has AVX2 and FMA.
#[target_feature(enable = "avx2,fma")]
#[allow(clippy::too_many_arguments)]
pub(super) unsafe fn amm_select(
    r: *mut Limb,
    a: *const Limb,
    table: *const Limb,
    index: *const Limb,
    n: *const Limb,
    k0: *const Limb,
    t: *mut Limb,
    digits: usize,
    m: usize,
) {
    let blocks = digits / block(digits);
    for l in (0..LANES).step_by(WIDTH) {
        // SAFETY: the same contract, for the lanes from l on.
        unsafe {
            let [q, x, y, modulus] = room(t, digits);
            numbers(x, a.add(l), digits);
            match m {
                16 => entries::<16>(y, table.add(l), index.add(l), digits),
                _ => entries::<32>(y, table.add(l), index.add(l), digits),
            }
            numbers(modulus, n.add(l), digits);
            by_block!(
                digits,
                multiply(r.add(l), x, y, modulus, k0.add(l), q, blocks)
            );
        }
    }
}

/// # Safety
/// The contract of `mb8_ams`; the processor has AVX2 and FMA.
#[target_feature(enable = "avx2,fma")]
pub(super) unsafe fn ams(
    r: *mut Limb,
    a: *const Limb,
    n: *const Limb,
    k0: *const Limb,
    t: *mut Limb,
    digits: usize,
) {
    let blocks = digits / block(digits);
    for l in (0..LANES).step_by(WIDTH) {
        // SAFETY: the same contract, for the lanes from l on.
        unsafe {
            let [q, x, m] = room(t, digits);
            numbers(x, a.add(l), digits);
            numbers(m, n.add(l), digits);
            by_block!(digits, square(r.add(l), x, m, k0.add(l), q, blocks));
        }
    }
}
