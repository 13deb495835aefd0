//! AVX2: up to 28 limbs of every row at a time, each vector replaced where the row is the wanted one.

use crate::Limb;
use core::arch::x86_64::*;

/// # Safety
/// The contract of `mpn_tabselect`; the processor has AVX2.
#[target_feature(enable = "avx2")]
pub unsafe fn kernel(r: *mut Limb, table: *const Limb, n: usize, m: usize, i: usize) {
    let narrow = n / 4 * 4;
    let mut j = 0;
    // SAFETY: row < m and the columns from j on stay within the table's n * m limbs and r's n.
    unsafe {
        while narrow - j >= 32 {
            columns::<4>(r.add(j), table.add(j), n, m, i);
            j += 16;
        }
        let (r_j, table_j) = (r.add(j), table.add(j));
        match (narrow - j) / 4 {
            7 => columns::<7>(r_j, table_j, n, m, i),
            6 => columns::<6>(r_j, table_j, n, m, i),
            5 => columns::<5>(r_j, table_j, n, m, i),
            4 => columns::<4>(r_j, table_j, n, m, i),
            3 => columns::<3>(r_j, table_j, n, m, i),
            2 => columns::<2>(r_j, table_j, n, m, i),
            1 => columns::<1>(r_j, table_j, n, m, i),
            _ => {}
        }
        let wanted = _mm256_set1_epi64x(i as i64);
        for j in narrow..n {
            let mut sum = _mm256_setzero_si256();
            for row in 0..m {
                let take = _mm256_cmpeq_epi64(_mm256_set1_epi64x(row as i64), wanted);
                let x = _mm256_set1_epi64x(*table.add(row * n + j) as i64);
                sum = _mm256_or_si256(sum, _mm256_and_si256(x, take));
            }
            *r.add(j) = _mm256_extract_epi64::<0>(sum) as Limb;
        }
    }
}

/// `4V` columns of row i.
///
/// # Safety
/// `table` has m rows, n limbs apart, and `r` and each row that many limbs; the processor has AVX2.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) unsafe fn columns<const V: usize>(
    r: *mut Limb,
    table: *const Limb,
    n: usize,
    m: usize,
    i: usize,
) {
    let (wanted, one) = (_mm256_set1_epi64x(i as i64), _mm256_set1_epi64x(1));
    let mut chosen = [_mm256_setzero_pd(); V];
    let (mut row, mut p) = (_mm256_setzero_si256(), table);
    for _ in 0..m {
        let take = _mm256_castsi256_pd(_mm256_cmpeq_epi64(row, wanted));
        for (v, chosen) in chosen.iter_mut().enumerate() {
            // SAFETY: v < V, in a row of the table.
            let limbs = unsafe { _mm256_loadu_pd(p.add(4 * v).cast()) };
            *chosen = _mm256_blendv_pd(*chosen, limbs, take);
        }
        row = _mm256_add_epi64(row, one);
        p = p.wrapping_add(n);
    }
    for (v, chosen) in chosen.iter().enumerate() {
        // SAFETY: v < V.
        unsafe { _mm256_storeu_pd(r.add(4 * v).cast(), *chosen) };
    }
}
