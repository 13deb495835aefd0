//! Numbers of more registers than the processor has: eight rows at a time, the accumulators in memory.
//!
//! Eight digits of b and the eight quotient digits that they decide stay in registers while a column of a and n after
//! the other passes by; a register of eight digits shifted by s of them is made of two neighbours by one instruction.
//! The quotient digits of the next eight rows need only the lowest column, and are found while the others are on their
//! way.

use super::{rows::pay, word::MASK};
use crate::{
    Limb,
    simd::{Zmm, resolve},
    wipe,
};
use core::arch::x86_64::*;

/// A vector in all shifts by less than a register, zeros moving in from below.
type Shifts = [__m512i; 8];

/// The digits of a register.
type Digits = [Limb; 8];

/// For each shift s: `$w` is register `$here` with the digits moved up by s, those of `$below` moving in.
macro_rules! windows {
    ($here:expr, $below:expr, |$s:ident, $w:ident| $body:expr) => {{
        let (here, below) = ($here, $below);
        windows!(@ here below $s $w $body; 0 8, 1 7, 2 6, 3 5, 4 4, 5 3, 6 2, 7 1);
        let ($s, $w) = (8, below);
        $body;
    }};
    ($here:expr, $below:expr; at $p:expr, |$s:ident, $w:ident| $body:expr) => {{
        let (here, below, p) = ($here, $below, $p);
        windows!(@ here below $s $w $body; 0 8, 2 6, 4 4, 6 2);
        windows!(@ p $s $w $body; 1 3 5 7);
        let ($s, $w) = (8, below);
        $body;
    }};
    (@ $p:ident $s:ident $w:ident $body:expr; $($shift:literal)*) => {
        // SAFETY: the digits below those of a register are readable.
        $({ let ($s, $w) = ($shift, unsafe { _mm512_loadu_epi64($p.cast::<i64>().sub($shift)) }); $body; })*
    };
    (@ $here:ident $below:ident $s:ident $w:ident $body:expr; 0 8 $(, $shift:literal $rest:literal)*) => {
        { let ($s, $w) = (0, $here); $body; }
        $({ let ($s, $w) = ($shift, _mm512_alignr_epi64::<$rest>($here, $below)); $body; })*
    };
}

/// Adds to one column the products of a block y, in four sums: the products with the digits of the register `$here` and
/// of the one below it. A block z adds its products with the same digits to another column.
macro_rules! column {
    ([$acc:expr, $y:expr, $next:expr, $z:expr], $here:expr, $below:expr $(, at $p:expr)?) => {
        windows!($here, $below $(; at $p)?, |s, w| {
            if s < 8 {
                $acc[s % 2] = _mm512_madd52lo_epu64($acc[s % 2], w, $y[s % 8]);
                $next[s % 2] = _mm512_madd52lo_epu64($next[s % 2], w, $z[s % 8]);
            }
            if s > 0 {
                $acc[2 + s % 2] = _mm512_madd52hi_epu64($acc[2 + s % 2], w, $y[(s + 7) % 8]);
                $next[2 + s % 2] = _mm512_madd52hi_epu64($next[2 + s % 2], w, $z[(s + 7) % 8]);
            }
        })
    };
    ($acc:expr, $here:expr, $below:expr, $y:expr $(, at $p:expr)?) => {
        windows!($here, $below $(; at $p)?, |s, w| {
            if s < 8 {
                $acc[s % 2] = _mm512_madd52lo_epu64($acc[s % 2], w, $y[s % 8]);
            }
            if s > 0 {
                $acc[2 + s % 2] = _mm512_madd52hi_epu64($acc[2 + s % 2], w, $y[(s + 7) % 8]);
            }
        })
    };
}

pub(super) use {column, windows};

#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn splat(x: Limb) -> __m512i {
    _mm512_set1_epi64(x as i64)
}

