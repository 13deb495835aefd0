//! Residues modulo 2^521 - 1 in digits, for vectors that hold the digits of one number side by side.

use super::{MAX_LIMBS, Mersenne521, Residue, word::mask};
use crate::Limb;

/// A residue modulo 2^521 - 1 in eleven digits of 48 bits: what is above 2^528 goes below times 2^7.
///
/// Digits give their carries to the next all at once, so that the lowest of a result is below 2^48 + 2^22 and the others
/// below 2^48 + 2^16. In two vectors of eight words they are words 0 to 10; the others are 0.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub struct Digits521(pub(super) Words);

/// The words of two vectors.
pub(super) type Words = [Limb; 16];

/// The digits, and the bits of one.
pub(super) const DIGITS: usize = 11;
pub(super) const WIDTH: usize = 48;
/// The bits by which what is above goes below.
pub(super) const FOLD: usize = DIGITS * WIDTH - Mersenne521::BITS;
pub(super) const LOWEST: Limb = (1 << WIDTH) - 1;

/// The half of 1, in the highest digit: 2^520.
pub(super) const HALF: usize = Mersenne521::BITS - 1 - WIDTH * (DIGITS - 1);

/// A multiple of the modulus in digits from which nothing is borrowed: four times 2^528 - 1, which is 2^7 - 1.
pub(super) const MULTIPLE: Words = {
    let mut digits = [0; 16];
    let mut i = 0;
    while i < DIGITS {
        digits[i] = 4 * LOWEST;
        i += 1;
    }
    digits[0] -= 4 * ((1 << FOLD) - 1);
    digits
};

/// A residue from sums: every digit gives its carry to the next.
#[inline(always)]
fn carried(sums: &Words) -> Digits521 {
    let mut digits = [0; 16];
    for (digit, sum) in digits[..DIGITS].iter_mut().zip(sums) {
        *digit = sum & LOWEST;
    }
    for (digit, sum) in digits[1..DIGITS].iter_mut().zip(sums) {
        *digit += sum >> WIDTH;
    }
    digits[0] += (sums[DIGITS - 1] >> WIDTH) << FOLD;
    Digits521(digits)
}

impl Residue for Digits521 {
    const BITS: usize = Mersenne521::BITS;
    const MODULUS: [Limb; MAX_LIMBS] = Mersenne521::MODULUS;
    const ZERO: Self = Digits521([0; 16]);
    const ONE: Self = {
        let mut one = [0; 16];
        one[0] = 1;
        Digits521(one)
    };

    #[inline(always)]
    fn from_limbs(limbs: &[Limb; MAX_LIMBS]) -> Self {
        let mut digits = [0; 16];
        for (i, digit) in digits[..DIGITS].iter_mut().enumerate() {
            let at = WIDTH * i;
            let above = limbs.get(at / 64 + 1).copied().unwrap_or(0);
            let wide = u128::from(limbs[at / 64]) | u128::from(above) << 64;
            *digit = (wide >> (at % 64)) as Limb & LOWEST;
        }
        Digits521(digits)
    }

    #[inline(always)]
    fn to_limbs(&self) -> [Limb; MAX_LIMBS] {
        let (mut limbs, mut carry) = ([0; MAX_LIMBS], 0);
        for (i, digit) in self.0[..DIGITS].iter().enumerate() {
            let (at, sum) = (WIDTH * i, digit + carry);
            let wide = u128::from(sum & LOWEST) << (at % 64);
            limbs[at / 64] |= wide as Limb;
            if at / 64 + 1 < MAX_LIMBS {
                limbs[at / 64 + 1] |= (wide >> 64) as Limb;
            }
            carry = sum >> WIDTH;
        }
        Mersenne521::folded(limbs, carry << FOLD).to_limbs()
    }

    #[inline(always)]
    fn add(&self, other: &Self) -> Self {
        carried(&core::array::from_fn(|i| self.0[i] + other.0[i]))
    }

    #[inline(always)]
    fn sub(&self, other: &Self) -> Self {
        let difference = |i| self.0[i] + MULTIPLE[i] - other.0[i];
        carried(&core::array::from_fn(difference))
    }

    #[inline(always)]
    fn half(&self) -> Self {
        let mut digits = self.0.map(|digit| digit >> 1);
        for (digit, above) in digits[..DIGITS - 1].iter_mut().zip(&self.0[1..]) {
            *digit += (above & 1) << (WIDTH - 1);
        }
        digits[DIGITS - 1] += (self.0[0] & 1) << HALF;
        Digits521(digits)
    }

