//! Registers of 256 bits with the masks of AVX-512: AVX-512 VL, and IFMA for products.

use super::{Across, Body, Madd52, Mul64, Transposed, U64s, instructions, xmm_vl::XmmVl, ymm::Ymm};
use crate::Limb;
use core::arch::x86_64::*;

/// Four words.
#[derive(Clone, Copy)]
pub struct YmmVl(pub(crate) __m256i);

// SAFETY, of every intrinsic below: the caller's, as the trait says.

impl U64s for YmmVl {
    const LANES: usize = 4;
    type Mask = __mmask8;

    #[target_feature(enable = "avx512f,avx512vl")]
    unsafe fn run<B: Body<Self>>(body: B) {
        // SAFETY: see above.
        unsafe { body.run() }
    }

    #[inline(always)]
    unsafe fn load(from: *const Limb) -> Self {
        // SAFETY: see above.
        YmmVl(unsafe { _mm256_loadu_epi64(from.cast()) })
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut Limb) {
        // SAFETY: see above.
        unsafe { _mm256_storeu_epi64(to.cast(), self.0) }
    }

    #[inline(always)]
    unsafe fn splat(word: Limb) -> Self {
        // SAFETY: see above.
        YmmVl(unsafe { _mm256_set1_epi64x(word as i64) })
    }

    #[inline(always)]
    unsafe fn zero() -> Self {
        // SAFETY: see above.
        YmmVl(unsafe { _mm256_setzero_si256() })
    }

    #[inline(always)]
    unsafe fn rotl(self, bits: u32) -> Self {
        // SAFETY: see above.
        YmmVl(unsafe { _mm256_rolv_epi64(self.0, _mm256_set1_epi64x(bits.into())) })
    }

    #[inline(always)]
    unsafe fn test(self, other: Self) -> __mmask8 {
        // SAFETY: see above.
        unsafe { _mm256_test_epi64_mask(self.0, other.0) }
    }

    #[inline(always)]
    unsafe fn select(mask: __mmask8, yes: Self, no: Self) -> Self {
        // SAFETY: see above.
        YmmVl(unsafe { _mm256_mask_blend_epi64(mask, no.0, yes.0) })
    }

    #[inline(always)]
    unsafe fn add_where(self, mask: __mmask8, other: Self) -> Self {
        // SAFETY: see above.
        YmmVl(unsafe { _mm256_mask_add_epi64(self.0, mask, self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn sub_where(self, mask: __mmask8, other: Self) -> Self {
        // SAFETY: see above.
        YmmVl(unsafe { _mm256_mask_sub_epi64(self.0, mask, self.0, other.0) })
    }

    instructions!(YmmVl of two: add _mm256_add_epi64, sub _mm256_sub_epi64, and _mm256_and_si256, or _mm256_or_si256, xor _mm256_xor_si256);
    instructions!(YmmVl of a shift: shl _mm256_sll_epi64, shr _mm256_srl_epi64, sar _mm256_sra_epi64);
}

/// As without masks.
impl Transposed for YmmVl {
    #[inline(always)]
    unsafe fn load_blocks(row: impl Fn(usize) -> *const Limb) -> [Self; 4] {
        // SAFETY: see above.
        unsafe { Ymm::load_blocks(row) }.map(|Ymm(four)| YmmVl(four))
    }

    #[inline(always)]
    unsafe fn store_blocks<const W: usize>(
        words: &[Self; W],
        r: *mut Limb,
        with: Option<*const Limb>,
    ) {
        // SAFETY: see above.
        unsafe { Ymm::store_blocks(&words.map(|YmmVl(four)| Ymm(four)), r, with) }
    }

    #[inline(always)]
    unsafe fn swapped(self) -> Self {
        // SAFETY: see above.
        YmmVl(unsafe { Ymm(self.0).swapped() }.0)
    }
}

impl Madd52 for YmmVl {
    #[target_feature(enable = "avx512f,avx512vl,avx512ifma,bmi2")]
    unsafe fn run_madd52<B: Body<Self>>(body: B) {
        // SAFETY: see above.
        unsafe { body.run() }
    }

    #[inline(always)]
    unsafe fn lo(self, x: Self, y: Self) -> Self {
        // SAFETY: see above.
        YmmVl(unsafe { _mm256_madd52lo_epu64(self.0, x.0, y.0) })
    }

    #[inline(always)]
    unsafe fn hi(self, x: Self, y: Self) -> Self {
        // SAFETY: see above.
        YmmVl(unsafe { _mm256_madd52hi_epu64(self.0, x.0, y.0) })
    }
}

/// AVX-512 DQ.
impl Mul64 for YmmVl {
    instructions!(YmmVl of two: mul _mm256_mullo_epi64);
}

impl Across for YmmVl {
    type Pair = XmmVl;

    #[inline(always)]
    unsafe fn align<const BY: i32>(above: Self, below: Self) -> Self {
        // SAFETY: see above.
        YmmVl(unsafe { _mm256_alignr_epi64::<BY>(above.0, below.0) })
    }

    #[inline(always)]
    unsafe fn up(here: Self, below: Self) -> Self {
        // SAFETY: see above.
        YmmVl(unsafe { _mm256_alignr_epi64::<3>(here.0, below.0) })
    }

    #[inline(always)]
    unsafe fn pick(at: Self, low: Self, high: Self) -> Self {
        // SAFETY: see above.
        YmmVl(unsafe { _mm256_permutex2var_epi64(low.0, at.0, high.0) })
    }

    #[inline(always)]
    unsafe fn lowest(self) -> Limb {
        // SAFETY: see above.
        unsafe { _mm_cvtsi128_si64(_mm256_castsi256_si128(self.0)) as Limb }
    }

    #[inline(always)]
    unsafe fn two(self) -> [Limb; 2] {
        // SAFETY: see above.
        unsafe {
            let two = _mm256_castsi256_si128(self.0);
            [
                _mm_cvtsi128_si64(two) as Limb,
                _mm_extract_epi64::<1>(two) as Limb,
            ]
        }
    }

    #[inline(always)]
    unsafe fn pair(self) -> XmmVl {
        // SAFETY: see above.
        XmmVl(unsafe { _mm256_castsi256_si128(self.0) })
    }

    #[inline(always)]
    unsafe fn from_pair(pair: XmmVl) -> Self {
        // SAFETY: see above.
        YmmVl(unsafe { _mm256_zextsi128_si256(pair.0) })
    }

    #[inline(always)]
    unsafe fn splat_lower(pair: XmmVl) -> Self {
        // SAFETY: see above.
        YmmVl(unsafe { _mm256_broadcastq_epi64(pair.0) })
    }

    #[inline(always)]
    unsafe fn above(self, other: Self) -> u8 {
        // SAFETY: see above.
        unsafe { _mm256_cmpgt_epu64_mask(self.0, other.0) }
    }

    #[inline(always)]
    unsafe fn equal(self, other: Self) -> u8 {
        // SAFETY: see above.
        unsafe { _mm256_cmpeq_epu64_mask(self.0, other.0) }
    }
}