#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn sum([a, b, c, d]: [__m512i; 4]) -> __m512i {
    _mm512_add_epi64(_mm512_add_epi64(a, b), _mm512_add_epi64(c, d))
}

/// A register of words.
///
/// # Safety
/// Eight words are readable.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) unsafe fn load(p: *const Limb) -> __m512i {
    // SAFETY: as the caller says.
    unsafe { _mm512_loadu_epi64(p.cast()) }
}

/// The digits of a register in memory.
#[inline]
#[target_feature(enable = "avx512f")]
fn store(x: __m512i) -> Digits {
    let mut digits = [0; 8];
    // SAFETY: eight digits.
    unsafe { _mm512_storeu_epi64(digits.as_mut_ptr().cast(), x) };
    digits
}

/// The low eight digits, carries owed, of the product of a number that begins with these, in all shifts, and a block.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn low_product(x: &Shifts, y: &Digits) -> __m512i {
    let zero = _mm512_setzero_si512();
    let mut acc = [zero; 4];
    for s in 0..8 {
        acc[s % 2] = _mm512_madd52lo_epu64(acc[s % 2], x[s], splat(y[s]));
        if s < 7 {
            acc[2 + s % 2] = _mm512_madd52hi_epu64(acc[2 + s % 2], x[s + 1], splat(y[s]));
        }
    }
    sum(acc)
}

#[inline]
#[target_feature(enable = "avx512f")]
fn shifts(x: __m512i) -> Shifts {
    let mut all = [x; 8];
    windows!(x, _mm512_setzero_si512(), |s, w| if s < 8 {
        all[s % 8] = w;
    });
    all
}

/// Eight words as digits, and what is carried out of them.
#[inline]
#[target_feature(enable = "avx512f")]
fn normalise(x: __m512i) -> (__m512i, Limb) {
    let (mask, zero) = (splat(MASK), _mm512_setzero_si512());
    let carry = _mm512_srli_epi64::<52>(x);
    let x = _mm512_add_epi64(
        _mm512_and_si512(x, mask),
        _mm512_alignr_epi64::<7>(carry, zero),
    );
    let (above, equal) = (
        _mm512_cmpgt_epu64_mask(x, mask),
        _mm512_cmpeq_epu64_mask(x, mask),
    );
    let (incoming, ripple) = resolve(8, above.into(), equal.into(), 0);
    let x = _mm512_mask_add_epi64(x, incoming as u8, x, splat(1));
    let out = _mm_cvtsi128_si64(_mm512_castsi512_si128(_mm512_alignr_epi64::<7>(
        zero, carry,
    )));
    (_mm512_and_si512(x, mask), out as Limb + ripple)
}

/// The eight digits of `-n^-1 mod 2^416`, of those of n and `k0 = -n^-1 mod 2^52`.
fn neg_inverse(n: &Digits, k0: Limb) -> Digits {
    let mut k: Digits = [0; 8];
    // 1 + n k, of which digit after digit becomes 0
    let mut rest: Digits = [0; 8];
    rest[0] = 1;
    for i in 0..8 {
        k[i] = rest[i].wrapping_mul(k0) & MASK;
        let mut carry = 0;
        for j in i..8 {
            let sum = u128::from(rest[j]) + u128::from(k[i]) * u128::from(n[j - i]) + carry;
            rest[j] = sum as Limb & MASK;
            carry = sum >> 52;
        }
    }
    wipe(&mut rest, 0);
    k
}

/// A multiplication or squaring under way.
///
/// Invariant between blocks: t = (a * b_{<i} + q n) / 2^(52 * 8i). Eight rows add 32 * 2^52 to a word at most, so that
/// carries are moved up every 64 blocks.
struct Blocks<const MAX: usize> {
    t: [__m512i; MAX],
    n_low: Shifts,
    /// `-n^-1 mod 2^416`
    k: Shifts,
    n: *const __m512i,
    blocks: usize,
}

