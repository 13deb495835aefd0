//! Random numbers: each bit that may be either is either, independently of the others.

use carrysave_arith::Nat;
use carrysave_arith::prime::{PrimeOptions, random_prime};
use getrandom::SysRng;
use rand_core::UnwrapErr;

/// The numbers in which bits are compared.
const DRAWS: usize = 128;

/// Each of the bits `from..to` is set in about half of the numbers; no two of them are always equal, or always different.
fn vary(numbers: &[Nat], from: usize, to: usize) {
    let column = |bit: usize| -> Vec<bool> { numbers.iter().map(|x| x.bit(bit)).collect() };
    let columns: Vec<Vec<bool>> = (from..to).map(column).collect();
    for (i, bits) in columns.iter().enumerate() {
        let set = bits.iter().filter(|&&bit| bit).count();
        // Eight standard deviations.
        let (least, most) = (DRAWS / 2 - 45, DRAWS / 2 + 45);
        assert!(
            (least..=most).contains(&set),
            "bit {}: {set} of {DRAWS}",
            from + i
        );
        for (j, others) in columns[..i].iter().enumerate() {
            let equal = bits.iter().zip(others).filter(|(a, b)| a == b).count();
            assert!(
                (1..DRAWS).contains(&equal),
                "bits {} and {}",
                from + i,
                from + j
            );
        }
    }
}

#[test]
fn every_bit_of_a_random_number_varies() {
    let rng = &mut UnwrapErr(SysRng);
    for bits in [7, 8, 64, 65, 127, 320] {
        let numbers: Vec<Nat> = (0..DRAWS).map(|_| Nat::random_bits(bits, rng)).collect();
        assert!(numbers.iter().all(|x| x.bits() <= bits));
        vary(&numbers, 0, bits);
        // Below bounds that leave the bits fair, or nearly.
        for bound in [
            Nat::power_of_two(bits),
            Nat::power_of_two(bits).sub_limb(1).unwrap(),
        ] {
            let numbers: Vec<Nat> = (0..DRAWS).map(|_| Nat::random_below(&bound, rng)).collect();
            assert!(numbers.iter().all(|x| x.lt(&bound)));
            vary(&numbers, 0, bits);
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
    vary(&primes, 1, 157);
}
