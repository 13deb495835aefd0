//! Plain Rust: one row per limb of b.

use crate::{
    Limb,
    mpn::{addmul_1, mul_1},
};

/// # Safety
/// The contract of `mpn_mul_basecase`.
pub unsafe fn kernel(r: *mut Limb, a: *const Limb, n: usize, b: *const Limb, m: usize) {
    // SAFETY: row j writes r[j .. j + n] and then r[j + n], j < m.
    unsafe {
        *r.add(n) = mul_1::portable::kernel(r, a, n, *b);
        for j in 1..m {
            *r.add(j + n) = addmul_1::portable::kernel(r.add(j), a, n, *b.add(j));
        }
    }
}
