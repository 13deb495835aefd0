//! AVX-512: the limbs in which a is above b, and those in which it is below, as the bits of two integers. The greater
//! integer has the highest limb that differs.

use crate::Limb;
use core::arch::x86_64::*;

/// # Safety
/// The contract of `mpn_cmp`; the processor has AVX-512 F.
#[target_feature(enable = "avx512f")]
pub unsafe fn kernel(a: *const Limb, b: *const Limb, n: usize) -> Limb {
    let mut ordering = 0;
    for start in (0..n).step_by(64) {
        let (mut above, mut below): (Limb, Limb) = (0, 0);
        for i in (start..n.min(start + 64)).step_by(8) {
            let lanes = (0xff >> (8 - (n - i).min(8))) as __mmask8;
            // SAFETY: the lanes are limbs below n, the length of both.
            let (x, y) = unsafe {
                (
                    _mm512_maskz_loadu_epi64(lanes, a.add(i).cast()),
                    _mm512_maskz_loadu_epi64(lanes, b.add(i).cast()),
                )
            };
            above |= Limb::from(_mm512_cmpgt_epu64_mask(x, y)) << (i - start);
            below |= Limb::from(_mm512_cmplt_epu64_mask(x, y)) << (i - start);
        }
        let (above, below) = (Limb::from(above > below), Limb::from(above < below));
        let same = (above | below).wrapping_sub(1);
        ordering = ordering & same | above | below.wrapping_neg();
    }
    ordering
}
