//! Plain Rust: block after block, times itself and twice what is above it.

use crate::{
    Limb,
    radix52::{BLOCK, addmul::portable::columns, word::MASK},
};

/// # Safety
/// The contract of `radix52_sqr`.
pub unsafe fn kernel(t: *mut Limb, a: *const Limb, n: usize, m: usize, x: *mut Limb) {
    // SAFETY: i < m <= n: x has a block more than a, and what is above the column n - i of a row's product is 0.
    unsafe {
        t.write_bytes(0, BLOCK * (n + m));
        let mut carry = 0;
        for i in 0..BLOCK * n {
            let digit = *a.add(i) & MASK;
            *x.add(i) = digit << 1 & MASK | carry;
            carry = digit >> 51;
        }
        x.add(BLOCK * n).write_bytes(0, BLOCK);
        *x.add(BLOCK * n) = carry;
        for i in 0..m {
            let (block, x) = (a.add(BLOCK * i), x.add(BLOCK * i));
            x.copy_from(block, BLOCK);
            // It came from this block, which is not doubled.
            *x.add(BLOCK) &= !1;
            columns(t.add(2 * BLOCK * i), x, n + 1 - i, block, 1, 0, n + 1 - i);
        }
    }
}
