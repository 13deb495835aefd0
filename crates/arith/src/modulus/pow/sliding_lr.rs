//! A sliding window from the left over odd powers of the base (HAC 14.85), also for products of several powers, which
//! share the squarings (HAC 14.88; Möller 2001).

use super::super::ring::{Ring, Words};
use super::digit;
use crate::nat::Nat;
use crate::plan::choose;
use carrysave_kernels::Limb;

/// The power to a public exponent.
pub(super) fn power(ring: &dyn Ring, base: &[Limb], exp: &Nat, t: &mut [Limb]) -> Words {
    product(ring, &[(base, exp)], t)
}

/// The product of powers to public exponents.
pub(super) fn product(ring: &dyn Ring, powers: &[(&[Limb], &Nat)], t: &mut [Limb]) -> Words {
    let mut factors: Vec<_> = powers
        .iter()
        .map(|(base, exp)| {
            let w = choose(ring.plan().sliding_window, exp.bits_vartime());
            (odd_powers(ring, base, w, t), windows(exp, w).peekable())
        })
        .collect();
    let bits = powers.iter().map(|(_, exp)| exp.bits_vartime()).max();
    let mut r: Option<Words> = None;
    for i in (0..bits.unwrap_or(0)).rev() {
        if let Some(r) = &mut r {
            ring.sqr(r, t);
        }
        for (odd, windows) in &mut factors {
            let Some((_, digit)) = windows.next_if(|(end, _)| *end == i) else {
                continue;
            };
            match &mut r {
                Some(r) => ring.mul(r, &odd[digit / 2], t),
                None => r = Some(odd[digit / 2].clone()),
            }
        }
    }
    r.unwrap_or_else(|| ring.one())
}

/// `base^(2i + 1)` at the index i, for windows of w bits.
fn odd_powers(ring: &dyn Ring, base: &[Limb], w: usize, t: &mut [Limb]) -> Vec<Words> {
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
    odd
}

/// The windows of an exponent from the top, each with its lowest bit, which is one, and its digit.
fn windows(exp: &Nat, w: usize) -> impl Iterator<Item = (usize, usize)> {
    let mut i = exp.bits_vartime();
    std::iter::from_fn(move || {
        while i > 0 && !exp.bit(i - 1) {
            i -= 1;
        }
        // The longest window below bit i that ends in a one.
        let len = (1..=w.min(i)).rev().find(|len| exp.bit(i - len))?;
        i -= len;
        Some((i, digit(exp, i, len) as usize))
    })
}
