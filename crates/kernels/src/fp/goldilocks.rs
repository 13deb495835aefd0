//! Residues modulo 2^448 - 2^224 - 1, the prime of Curve448 and Edwards448.

use super::{MAX_LIMBS, Residue, word::mask};
use crate::Limb;

/// A residue modulo 2^448 - 2^224 - 1 in eight digits of 56 bits.
///
/// With phi = 2^224 the modulus is phi^2 - phi - 1, so that products of halves of four digits are reduced by additions
/// (Hamburg, ePrint 2015/625, section 4). Digits give their carries to the next all at once: those of a result are below
/// 2^56 + 2^9.
#[derive(Clone, Copy, Debug)]
pub struct Goldilocks(Digits);

/// The digits.
type Digits = [Limb; DIGITS];

const DIGITS: usize = 8;
const HALF: usize = DIGITS / 2;
const WIDTH: usize = 56;
const DIGIT: Limb = (1 << WIDTH) - 1;

/// The digits of the modulus.
const P: Digits = {
    let mut p = [DIGIT; DIGITS];
    p[HALF] -= 1;
    p
};

/// A residue from sums below 2^63: every digit gives its carry to the next, and the highest, as 2^448 is 2^224 + 1, to two.
#[inline(always)]
fn carried(sums: &Digits) -> Goldilocks {
    let mut digits = sums.map(|sum| sum & DIGIT);
    for (digit, sum) in digits[1..].iter_mut().zip(sums) {
        *digit += sum >> WIDTH;
    }
    let above = sums[DIGITS - 1] >> WIDTH;
    digits[0] += above;
    digits[HALF] += above;
    Goldilocks(digits)
}

/// The product of two digits.
#[inline(always)]
fn wide(a: Limb, b: Limb) -> u128 {
    u128::from(a) * u128::from(b)
}

/// The columns of a product of halves.
#[inline(always)]
fn columns(a: &[Limb; HALF], b: &[Limb; HALF]) -> [u128; 2 * HALF] {
    let mut columns = [0; 2 * HALF];
    for i in 0..HALF {
        for j in 0..HALF {
            columns[i + j] += wide(a[i], b[j]);
        }
    }
    columns
}

/// The columns of the square of a half.
#[inline(always)]
fn square(a: &[Limb; HALF]) -> [u128; 2 * HALF] {
    let mut columns = [0; 2 * HALF];
    for i in 0..HALF {
        columns[2 * i] += wide(a[i], a[i]);
        for j in i + 1..HALF {
            columns[i + j] += wide(2 * a[i], a[j]);
        }
    }
    columns
}

/// The halves of digits, and their sum.
#[inline(always)]
fn halves(a: &Digits) -> [[Limb; HALF]; 3] {
    let (low, high) = (
        core::array::from_fn(|i| a[i]),
        core::array::from_fn(|i| a[HALF + i]),
    );
    [low, high, core::array::from_fn(|i| a[i] + a[HALF + i])]
}

/// The residue of a product, from the columns of those of the low halves, of the high ones, and of the sums of both.
#[inline(always)]
fn reduced([low, high, both]: [[u128; 2 * HALF]; 3]) -> Goldilocks {
    // The product is low + high + phi (both - low); what stands above phi^2 in it is added to either half.
    let mut sums = [0; DIGITS];
    for k in 0..HALF {
        sums[k] = low[k] + high[k] + both[k + HALF] - low[k + HALF];
        sums[k + HALF] = both[k] - low[k] + high[k + HALF] + both[k + HALF];
    }
    // One chain in either half.
    let mut digits = [0; DIGITS];
    let mut carries = [0; 2];
    for k in 0..HALF {
        for (half, carry) in carries.iter_mut().enumerate() {
            let at = HALF * half + k;
            let sum = sums[at] + *carry;
            digits[at] = sum as Limb & DIGIT;
            *carry = sum >> WIDTH;
        }
    }
    // Both are below 2^61, and add less than 2^9 to a digit when they are carried once more.
    let [middle, top] = carries.map(|carry| carry as Limb);
    let (low, high) = (
        digits[0] + top,
        u128::from(digits[HALF]) + u128::from(middle) + u128::from(top),
    );
    digits[0] = low & DIGIT;
    digits[1] += low >> WIDTH;
    digits[HALF] = high as Limb & DIGIT;
    digits[HALF + 1] += (high >> WIDTH) as Limb;
    Goldilocks(digits)
}

impl Residue for Goldilocks {
    const BITS: usize = 448;
    const MODULUS: [Limb; MAX_LIMBS] = {
        let mut p = [Limb::MAX; MAX_LIMBS];
        p[3] = 0xffff_fffe_ffff_ffff;
        p[7] = 0;
        p[8] = 0;
        p
    };
    const ZERO: Self = Goldilocks([0; DIGITS]);
    const ONE: Self = Goldilocks([1, 0, 0, 0, 0, 0, 0, 0]);

    #[inline(always)]
    fn from_limbs(limbs: &[Limb; MAX_LIMBS]) -> Self {
        Goldilocks(core::array::from_fn(|i| {
            let at = WIDTH * i;
            let wide = u128::from(limbs[at / 64]) | u128::from(limbs[at / 64 + 1]) << 64;
            (wide >> (at % 64)) as Limb & DIGIT
        }))
    }

