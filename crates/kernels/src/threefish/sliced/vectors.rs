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
    /// Writes W words of each lane's block, one block behind the other, xored with those at `with` if there are any.
    unsafe fn store<const W: usize>(words: &[Self; W], r: *mut Limb, with: Option<*const Limb>);
}

/// The most lanes.
pub(super) const MAX_LANES: usize = 8;

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
    unsafe fn store<const W: usize>(words: &[Ymm; W], r: *mut Limb, with: Option<*const Limb>) {
        for (i, four) in words.as_chunks().0.iter().enumerate() {
            for (l, Ymm(mut row)) in transposed_ymm(*four).into_iter().enumerate() {
                let at = W * l + 4 * i;
                // SAFETY: W words of each of four blocks, as the caller says.
                unsafe {
                    if let Some(with) = with {
                        row = _mm256_xor_si256(row, _mm256_loadu_si256(with.add(at).cast()));
                    }
                    _mm256_storeu_si256(r.add(at).cast(), row);
                }
            }
        }
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
    unsafe fn store<const W: usize>(words: &[Zmm; W], r: *mut Limb, with: Option<*const Limb>) {
        let write = |Zmm(mut row): Zmm, at: usize| {
            // SAFETY: W words of each of eight blocks, as the caller says.
            unsafe {
                if let Some(with) = with {
                    row = _mm512_xor_si512(row, _mm512_loadu_si512(with.add(at).cast()));
                }
                _mm512_storeu_si512(r.add(at).cast(), row);
            }
        };
        if let Some(four) = words.first_chunk()
            && W == 4
        {
            for (l, row) in pairs_of_rows(*four).into_iter().enumerate() {
                write(row, 8 * l);
            }
        }
        for (i, eight) in words.as_chunks().0.iter().enumerate() {
            for (l, row) in rows(*eight).into_iter().enumerate() {
                write(row, W * l + 8 * i);
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

/// The rows of eight words of eight blocks.
#[inline(always)]
fn rows([a, b, c, d, e, f, g, h]: [Zmm; 8]) -> [Zmm; 8] {
    let (low, high) = (transposed_zmm([a, b, c, d]), transposed_zmm([e, f, g, h]));
    let mut rows = [a; 8];
    for l in 0..4 {
        // SAFETY: see above.
        unsafe {
            rows[l] = Zmm(_mm512_shuffle_i64x2::<0b01_00_01_00>(low[l].0, high[l].0));
            rows[l + 4] = Zmm(_mm512_shuffle_i64x2::<0b11_10_11_10>(low[l].0, high[l].0));
        }
    }
    rows
}

/// The rows of four words of eight blocks, two in each vector.
#[inline(always)]
fn pairs_of_rows([a, b, c, d]: [Zmm; 4]) -> [Zmm; 4] {
    // SAFETY: see above.
    unsafe {
        let (low, high) = (
            _mm512_set_epi64(11, 3, 10, 2, 9, 1, 8, 0),
            _mm512_set_epi64(15, 7, 14, 6, 13, 5, 12, 4),
        );
        let pairs = |a: Zmm, b: Zmm| {
            let (low, high) = (
                _mm512_permutex2var_epi64(a.0, low, b.0),
                _mm512_permutex2var_epi64(a.0, high, b.0),
            );
            [low, high]
        };
        let ([ab, ab_after], [cd, cd_after]) = (pairs(a, b), pairs(c, d));
        let (low, high) = (
            _mm512_set_epi64(11, 10, 3, 2, 9, 8, 1, 0),
            _mm512_set_epi64(15, 14, 7, 6, 13, 12, 5, 4),
        );
        [
            Zmm(_mm512_permutex2var_epi64(ab, low, cd)),
            Zmm(_mm512_permutex2var_epi64(ab, high, cd)),
            Zmm(_mm512_permutex2var_epi64(ab_after, low, cd_after)),
            Zmm(_mm512_permutex2var_epi64(ab_after, high, cd_after)),
        ]
    }
}
