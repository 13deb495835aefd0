//! Registers of 128 bits with the masks of AVX-512: AVX-512 VL, and IFMA for products.

use super::{Across, Body, Madd52, U64s, instructions};
use crate::Limb;
use core::arch::x86_64::*;

/// Two words.
#[derive(Clone, Copy)]
pub struct XmmVl(pub(crate) __m128i);

// SAFETY, of every intrinsic below: the caller's, as the trait says.

impl U64s for XmmVl {
    const LANES: usize = 2;
    type Mask = __mmask8;

    #[target_feature(enable = "avx512f,avx512vl")]
    unsafe fn run<B: Body<Self>>(body: B) {
        // SAFETY: see above.
        unsafe { body.run() }
    }

    #[inline(always)]
    unsafe fn load(from: *const Limb) -> Self {
        // SAFETY: see above.
        XmmVl(unsafe { _mm_loadu_epi64(from.cast()) })
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut Limb) {
        // SAFETY: see above.
        unsafe { _mm_storeu_epi64(to.cast(), self.0) }
    }

    #[inline(always)]
    unsafe fn splat(word: Limb) -> Self {
        // SAFETY: see above.
        XmmVl(unsafe { _mm_set1_epi64x(word as i64) })
    }

    #[inline(always)]
    unsafe fn zero() -> Self {
        // SAFETY: see above.
        XmmVl(unsafe { _mm_setzero_si128() })
    }

    #[inline(always)]
    unsafe fn rotl(self, bits: u32) -> Self {
        // SAFETY: see above.
        XmmVl(unsafe { _mm_rolv_epi64(self.0, _mm_set1_epi64x(bits.into())) })
    }

    #[inline(always)]
    unsafe fn test(self, other: Self) -> __mmask8 {
        // SAFETY: see above.
        unsafe { _mm_test_epi64_mask(self.0, other.0) }
    }

    #[inline(always)]
    unsafe fn select(mask: __mmask8, yes: Self, no: Self) -> Self {
        // SAFETY: see above.
        XmmVl(unsafe { _mm_mask_blend_epi64(mask, no.0, yes.0) })
    }

    #[inline(always)]
    unsafe fn add_where(self, mask: __mmask8, other: Self) -> Self {
        // SAFETY: see above.
        XmmVl(unsafe { _mm_mask_add_epi64(self.0, mask, self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn sub_where(self, mask: __mmask8, other: Self) -> Self {
        // SAFETY: see above.
        XmmVl(unsafe { _mm_mask_sub_epi64(self.0, mask, self.0, other.0) })
    }

    instructions!(XmmVl of two: add _mm_add_epi64, sub _mm_sub_epi64, and _mm_and_si128, or _mm_or_si128, xor _mm_xor_si128);
    instructions!(XmmVl of a shift: shl _mm_sll_epi64, shr _mm_srl_epi64, sar _mm_sra_epi64);
}

impl Madd52 for XmmVl {
    #[target_feature(enable = "avx512f,avx512vl,avx512ifma,bmi2")]
    unsafe fn run_madd52<B: Body<Self>>(body: B) {
        // SAFETY: see above.
        unsafe { body.run() }
    }

    #[inline(always)]
    unsafe fn lo(self, x: Self, y: Self) -> Self {
        // SAFETY: see above.
        XmmVl(unsafe { _mm_madd52lo_epu64(self.0, x.0, y.0) })
    }

    #[inline(always)]
    unsafe fn hi(self, x: Self, y: Self) -> Self {
        // SAFETY: see above.
        XmmVl(unsafe { _mm_madd52hi_epu64(self.0, x.0, y.0) })
    }
}

impl Across for XmmVl {
    type Pair = XmmVl;

    #[inline(always)]
    unsafe fn align<const BY: i32>(above: Self, below: Self) -> Self {
        // SAFETY: see above.
        XmmVl(unsafe { _mm_alignr_epi64::<BY>(above.0, below.0) })
    }

    #[inline(always)]
    unsafe fn up(here: Self, below: Self) -> Self {
        // SAFETY: see above.
        XmmVl(unsafe { _mm_alignr_epi64::<1>(here.0, below.0) })
    }

    #[inline(always)]
    unsafe fn pick(at: Self, low: Self, high: Self) -> Self {
        // SAFETY: see above.
        XmmVl(unsafe { _mm_permutex2var_epi64(low.0, at.0, high.0) })
    }

    #[inline(always)]
    unsafe fn lowest(self) -> Limb {
        // SAFETY: see above.
        unsafe { _mm_cvtsi128_si64(self.0) as Limb }
    }

    #[inline(always)]
    unsafe fn two(self) -> [Limb; 2] {
        // SAFETY: see above.
        unsafe {
            let two = self.0;
            [
                _mm_cvtsi128_si64(two) as Limb,
                _mm_extract_epi64::<1>(two) as Limb,
            ]
        }
    }

    #[inline(always)]
    unsafe fn pair(self) -> XmmVl {
        self
    }

    #[inline(always)]
    unsafe fn from_pair(pair: XmmVl) -> Self {
        pair
    }

    #[inline(always)]
    unsafe fn splat_lower(pair: XmmVl) -> Self {
        // SAFETY: see above.
        XmmVl(unsafe { _mm_broadcastq_epi64(pair.0) })
    }

    #[inline(always)]
    unsafe fn above(self, other: Self) -> u8 {
        // SAFETY: see above.
        unsafe { _mm_cmpgt_epu64_mask(self.0, other.0) }
    }

    #[inline(always)]
    unsafe fn equal(self, other: Self) -> u8 {
        // SAFETY: see above.
        unsafe { _mm_cmpeq_epu64_mask(self.0, other.0) }
    }
}
