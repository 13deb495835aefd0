//! Cheap tests for weak RSA moduli, as in keys that have been broken.

use crate::exit::{Failure, Result, say};
use carrysave::arith::Nat;
use carrysave::rsa::PublicKey;
use std::cmp::Ordering;
use std::path::Path;

/// Fewer bits can be broken: NIST SP 800-131A allows them only for legacy data.
const LEAST: usize = 2048;

/// The sentence on fewer bits, if there are fewer.
fn too_few(key: &PublicKey) -> Option<String> {
    let bits = key.bits();
    (bits < LEAST).then(|| format!("{bits} bits can be broken: use {LEAST} or more"))
}

/// Refuses to sign with a key that can be broken, or to encrypt for it, unless the user allows it.
///
/// # Errors
/// A sentence that names the flag.
pub fn refuse_small(key: &PublicKey, file: &Path, wanted: bool) -> Result<()> {
    match too_few(key) {
        Some(why) if !wanted => {
            Err(Failure::usage(format!("{why}, or --small for tests")).about(file))
        }
        _ => Ok(()),
    }
}

/// Warns of a weak key when its existing signatures or messages are read.
pub fn warn_of_small(key: &PublicKey, file: &Path) {
    if let Some(why) = too_few(key) {
        let file = file.display();
        say(format_args!("carrysave: warning: {file}: {why}"));
    }
}

/// One sentence for each weakness.
pub fn warnings(key: &PublicKey) -> Vec<String> {
    let (n, e) = (key.n(), key.e());
    let mut found: Vec<String> = too_few(key).into_iter().collect();
    match e.bits_vartime() {
        0..17 => found.push("e is below 65537, which makes mistakes in padding fatal".to_owned()),
        17..=33 => {}
        _ => found.push("e is longer than 33 bits, which many programs refuse".to_owned()),
    }
    if let Some(factor) = small_factor(n) {
        found.push(format!(
            "n is divisible by {factor}: this is no RSA key, it is damaged or a forgery"
        ));
    }
    if roca(n) {
        found.push(
            "n has the ROCA fingerprint (CVE-2017-15361): its primes can be found; replace it"
                .to_owned(),
        );
    }
    if close_factors(n) {
        found.push("the primes are so close that Fermat's method finds them (CVE-2022-26320): replace the key".to_owned());
    }
    found
}

fn primes(below: u64) -> impl Iterator<Item = u64> {
    (3..below).step_by(2).filter(|n| {
        (3..*n)
            .step_by(2)
            .take_while(|d| d * d <= *n)
            .all(|d| n % d != 0)
    })
}

fn small_factor(n: &Nat) -> Option<u64> {
    primes(1 << 13).find(|p| n.rem_limb_vartime(*p) == 0)
}

/// Nemec, Sys, Svenda, Klinec, Matyas: The Return of Coppersmith's Attack (CCS 2017), section 4: in keys of that library
/// n is a power of 65537 modulo every small prime.
fn roca(n: &Nat) -> bool {
    primes(168).all(|p| {
        let residue = n.rem_limb_vartime(p);
        let mut power = 1;
        (0..p).any(|_| {
            power = power * 65_537 % p;
            power == residue
        })
    })
}

/// Whether `n = a^2 - b^2` for one of the first values of `a` from the square root of n upwards.
fn close_factors(n: &Nat) -> bool {
    let mut a = sqrt(n);
    (0..64).any(|_| {
        let found = a.sqr().sub(n).is_some_and(|rest| {
            let b = sqrt(&rest);
            b.sqr() == rest
        });
        a = a.add_limb(1);
        found
    })
}

/// The whole part of the square root, by Newton's method from above.
fn sqrt(n: &Nat) -> Nat {
    if n.is_zero() {
        return Nat::zero();
    }
    let mut x = Nat::one().shl(n.bits_vartime().div_ceil(2));
    loop {
        let next = x.add(&n.div_rem_vartime(&x).0).shr(1);
        if next.cmp_vartime(&x) != Ordering::Less {
            return x.trim_vartime();
        }
        x = next.trim_vartime();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn product(p: &str, q: &str) -> Nat {
        Nat::from_hex(p).unwrap().mul(&Nat::from_hex(q).unwrap())
    }

    #[test]
    fn square_roots() {
        for n in [0u64, 1, 2, 3, 4, 15, 16, 17, 1 << 40, u64::MAX] {
            assert_eq!(
                sqrt(&Nat::from_limb(n)),
                Nat::from_limb(n.isqrt()),
                "of {n}"
            );
        }
    }

    #[test]
    fn weak_moduli_are_noticed_and_others_are_not() {
        // 2^127 - 1 with 2^89 - 1; 2^64 - 59 with 2^64 - 83; a power of 65537; a multiple of 7919.
        let fine = product(
            "7fffffffffffffffffffffffffffffff",
            "1ffffffffffffffffffffff",
        );
        assert!(!close_factors(&fine) && !roca(&fine) && small_factor(&fine).is_none());
        assert!(close_factors(&product(
            "ffffffffffffffc5",
            "ffffffffffffffad"
        )));
        assert!(roca(&product("10001", "100020001")));
        assert_eq!(small_factor(&fine.mul(&Nat::from_limb(7919))), Some(7919));
    }
}
