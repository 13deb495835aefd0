//! A sliding window from the left over odd powers of the base (HAC 14.85), also for products of several powers, which
//! share the squarings (HAC 14.88; Möller 2001). The exponents are public, so windows have the width that takes the
//! fewest multiplications.

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
    let width = ring.width();
    let mut r: Option<Words> = None;
    // The bit that r has reached.
    let mut at = 0;
    loop {
        let ends = factors.iter_mut().filter_map(|(_, windows)| windows.peek());
        let next = ends.map(|&(end, _)| end).max();
        let end = next.unwrap_or(0);
        if let Some(r) = &mut r
            && at > end
        {
            ring.sqr_times(r, at - end, t);
        }
        at = end;
        if next.is_none() {
            break;
        }
        for (odd, windows) in &mut factors {
            let Some((_, digit)) = windows.next_if(|(of, _)| *of == end) else {
                continue;
            };
            let power = &odd[digit / 2 * width..][..width];
            match &mut r {
                Some(r) => ring.mul(r, power, t),
                None => r = Some(Words::new(power.to_vec())),
            }
        }
    }
    r.unwrap_or_else(|| ring.one())
}

/// The windows of exponents of up to this many bits are counted exactly: those of public keys are among them. To count
/// more takes longer than what it saves of a power modulo a number of that length.
const COUNTED: usize = 64;
/// No window is wider: a table of more powers than `2^(WIDEST - 1)` leaves the caches.
const WIDEST: usize = 8;

/// The narrowest window width with the fewest multiplications: counted for short exponents, the average for longer
/// ones, unless they have so few ones that no table pays.
fn width(exp: &Nat) -> usize {
    let bits = exp.bits_vartime();
    if bits > COUNTED {
        let usual = usual_width(bits);
        let ones = exp.limbs().iter().map(|limb| limb.count_ones() as usize);
        return if ones.sum::<usize>() <= table(usual) {
            1
        } else {
            usual
        };
    }
    let (mut best, mut fewest) = (1, multiplications(exp, 1));
    for w in 2..=WIDEST {
        // The common cost of that length: the table, and the squarings after the first window.
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

/// The multiplications for the odd powers, including one squaring.
fn table(w: usize) -> usize {
    if w == 1 { 0 } else { 1 << (w - 1) }
}

/// The multiplications of a power with windows of w bits: the table, a squaring for each bit after the first window,
/// and a product for each further window.
fn multiplications(exp: &Nat, w: usize) -> usize {
    let mut windows = windows(exp, w);
    match windows.next() {
        Some((end, _)) => table(w) + end + windows.count(),
        None => 0,
    }
}

/// `base^(2i + 1)` as the row i, for windows of w bits.
fn odd_powers(ring: &dyn Ring, base: &[Limb], w: usize, t: &mut [Limb]) -> Words {
    let width = base.len();
    let mut odd = Words::new(vec![0; width << (w - 1)]);
    odd[..width].copy_from_slice(base);
    if w > 1 {
        let mut square = Words::new(base.to_vec());
        ring.sqr(&mut square, t);
        for i in 1..1 << (w - 1) {
            odd.copy_within((i - 1) * width..i * width, i * width);
            ring.mul(&mut odd[i * width..][..width], &square, t);
        }
    }
    odd
}

/// The windows of an exponent from the top, each with its lowest bit, which is one, and its digit.
fn windows(exp: &Nat, w: usize) -> impl Iterator<Item = (usize, usize)> {
    /// Bits that are scanned together for the next 1.
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
