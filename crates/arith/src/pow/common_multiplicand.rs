//! Square and multiply from the right, where product and square share work through their common multiplicand s (Yen,
//! Laih, Electronics Letters 29(17), 1993; for Montgomery's form Ha, Moon, Information Processing Letters 66, 1998).

use crate::nat::Nat;
use crate::ring::{Ring, Words};
use carrysave_kernels::Limb;

/// The power to a public exponent.
pub(super) fn power(ring: &dyn Ring, base: &[Limb], exp: &Nat, t: &mut [Limb]) -> Words {
    let mut r = ring.one();
    let mut s = Words::new(base.to_vec()); // base^(2^i)
    let Some(top) = exp.bits_vartime().checked_sub(1) else {
        return r;
    };
    for i in 0..top {
        match exp.bit(i) {
            true => ring.mul_and_sqr(&mut r, &mut s, t),
            false => ring.sqr(&mut s, t),
        }
    }
    ring.mul(&mut r, &s, t);
    r
}
