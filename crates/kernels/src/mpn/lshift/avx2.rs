//! AVX2, from the top down: four limbs, and the four one further down for what they hand up.

use crate::Limb;
use core::arch::x86_64::*;

/// # Safety
/// The contract of `mpn_lshift`; the processor has AVX2.
#[target_feature(enable = "avx2")]
pub unsafe fn kernel(r: *mut Limb, a: *const Limb, n: usize, s: u32) -> Limb {
    if n < 4 {
        // SAFETY: the same contract.
        return unsafe { super::portable::kernel(r, a, n, s) };
    }
    let (up, down) = (
        _mm_cvtsi32_si128(s as i32),
        _mm_cvtsi32_si128(64 - s as i32),
    );
    let shift = |x, below| _mm256_or_si256(_mm256_sll_epi64(x, up), _mm256_srl_epi64(below, down));
    // SAFETY: n >= 4; whole turns begin above 0, and the lowest four limbs, read before any is written, come last.
    unsafe {
        let out = *a.add(n - 1) >> (64 - s);
        let lowest = _mm256_loadu_si256(a.cast());
        let mut i = n;
        while i > 4 {
            i -= 4;
            let x = _mm256_loadu_si256(a.add(i).cast());
            let below = _mm256_loadu_si256(a.add(i - 1).cast());
            _mm256_storeu_si256(r.add(i).cast(), shift(x, below));
        }
        let moved = _mm256_permute4x64_epi64::<0b10_01_00_00>(lowest);
        let below = _mm256_blend_epi32::<0b11>(moved, _mm256_setzero_si256());
        _mm256_storeu_si256(r.cast(), shift(lowest, below));
        out
    }
}
