//! `inverses`: inverses modulo odd numbers by division steps, as secrets take, by Euclid's algorithm with Lehmer's method, as
//! long public numbers take, and by the binary extended Euclidean algorithm of "The Performance of Cryptographic Algorithms in
//! the Age of Parallel Computing" (Khalifa 2011). Beside them common divisors by the first two and by the extended algorithm,
//! and that a number is prime by a round of Rabin's and Miller's test, as the same source has it, and by Baillie's and
//! Pomerance's, Selfridge's and Wagstaff's.

use super::{Experiment, Levels, Share, modexp::numbers, random_limbs, thesis::invertible_power};
use crate::{Bench, Error, record::Size};
use carrysave_arith::prime::{PrimeOptions, is_prime, is_prime_vartime, random_prime};
use carrysave_arith::published::inverse::{binary_euclid_vartime, lehmer_vartime};
use carrysave_arith::{Nat, inv_mod, xgcd_vartime};
use getrandom::{SysRng, rand_core::UnwrapErr};
use num_bigint::BigUint;
use num_integer::Integer;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "inverses",
    about: "inverses modulo odd numbers by three methods, common divisors, tests for primes",
    run,
    levels: Levels {
        quick: Some(Share::new(&[256, 2048], 0.1, 2.0)),
        standard: Share::new(&[256, 1024, 4096], 0.2, 6.0),
        full: Share::new(&[], 0.3, 12.0),
    },
};

/// An inverse of the first number modulo the second.
type Inverse = fn(&Nat, &Nat) -> Option<Nat>;

const METHODS: [(&str, Inverse); 3] = [
    ("carrysave/division_steps", inv_mod),
    ("carrysave/lehmer", lehmer_vartime),
    ("carrysave/binary_euclid", binary_euclid_vartime),
];

fn run(bench: &mut Bench<'_>) -> Result<(), Error> {
    for bits in bench.limb_bits(&[256, 512, 1024, 2048, 4096])? {
        let [a, _, n] = &numbers(&invertible_power(bits));
        let mut race = bench.race("inverse", Size::Bits(bits));
        for (label, inverse) in METHODS {
            race.enter(label, || (), move |()| inverse(a, n), |x| check(a, x, n));
        }
        race.run();
        divisors(bench, bits);
        primes(bench, bits);
    }
    Ok(())
}

/// The greatest common divisor of two numbers.
type Divisor = fn(&Nat, &Nat) -> Nat;

const DIVISORS: [(&str, Divisor); 3] = [
    ("carrysave/division_steps", Nat::gcd),
    ("carrysave/lehmer", Nat::gcd_vartime),
    ("carrysave/extended", |a, b| xgcd_vartime(a, b).0),
];

/// Numbers whose divisor is half as long.
fn divisors(bench: &mut Bench<'_>, bits: usize) {
    let limbs = bits / 64;
    let random = |limbs| Nat::from_limbs(&random_limbs(limbs));
    // One, where a limb is all there is.
    let divisor = random(limbs / 2).add_limb(1);
    let [a, b] = &[(); 2].map(|()| random(limbs - limbs / 2).mul(&divisor));
    let number = |n: &Nat| BigUint::from_bytes_be(&n.to_be_bytes_vartime());
    let expected = &number(a).gcd(&number(b));
    let mut race = bench.race("gcd", Size::Bits(bits));
    for (label, gcd) in DIVISORS {
        let check = |g: &Nat| match number(g) == *expected {
            true => Ok(()),
            false => Err("its divisor is wrong".to_owned()),
        };
        race.enter(label, || (), move |()| gcd(a, b), check);
    }
    race.run();
}

/// A test for primes.
type Test = fn(&Nat) -> bool;

const TESTS: [(&str, Test); 2] = [
    ("carrysave/miller_rabin", |n| {
        is_prime(n, 1, &mut UnwrapErr(SysRng))
    }),
    ("carrysave/baillie_psw", is_prime_vartime),
];

/// A prime, with which no test is done early.
fn primes(bench: &mut Bench<'_>, bits: usize) {
    let wanted = TESTS.map(|(label, _)| bench.wants("prime", label));
    if !wanted.contains(&true) {
        return;
    }
    let rng = &mut UnwrapErr(SysRng);
    let prime = random_prime(bits, &PrimeOptions::default(), rng, &mut || ());
    let prime = &prime.expect("nobody stops the search");
    let mut race = bench.race("prime", Size::Bits(bits));
    for (label, test) in TESTS {
        let check = |passes: &bool| match passes {
            true => Ok(()),
            false => Err("it refuses a prime".to_owned()),
        };
        race.enter(label, || (), move |()| test(prime), check);
    }
    race.run();
}

/// Fails unless `x` is the inverse of `a` modulo `n`.
fn check(a: &Nat, x: &Option<Nat>, n: &Nat) -> Result<(), String> {
    let product = x.as_ref().map(|x| a.mul(x).div_rem_vartime(n).1);
    match product.is_some_and(|product| product.is_one()) {
        true => Ok(()),
        false => Err("its inverse is wrong".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_inverses_are_seen() {
        let [a, n] = [3, 101].map(Nat::from_limb);
        for (label, inverse) in METHODS {
            let x = inverse(&a, &n);
            assert_eq!(check(&a, &x, &n), Ok(()), "{label}");
            let wrong = x.map(|x| x.add_limb(1));
            assert!(check(&a, &wrong, &n).is_err(), "{label}");
        }
        assert!(check(&a, &None, &n).is_err());
    }

    #[test]
    fn tests_for_primes_tell_them_from_products() {
        let prime = Nat::power_of_two(127).sub_limb(1).expect("it is not zero");
        for (label, test) in TESTS {
            assert!(test(&prime) && !test(&prime.mul(&prime)), "{label}");
        }
    }
}