impl<const MAX: usize> Blocks<MAX> {
    /// # Safety
    /// `n` has `blocks` blocks, 2 to MAX.
    #[target_feature(enable = "avx512f,avx512vl,avx512ifma,bmi2")]
    unsafe fn new(n: *const Limb, blocks: usize, k0: Limb) -> Self {
        // SAFETY: a block at least.
        let (digits, first) = unsafe { (&*n.cast(), _mm512_loadu_epi64(n.cast())) };
        let mut k = neg_inverse(digits, k0);
        let this = Blocks {
            t: [_mm512_setzero_si512(); MAX],
            n_low: shifts(first),
            // SAFETY: eight digits.
            k: shifts(unsafe { _mm512_loadu_epi64(k.as_ptr().cast()) }),
            n: n.cast(),
            blocks,
        };
        wipe(&mut k, 0);
        this
    }

    /// The quotient digits for a lowest column that holds `low` words, and what the column then carries into the next.
    #[inline]
    #[target_feature(enable = "avx512f,avx512vl,avx512ifma,bmi2")]
    fn quotient(&self, low: __m512i) -> (Digits, __m512i) {
        let (low, out) = normalise(low);
        let mut digits = store(low);
        let q = store(normalise(low_product(&self.k, &digits)).0);
        wipe(&mut digits, 0);
        // The column is 0 mod 2^416 now: its highest word tells the carry, which is one more than there is in it
        // unless all below was 0.
        let column = _mm512_add_epi64(low, low_product(&self.n_low, &q));
        let carry = _mm512_srli_epi64::<52>(_mm512_add_epi64(column, splat(MASK)));
        let carry = _mm512_alignr_epi64::<7>(_mm512_setzero_si512(), carry);
        (q, _mm512_mask_add_epi64(carry, 1, carry, splat(out)))
    }

    /// Columns `first .. last` of a block of rows: register `c - 1` becomes register `c` and what the digits from
    /// 8c - 8 on add to it; of `x` too if `BOTH`.
    ///
    /// # Safety
    /// `1 <= first`, `last <= blocks + 1`; `x` has `blocks` registers.
    #[inline]
    #[target_feature(enable = "avx512f,avx512vl,avx512ifma,bmi2")]
    unsafe fn columns<const BOTH: bool>(
        &mut self,
        (first, last): (usize, usize),
        x: *const __m512i,
        b: &Digits,
        q: &Digits,
    ) {
        let zero = _mm512_setzero_si512();
        // SAFETY: c < blocks.
        let load = |p: *const __m512i, c: usize| unsafe { _mm512_loadu_epi64(p.add(c).cast()) };
        let (b, q) = (b.map(|x| splat(x)), q.map(|x| splat(x)));
        let mut below = [load(x, first - 1), load(self.n, first - 1)];
        for c in first..last.min(self.blocks) {
            let here = [load(x, c), load(self.n, c)];
            let (mut acc, mut sums) = ([self.t[c], zero, zero, zero], [zero; 4]);
            if BOTH {
                column!(acc, here[0], below[0], b, at x.wrapping_add(c));
            }
            column!(sums, here[1], below[1], q, at self.n.wrapping_add(c));
            self.t[c - 1] = _mm512_add_epi64(sum(acc), sum(sums));
            below = here;
        }
        if first < last && last > self.blocks {
            let (mut acc, mut sums) = ([zero; 4], [zero; 4]);
            if BOTH {
                column!(acc, zero, below[0], b);
            }
            column!(sums, zero, below[1], q);
            self.t[self.blocks - 1] = _mm512_add_epi64(sum(acc), sum(sums));
        }
    }

