//! Products of 52 bits in registers of 256 bits without AVX-512: AVX-IFMA.

use super::{Body, Madd52, Mul64, U64s, Ymm};
use core::arch::x86_64::*;

// SAFETY, of every intrinsic below: the caller's, as the trait says.

impl Madd52 for Ymm {
    #[target_feature(enable = "avx2,avxifma")]
    unsafe fn run_madd52<B: Body<Self>>(body: B) {
        // SAFETY: see above.
        unsafe { body.run() }
    }

    #[inline(always)]
    unsafe fn lo(self, x: Self, y: Self) -> Self {
        // SAFETY: see above.
        Ymm(unsafe { _mm256_madd52lo_avx_epu64(self.0, x.0, y.0) })
    }

    #[inline(always)]
    unsafe fn hi(self, x: Self, y: Self) -> Self {
        // SAFETY: see above.
        Ymm(unsafe { _mm256_madd52hi_avx_epu64(self.0, x.0, y.0) })
    }
}

/// By three products of 32 bits.
impl Mul64 for Ymm {
    #[inline(always)]
    unsafe fn mul(self, other: Self) -> Self {
        // SAFETY: see above.
        unsafe {
            let mul32 = |a: Self, b: Self| Ymm(_mm256_mul_epu32(a.0, b.0));
            let middle = mul32(self.shr(32), other).add(mul32(self, other.shr(32)));
            mul32(self, other).add(middle.shl(32))
        }
    }
}
