//! `inverses`: inverses modulo odd numbers by division steps, as secrets take, by Euclid's algorithm with Lehmer's method, as
//! long public numbers take, and by the binary extended Euclidean algorithm of "The Performance of Cryptographic Algorithms in
//! the Age of Parallel Computing" (Khalifa 2011).

use super::{Experiment, Levels, Share, modexp::numbers, thesis::invertible_power};
use crate::{Bench, Error, record::Size};
use carrysave_arith::published::inverse::{binary_euclid_vartime, lehmer_vartime};
use carrysave_arith::{Nat, inv_mod};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "inverses",
    about: "inverses modulo odd numbers by three methods",
    run,
    levels: Levels {
        quick: Some(Share::new(&[256, 2048], 0.1, 1.0)),
        standard: Share::new(&[256, 1024, 4096], 0.2, 2.0),
        full: Share::new(&[], 0.3, 5.0),
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
    }
    Ok(())
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
}
