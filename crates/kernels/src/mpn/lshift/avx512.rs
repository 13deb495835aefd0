//! AVX-512, from the top down: eight limbs, and the eight one further down for what they hand up.

use crate::Limb;
use core::arch::x86_64::*;

/// # Safety
/// The contract of `mpn_lshift`; the processor has AVX-512 F.
#[target_feature(enable = "avx512f")]
pub unsafe fn kernel(r: *mut Limb, a: *const Limb, n: usize, s: u32) -> Limb {
    let (up, down) = (
        _mm_cvtsi32_si128(s as i32),
        _mm_cvtsi32_si128(64 - s as i32),
    );
    let shift = |x, below| _mm512_or_si512(_mm512_sll_epi64(x, up), _mm512_srl_epi64(below, down));
    // SAFETY: n >= 1; whole turns begin above 0, the last one is masked.
    unsafe {
        let out = *a.add(n - 1) >> (64 - s);
        let start = n - ((n - 1) & !7);
        for i in (start..n).step_by(8).rev() {
            let x = _mm512_loadu_si512(a.add(i).cast());
            let below = _mm512_loadu_si512(a.add(i - 1).cast());
            _mm512_storeu_si512(r.add(i).cast(), shift(x, below));
        }
        let lanes = (0xff >> (8 - start)) as __mmask8;
        let x = _mm512_maskz_loadu_epi64(lanes, a.cast());
        // Nothing is read where the mask is 0: not below a.
        let below = _mm512_maskz_loadu_epi64(lanes & !1, a.wrapping_sub(1).cast());
        _mm512_mask_storeu_epi64(r.cast(), lanes, shift(x, below));
        out
    }
}
