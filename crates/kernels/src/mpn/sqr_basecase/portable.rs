//! Plain Rust: the cross products by rows, then one pass that doubles them and adds the squares.

use crate::{
    Limb,
    mpn::{
        addmul_1,
        word::{adc, mac},
    },
};

/// # Safety
/// The contract of `mpn_sqr_basecase`.
pub unsafe fn kernel(r: *mut Limb, a: *const Limb, n: usize) {
    // SAFETY: row i writes r[2i + 1 .. n + i] and then r[n + i]; the pass writes r[2i], r[2i + 1]; i < n.
    unsafe {
        core::slice::from_raw_parts_mut(r, 2 * n).fill(0);
        for i in 0..n - 1 {
            let row = n - 1 - i;
            *r.add(n + i) =
                addmul_1::portable::kernel(r.add(2 * i + 1), a.add(i + 1), row, *a.add(i));
        }
        let (mut carry, mut top_bit) = (0, 0);
        for i in 0..n {
            let (x, y) = (*r.add(2 * i), *r.add(2 * i + 1));
            let (square, high) = mac(*a.add(i), *a.add(i), 0, 0);
            let (low, c) = adc(x << 1 | top_bit, square, carry);
            let (high, c) = adc(y << 1 | x >> 63, high, c);
            (*r.add(2 * i), *r.add(2 * i + 1)) = (low, high);
            (carry, top_bit) = (c, y >> 63);
        }
    }
}
