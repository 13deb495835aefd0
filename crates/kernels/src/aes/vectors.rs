//! Vectors of one, two or four blocks, for [`lanes`](super::lanes).
//!
//! Everything is always inlined into functions that enable what the vectors need.

use super::Block;
use core::arch::x86_64::*;

/// A vector of blocks.
pub(super) trait Blocks: Copy {
    const COUNT: usize;
    /// Whether there are registers for the keys beside a flight.
    const HOLDS_KEYS: bool;
    unsafe fn load(x: *const Block) -> Self;
    unsafe fn store(self, r: *mut Block);
    /// A block in every lane.
    unsafe fn splat(x: *const Block) -> Self;
    /// One block of each of four rows.
    unsafe fn gather(rows: [*const Block; 4]) -> Self;
    /// The first blocks of as many rows as there are blocks, then the second ones, and so on; and back.
    unsafe fn transposed(rows: [Self; 4]) -> [Self; 4];
    /// Blocks of zeros, but for each lane's number in the last eight bytes, the highest first.
    unsafe fn numbers(number: impl Fn(u64) -> u64) -> Self;
    /// One number there in all lanes, which keep their first eight bytes.
    unsafe fn numbered(self, number: u64) -> Self;
    unsafe fn xor(self, other: Self) -> Self;
    unsafe fn and(self, other: Self) -> Self;
    unsafe fn round(self, key: Self) -> Self;
    unsafe fn last_round(self, key: Self) -> Self;
    unsafe fn inverse_round(self, key: Self) -> Self;
    unsafe fn inverse_last_round(self, key: Self) -> Self;
}

macro_rules! blocks {
    (
        $V:ident, $vector:ty, $count:literal, $holds:literal, $load:ident, $store:ident, |$block:ident| $splat:expr,
        |$places:ident| $gather:expr, |$rows:ident| $transposed:expr, |$number:ident| $numbers:expr, |$blocks:ident, $all:ident| $numbered:expr,
        $xor:ident, $and:ident, $round:ident, $last:ident, $inverse:ident, $inverse_last:ident
    ) => {
        #[derive(Clone, Copy)]
        pub(super) struct $V($vector);

        impl Blocks for $V {
            const COUNT: usize = $count;
            const HOLDS_KEYS: bool = $holds;

            #[inline(always)]
            unsafe fn load(x: *const Block) -> $V {
                // SAFETY: the caller's, as everywhere below.
                unsafe { $V($load(x.cast())) }
            }
            #[inline(always)]
            unsafe fn store(self, r: *mut Block) {
                // SAFETY: see above.
                unsafe { $store(r.cast(), self.0) }
            }
            #[inline(always)]
            unsafe fn splat(x: *const Block) -> $V {
                // SAFETY: see above.
                unsafe {
                    let $block = _mm_loadu_si128(x.cast());
                    $V($splat)
                }
            }
            #[inline(always)]
            unsafe fn gather($places: [*const Block; 4]) -> $V {
                // SAFETY: see above.
                unsafe { $V($gather) }
            }
            #[inline(always)]
            unsafe fn transposed(rows: [$V; 4]) -> [$V; 4] {
                let $rows = rows.map(|row| row.0);
                $transposed.map($V)
            }
            #[inline(always)]
            unsafe fn numbers(number: impl Fn(u64) -> u64) -> $V {
                let $number = |lane| number(lane).swap_bytes() as i64;
                // SAFETY: see above.
                unsafe { $V($numbers) }
            }
            #[inline(always)]
            unsafe fn numbered(self, number: u64) -> $V {
                let ($blocks, $all) = (self.0, number.swap_bytes() as i64);
                // SAFETY: see above.
                unsafe { $V($numbered) }
            }
            #[inline(always)]
            unsafe fn xor(self, other: $V) -> $V {
                // SAFETY: see above.
                unsafe { $V($xor(self.0, other.0)) }
            }
            #[inline(always)]
            unsafe fn and(self, other: $V) -> $V {
                // SAFETY: see above.
                unsafe { $V($and(self.0, other.0)) }
            }
            #[inline(always)]
            unsafe fn round(self, key: $V) -> $V {
                // SAFETY: see above.
                unsafe { $V($round(self.0, key.0)) }
            }
            #[inline(always)]
            unsafe fn last_round(self, key: $V) -> $V {
                // SAFETY: see above.
                unsafe { $V($last(self.0, key.0)) }
            }
            #[inline(always)]
            unsafe fn inverse_round(self, key: $V) -> $V {
                // SAFETY: see above.
                unsafe { $V($inverse(self.0, key.0)) }
            }
            #[inline(always)]
            unsafe fn inverse_last_round(self, key: $V) -> $V {
                // SAFETY: see above.
                unsafe { $V($inverse_last(self.0, key.0)) }
            }
        }
    };
}

