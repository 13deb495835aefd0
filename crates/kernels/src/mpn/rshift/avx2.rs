//! AVX2, from the bottom up: four limbs, and the four one further up for what they hand down.

use crate::Limb;
use core::arch::x86_64::*;

/// # Safety
/// The contract of `mpn_rshift`; the processor has AVX2.
#[target_feature(enable = "avx2")]
pub unsafe fn kernel(r: *mut Limb, a: *const Limb, n: usize, s: u32) -> Limb {
    if n < 4 {
        // SAFETY: the same contract.
        return unsafe { super::portable::kernel(r, a, n, s) };
    }
    let (down, up) = (
        _mm_cvtsi32_si128(s as i32),
        _mm_cvtsi32_si128(64 - s as i32),
    );
    let shift = |x, above| _mm256_or_si256(_mm256_srl_epi64(x, down), _mm256_sll_epi64(above, up));
    // SAFETY: n >= 4; whole turns end below n, and the highest four limbs, read before any is written, come last.
    unsafe {
        let load = |i: usize| _mm256_loadu_si256(a.add(i).cast());
        let store = |i: usize, x| _mm256_storeu_si256(r.add(i).cast(), x);
        let out = *a << (64 - s);
        let highest = load(n - 4);
        let mut i = 0;
        // By pairs: a load may wait for a store before it whose address has the same lowest 12 bits.
        while i + 8 < n {
            let pair = [i, i + 4].map(|i| shift(load(i), load(i + 1)));
            store(i, pair[0]);
            store(i + 4, pair[1]);
            i += 8;
        }
        if i + 4 < n {
            store(i, shift(load(i), load(i + 1)));
        }
        let moved = _mm256_permute4x64_epi64::<0b11_11_10_01>(highest);
        let above = _mm256_blend_epi32::<0b1100_0000>(moved, _mm256_setzero_si256());
        store(n - 4, shift(highest, above));
        out
    }
}