    /// By halves of products of digits as vectors have them, and to the same digits.
    #[inline]
    fn mul(&self, other: &Self) -> Self {
        let mut columns = [0; 2 * DIGITS];
        for (i, a) in self.0[..DIGITS].iter().enumerate() {
            for (j, b) in other.0[..DIGITS].iter().enumerate() {
                let product = u128::from(*a) * u128::from(*b);
                columns[i + j] += product as Limb & ((1 << 52) - 1);
                columns[i + j + 1] += ((product >> 52) as Limb) << (52 - WIDTH);
            }
        }
        let mut sums = [0; 16];
        for k in 0..DIGITS {
            sums[k] = columns[k] + (columns[k + DIGITS] << FOLD);
        }
        carried(&sums)
    }

    #[inline]
    fn sqr(&self) -> Self {
        self.mul(self)
    }

    #[inline(always)]
    fn digits(&self) -> Option<&Digits521> {
        Some(self)
    }

    #[inline(always)]
    fn of_digits(digits: Digits521) -> Option<Self> {
        Some(digits)
    }

    #[inline(always)]
    fn select(a: &Self, b: &Self, bit: Limb) -> Self {
        let mask = mask(bit);
        Digits521(core::array::from_fn(|i| a.0[i] ^ (a.0[i] ^ b.0[i]) & mask))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fp::{Multiply, Portable};

    /// The largest digits of results, the smallest, and some between.
    fn residues() -> Vec<Digits521> {
        let largest = |i| LOWEST + (1 << if i == 0 { 22 } else { 16 });
        let digits = |f: &mut dyn FnMut(usize) -> Limb| {
            let mut words = [0; 16];
            (0..DIGITS).for_each(|i| words[i] = f(i));
            Digits521(words)
        };
        let mut all = vec![
            digits(&mut |i| largest(i)),
            digits(&mut |_| 0),
            digits(&mut |_| LOWEST),
            digits(&mut |i| largest(i) * (i as Limb % 2)),
            Digits521::ONE,
            Digits521::from_limbs(&Digits521::MODULUS),
        ];
        all.extend((0..DIGITS).map(|one| digits(&mut |i| if i == one { largest(i) } else { 0 })));
        let mut x: Limb = 0x9e37_79b9_7f4a_7c15;
        all.extend((0..20).map(|_| {
            digits(&mut |_| {
                x = x.wrapping_mul(0xd129_42ff_e1c8_6e4d).rotate_left(23);
                x & LOWEST
            })
        }));
        all
    }

    fn within_bounds(x: &Digits521) -> bool {
        let zeros = x.0[DIGITS..].iter().all(|word| *word == 0);
        let digits = &x.0[1..DIGITS];
        zeros && x.0[0] <= LOWEST + (1 << 22) && digits.iter().all(|x| *x <= LOWEST + (1 << 16))
    }

    /// Results have digits within the bounds, are what limbs give, and the same by any way.
    fn compare<M: Multiply>(m: M) {
        let limbs = |x: &Digits521| Mersenne521::from_limbs(&x.to_limbs());
        let all = residues();
        for a in &all {
            let (x, plain) = (limbs(a), a.half());
            assert!(within_bounds(a) && within_bounds(&plain));
            assert_eq!(m.half(a).0, plain.0);
            assert_eq!(m.sqr(a).0, a.sqr().0);
            assert_eq!(plain.to_limbs(), x.half().to_limbs());
            for b in &all {
                let y = limbs(b);
                let checked = [
                    (m.mul(a, b), a.mul(b), x.mul(&y)),
                    (m.add(a, b), a.add(b), x.add(&y)),
                    (m.sub(a, b), a.sub(b), x.sub(&y)),
                    (m.select(a, b, 0), *a, x),
                    (m.select(a, b, 1), *b, y),
                ];
                for (digits, plain, limbs) in checked {
                    assert_eq!(digits.0, plain.0);
                    assert!(within_bounds(&digits));
                    assert_eq!(digits.to_limbs(), limbs.to_limbs());
                }
            }
        }
    }

    #[test]
    fn digits_are_what_limbs_are() {
        compare(Portable);
        #[cfg(target_arch = "x86_64")]
        match crate::fp8::Ifma512::new(crate::Cpu::native()) {
            Some(m) => compare(m),
            None => println!("SKIPPED: no avx512ifma on this processor"),
        }
    }
}
