//! Random numbers: each bit that may be either is either, independently of the others.

#[path = "support/bits.rs"]
mod bits;

use bits::{DRAWS, vary};
use carrysave_arith::Nat;
use carrysave_arith::curve::{
    BrainpoolP256r1, BrainpoolP256r1Order, BrainpoolP384r1, BrainpoolP384r1Order, BrainpoolP512r1,
    BrainpoolP512r1Order, CryptoPP168, Curve, Curve448Field, Edwards448Order, Edwards25519Order,
    P224, P224Order, P256Field, P256Order, P384Field, P384Order, P521Digits, P521Field, P521Order,
    Secp256k1Order,
};
use carrysave_arith::field::{Fe, Field, InLanes, Residue, Visitor, visit_presets};
use carrysave_arith::prime::{PrimeOptions, random_prime, random_safe_prime};
use carrysave_oracle::Num;
use getrandom::SysRng;
use rand_core::UnwrapErr;
use std::ops::Range;

/// [`vary`] of numbers of one width.
fn numbers_vary(what: &str, numbers: &[Nat], bits: Range<usize>) {
    let octets = |x: &Nat| x.to_be_bytes(8 * x.width()).expect("its own width");
    vary(what, &numbers.iter().map(octets).collect::<Vec<_>>(), bits);
}

#[test]
fn every_bit_of_a_random_number_varies() {
    let rng = &mut UnwrapErr(SysRng);
    for bits in [7, 8, 64, 65, 127, 320] {
        let numbers: Vec<Nat> = (0..DRAWS).map(|_| Nat::random_bits(bits, rng)).collect();
        assert!(numbers.iter().all(|x| x.bits() <= bits));
        numbers_vary(&format!("{bits} bits"), &numbers, 0..bits);
        // Below bounds that leave the bits fair, or nearly.
        for bound in [
            Nat::power_of_two(bits),
            Nat::power_of_two(bits).sub_limb(1).unwrap(),
        ] {
            let numbers: Vec<Nat> = (0..DRAWS).map(|_| Nat::random_below(&bound, rng)).collect();
            assert!(numbers.iter().all(|x| x.lt(&bound)));
            let what = format!("below {}", bound.to_hex_vartime());
            numbers_vary(&what, &numbers, 0..bits);
        }
    }
}

/// All numbers below a small bound come, each about equally often.
#[test]
fn every_number_below_a_bound_comes() {
    let rng = &mut UnwrapErr(SysRng);
    for bound in 1..=20_u64 {
        let mut counts = vec![0; bound as usize];
        let draws = 400 * bound;
        for _ in 0..draws {
            let x = Nat::random_below(&Nat::from_limb(bound), rng);
            counts[x.limbs()[0] as usize] += 1;
        }
        // Of 400 expected, some ten standard deviations.
        assert!(
            bound == 1 || counts.iter().all(|count| (200..=600).contains(count)),
            "{counts:?}"
        );
    }
}

/// The bits of a prime between the lowest and the highest two.
#[test]
fn every_bit_of_a_random_prime_varies() {
    let rng = &mut UnwrapErr(SysRng);
    let options = PrimeOptions {
        top_two_bits: true,
        ..Default::default()
    };
    let prime = |_| random_prime(160, &options, rng, &mut || ()).unwrap();
    let primes: Vec<Nat> = (0..DRAWS).map(prime).collect();
    assert!(
        primes
            .iter()
            .all(|p| p.bits() == 160 && p.bit(158) && p.bit(0))
    );
    numbers_vary("a prime", &primes, 1..158);
}

/// The bits of a safe prime between the lowest two and the highest.
#[test]
fn every_bit_of_a_safe_prime_varies() {
    let rng = &mut UnwrapErr(SysRng);
    let prime = |_| random_safe_prime(64, None, rng, &mut || ()).unwrap();
    let primes: Vec<Nat> = (0..DRAWS).map(prime).collect();
    assert!(
        primes
            .iter()
            .all(|p| p.bits() == 64 && p.limbs()[0] % 4 == 3)
    );
    numbers_vary("a safe prime", &primes, 2..63);
}

/// The bits of an element of a field: all if its prime begins with ones, else all but the highest eight, which are not fair.
fn elements_vary<F: Field>() {
    let rng = &mut UnwrapErr(SysRng);
    let bits = F::Residue::BITS;
    let first = Num::from_limbs(&F::Residue::MODULUS).shr(bits - 8);
    let fair = if first == Num::from(255) {
        bits
    } else {
        bits - 8
    };
    let element = |_| Fe::<F>::random(rng).to_be_bytes();
    vary(
        F::NAME,
        &(0..DRAWS).map(element).collect::<Vec<_>>(),
        0..fair,
    );
}

#[test]
fn every_bit_of_an_element_varies() {
    struct Elements;
    impl Visitor for Elements {
        fn visit<F: Field>(&mut self, _w: usize, _c: u64)
        where
            F::Residue: InLanes,
        {
            elements_vary::<F>();
        }
    }
    visit_presets(&mut Elements);
    elements_vary::<Curve448Field>();
    elements_vary::<<P224 as Curve>::Base>();
    elements_vary::<<BrainpoolP256r1 as Curve>::Base>();
    elements_vary::<<BrainpoolP384r1 as Curve>::Base>();
    elements_vary::<<BrainpoolP512r1 as Curve>::Base>();
    elements_vary::<<CryptoPP168 as Curve>::Base>();
    elements_vary::<<CryptoPP168 as Curve>::Scalar>();
    elements_vary::<P256Field>();
    elements_vary::<P384Field>();
    elements_vary::<P521Digits>();
    elements_vary::<P521Field>();
    elements_vary::<P224Order>();
    elements_vary::<P256Order>();
    elements_vary::<P384Order>();
    elements_vary::<P521Order>();
    elements_vary::<Secp256k1Order>();
    elements_vary::<BrainpoolP256r1Order>();
    elements_vary::<BrainpoolP384r1Order>();
    elements_vary::<BrainpoolP512r1Order>();
    elements_vary::<Edwards25519Order>();
    elements_vary::<Edwards448Order>();
}
