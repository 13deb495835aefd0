//! Primality and the search for primes.
#![allow(missing_docs)]

mod support;
use carrysave_arith::{Modulus, Nat, prime};
use support::TestRng;

#[test]
fn agrees_with_a_sieve_below_50000() {
    let mut composite = vec![false; 50_000];
    let mut rng = TestRng(21);
    for i in 2..50_000 {
        let n = Nat::from_limb(i as u64);
        assert_eq!(prime::is_prime_vartime(&n), !composite[i], "{i}");
        if i < 3_000 {
            assert_eq!(prime::is_prime(&n, 20, &mut rng), !composite[i], "{i}");
        }
        if !composite[i] {
            (2 * i..50_000).step_by(i).for_each(|j| composite[j] = true);
        }
    }
    assert!(!prime::is_prime_vartime(&Nat::zero()) && !prime::is_prime_vartime(&Nat::one()));
}

#[test]
fn pseudoprimes_are_found_out() {
    // Strong pseudoprimes to base 2 (OEIS A001262) have to fail Lucas, strong Lucas pseudoprimes (A217255) base 2.
    let base2 = [
        2047, 3277, 4033, 4681, 8321, 15841, 29341, 42799, 49141, 52633, 65281, 74665, 80581, 85489,
    ];
    let lucas = [
        5459, 5777, 10877, 16109, 18971, 22499, 24569, 25199, 40309, 58519, 75077, 97439, 100127,
    ];
    let modulus = |n: u64| Modulus::new(&Nat::from_limb(n)).unwrap();
    for n in base2 {
        assert!(prime::miller_rabin(&modulus(n), &Nat::from_limb(2)), "{n}");
        assert!(!prime::strong_lucas_vartime(&modulus(n)), "{n}");
    }
    for n in lucas {
        assert!(prime::strong_lucas_vartime(&modulus(n)), "{n}");
        assert!(!prime::miller_rabin(&modulus(n), &Nat::from_limb(2)), "{n}");
    }
    // Without a small factor, which is looked for first.
    for n in [2_263_127, 2_518_889, 3_694_079, 5_720_219] {
        assert!(prime::strong_lucas_vartime(&modulus(n)), "{n}");
        assert!(!prime::is_prime_vartime(&Nat::from_limb(n)), "{n}");
    }
    for p in (3..5000).filter(|&p| prime::is_prime_vartime(&Nat::from_limb(p))) {
        assert!(prime::strong_lucas_vartime(&modulus(p)), "{p}");
    }
}

#[test]
fn squares_and_known_primes() {
    for e in [61usize, 89, 107, 127, 521, 607, 1279] {
        let p = Nat::power_of_two(e).sub_limb(1).unwrap();
        assert!(prime::is_prime_vartime(&p));
        assert!(!prime::is_prime_vartime(&p.sqr()));
        assert!(!prime::strong_lucas_vartime(
            &Modulus::new(&p.sqr()).unwrap()
        ));
        assert!(!prime::is_prime(&p.sqr(), 8, &mut TestRng(5)));
    }
    let wieferich = Nat::from_limb(3511).sqr(); // passes base 2
    assert!(!prime::is_prime_vartime(&wieferich));
}

#[test]
fn random_primes_are_what_was_asked_for() {
    let mut rng = TestRng(22);
    let e = Nat::from_limb(65537);
    for bits in [16, 17, 64, 65, 128, 200, 256, 512] {
        for top_two_bits in [false, true] {
            let options = prime::PrimeOptions {
                top_two_bits,
                coprime_to_minus_one: Some(&e),
                ..Default::default()
            };
            let mut ticks = 0;
            let p = prime::random_prime(bits, &options, &mut rng, &mut || ticks += 1).unwrap();
            assert_eq!(p.bits(), bits);
            assert!(!top_two_bits || p.bit(bits - 2));
            assert!(ticks > 0 && prime::is_prime_vartime(&p));
            assert!(!p.sub_limb(1).unwrap().div_rem_vartime(&e).1.is_zero());
        }
    }
}

/// Half of all primes would not be coprime to this exponent by chance.
#[test]
fn random_primes_minus_one_are_coprime_to_the_exponent() {
    let (mut rng, e) = (TestRng(26), Nat::from_limb(3 * 5 * 7 * 11));
    for _ in 0..40 {
        let options = prime::PrimeOptions {
            coprime_to_minus_one: Some(&e),
            ..Default::default()
        };
        let p = prime::random_prime(64, &options, &mut rng, &mut || ()).unwrap();
        assert!(p.sub_limb(1).unwrap().gcd(&e).is_one());
    }
}

#[test]
fn random_primes_are_in_the_residue_class_that_was_asked_for() {
    for class in [(3, 4), (3, 8), (7, 8), (1, 16)] {
        let options = prime::PrimeOptions {
            congruent: Some(class),
            ..Default::default()
        };
        let p = prime::random_prime(128, &options, &mut TestRng(24), &mut || ()).unwrap();
        assert_eq!(p.limbs()[0] % class.1, class.0);
        assert!(p.bits() == 128 && prime::is_prime_vartime(&p));
    }
}

#[test]
fn a_stopped_search_ends() {
    let stop = std::sync::atomic::AtomicBool::new(true);
    let options = prime::PrimeOptions {
        stop: Some(&stop),
        ..Default::default()
    };
    assert!(prime::random_prime(512, &options, &mut TestRng(23), &mut || ()).is_none());
}

#[test]
fn random_safe_primes() {
    let mut rng = TestRng(24);
    for bits in (17..90).chain([128, 129, 192]) {
        let mut candidates = 0;
        let p = prime::random_safe_prime(bits, None, &mut rng, &mut || candidates += 1).unwrap();
        assert!(p.bits() == bits && candidates > 0, "{bits}");
        assert!(prime::is_prime_vartime(&p) && prime::is_prime_vartime(&p.shr(1)));
    }
    let stop = std::sync::atomic::AtomicBool::new(true);
    assert!(prime::random_safe_prime(64, Some(&stop), &mut rng, &mut || ()).is_none());
}

#[test]
fn random_safe_primes_with_a_square() {
    let mut rng = TestRng(25);
    for (square, bits) in [(2, 64), (3, 65), (5, 128), (7, 129), (4, 130), (10, 192)] {
        let square = Nat::from_limb(square);
        let p =
            prime::random_safe_prime_with_square_vartime(bits, &square, None, &mut rng, &mut || ());
        let p = p.unwrap();
        assert!(
            p.bits() == bits && prime::is_prime_vartime(&p) && prime::is_prime_vartime(&p.shr(1))
        );
        let modulus = Modulus::new(&p).unwrap();
        assert!(
            modulus
                .pow_vartime(&modulus.reduce(&square), &p.shr(1))
                .is_one()
        );
    }
}
