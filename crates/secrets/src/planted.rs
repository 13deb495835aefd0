//! Planted leaks of scalars: whatever looks for leaks must find each of them.
//!
//! Powers of an element of a field stand for multiples of a point.

use carrysave_arith::field::{F25519, Fe};
use carrysave_kernels::Limb;

/// A power by a ladder of so many steps, in which masks choose by the bits of the exponent: it leaks nothing.
pub fn ladder(base: &Fe<F25519>, exponent: &[Limb], steps: usize) -> Fe<F25519> {
    let (mut low, mut high) = (Fe::one(), *base);
    for i in (0..steps).rev() {
        let bit = exponent[i / 64] >> (i % 64) & 1;
        Fe::swap(&mut low, &mut high, bit);
        high *= low;
        low = low.sqr();
        Fe::swap(&mut low, &mut high, bit);
    }
    low
}

/// A ladder over as many windows of four bits as the exponent fills: it leaks that a nonce has a short top word.
pub fn ladder_by_length(base: &Fe<F25519>, exponent: &[Limb]) -> Fe<F25519> {
    let highest = (0..64 * exponent.len())
        .rev()
        .find(|i| exponent[i / 64] >> (i % 64) & 1 == 1);
    let bits = highest.map_or(0, |highest| highest + 1);
    ladder(base, exponent, bits.next_multiple_of(4))
}

/// A power from the lowest bit on that exits when no bit of the exponent is left: it leaks where the highest one is.
pub fn ladder_with_exit(base: &Fe<F25519>, exponent: &[Limb]) -> Fe<F25519> {
    let (mut power, mut square) = (Fe::one(), *base);
    for i in 0..64 * exponent.len() {
        let above = exponent[i / 64 + 1..]
            .iter()
            .fold(0, |all, limb| all | limb);
        let rest = exponent[i / 64] >> (i % 64);
        if rest | above == 0 {
            break;
        }
        power = Fe::select(&power, &(power * square), rest & 1);
        square = square.sqr();
    }
    power
}
