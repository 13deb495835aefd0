//! Plain Rust: one product of two digits after the other.

use crate::{Limb, radix52::word::MASK};

/// # Safety
/// The contract of `radix52_addmul`.
pub unsafe fn kernel(t: *mut Limb, a: *const Limb, n: usize, b: *const Limb, m: usize) {
    // SAFETY: the same contract.
    unsafe { columns(t, a, n, b, m, 0, n + m) }
}

/// `t += a b` in the columns, of a block each, `from .. to`.
///
/// # Safety
/// `a` has n blocks, `b` m, both above 0, and `t` words in these columns; to <= n + m.
pub(in crate::radix52) unsafe fn columns(
    t: *mut Limb,
    a: *const Limb,
    n: usize,
    b: *const Limb,
    m: usize,
    from: usize,
    to: usize,
) {
    for j in 0..8 * m {
        // Those whose low or high halves are in these columns.
        let first = (8 * from).saturating_sub(j + 1).min(8 * n);
        let end = (8 * to).saturating_sub(j).min(8 * n);
        // SAFETY: i < 8n, j < 8m; a column of t.
        unsafe {
            let y = *b.add(j) & MASK;
            let add = |k: usize, x: Limb| {
                let t = t.wrapping_add(k);
                *t = (*t).wrapping_add(x);
            };
            for i in first..end {
                let product = u128::from(*a.add(i) & MASK) * u128::from(y);
                if i + j >= 8 * from {
                    add(i + j, product as Limb & MASK);
                }
                if i + j + 1 < 8 * to {
                    add(i + j + 1, (product >> 52) as Limb);
                }
            }
        }
    }
}
