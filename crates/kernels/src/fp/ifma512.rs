//! Products of single numbers on AVX-512 IFMA, whose digits stand side by side in vectors.

use super::{
    Calculation, Digits521, Multiply, Residue,
    digits521::{DIGITS, FOLD, HALF, LOWEST, MULTIPLE, WIDTH, Words},
    word::mask,
};
use crate::{Limb, fp8::Ifma512};
use core::arch::x86_64::*;

/// Applies a function on vectors to residues in digits; gives `None` for others.
macro_rules! by_digits {
    ($f:ident, $R:ident: $($x:ident),* $(; $more:ident)?) => {
        match ($($x.digits(),)*) {
            // SAFETY: `new` checked the processor.
            ($(Some($x),)*) => $R::of_digits(Digits521(unsafe { $f($(&$x.0,)* $($more)?) })),
            _ => None,
        }
    };
}

impl Multiply for Ifma512 {
    fn run<C: Calculation>(self, calculation: C) -> C::Output {
        /// # Safety
        /// The processor has what [`NEEDS`](Ifma512::NEEDS) says.
        #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512ifma,bmi2")]
        unsafe fn enter<C: Calculation>(m: Ifma512, calculation: C) -> C::Output {
            calculation.run(m)
        }
        // SAFETY: `new` checked the processor.
        unsafe { enter(self, calculation) }
    }

    #[inline(always)]
    fn mul<R: Residue>(self, a: &R, b: &R) -> R {
        by_digits!(mul, R: a, b).unwrap_or_else(|| a.mul(b))
    }

    #[inline(always)]
    fn sqr<R: Residue>(self, a: &R) -> R {
        self.mul(a, a)
    }

    #[inline(always)]
    fn add<R: Residue>(self, a: &R, b: &R) -> R {
        by_digits!(add, R: a, b).unwrap_or_else(|| a.add(b))
    }

    #[inline(always)]
    fn sub<R: Residue>(self, a: &R, b: &R) -> R {
        by_digits!(sub, R: a, b).unwrap_or_else(|| a.sub(b))
    }

    #[inline(always)]
    fn half<R: Residue>(self, a: &R) -> R {
        by_digits!(half, R: a).unwrap_or_else(|| a.half())
    }

    #[inline(always)]
    fn select<R: Residue>(self, a: &R, b: &R, bit: Limb) -> R {
        let mask = mask(bit);
        by_digits!(select, R: a, b; mask).unwrap_or_else(|| R::select(a, b, bit))
    }
}

/// The words of two vectors.
type Two = [__m512i; 2];