blocks!(
    Xmm,
    __m128i,
    1,
    false,
    _mm_loadu_si128,
    _mm_storeu_si128,
    |block| block,
    |places| _mm_loadu_si128(places[0].cast()),
    |rows| rows,
    |number| _mm_set_epi64x(number(0), 0),
    |x, number| _mm_unpacklo_epi64(x, _mm_cvtsi64_si128(number)),
    _mm_xor_si128,
    _mm_and_si128,
    _mm_aesenc_si128,
    _mm_aesenclast_si128,
    _mm_aesdec_si128,
    _mm_aesdeclast_si128
);

blocks!(
    Ymm,
    __m256i,
    2,
    false,
    _mm256_loadu_si256,
    _mm256_storeu_si256,
    |block| _mm256_broadcastsi128_si256(block),
    |places| _mm256_inserti128_si256::<1>(
        _mm256_castsi128_si256(_mm_loadu_si128(places[0].cast())),
        _mm_loadu_si128(places[1].cast()),
    ),
    // SAFETY: see above.
    |rows| unsafe {
        [
            _mm256_permute2x128_si256::<0x20>(rows[0], rows[1]),
            _mm256_permute2x128_si256::<0x31>(rows[0], rows[1]),
            rows[2],
            rows[3],
        ]
    },
    |number| _mm256_set_epi64x(number(1), 0, number(0), 0),
    |x, number| _mm256_unpacklo_epi64(x, _mm256_set1_epi64x(number)),
    _mm256_xor_si256,
    _mm256_and_si256,
    _mm256_aesenc_epi128,
    _mm256_aesenclast_epi128,
    _mm256_aesdec_epi128,
    _mm256_aesdeclast_epi128
);

blocks!(
    Zmm,
    __m512i,
    4,
    true,
    _mm512_loadu_si512,
    _mm512_storeu_si512,
    |block| _mm512_broadcast_i32x4(block),
    |places| {
        let low = _mm512_castsi128_si512(_mm_loadu_si128(places[0].cast()));
        let low = _mm512_inserti32x4::<1>(low, _mm_loadu_si128(places[1].cast()));
        let low = _mm512_inserti32x4::<2>(low, _mm_loadu_si128(places[2].cast()));
        _mm512_inserti32x4::<3>(low, _mm_loadu_si128(places[3].cast()))
    },
    // SAFETY: see above.
    |rows| unsafe {
        let even = |a, b| _mm512_shuffle_i32x4::<0b10_00_10_00>(a, b);
        let odd = |a, b| _mm512_shuffle_i32x4::<0b11_01_11_01>(a, b);
        let [a, b, c, d] = rows;
        // Of two rows each: their blocks 0 and 2, and 1 and 3.
        let (ab, ab_odd, cd, cd_odd) = (even(a, b), odd(a, b), even(c, d), odd(c, d));
        [
            even(ab, cd),
            even(ab_odd, cd_odd),
            odd(ab, cd),
            odd(ab_odd, cd_odd),
        ]
    },
    |number| _mm512_set_epi64(number(3), 0, number(2), 0, number(1), 0, number(0), 0),
    |x, number| _mm512_mask_set1_epi64(x, 0b1010_1010, number),
    _mm512_xor_si512,
    _mm512_and_si512,
    _mm512_aesenc_epi128,
    _mm512_aesenclast_epi128,
    _mm512_aesdec_epi128,
    _mm512_aesdeclast_epi128
);
