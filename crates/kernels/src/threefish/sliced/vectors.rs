//! Vectors of words, and how four words of as many blocks as they have lanes are read and written: transposed.

use super::super::rounds::Word;
use crate::Limb;
use core::arch::x86_64::*;

/// A vector of words.
pub(super) trait Vector: Word {
    const LANES: usize;
    /// 0, 1, 2, ... times `step`.
    fn multiples(step: Limb) -> Self;
    /// Four words of each lane's block, from where `row` says that they stand.
    unsafe fn load(row: impl Fn(usize) -> *const Limb) -> [Self; 4];
    /// Writes four words of each lane's block, xored with those of another block if there is one.
    unsafe fn store(
        words: [Self; 4],
        row: impl Fn(usize) -> *mut Limb,
        with: Option<impl Fn(usize) -> *const Limb>,
    );
}

/// The most lanes.
pub(super) const MAX_LANES: usize = 8;
/// Nothing to xor what is written with.
pub(super) const NOTHING: Option<&fn(usize) -> *const Limb> = None;

// SAFETY, of every intrinsic below: whoever has such a vector runs where the processor has what it needs.

#[derive(Clone, Copy)]
pub(super) struct Ymm(__m256i);

#[derive(Clone, Copy)]
pub(super) struct Zmm(__m512i);

macro_rules! word {
    ($V:ident, $splat:ident, $plus:ident, $minus:ident, $xor:ident, |$x:ident, $bits:ident| $rotated:expr) => {
        impl Word for $V {
            #[inline(always)]
            fn splat(limb: Limb) -> $V {
                // SAFETY: see above.
                $V(unsafe { $splat(limb as i64) })
            }
            #[inline(always)]
            fn plus(self, other: $V) -> $V {
                // SAFETY: see above.
                $V(unsafe { $plus(self.0, other.0) })
            }
            #[inline(always)]
            fn minus(self, other: $V) -> $V {
                // SAFETY: see above.
                $V(unsafe { $minus(self.0, other.0) })
            }
            #[inline(always)]
            fn xor(self, other: $V) -> $V {
                // SAFETY: see above.
                $V(unsafe { $xor(self.0, other.0) })
            }
            #[inline(always)]
            fn rotated_left(self, $bits: u32) -> $V {
                let $x = self.0;
                // SAFETY: see above.
                $V(unsafe { $rotated })
            }
        }
    };
}

word!(
    Ymm,
    _mm256_set1_epi64x,
    _mm256_add_epi64,
    _mm256_sub_epi64,
    _mm256_xor_si256,
    |x, bits| {
        let whole = (bits / 8) as i8;
        if bits == 32 {
            _mm256_shuffle_epi32::<0b10_11_00_01>(x)
        } else if bits.is_multiple_of(8) {
            // Byte i of a word is byte i - whole of it before.
            let from: [i8; 32] = core::array::from_fn(|i| (i as i8 & 8) | (i as i8 - whole) & 7);
            _mm256_shuffle_epi8(x, _mm256_loadu_si256(from.as_ptr().cast()))
        } else {
            let (left, right) = (
                _mm256_sllv_epi64(x, _mm256_set1_epi64x(bits.into())),
                _mm256_srlv_epi64(x, _mm256_set1_epi64x((64 - bits).into())),
            );
            _mm256_or_si256(left, right)
        }
    }
);

word!(
    Zmm,
    _mm512_set1_epi64,
    _mm512_add_epi64,
    _mm512_sub_epi64,
    _mm512_xor_si512,
    |x, bits| _mm512_rolv_epi64(x, _mm512_set1_epi64(bits.into()))
);

impl Vector for Ymm {
    const LANES: usize = 4;

    #[inline(always)]
    fn multiples(step: Limb) -> Ymm {
        let s = step as i64;
        // SAFETY: see above.
        Ymm(unsafe { _mm256_set_epi64x(s.wrapping_mul(3), s.wrapping_mul(2), s, 0) })
    }

    #[inline(always)]
    unsafe fn load(row: impl Fn(usize) -> *const Limb) -> [Ymm; 4] {
        // SAFETY: four words at each row, as the caller says.
        unsafe {
            let [a, b, c, d] = [row(0), row(1), row(2), row(3)];
            transposed_ymm([
                Ymm(_mm256_loadu_si256(a.cast())),
                Ymm(_mm256_loadu_si256(b.cast())),
                Ymm(_mm256_loadu_si256(c.cast())),
                Ymm(_mm256_loadu_si256(d.cast())),
            ])
        }
    }

    #[inline(always)]
    unsafe fn store(
        words: [Ymm; 4],
        row: impl Fn(usize) -> *mut Limb,
        with: Option<impl Fn(usize) -> *const Limb>,
    ) {
        for (l, Ymm(words)) in transposed_ymm(words).into_iter().enumerate() {
            // SAFETY: four words at each row, as the caller says.
            unsafe { store_row(row(l), words, with.as_ref().map(|with| with(l))) };
        }
    }
}