#[inline]
#[target_feature(enable = "avx512f")]
fn load(words: &Words) -> Two {
    let words = words.as_ptr().cast();
    // SAFETY: two vectors are 16 words.
    unsafe { [_mm512_loadu_epi64(words), _mm512_loadu_epi64(words.add(8))] }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn store(two: Two) -> Words {
    let mut words = [0; 16];
    let to = words.as_mut_ptr().cast::<i64>();
    // SAFETY: two vectors are 16 words.
    unsafe {
        _mm512_storeu_epi64(to, two[0]);
        _mm512_storeu_epi64(to.add(8), two[1]);
    }
    words
}

/// From sums: every digit gives its carry to the next.
#[inline]
#[target_feature(enable = "avx512f")]
fn carried(sums: Two) -> Words {
    let carries = sums.map(|sum| _mm512_srli_epi64::<{ WIDTH as u32 }>(sum));
    let last = _mm512_slli_epi64::<{ FOLD as u32 }>(carries[1]);
    let order = _mm512_setr_epi64(DIGITS as i64 - 1, 0, 1, 2, 3, 4, 5, 6);
    let lowest = _mm512_set1_epi64(LOWEST as i64);
    let [low, high] = sums.map(|sum| _mm512_and_si512(sum, lowest));
    store([
        _mm512_add_epi64(low, _mm512_permutex2var_epi64(carries[0], order, last)),
        _mm512_maskz_add_epi64(
            UPPER,
            high,
            _mm512_alignr_epi64::<7>(carries[1], carries[0]),
        ),
    ])
}

#[inline]
#[target_feature(enable = "avx512f")]
fn add(a: &Words, b: &Words) -> Words {
    let (a, b) = (load(a), load(b));
    carried([_mm512_add_epi64(a[0], b[0]), _mm512_add_epi64(a[1], b[1])])
}

#[inline]
#[target_feature(enable = "avx512f")]
fn sub(a: &Words, b: &Words) -> Words {
    let (a, b, multiple) = (load(a), load(b), load(&MULTIPLE));
    let difference = |k: usize| _mm512_sub_epi64(_mm512_add_epi64(a[k], multiple[k]), b[k]);
    carried([difference(0), difference(1)])
}

#[inline]
#[target_feature(enable = "avx512f")]
fn half(a: &Words) -> Words {
    const IN_PLACE: i64 = WIDTH as i64 - 1;
    let a = load(a);
    let odd = a.map(|a| _mm512_and_si512(a, _mm512_set1_epi64(1)));
    let halves = a.map(|a| _mm512_srli_epi64::<1>(a));
    // Digits 9 and 10, and digit 0.
    let order = _mm512_setr_epi64(1, 2, 8, 0, 0, 0, 0, 0);
    let counts = _mm512_setr_epi64(IN_PLACE, IN_PLACE, HALF as i64, 0, 0, 0, 0, 0);
    let next = [
        _mm512_slli_epi64::<{ IN_PLACE as u32 }>(_mm512_alignr_epi64::<1>(odd[1], odd[0])),
        _mm512_sllv_epi64(_mm512_permutex2var_epi64(odd[1], order, odd[0]), counts),
    ];
    store([
        _mm512_add_epi64(halves[0], next[0]),
        _mm512_maskz_add_epi64(UPPER, halves[1], next[1]),
    ])
}

#[inline]
#[target_feature(enable = "avx512f")]
fn select(a: &Words, b: &Words, mask: Limb) -> Words {
    let (a, b, mask) = (load(a), load(b), _mm512_set1_epi64(mask as i64));
    // b where the mask is all ones.
    let chosen = |k: usize| _mm512_ternarylogic_epi64::<0xca>(mask, b[k], a[k]);
    store([chosen(0), chosen(1)])
}

/// The words of the second vector that are digits.
const UPPER: __mmask8 = (1 << (DIGITS - 8)) - 1;

/// Digit i of a times b moved up by i words, so that words of sums are columns.
///
/// Low halves are below 2^52, and high ones below 2^45 stand 2^4 above the next column: a column is below 2^56, and with
/// what is above times 2^7 a sum is below 2^63.
#[target_feature(enable = "avx512f,avx512ifma")]
fn mul(a: &Words, b: &Words) -> Words {
    let (zero, [b0, b1]) = (_mm512_setzero_si512(), load(b));
    // Those of even and odd digits apart, so that fewer additions wait for each other.
    let (mut low, mut high) = ([[zero; 3]; 2], [[zero; 3]; 2]);
    macro_rules! row {
        ($i:literal: $($k:literal $b:expr),*) => {
            let digit = _mm512_set1_epi64(a[$i] as i64);
            $(
                let (sums, at, b) = ($i % 2, $i / 8 + $k, $b);
                low[sums][at] = _mm512_madd52lo_epu64(low[sums][at], digit, b);
                high[sums][at] = _mm512_madd52hi_epu64(high[sums][at], digit, b);
            )*
        };
    }
    // Words of two vectors from word `$i` of the one below on.
    macro_rules! from {
        ($i:literal, $above:expr, $below:expr) => {
            _mm512_alignr_epi64::<$i>($above, $below)
        };
    }
    row!(0: 0 b0, 1 b1);
    row!(1: 0 from!(7, b0, zero), 1 from!(7, b1, b0));
    row!(2: 0 from!(6, b0, zero), 1 from!(6, b1, b0));
    row!(3: 0 from!(5, b0, zero), 1 from!(5, b1, b0));
    row!(4: 0 from!(4, b0, zero), 1 from!(4, b1, b0));
    row!(5: 0 from!(3, b0, zero), 1 from!(3, b1, b0));
    row!(6: 0 from!(2, b0, zero), 1 from!(2, b1, b0), 2 from!(2, zero, b1));
    row!(7: 0 from!(1, b0, zero), 1 from!(1, b1, b0), 2 from!(1, zero, b1));
    row!(8: 0 b0, 1 b1);
    row!(9: 0 from!(7, b0, zero), 1 from!(7, b1, b0));
    row!(10: 0 from!(6, b0, zero), 1 from!(6, b1, b0));
    let sum = |x: [[__m512i; 3]; 2], k: usize| _mm512_add_epi64(x[0][k], x[1][k]);
    let [h0, h1, h2] = [0, 1, 2].map(|k| _mm512_slli_epi64::<{ 52 - WIDTH as u32 }>(sum(high, k)));
    // High halves belong to the next column, and columns from 11 on go below.
    let c0 = _mm512_add_epi64(sum(low, 0), from!(7, h0, zero));
    let c1 = _mm512_add_epi64(sum(low, 1), from!(7, h1, h0));
    let c2 = _mm512_add_epi64(sum(low, 2), from!(7, h2, h1));
    let above =
        [from!(3, c2, c1), from!(3, zero, c2)].map(|c| _mm512_slli_epi64::<{ FOLD as u32 }>(c));
    carried([
        _mm512_add_epi64(c0, above[0]),
        _mm512_maskz_add_epi64(UPPER, c1, above[1]),
    ])
}
