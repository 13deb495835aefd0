//! AVX2: eight limbs of every row at a time, in two accumulators.

use crate::Limb;
use core::arch::x86_64::*;

/// # Safety
/// The contract of `mpn_tabselect`; the processor has AVX2.
#[target_feature(enable = "avx2")]
pub unsafe fn kernel(r: *mut Limb, table: *const Limb, n: usize, m: usize, i: usize) {
    let wanted = _mm256_set1_epi64x(i as i64);
    let one = _mm256_set1_epi64x(1);
    let blocks = n / 8 * 8;
    // SAFETY: row < m and j + 8 <= n (or j < n in the tail) stay within the table's n * m limbs and r's n.
    unsafe {
        for j in (0..blocks).step_by(8) {
            let mut sum = [_mm256_setzero_si256(); 2];
            let mut row = _mm256_setzero_si256();
            let mut p = table.add(j);
            for _ in 0..m {
                let take = _mm256_cmpeq_epi64(row, wanted);
                let lo = _mm256_loadu_si256(p.cast());
                let hi = _mm256_loadu_si256(p.add(4).cast());
                sum[0] = _mm256_or_si256(sum[0], _mm256_and_si256(lo, take));
                sum[1] = _mm256_or_si256(sum[1], _mm256_and_si256(hi, take));
                row = _mm256_add_epi64(row, one);
                p = p.wrapping_add(n);
            }
            _mm256_storeu_si256(r.add(j).cast(), sum[0]);
            _mm256_storeu_si256(r.add(j + 4).cast(), sum[1]);
        }
        for j in blocks..n {
            let mut sum = _mm256_setzero_si256();
            let mut row = _mm256_setzero_si256();
            for k in 0..m {
                let take = _mm256_cmpeq_epi64(row, wanted);
                let x = _mm256_set1_epi64x(*table.add(k * n + j) as i64);
                sum = _mm256_or_si256(sum, _mm256_and_si256(x, take));
                row = _mm256_add_epi64(row, one);
            }
            *r.add(j) = _mm256_extract_epi64::<0>(sum) as Limb;
        }
    }
}
