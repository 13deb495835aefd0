//! AVX-512: up to 64 limbs of every row at a time, one ternary operation a register.

use super::avx2;
use crate::Limb;
use core::arch::x86_64::*;

/// # Safety
/// The contract of `mpn_tabselect`; the processor has AVX-512 F and AVX2.
#[target_feature(enable = "avx512f,avx2")]
pub unsafe fn kernel(r: *mut Limb, table: *const Limb, n: usize, m: usize, i: usize) {
    // Masks take longer than up to three blends.
    // SAFETY: the same contract.
    unsafe {
        match n {
            4 => return avx2::columns::<1>(r, table, n, m, i),
            8 => return avx2::columns::<2>(r, table, n, m, i),
            12 => return avx2::columns::<3>(r, table, n, m, i),
            _ => {}
        }
    }
    let mut j = 0;
    // SAFETY: the columns j .. j + 8 Z, cut to n, lie within r and within every row.
    unsafe {
        while n - j > 64 {
            columns::<8>(r, table, n, m, i, j);
            j += 64;
        }
        match (n - j).div_ceil(8) {
            8 => columns::<8>(r, table, n, m, i, j),
            7 => columns::<7>(r, table, n, m, i, j),
            6 => columns::<6>(r, table, n, m, i, j),
            5 => columns::<5>(r, table, n, m, i, j),
            4 => columns::<4>(r, table, n, m, i, j),
            3 => columns::<3>(r, table, n, m, i, j),
            2 => columns::<2>(r, table, n, m, i, j),
            _ => columns::<1>(r, table, n, m, i, j),
        }
    }
}

/// The limbs `j .. j + 8 Z` of the row, the last register cut at n.
///
/// The masks of loads come from n alone; which row is taken is a vector operand, never a load's mask.
///
/// # Safety
/// `j < n <= j + 8 Z` or `j + 8 Z <= n`; the contract of `mpn_tabselect`; the processor has AVX-512 F.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn columns<const Z: usize>(
    r: *mut Limb,
    table: *const Limb,
    n: usize,
    m: usize,
    i: usize,
    j: usize,
) {
    let full: __mmask8 = !0;
    let last = full >> (8 * Z).saturating_sub(n - j);
    let cut = |z| if z + 1 == Z { last } else { full };
    let mut sum = [_mm512_setzero_si512(); Z];
    let wanted = _mm512_set1_epi64(i as i64);
    let mut row = _mm512_setzero_si512();
    // SAFETY: as the caller says; masked limbs are not touched.
    unsafe {
        let mut p = table.add(j);
        for _ in 0..m {
            let take = _mm512_maskz_set1_epi64(_mm512_cmpeq_epi64_mask(row, wanted), -1);
            for (z, sum) in sum.iter_mut().enumerate() {
                let x = _mm512_maskz_loadu_epi64(cut(z), p.wrapping_add(8 * z).cast());
                *sum = _mm512_ternarylogic_epi64::<0xf8>(*sum, x, take); // sum | (x & take)
            }
            row = _mm512_add_epi64(row, _mm512_set1_epi64(1));
            p = p.wrapping_add(n);
        }
        for (z, sum) in sum.into_iter().enumerate() {
            _mm512_mask_storeu_epi64(r.wrapping_add(j + 8 * z).cast(), cut(z), sum);
        }
    }
}
