//! AVX-512, from the bottom up: eight limbs, and the eight one further up for what they hand down.

use crate::Limb;
use core::arch::x86_64::*;

/// # Safety
/// The contract of `mpn_rshift`; the processor has AVX-512 F.
#[target_feature(enable = "avx512f")]
pub unsafe fn kernel(r: *mut Limb, a: *const Limb, n: usize, s: u32) -> Limb {
    let (down, up) = (
        _mm_cvtsi32_si128(s as i32),
        _mm_cvtsi32_si128(64 - s as i32),
    );
    let shift = |x, above| _mm512_or_si512(_mm512_srl_epi64(x, down), _mm512_sll_epi64(above, up));
    // SAFETY: n >= 1; whole turns end below n, the last one is masked.
    unsafe {
        let out = *a << (64 - s);
        let end = (n - 1) & !7;
        for i in (0..end).step_by(8) {
            let x = _mm512_loadu_si512(a.add(i).cast());
            let above = _mm512_loadu_si512(a.add(i + 1).cast());
            _mm512_storeu_si512(r.add(i).cast(), shift(x, above));
        }
        let lanes = (0xff >> (8 - (n - end))) as __mmask8;
        let x = _mm512_maskz_loadu_epi64(lanes, a.add(end).cast());
        let above = _mm512_maskz_loadu_epi64(lanes >> 1, a.add(end + 1).cast());
        _mm512_mask_storeu_epi64(r.add(end).cast(), lanes, shift(x, above));
        out
    }
}
