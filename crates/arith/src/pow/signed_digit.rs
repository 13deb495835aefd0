//! Square and multiply from the right over the digits 1, 0, -1 of the non-adjacent form, with a third of the digits
//! nonzero (HAC 14.121; Khalifa 2011, list 18).
//!
//! As in that list, the powers at digits -1 are accumulated separately and inverted once at the end. A base without an
//! inverse is raised by the binary method.

use super::binary_rl;
use crate::inverse::inv_mod_vartime;
use crate::nat::Nat;
use crate::ring::{Ring, Words};
use carrysave_kernels::Limb;

/// The power to a public exponent. The inversion depends on the base.
pub(super) fn power(ring: &dyn Ring, base: &[Limb], exp: &Nat, t: &mut [Limb]) -> Words {
    // Digit i of the form is bit i + 1 of 3 e minus bit i + 1 of e (Prodinger 2000).
    let triple = exp.mul_limb(3);
    let mut r = ring.one();
    let mut below = ring.one();
    let mut s = Words::new(base.to_vec()); // base^(2^i)
    for i in 1..triple.bits_vartime() {
        if i > 1 {
            ring.sqr(&mut s, t);
        }
        match (triple.bit(i), exp.bit(i)) {
            (true, false) => ring.mul(&mut r, &s, t),
            (false, true) => ring.mul(&mut below, &s, t),
            _ => {}
        }
    }
    match inv_mod_vartime(&ring.leave(&below, t)[0], ring.modulus()) {
        Some(inverse) => {
            ring.mul(&mut r, &ring.enter(&[&inverse], t), t);
            r
        }
        None => binary_rl::power(ring, base, exp, t),
    }
}