/// Writes four words of a block, xored with those at `with`.
///
/// # Safety
/// There are four words of bytes at both addresses; the processor has AVX2.
#[inline(always)]
unsafe fn store_row(row: *mut Limb, mut words: __m256i, with: Option<*const Limb>) {
    // SAFETY: as the caller says.
    unsafe {
        if let Some(with) = with {
            words = _mm256_xor_si256(words, _mm256_loadu_si256(with.cast()));
        }
        _mm256_storeu_si256(row.cast(), words);
    }
}

#[inline(always)]
fn transposed_ymm([a, b, c, d]: [Ymm; 4]) -> [Ymm; 4] {
    // SAFETY: see above.
    unsafe {
        let (ab, ab_odd) = (
            _mm256_unpacklo_epi64(a.0, b.0),
            _mm256_unpackhi_epi64(a.0, b.0),
        );
        let (cd, cd_odd) = (
            _mm256_unpacklo_epi64(c.0, d.0),
            _mm256_unpackhi_epi64(c.0, d.0),
        );
        [
            Ymm(_mm256_permute2x128_si256::<0x20>(ab, cd)),
            Ymm(_mm256_permute2x128_si256::<0x20>(ab_odd, cd_odd)),
            Ymm(_mm256_permute2x128_si256::<0x31>(ab, cd)),
            Ymm(_mm256_permute2x128_si256::<0x31>(ab_odd, cd_odd)),
        ]
    }
}

/// Two transpositions of four words of four blocks, one in each half of the registers.
impl Vector for Zmm {
    const LANES: usize = 8;

    #[inline(always)]
    fn multiples(step: Limb) -> Zmm {
        let s = |i: i64| (step as i64).wrapping_mul(i);
        // SAFETY: see above.
        Zmm(unsafe { _mm512_set_epi64(s(7), s(6), s(5), s(4), s(3), s(2), s(1), 0) })
    }

    #[inline(always)]
    unsafe fn load(row: impl Fn(usize) -> *const Limb) -> [Zmm; 4] {
        // SAFETY: four words at each row, as the caller says.
        unsafe {
            transposed_zmm([
                load_rows(row(0), row(4)),
                load_rows(row(1), row(5)),
                load_rows(row(2), row(6)),
                load_rows(row(3), row(7)),
            ])
        }
    }

    #[inline(always)]
    unsafe fn store(
        words: [Zmm; 4],
        row: impl Fn(usize) -> *mut Limb,
        with: Option<impl Fn(usize) -> *const Limb>,
    ) {
        for (l, Zmm(words)) in transposed_zmm(words).into_iter().enumerate() {
            // SAFETY: four words at each row, as the caller says.
            unsafe {
                let halves = [
                    _mm512_castsi512_si256(words),
                    _mm512_extracti64x4_epi64::<1>(words),
                ];
                for (half, words) in halves.into_iter().enumerate() {
                    let l = l + 4 * half;
                    store_row(row(l), words, with.as_ref().map(|with| with(l)));
                }
            }
        }
    }
}

/// Four words of two blocks.
///
/// # Safety
/// They are there; the processor has AVX-512 F.
#[inline(always)]
unsafe fn load_rows(low: *const Limb, high: *const Limb) -> Zmm {
    // SAFETY: as the caller says.
    unsafe {
        let low = _mm512_castsi256_si512(_mm256_loadu_si256(low.cast()));
        Zmm(_mm512_inserti64x4::<1>(
            low,
            _mm256_loadu_si256(high.cast()),
        ))
    }
}

#[inline(always)]
fn transposed_zmm([a, b, c, d]: [Zmm; 4]) -> [Zmm; 4] {
    // SAFETY: see above.
    unsafe {
        let low = _mm512_set_epi64(13, 12, 5, 4, 9, 8, 1, 0);
        let high = _mm512_set_epi64(15, 14, 7, 6, 11, 10, 3, 2);
        let (ab, ab_odd) = (
            _mm512_unpacklo_epi64(a.0, b.0),
            _mm512_unpackhi_epi64(a.0, b.0),
        );
        let (cd, cd_odd) = (
            _mm512_unpacklo_epi64(c.0, d.0),
            _mm512_unpackhi_epi64(c.0, d.0),
        );
        [
            Zmm(_mm512_permutex2var_epi64(ab, low, cd)),
            Zmm(_mm512_permutex2var_epi64(ab_odd, low, cd_odd)),
            Zmm(_mm512_permutex2var_epi64(ab, high, cd)),
            Zmm(_mm512_permutex2var_epi64(ab_odd, high, cd_odd)),
        ]
    }
}
