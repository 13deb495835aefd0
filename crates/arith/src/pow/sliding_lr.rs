//! A sliding window from the left over odd powers of the base (HAC 14.85), also for products of several powers, which
//! share the squarings (HAC 14.88; Möller 2001). The exponents are public, so the width of the windows is the one that
//! takes the fewest multiplications.

use crate::nat::Nat;
use crate::ring::{Ring, Words};
use crate::word;
use carrysave_kernels::Limb;

/// The power to a public exponent.
pub(crate) fn power(ring: &dyn Ring, base: &[Limb], exp: &Nat, t: &mut [Limb]) -> Words {
    product(ring, &[(base, exp)], t)
}

/// The product of powers to public exponents.
pub(crate) fn product(ring: &dyn Ring, powers: &[(&[Limb], &Nat)], t: &mut [Limb]) -> Words {
    let mut factors: Vec<_> = powers
        .iter()
        .map(|(base, exp)| {
            let w = width(exp);
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

/// Exponents of up to so many bits are counted out: a scan costs nothing beside a product.
const COUNTED: usize = 256;
/// No window is wider: a table of more powers than `2^(WIDEST - 1)` leaves the caches.
const WIDEST: usize = 8;

/// The width of windows, the narrowest of those that take the fewest multiplications: for short exponents by counting
/// them, above for an exponent of as many bits on the average.
fn width(exp: &Nat) -> usize {
    let bits = exp.bits_vartime();
    if bits > COUNTED {
        return usual_width(bits);
    }
    let (mut best, mut fewest) = (1, multiplications(exp, 1));
    for w in 2..=WIDEST {
        // What every exponent of that length takes: the table, and the squarings behind the first window.
        if table(w) + bits.saturating_sub(w) >= fewest {
            break;
        }
        let count = multiplications(exp, w);
        if count < fewest {
            (best, fewest) = (w, count);
        }
    }
    best
}

/// The least `2^(w-1) + bits / (w + 1)`: window w + 1 wins where `bits > 2^(w-1) (w + 1) (w + 2)`.
fn usual_width(bits: usize) -> usize {
    let enough = |w: &usize| bits <= ((w + 1) * (w + 2)) << (w - 1);
    (1..WIDEST).find(enough).unwrap_or(WIDEST)
}

/// The multiplications that the odd powers take, one of them a squaring.
fn table(w: usize) -> usize {
    if w == 1 { 0 } else { 1 << (w - 1) }
}

/// How many multiplications a power takes with windows of w bits: the table, a squaring for each bit behind the first
/// window, a product for each other window.
fn multiplications(exp: &Nat, w: usize) -> usize {
    let mut windows = windows(exp, w);
    match windows.next() {
        Some((end, _)) => table(w) + end + windows.count(),
        None => 0,
    }
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
    /// Bits that are looked at together for the next one.
    const SIGHT: usize = 63;
    let mut i = exp.bits_vartime();
    std::iter::from_fn(move || {
        loop {
            let len = i.min(SIGHT);
            let bits = word::window(exp.limbs(), i - len, len);
            i -= len;
            if bits != 0 {
                i += bits.ilog2() as usize + 1;
                break;
            }
            if i == 0 {
                return None;
            }
        }
        // The longest window below bit i that ends in a one.
        let len = w.min(i);
        i -= len;
        let digit = word::window(exp.limbs(), i, len) as usize;
        let zeros = digit.trailing_zeros();
        Some((i + zeros as usize, digit >> zeros))
    })
}
