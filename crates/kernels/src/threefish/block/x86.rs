//! Words of a half in vectors of SSE2 and AVX2.

use super::{Half, Limb, MAX_LANES, Vector};
use core::arch::x86_64::*;

// SAFETY, of every intrinsic below: SSE2 is part of the architecture, and whoever has another vector runs where the
// processor has what it needs.

/// Two words, by SSE2: a word is rotated by shifting the vector by its number of bits and picking that word.
#[derive(Clone, Copy)]
pub struct Sse2(__m128i);

/// Two words, whose rotations are shifts of AVX2.
#[derive(Clone, Copy)]
pub struct Xmm(__m128i);

/// Four words.
#[derive(Clone, Copy)]
pub struct Ymm(__m256i);

macro_rules! two_words {
    ($V:ident, |$x:ident, $bits:ident| $rotated:expr) => {
        impl Vector for $V {
            const LANES: usize = 2;

            #[inline(always)]
            fn from_words(words: [Limb; MAX_LANES]) -> $V {
                // SAFETY: see above.
                $V(unsafe { _mm_set_epi64x(words[1] as i64, words[0] as i64) })
            }

            #[inline(always)]
            fn words(self) -> [Limb; MAX_LANES] {
                // SAFETY: see above.
                unsafe {
                    let upper = _mm_unpackhi_epi64(self.0, self.0);
                    [
                        _mm_cvtsi128_si64(self.0) as Limb,
                        _mm_cvtsi128_si64(upper) as Limb,
                        0,
                        0,
                    ]
                }
            }

            #[inline(always)]
            unsafe fn load<const ALIGNED: bool>(words: *const Limb) -> $V {
                // SAFETY: as the caller says.
                $V(unsafe {
                    match ALIGNED {
                        true => _mm_load_si128(words.cast()),
                        false => _mm_loadu_si128(words.cast()),
                    }
                })
            }

            #[inline(always)]
            fn plus(self, other: $V) -> $V {
                // SAFETY: see above.
                $V(unsafe { _mm_add_epi64(self.0, other.0) })
            }

            #[inline(always)]
            fn minus(self, other: $V) -> $V {
                // SAFETY: see above.
                $V(unsafe { _mm_sub_epi64(self.0, other.0) })
            }

            #[inline(always)]
            fn xor(self, other: $V) -> $V {
                // SAFETY: see above.
                $V(unsafe { _mm_xor_si128(self.0, other.0) })
            }

            #[inline(always)]
            fn rotated_left(self, $bits: [u32; MAX_LANES]) -> $V {
                let $x = self.0;
                // SAFETY: see above.
                $V(unsafe { $rotated })
            }

            #[inline(always)]
            fn pick(half: &Half<$V>, words: [usize; MAX_LANES]) -> $V {
                let [a, b] = [half[words[0] / 2].0, half[words[1] / 2].0].map(|v| {
                    // SAFETY: see above.
                    unsafe { _mm_castsi128_pd(v) }
                });
                // SAFETY: see above.
                $V(unsafe {
                    _mm_castpd_si128(match (words[0] % 2, words[1] % 2) {
                        (0, 0) => _mm_shuffle_pd::<0b00>(a, b),
                        (1, 0) => _mm_shuffle_pd::<0b01>(a, b),
                        (0, _) => _mm_shuffle_pd::<0b10>(a, b),
                        _ => _mm_shuffle_pd::<0b11>(a, b),
                    })
                })
            }
        }
    };
}

two_words!(Sse2, |x, bits| {
    let [lower, upper] = [bits[0], bits[1]].map(|bits| {
        let left = _mm_sll_epi64(x, _mm_cvtsi32_si128(bits as i32));
        let right = _mm_srl_epi64(x, _mm_cvtsi32_si128(64 - bits as i32));
        _mm_castsi128_pd(_mm_or_si128(left, right))
    });
    _mm_castpd_si128(_mm_move_sd(upper, lower))
});

two_words!(Xmm, |x, bits| {
    let left = _mm_set_epi64x(bits[1].into(), bits[0].into());
    let right = _mm_set_epi64x((64 - bits[1]).into(), (64 - bits[0]).into());
    _mm_or_si128(_mm_sllv_epi64(x, left), _mm_srlv_epi64(x, right))
});

impl Vector for Ymm {
    const LANES: usize = 4;

    #[inline(always)]
    fn from_words([a, b, c, d]: [Limb; MAX_LANES]) -> Ymm {
        // SAFETY: see above.
        Ymm(unsafe { _mm256_set_epi64x(d as i64, c as i64, b as i64, a as i64) })
    }

    #[inline(always)]
    fn words(self) -> [Limb; MAX_LANES] {
        let mut words = [0; MAX_LANES];
        // SAFETY: see above; four words of room.
        unsafe { _mm256_storeu_si256(words.as_mut_ptr().cast(), self.0) };
        words
    }

    #[inline(always)]
    unsafe fn load<const ALIGNED: bool>(words: *const Limb) -> Ymm {
        // SAFETY: as the caller says.
        Ymm(unsafe {
            match ALIGNED {
                true => _mm256_load_si256(words.cast()),
                false => _mm256_loadu_si256(words.cast()),
            }
        })
    }

    #[inline(always)]
    fn plus(self, other: Ymm) -> Ymm {
        // SAFETY: see above.
        Ymm(unsafe { _mm256_add_epi64(self.0, other.0) })
    }

    #[inline(always)]
    fn minus(self, other: Ymm) -> Ymm {
        // SAFETY: see above.
        Ymm(unsafe { _mm256_sub_epi64(self.0, other.0) })
    }

    #[inline(always)]
    fn xor(self, other: Ymm) -> Ymm {
        // SAFETY: see above.
        Ymm(unsafe { _mm256_xor_si256(self.0, other.0) })
    }

    #[inline(always)]
    fn rotated_left(self, bits: [u32; MAX_LANES]) -> Ymm {
        let left = Ymm::from_words(bits.map(Limb::from)).0;
        let right = Ymm::from_words(bits.map(|bits| Limb::from(64 - bits))).0;
        // SAFETY: see above.
        Ymm(unsafe {
            _mm256_or_si256(
                _mm256_sllv_epi64(self.0, left),
                _mm256_srlv_epi64(self.0, right),
            )
        })
    }

    /// All of one vector, as the halves of eight and of sixteen words want it.
    #[inline(always)]
    fn pick(half: &Half<Ymm>, words: [usize; MAX_LANES]) -> Ymm {
        let x = half[words[0] / 4].0;
        // SAFETY: see above.
        Ymm(unsafe {
            match words.map(|word| word % 4) {
                [0, 1, 2, 3] => x,
                [0, 1, 3, 2] => _mm256_permute4x64_epi64::<0b10_11_01_00>(x),
                [0, 2, 1, 3] => _mm256_permute4x64_epi64::<0b11_01_10_00>(x),
                [0, 3, 2, 1] => _mm256_permute4x64_epi64::<0b01_10_11_00>(x),
                [1, 2, 3, 0] => _mm256_permute4x64_epi64::<0b00_11_10_01>(x),
                [3, 0, 1, 2] => _mm256_permute4x64_epi64::<0b10_01_00_11>(x),
                [3, 1, 2, 0] => _mm256_permute4x64_epi64::<0b00_10_01_11>(x),
                _ => unreachable!("no permutation of Threefish"),
            }
        })
    }
}
