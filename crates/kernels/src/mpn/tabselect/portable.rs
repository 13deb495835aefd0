//! Plain Rust: every row, behind a mask of (row = i).

use crate::{
    Limb,
    mpn::word::{equal, mask},
};

/// # Safety
/// The contract of `mpn_tabselect`.
pub unsafe fn kernel(r: *mut Limb, table: *const Limb, n: usize, m: usize, i: usize) {
    // SAFETY: n limbs of r; row < m and j < n stay within the table's n * m limbs.
    unsafe {
        core::slice::from_raw_parts_mut(r, n).fill(0);
        for row in 0..m {
            let take = mask(equal(row as Limb, i as Limb));
            for j in 0..n {
                *r.add(j) |= *table.add(row * n + j) & take;
            }
        }
    }
}
