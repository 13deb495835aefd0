//! AVX-512 IFMA on 512-bit vectors: two blocks of b at a time stay in registers while a passes by, and what the second
//! one adds to a column is summed with the windows of the column before.

use crate::{
    Limb,
    radix52::blocks::{column, load, splat, sum, windows},
};
use core::arch::x86_64::*;

/// # Safety
/// The contract of `radix52_addmul`; the processor has [`IFMA`](crate::radix52::IFMA).
#[target_feature(enable = "avx512f,avx512vl,avx512ifma,bmi2")]
pub unsafe fn kernel(t: *mut Limb, a: *const Limb, n: usize, b: *const Limb, m: usize) {
    // SAFETY: the same contract.
    unsafe { columns(t, a, n, b, m, 0, n + m) }
}

/// `t += a b` in the columns, of a block each, `from .. to`.
///
/// # Safety
/// `a` has n blocks, `b` m, both above 0, and `t` words in these columns; to <= n + m.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512ifma,bmi2")]
pub(in crate::radix52) unsafe fn columns(
    t: *mut Limb,
    a: *const Limb,
    n: usize,
    b: *const Limb,
    m: usize,
    from: usize,
    to: usize,
) {
    for i in (0..m).step_by(2) {
        let (rows, t, b) = (2.min(m - i), t.wrapping_add(8 * i), b.wrapping_add(8 * i));
        // Those that a reaches from block i of b.
        let (from, to) = (from.saturating_sub(i), to.saturating_sub(i).min(n + rows));
        // SAFETY: as the caller says; i + rows <= m.
        unsafe {
            match rows {
                _ if from >= to => {}
                2 => two_rows(t, a, n, b, from, to),
                _ => row(t, a, n, b, from, to),
            }
        }
    }
}

/// The digits of a block, each in all lanes.
///
/// # Safety
/// Eight digits are readable.
#[inline]
#[target_feature(enable = "avx512f")]
pub(in crate::radix52) unsafe fn block(b: *const Limb) -> [__m512i; 8] {
    // SAFETY: i < 8.
    [0, 1, 2, 3, 4, 5, 6, 7].map(|i| splat(unsafe { *b.add(i) }))
}

/// Block j of n, and zeros around.
///
/// # Safety
/// `a` has n blocks.
#[inline]
#[target_feature(enable = "avx512f")]
pub(in crate::radix52) unsafe fn register(a: *const Limb, n: usize, j: usize) -> __m512i {
    if j < n {
        // SAFETY: j < n.
        unsafe { load(a.add(8 * j)) }
    } else {
        _mm512_setzero_si512()
    }
}

/// `t += x`, of a register.
///
/// # Safety
/// Eight words are readable and writable.
#[inline]
#[target_feature(enable = "avx512f")]
pub(in crate::radix52) unsafe fn add_to(t: *mut Limb, x: __m512i) {
    // SAFETY: as the caller says.
    unsafe { _mm512_storeu_epi64(t.cast(), _mm512_add_epi64(load(t), x)) }
}

/// `t += a b` for two blocks of b, in the columns `from .. to`.
///
/// # Safety
/// `a` has n blocks, n > 0, `b` two, and `t` these columns; from < to <= n + 2.
#[target_feature(enable = "avx512f,avx512vl,avx512ifma,bmi2")]
unsafe fn two_rows(t: *mut Limb, a: *const Limb, n: usize, b: *const Limb, from: usize, to: usize) {
    let (zero, last) = (_mm512_setzero_si512(), to - 1);
    // SAFETY: two blocks of b; registers outside a are none.
    let (y, z, mut below, lowest) = unsafe {
        (
            block(b),
            block(b.add(8)),
            register(a, n, from.wrapping_sub(1)),
            register(a, n, from.wrapping_sub(2)),
        )
    };
    // What is added to the next column.
    let mut next = [zero; 4];
    if from > 0 {
        column!(next, below, lowest, z);
    }
    let mut c = from;
    while c < last.min(n + 1) {
        // SAFETY: registers outside a are none.
        let here = unsafe { register(a, n, c) };
        let mut acc = next;
        next = [zero; 4];
        if (1..n).contains(&c) {
            column!([acc, y, next, z], here, below, at a.wrapping_add(8 * c));
        } else {
            column!([acc, y, next, z], here, below);
        }
        // SAFETY: a column of t.
        unsafe { add_to(t.wrapping_add(8 * c), sum(acc)) };
        (below, c) = (here, c + 1);
    }
    if c <= n {
        // SAFETY: as above.
        let here = unsafe { register(a, n, c) };
        column!(next, here, below, y);
    }
    // SAFETY: as above.
    unsafe { add_to(t.wrapping_add(8 * c), sum(next)) }
}

/// `t += a b` for one block of b, in the columns `from .. to`.
///
/// # Safety
/// `a` has n blocks, n > 0, `b` one, and `t` these columns; from < to <= n + 1.
#[target_feature(enable = "avx512f,avx512vl,avx512ifma,bmi2")]
unsafe fn row(t: *mut Limb, a: *const Limb, n: usize, b: *const Limb, from: usize, to: usize) {
    let zero = _mm512_setzero_si512();
    // SAFETY: a block of b; registers outside a are none.
    let (y, mut below) = unsafe { (block(b), register(a, n, from.wrapping_sub(1))) };
    for c in from..to {
        // SAFETY: registers outside a are none.
        let here = unsafe { register(a, n, c) };
        let mut acc = [zero; 4];
        if (1..n).contains(&c) {
            column!(acc, here, below, y, at a.wrapping_add(8 * c));
        } else {
            column!(acc, here, below, y);
        }
        // SAFETY: a column of t.
        unsafe { add_to(t.wrapping_add(8 * c), sum(acc)) };
        below = here;
    }
}
