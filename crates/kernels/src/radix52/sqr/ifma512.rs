//! AVX-512 IFMA on 512-bit vectors: two blocks at a time times themselves and twice all that is above them.
//!
//! What is above is doubled beforehand, so that a row has one product with all of it, in columns as in
//! `radix52_addmul`; only in the lowest ones do the two rows of a pair meet other digits.

use crate::{
    Limb,
    radix52::{
        addmul::ifma512::{add_to, block, register},
        blocks::{column, load, splat, sum, windows},
        word::MASK,
    },
};
use core::arch::x86_64::*;

/// # Safety
/// The contract of `radix52_sqr`; the processor has [`IFMA`](crate::radix52::IFMA).
#[target_feature(enable = "avx512f,avx512vl,avx512ifma,bmi2")]
pub unsafe fn kernel(t: *mut Limb, a: *const Limb, n: usize, m: usize, x: *mut Limb) {
    // SAFETY: registers and rows i < m <= n; x has a register more than a.
    unsafe {
        t.write_bytes(0, 8 * (n + m));
        let mut below = _mm512_setzero_si512();
        for i in 0..=n {
            let a = register(a, n, i);
            // The bits that move up; those above 51 are left where they are, as products do not count them.
            let top = _mm512_srli_epi64::<51>(_mm512_and_si512(a, splat(MASK)));
            let carry = _mm512_alignr_epi64::<7>(top, below);
            _mm512_storeu_epi64(
                x.add(8 * i).cast(),
                _mm512_add_epi64(_mm512_add_epi64(a, a), carry),
            );
            below = top;
        }
        for i in (0..m).step_by(2) {
            let (t, a, x) = (t.add(16 * i), a.add(8 * i), x.add(8 * i));
            match m - i {
                1 => row(t, a, x, n - i),
                _ => two_rows(t, a, x, n - i),
            }
        }
    }
}

/// Twice the number from this block on, given that block of the doubled number: clears the lowest bit, which came from
/// below.
#[inline]
#[target_feature(enable = "avx512f")]
fn whole(x: __m512i) -> __m512i {
    _mm512_mask_and_epi64(x, 1, x, splat(!1))
}

/// `t += b (2a - b)` for the lower two blocks b of a, x being 2a.
///
/// # Safety
/// `a` has n blocks, n > 1, `x` one more and `t` two more.
#[target_feature(enable = "avx512f,avx512vl,avx512ifma,bmi2")]
unsafe fn two_rows(t: *mut Limb, a: *const Limb, x: *const Limb, n: usize) {
    let zero = _mm512_setzero_si512();
    // SAFETY: two blocks of a, three of x at least; registers outside are none.
    let (y, z, a, first, second, mut below) = unsafe {
        (
            block(a),
            block(a.add(8)),
            [load(a), load(a.add(8))],
            load(x.add(8)),
            load(x.add(16)),
            register(x, n + 1, 3),
        )
    };
    // The first row has a, then twice what follows; the second one has its own block in the second place.
    let mut lowest = [[zero; 4]; 4];
    let mut next = [zero; 4];
    column!(lowest[0], a[0], zero, y);
    column!(lowest[1], whole(first), a[0], y);
    column!(lowest[2], second, whole(first), y);
    column!(lowest[2], a[1], zero, z);
    column!(lowest[3], below, second, y);
    column!(lowest[3], whole(second), a[1], z);
    column!(next, below, whole(second), z);
    for (c, acc) in lowest.into_iter().enumerate() {
        // SAFETY: t has four columns at least.
        unsafe { add_to(t.add(8 * c), sum(acc)) };
    }
    for c in 4..=n {
        // SAFETY: c <= n, of n + 1 registers of x and n + 2 columns of t.
        let here = unsafe { load(x.add(8 * c)) };
        let mut acc = next;
        next = [zero; 4];
        column!([acc, y, next, z], here, below, at x.wrapping_add(8 * c));
        // SAFETY: as above.
        unsafe { add_to(t.add(8 * c), sum(acc)) };
        below = here;
    }
    if n > 2 {
        // SAFETY: the highest column.
        unsafe { add_to(t.add(8 * n + 8), sum(next)) };
    }
}

/// `t += b (2a - b)` for the lowest block b of a, x being 2a.
///
/// # Safety
/// `a` has n blocks, n > 0, and `x` and `t` one more.
#[target_feature(enable = "avx512f,avx512vl,avx512ifma,bmi2")]
unsafe fn row(t: *mut Limb, a: *const Limb, x: *const Limb, n: usize) {
    let zero = _mm512_setzero_si512();
    // SAFETY: a block of a.
    let (y, mut here) = unsafe { (block(a), load(a)) };
    let mut below = zero;
    for c in 0..=n {
        let mut acc = [zero; 4];
        column!(acc, here, below, y);
        // SAFETY: c <= n, of as many columns; registers outside x are none.
        unsafe {
            add_to(t.add(8 * c), sum(acc));
            below = here;
            here = register(x, n + 1, c + 1);
        }
        if c == 0 {
            here = whole(here);
        }
    }
}
