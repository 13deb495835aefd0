//! The digit-level steps of the portable kernels.

use crate::Limb;

pub(super) const MASK: Limb = (1 << 52) - 1;

/// `(a*b + q*n) / 2^(52m)`, q the quotient that makes it exact: one digit of b at a time.
///
/// # Safety
/// `r`, `a`, `b`, `n` have `d` digits, `m <= d`; `r` overlaps no source.
pub(crate) unsafe fn amm(
    r: *mut Limb,
    a: *const Limb,
    b: *const Limb,
    n: *const Limb,
    d: usize,
    m: usize,
    k0: Limb,
) {
    let wide = |x: Limb, y: Limb| u128::from(x) * u128::from(y);
    // SAFETY: every index is below d.
    unsafe {
        core::slice::from_raw_parts_mut(r, d).fill(0);
        for i in 0..m {
            // r := (r + a b_i + q n) / 2^52, all digits of r below 2^52 but the top one
            let y = *b.add(i);
            let first = u128::from(*r) + wide(*a, y);
            let q = (first as Limb).wrapping_mul(k0) & MASK;
            let mut carry = (first + wide(*n, q)) >> 52;
            for j in 1..d {
                let sum = carry + u128::from(*r.add(j)) + wide(*a.add(j), y) + wide(*n.add(j), q);
                *r.add(j - 1) = sum as Limb & MASK;
                carry = sum >> 52;
            }
            *r.add(d - 1) = carry as Limb;
        }
    }
}
