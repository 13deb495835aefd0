//! A sliding window from the left over odd powers of the base (HAC 14.85).

use super::super::ring::{Ring, Words};
use super::digit;
use crate::nat::Nat;
use crate::plan::choose;
use carrysave_kernels::Limb;

/// The power to a public exponent.
pub(super) fn power(ring: &dyn Ring, base: &[Limb], exp: &Nat, t: &mut [Limb]) -> Words {
    let bits = exp.bits_vartime();
    let w = choose(ring.plan().sliding_window, bits);
    // odd[i] = base^(2i + 1)
    let mut odd = vec![Words::new(base.to_vec())];
    if w > 1 {
        let mut square = odd[0].clone();
        ring.sqr(&mut square, t);
        for i in 1..1 << (w - 1) {
            let mut next = odd[i - 1].clone();
            ring.mul(&mut next, &square, t);
            odd.push(next);
        }
    }
    let mut r: Option<Words> = None;
    let mut i = bits;
    while i > 0 {
        // The longest window below bit i that ends in a one; a single zero if bit i - 1 is one.
        let len = match exp.bit(i - 1) {
            false => 1,
            true => (1..=w.min(i))
                .rev()
                .find(|len| exp.bit(i - len))
                .expect("bit i - 1 is set"),
        };
        i -= len;
        if let Some(r) = &mut r {
            for _ in 0..len {
                ring.sqr(r, t);
            }
        }
        if exp.bit(i) {
            let power = &odd[digit(exp, i, len) as usize / 2];
            match &mut r {
                Some(r) => ring.mul(r, power, t),
                None => r = Some(power.clone()),
            }
        }
    }
    r.unwrap_or_else(|| ring.one())
}