    /// All rows of `b`. If `SQUARE`, b = a, and x holds the digits of 2a: block i of b is multiplied with block i of a
    /// and with what 2a has above it, for which x is changed on the way.
    ///
    /// # Safety
    /// `x` and `b` have `blocks` blocks, and m digits of `b` count; `x` may be written if `SQUARE`.
    #[inline]
    #[target_feature(enable = "avx512f,avx512vl,avx512ifma,bmi2")]
    unsafe fn run<const SQUARE: bool>(
        &mut self,
        x: *mut __m512i,
        b: *const Limb,
        m: usize,
        k0: Limb,
    ) {
        let (blocks, full) = (self.blocks, m / 8);
        // SAFETY: i < blocks.
        let begin = |i: usize| unsafe {
            if SQUARE {
                if i > 0 {
                    x.add(i - 1).write(_mm512_setzero_si512());
                }
                x.add(i).write(_mm512_loadu_epi64(b.add(8 * i).cast()));
                if i + 1 < blocks {
                    // The lowest bit came from block i, which is not doubled.
                    let above = x.add(i + 1).read();
                    x.add(i + 1)
                        .write(_mm512_mask_and_epi64(above, 1, above, splat(!1)));
                }
            }
        };
        // SAFETY: 8i + 8 <= m.
        let digits = |i: usize| unsafe { &*b.add(8 * i).cast::<Digits>() };
        begin(0);
        // SAFETY: a register at least.
        let mut x_low = shifts(unsafe { _mm512_loadu_epi64(x.cast()) });
        let zero = _mm512_setzero_si512();
        let (mut q, mut carry) = ([0; 8], zero);
        if full > 0 {
            (q, carry) = self.quotient(low_product(&x_low, digits(0)));
        }
        for i in 0..full {
            let (y, mut this) = (digits(i), q);
            let from = if SQUARE { i.max(1) } else { 1 };
            // SAFETY: columns 1 to blocks, and those of x from the first that is not 0.
            unsafe {
                if i > 0 {
                    begin(i);
                }
                if from == 1 {
                    self.columns::<true>((1, 2), x, y, &this);
                } else {
                    self.columns::<false>((1, 2), x, y, &this);
                }
            }
            self.t[0] = _mm512_add_epi64(self.t[0], carry);
            if i + 1 < full {
                let mut low = self.t[0];
                if !SQUARE {
                    low = _mm512_add_epi64(low, low_product(&x_low, digits(i + 1)));
                }
                (q, carry) = self.quotient(low);
            }
            // SAFETY: as above.
            unsafe {
                self.columns::<false>((2, from), x, y, &this);
                self.columns::<true>((from.max(2), blocks + 1), x, y, &this);
            }
            if i % 64 == 63 {
                self.pay_above();
            }
            wipe(&mut this, 0);
        }
        wipe(&mut x_low, zero);
        wipe(&mut q, 0);
        if !m.is_multiple_of(8) {
            if full > 0 {
                begin(full);
            }
            for i in 8 * full..m {
                // SAFETY: i < m.
                unsafe { self.row(x, *b.add(i), k0) };
            }
        }
    }

