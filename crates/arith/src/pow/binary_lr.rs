//! Square and multiply from the left (HAC 14.79).

use crate::nat::Nat;
use crate::ring::{Ring, Words};
use carrysave_kernels::Limb;

/// The power to a public exponent.
pub(super) fn power(ring: &dyn Ring, base: &[Limb], exp: &Nat, t: &mut [Limb]) -> Words {
    let Some(top) = exp.bits_vartime().checked_sub(1) else {
        return ring.one();
    };
    let mut r = Words::new(base.to_vec());
    for i in (0..top).rev() {
        ring.sqr(&mut r, t);
        if exp.bit(i) {
            ring.mul(&mut r, base, t);
        }
    }
    r
}