    #[inline(always)]
    fn to_limbs(&self) -> [Limb; MAX_LIMBS] {
        // Twice from digit to digit: the second time nothing is left above, as what was carried from there is short.
        let mut digits = self.0;
        for _ in 0..2 {
            let mut carry = 0;
            for digit in &mut digits {
                let sum = *digit + carry;
                *digit = sum & DIGIT;
                carry = sum >> WIDTH;
            }
            digits[0] += carry;
            digits[HALF] += carry;
        }
        // Plus 2^224 + 1 it reaches 2^448 where it reaches the modulus, and is what is left then.
        let (mut next, mut carry) = (digits, 1);
        for (i, digit) in next.iter_mut().enumerate() {
            let sum = *digit + carry + Limb::from(i == HALF);
            *digit = sum & DIGIT;
            carry = sum >> WIDTH;
        }
        let reached = mask(carry);
        let mut limbs = [0; MAX_LIMBS];
        for (i, (digit, next)) in digits.iter().zip(next).enumerate() {
            let at = WIDTH * i;
            let wide = u128::from(digit ^ (digit ^ next) & reached) << (at % 64);
            limbs[at / 64] |= wide as Limb;
            limbs[at / 64 + 1] |= (wide >> 64) as Limb;
        }
        limbs
    }

    #[inline(always)]
    fn add(&self, other: &Self) -> Self {
        carried(&core::array::from_fn(|i| self.0[i] + other.0[i]))
    }

    #[inline(always)]
    fn sub(&self, other: &Self) -> Self {
        // Twice the modulus, from which nothing is borrowed.
        carried(&core::array::from_fn(|i| self.0[i] + 2 * P[i] - other.0[i]))
    }

    #[inline(always)]
    fn half(&self) -> Self {
        // Plus the modulus, if it is odd.
        let odd = mask(self.0[0] & 1);
        let even: Digits = core::array::from_fn(|i| self.0[i] + (P[i] & odd));
        carried(&core::array::from_fn(|i| {
            let above = if i + 1 < DIGITS { even[i + 1] & 1 } else { 0 };
            (even[i] >> 1) + (above << (WIDTH - 1))
        }))
    }

    #[inline(always)]
    fn mul_word(&self, word: Limb) -> Self {
        let (mut digits, mut carry) = (self.0, 0);
        for digit in &mut digits {
            let sum = wide(*digit, word) + carry;
            *digit = sum as Limb & DIGIT;
            carry = sum >> WIDTH;
        }
        // Of 64 bits and one more: in two digits, so that none overflows.
        let (low, high) = (carry as Limb & DIGIT, (carry >> WIDTH) as Limb);
        digits[0] += low;
        digits[1] += high;
        digits[HALF] += low;
        digits[HALF + 1] += high;
        carried(&digits)
    }

    #[inline(always)]
    fn mul(&self, other: &Self) -> Self {
        let ([a, b, c], [x, y, z]) = (halves(&self.0), halves(&other.0));
        reduced([columns(&a, &x), columns(&b, &y), columns(&c, &z)])
    }

    #[inline(always)]
    fn sqr(&self) -> Self {
        reduced(halves(&self.0).map(|half| square(&half)))
    }

    #[inline(always)]
    fn select(a: &Self, b: &Self, bit: Limb) -> Self {
        let mask = mask(bit);
        Goldilocks(core::array::from_fn(|i| a.0[i] ^ (a.0[i] ^ b.0[i]) & mask))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fp::{Montgomery, Prime};

    struct Modulus;

    impl Prime<7> for Modulus {
        const P: [Limb; 7] = {
            let mut p = [0; 7];
            let mut i = 0;
            while i < 7 {
                p[i] = Goldilocks::MODULUS[i];
                i += 1;
            }
            p
        };
    }

    type InLimbs = Montgomery<Modulus, 7>;

    /// The largest digits of results, those around the modulus, and some between.
    fn residues() -> Vec<Goldilocks> {
        let largest = DIGIT + (1 << 9);
        let mut all = vec![
            Goldilocks::ZERO,
            Goldilocks::ONE,
            Goldilocks([DIGIT; DIGITS]),
            Goldilocks([largest; DIGITS]),
            Goldilocks(P),
        ];
        for i in 0..DIGITS {
            for (mut digits, digit) in [(P, P[i] + 1), (P, P[i] - 1), ([0; DIGITS], largest)] {
                digits[i] = digit;
                all.push(Goldilocks(digits));
            }
        }
        let mut x: Limb = 0x9e37_79b9_7f4a_7c15;
        all.extend((0..20).map(|_| {
            Goldilocks([(); DIGITS].map(|()| {
                x = x.wrapping_mul(0xd129_42ff_e1c8_6e4d).rotate_left(23);
                x & DIGIT
            }))
        }));
        all
    }

    /// Results have digits within the bound, and are what limbs give.
    #[test]
    fn digits_are_what_limbs_are() {
        let same = |digits: Goldilocks, limbs: InLimbs| {
            assert!(digits.0.iter().all(|digit| *digit <= DIGIT + (1 << 9)));
            assert_eq!(digits.to_limbs(), limbs.to_limbs());
        };
        let all = residues();
        for a in &all {
            let x = InLimbs::from_limbs(&a.to_limbs());
            same(Goldilocks::from_limbs(&a.to_limbs()), x);
            same(a.sqr(), x.sqr());
            same(a.half(), x.half());
            for word in [0, 1, 39_081, Limb::MAX] {
                same(a.mul_word(word), x.mul_word(word));
            }
            for b in &all {
                let y = InLimbs::from_limbs(&b.to_limbs());
                same(a.mul(b), x.mul(&y));
                same(a.add(b), x.add(&y));
                same(a.sub(b), x.sub(&y));
                same(Goldilocks::select(a, b, 0), x);
                same(Goldilocks::select(a, b, 1), y);
            }
        }
    }
}