    /// Moves carries up by a digit, but for those of the lowest column, which is accounted for.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn pay_above(&mut self) {
        let mut below = _mm512_setzero_si512();
        for t in &mut self.t[1..self.blocks] {
            let carry = _mm512_srli_epi64::<52>(*t);
            let kept = _mm512_and_si512(*t, splat(MASK));
            *t = _mm512_add_epi64(kept, _mm512_alignr_epi64::<7>(carry, below));
            below = carry;
        }
        // While squaring t may exceed R, as what is below is multiplied with 2a: the highest word keeps its carry.
        let top = &mut self.t[self.blocks - 1];
        *top = _mm512_mask_add_epi64(*top, 0x80, *top, _mm512_slli_epi64::<52>(below));
    }

    /// The row of one digit.
    ///
    /// # Safety
    /// `x` has `blocks` registers.
    #[inline]
    #[target_feature(enable = "avx512f,avx512vl,avx512ifma,bmi2")]
    unsafe fn row(&mut self, x: *const __m512i, y: Limb, k0: Limb) {
        let zero = _mm512_setzero_si512();
        // SAFETY: z < blocks.
        let load = |p: *const __m512i, z: usize| unsafe { _mm512_loadu_epi64(p.add(z).cast()) };
        let (x, n, y) = (|z| load(x, z), |z| load(self.n, z), splat(y));
        let first = _mm512_madd52lo_epu64(self.t[0], x(0), y);
        let low = _mm_cvtsi128_si64(_mm512_castsi512_si128(first)) as Limb;
        let q = splat(low.wrapping_mul(k0));
        let mut here = _mm512_madd52lo_epu64(first, n(0), q);
        let mut carry = _mm512_maskz_srli_epi64::<52>(1, here);
        for z in 0..self.blocks {
            let mut above = zero;
            if z + 1 < self.blocks {
                above = _mm512_madd52lo_epu64(self.t[z + 1], x(z + 1), y);
                above = _mm512_madd52lo_epu64(above, n(z + 1), q);
            }
            let moved = _mm512_add_epi64(_mm512_alignr_epi64::<1>(above, here), carry);
            self.t[z] = _mm512_madd52hi_epu64(_mm512_madd52hi_epu64(moved, x(z), y), n(z), q);
            (here, carry) = (above, zero);
        }
    }

    /// Pays the carries, stores the result, and wipes what is kept.
    ///
    /// # Safety
    /// `r` has `blocks` blocks.
    #[inline]
    #[target_feature(enable = "avx512f,avx512vl,avx512ifma,bmi2")]
    unsafe fn finish(&mut self, r: *mut Limb) {
        // SAFETY: r has as many blocks.
        unsafe { pay::<Zmm>(self.t.as_ptr().cast(), self.blocks, r) };
        let zero = _mm512_setzero_si512();
        for secret in [&mut self.k[..], &mut self.n_low, &mut self.t[..self.blocks]] {
            wipe(secret, zero);
        }
    }
}

/// `radix52_amm` for 2 to `MAX` blocks.
///
/// # Safety
/// The contract of that operation; the processor has AVX-512 F, VL, IFMA and BMI2.
#[target_feature(enable = "avx512f,avx512vl,avx512ifma,bmi2")]
pub(super) unsafe fn multiply<const MAX: usize>(
    r: *mut Limb,
    a: *const Limb,
    b: *const Limb,
    n: *const Limb,
    blocks: usize,
    m: usize,
    k0: Limb,
) {
    // SAFETY: the same contract; x is only read.
    unsafe {
        let mut work = Blocks::<MAX>::new(n, blocks, k0);
        work.run::<false>(a.cast_mut().cast(), b, m, k0);
        work.finish(r);
    }
}

/// `radix52_ams` for 2 to `MAX` blocks.
///
/// # Safety
/// The contract of that operation; the processor has AVX-512 F, VL, IFMA and BMI2.
#[target_feature(enable = "avx512f,avx512vl,avx512ifma,bmi2")]
pub(super) unsafe fn square<const MAX: usize>(
    r: *mut Limb,
    a: *const Limb,
    n: *const Limb,
    blocks: usize,
    m: usize,
    k0: Limb,
) {
    let mut x = [_mm512_setzero_si512(); MAX];
    let mut below = x[0];
    for (z, x) in x[..blocks].iter_mut().enumerate() {
        // SAFETY: z < blocks.
        let a = unsafe { _mm512_loadu_epi64(a.add(8 * z).cast()) };
        let top = _mm512_srli_epi64::<51>(a);
        let even = _mm512_and_si512(_mm512_add_epi64(a, a), splat(MASK));
        *x = _mm512_add_epi64(even, _mm512_alignr_epi64::<7>(top, below));
        below = top;
    }
    // SAFETY: the same contract; x is this function's own.
    unsafe {
        let mut work = Blocks::<MAX>::new(n, blocks, k0);
        work.run::<true>(x.as_mut_ptr(), a, m, k0);
        work.finish(r);
    }
    wipe(&mut x[..blocks], _mm512_setzero_si512());
}
