//! Powers, roots, divisors, inverses, primes.

use crate::Num;

/// With these bases the Miller-Rabin test is exact below 3.3 * 10^24 (Sorenson and Webster, 2015).
const BASES: [u64; 13] = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41];

impl Num {
    /// The product modulo `modulus`.
    pub fn mul_mod(&self, other: &Num, modulus: &Num) -> Num {
        self.mul(other).rem(modulus)
    }

    /// The power modulo `modulus`: square and multiply from the top bit.
    pub fn pow_mod(&self, exponent: &Num, modulus: &Num) -> Num {
        let mut power = Num::one().rem(modulus);
        for i in (0..exponent.bits()).rev() {
            power = power.sqr().rem(modulus);
            if exponent.bit(i) {
                power = power.mul_mod(self, modulus);
            }
        }
        power
    }

    /// The greatest common divisor; `gcd(0, b) = b`.
    pub fn gcd(&self, other: &Num) -> Num {
        let (mut a, mut b) = (self.clone(), other.clone());
        while !b.is_zero() {
            (a, b) = (b.clone(), a.rem(&b));
        }
        a
    }

    /// The inverse modulo `modulus`, if there is one: Euclid's algorithm with the cofactor kept modulo `modulus`.
    pub fn inv_mod(&self, modulus: &Num) -> Option<Num> {
        let (mut a, mut b) = (modulus.clone(), self.rem(modulus));
        // a = x * self and b = y * self, modulo `modulus`.
        let (mut x, mut y) = (Num::zero(), Num::one());
        while !b.is_zero() {
            let (quotient, rest) = a.div_rem(&b);
            let next = x
                .add(modulus)
                .sub(&quotient.mul_mod(&y, modulus))
                .rem(modulus);
            (a, b, x, y) = (b, rest, y, next);
        }
        (a == Num::one()).then(|| x.rem(modulus))
    }

    /// The square root, rounded down: one bit at a time.
    pub fn isqrt(&self) -> Num {
        let mut root = Num::zero();
        for i in (0..self.bits().div_ceil(2)).rev() {
            let candidate = root.add(&Num::one().shl(i));
            if candidate.sqr() <= *self {
                root = candidate;
            }
        }
        root
    }

    /// Whether this is prime: Miller-Rabin with the 13 smallest primes as bases.
    ///
    /// Exact below 3.3 * 10^24; above, only numbers made to deceive it do.
    pub fn is_prime(&self) -> bool {
        for base in BASES.map(Num::from) {
            if self.rem(&base).is_zero() {
                return *self == base;
            }
        }
        if *self <= Num::one() {
            return false;
        }
        let less_one = self.sub(&Num::one());
        let twos = (0..).take_while(|&i| !less_one.bit(i)).count();
        let odd = less_one.shr(twos);
        BASES.map(Num::from).iter().all(|base| {
            let mut power = base.pow_mod(&odd, self);
            if power == Num::one() || power == less_one {
                return true;
            }
            (1..twos).any(|_| {
                power = power.sqr().rem(self);
                power == less_one
            })
        })
    }
}
