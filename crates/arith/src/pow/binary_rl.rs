//! Square and multiply from the right (HAC 14.76; Khalifa 2011, list 17).

use crate::nat::Nat;
use crate::ring::{Ring, Words};
use carrysave_kernels::Limb;

/// The power to a public exponent.
pub(super) fn power(ring: &dyn Ring, base: &[Limb], exp: &Nat, t: &mut [Limb]) -> Words {
    let mut r = ring.one();
    let mut s = Words::new(base.to_vec()); // base^(2^i)
    for i in 0..exp.bits_vartime() {
        if i > 0 {
            ring.sqr(&mut s, t);
        }
        if exp.bit(i) {
            ring.mul(&mut r, &s, t);
        }
    }
    r
}
