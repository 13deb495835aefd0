//! Registers of 128 bits: SSE2, which every x86-64 has, and the rounds of AES-NI.

use super::{Blocks, Body, U64s, instructions};
use crate::Limb;
use core::{arch::x86_64::*, ops::BitAnd};

/// Two words.
#[derive(Clone, Copy)]
pub struct Xmm(pub(crate) __m128i);

/// Words of ones in some lanes, and of zeros in the others.
#[derive(Clone, Copy)]
pub struct Lanes(__m128i);

impl BitAnd for Lanes {
    type Output = Lanes;

    #[inline(always)]
    fn bitand(self, other: Lanes) -> Lanes {
        // SAFETY: SSE2 is part of the architecture.
        Lanes(unsafe { _mm_and_si128(self.0, other.0) })
    }
}

// SAFETY, of every intrinsic below: the caller's, as the trait says.

impl U64s for Xmm {
    const LANES: usize = 2;
    type Mask = Lanes;

    unsafe fn run<B: Body<Self>>(body: B) {
        // SAFETY: see above.
        unsafe { body.run() }
    }

    #[inline(always)]
    unsafe fn load(from: *const Limb) -> Self {
        // SAFETY: see above.
        Xmm(unsafe { _mm_loadu_si128(from.cast()) })
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut Limb) {
        // SAFETY: see above.
        unsafe { _mm_storeu_si128(to.cast(), self.0) }
    }

    #[inline(always)]
    unsafe fn splat(word: Limb) -> Self {
        // SAFETY: see above.
        Xmm(unsafe { _mm_set1_epi64x(word as i64) })
    }

    #[inline(always)]
    unsafe fn zero() -> Self {
        // SAFETY: see above.
        Xmm(unsafe { _mm_setzero_si128() })
    }

    #[inline(always)]
    unsafe fn rotl(self, bits: u32) -> Self {
        // SAFETY: see above.
        unsafe {
            match bits {
                32 => Xmm(_mm_shuffle_epi32::<0b10_11_00_01>(self.0)),
                _ => self.shl(bits).or(self.shr(64 - bits)),
            }
        }
    }

    /// Halves of words are compared: a word is 0 where both are.
    #[inline(always)]
    unsafe fn test(self, other: Self) -> Lanes {
        // SAFETY: see above.
        unsafe {
            let none = _mm_cmpeq_epi32(self.and(other).0, Self::zero().0);
            let none = Xmm(none).and(Xmm(_mm_shuffle_epi32::<0b10_11_00_01>(none)));
            Lanes(none.xor(Self::splat(!0)).0)
        }
    }

    #[inline(always)]
    unsafe fn select(mask: Lanes, yes: Self, no: Self) -> Self {
        // SAFETY: see above.
        Xmm(unsafe { _mm_or_si128(_mm_and_si128(mask.0, yes.0), _mm_andnot_si128(mask.0, no.0)) })
    }

    instructions!(Xmm of two: add _mm_add_epi64, sub _mm_sub_epi64, and _mm_and_si128, or _mm_or_si128, xor _mm_xor_si128);
    instructions!(Xmm of a shift: shl _mm_sll_epi64, shr _mm_srl_epi64);
}

impl Blocks for Xmm {
    const COUNT: usize = 1;
    const HOLDS_KEYS: bool = false;
    type One = Xmm;

    #[inline(always)]
    unsafe fn splat_block(x: *const Limb) -> Self {
        // SAFETY: see above.
        Xmm(unsafe { _mm_loadu_si128(x.cast()) })
    }

    #[inline(always)]
    unsafe fn gather(rows: [*const Limb; 4]) -> Self {
        // SAFETY: see above.
        Xmm(unsafe { _mm_loadu_si128(rows[0].cast()) })
    }

    #[inline(always)]
    unsafe fn transposed(rows: [Self; 4]) -> [Self; 4] {
        rows
    }

    #[inline(always)]
    unsafe fn numbers(number: impl Fn(u64) -> u64) -> Self {
        // SAFETY: see above.
        Xmm(unsafe { _mm_set_epi64x(number(0).swap_bytes() as i64, 0) })
    }

    #[inline(always)]
    unsafe fn numbered(self, number: u64) -> Self {
        // SAFETY: see above.
        Xmm(unsafe { _mm_unpacklo_epi64(self.0, _mm_cvtsi64_si128(number.swap_bytes() as i64)) })
    }

    instructions!(Xmm of two: round _mm_aesenc_si128, last_round _mm_aesenclast_si128, inverse_round _mm_aesdec_si128, inverse_last_round _mm_aesdeclast_si128);
}
