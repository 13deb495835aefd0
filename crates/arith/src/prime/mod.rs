//! Primes: tests for secret and for public numbers, and the search for random ones.

mod lucas;
mod random;
mod sieve;

use crate::modulus::Modulus;
use crate::nat::Nat;
use rand_core::CryptoRng;

pub use lucas::strong_lucas_vartime;
pub use random::{
    PrimeOptions, random_prime, random_safe_prime, random_safe_prime_with_square_vartime,
};

/// Whether `n` passes `rounds` rounds of the Miller-Rabin test with random bases (FIPS 186-5, B.3.1).
///
/// Any composite passes one round with a probability of at most 1/4.
///
/// Without a round, any odd number above 1 passes.
///
/// # Timing
/// For secret numbers: a prime reveals its bit length and the number of trailing zeros of n - 1.
pub fn is_prime<R: CryptoRng + ?Sized>(n: &Nat, rounds: usize, rng: &mut R) -> bool {
    let Some(modulus) = Modulus::new(n) else {
        return *n == Nat::from_limb(2);
    };
    if modulus.bits() == 2 {
        return true; // 3
    }
    // Bases from 2 to n - 2.
    let span = n.sub_limb(3).expect("n >= 5");
    (0..rounds).all(|_| miller_rabin(&modulus, &Nat::random_below(&span, rng).add_limb(2)))
}

/// Whether `n` passes one round of the Miller-Rabin test with the given base, 2 <= base <= n - 2.
///
/// # Timing
/// As [`is_prime`].
pub fn miller_rabin(n: &Modulus, base: &Nat) -> bool {
    let minus_one = n.nat().sub_limb(1).expect("n > 1");
    let twos = (0..n.bits()).take_while(|&i| !minus_one.bit(i)).count();
    let mut z = n.pow_bits(&n.reduce(base), &minus_one.shr(twos), n.bits() - twos);
    // Does all squarings and reads all values: a prime reveals only `twos`.
    let mut passed = u8::from(z.is_one()) | u8::from(z == minus_one);
    for _ in 1..twos {
        z = n.sqr(&z);
        passed |= u8::from(z == minus_one);
    }
    passed == 1
}

/// The Baillie-PSW test: trial division, Miller-Rabin to base 2 and a strong Lucas test.
///
/// No composite is known to pass, and none below 2^64 does. For public numbers. For numbers that an opponent may have
/// chosen, add some rounds of [`is_prime`].
///
/// ```
/// use carrysave_arith::{Nat, prime};
/// let mersenne = Nat::power_of_two(127).sub_limb(1).unwrap();
/// assert!(prime::is_prime_vartime(&mersenne));
/// assert!(!prime::is_prime_vartime(&Nat::from_limb(3215031751))); // passes for the bases 2, 3, 5, 7
/// ```
pub fn is_prime_vartime(n: &Nat) -> bool {
    if let Some(p) = sieve::small_factor_vartime(n) {
        return *n == Nat::from_limb(p);
    }
    match Modulus::new(n) {
        Some(modulus) => {
            miller_rabin(&modulus, &Nat::from_limb(2)) && strong_lucas_vartime(&modulus)
        }
        None => false, // 0, 1; even numbers have the factor 2
    }
}
