//! BoringSSL's bignum vectors (`bn_boringssl` in the folder of vectors).
#![allow(missing_docs)]

mod support;
use carrysave_arith::{Modulus, Nat, inv_mod, inv_mod_vartime, prime};
use std::collections::HashMap;
use support::{TestRng, vectors};

/// Calls `check` for every paragraph of `Name = value` lines of a file, which must have at least `least`.
fn each(file: &str, least: usize, check: impl Fn(&Case)) {
    let Some(text) = vectors(&format!("bn_boringssl/{file}")) else {
        return;
    };
    let mut count = 0;
    for (at, paragraph) in text.split("\n\n").enumerate() {
        let fields: HashMap<String, String> = paragraph
            .lines()
            .filter(|line| !line.starts_with('#'))
            .filter_map(|line| line.split_once('='))
            .map(|(k, v)| (k.trim().to_string(), v.trim().to_string()))
            .collect();
        if !fields.is_empty() {
            check(&Case {
                at: format!("{file}, paragraph {at}"),
                fields,
            });
            count += 1;
        }
    }
    assert!(count >= least, "{file} has only {count} cases");
}

struct Case {
    at: String,
    fields: HashMap<String, String>,
}

impl Case {
    fn has(&self, name: &str) -> bool {
        self.fields.contains_key(name)
    }

    /// A number that is not negative.
    fn nat(&self, name: &str) -> Option<Nat> {
        Nat::from_hex(
            self.fields
                .get(name)
                .unwrap_or_else(|| panic!("{}: no {name}", self.at)),
        )
    }

    /// A number as its magnitude and whether it is negative.
    fn signed(&self, name: &str) -> (Nat, bool) {
        let text = &self.fields[name];
        let magnitude = Nat::from_hex(text.trim_start_matches('-')).unwrap();
        (magnitude, text.starts_with('-'))
    }
}

#[test]
fn sums() {
    each("sum_tests.txt", 600, |c| {
        let (Some(a), Some(b), Some(sum)) = (c.nat("A"), c.nat("B"), c.nat("Sum")) else {
            return;
        };
        assert_eq!(a.add(&b), sum, "{}", c.at);
        assert_eq!(sum.sub(&b).unwrap(), a, "{}", c.at);
    });
}

#[test]
fn products_and_squares() {
    each("product_tests.txt", 200, |c| {
        if c.has("Square") {
            let (a, _) = c.signed("A");
            assert_eq!(a.sqr(), c.nat("Square").unwrap(), "{}", c.at);
        } else {
            let (a, b, p) = (c.signed("A").0, c.signed("B").0, c.signed("Product").0);
            assert_eq!(a.mul(&b), p, "{}", c.at);
        }
    });
}

#[test]
fn quotients() {
    each("quotient_tests.txt", 300, |c| {
        let (a, b) = (c.signed("A").0, c.signed("B").0);
        let (q, r) = a.div_rem_vartime(&b);
        assert_eq!(q, c.signed("Quotient").0, "{}", c.at);
        assert_eq!(r, c.signed("Remainder").0, "{}", c.at);
        assert!(a.div_rem(&b) == (q, r), "{}", c.at);
    });
}

#[test]
fn shifts() {
    each("shift_tests.txt", 600, |c| {
        let name = ["LShift", "RShift", "LShift1"]
            .into_iter()
            .find(|name| c.has(name))
            .unwrap();
        let (a, shifted) = (c.signed("A").0, c.signed(name).0);
        let n = if c.has("N") {
            c.nat("N").unwrap().limbs()[0] as usize
        } else {
            1
        };
        let r = if name == "RShift" { a.shr(n) } else { a.shl(n) };
        assert_eq!(r, shifted, "{}", c.at);
    });
}

#[test]
fn modular_products() {
    each("mod_mul_tests.txt", 400, |c| {
        let square = c.has("ModSquare");
        let (product, factor) = if square {
            ("ModSquare", "A")
        } else {
            ("ModMul", "B")
        };
        let (Some(a), Some(b)) = (c.nat("A"), c.nat(factor)) else {
            return;
        };
        let (m, expected) = (c.signed("M").0, c.nat(product).unwrap());
        assert_eq!(a.mul(&b).div_rem_vartime(&m).1, expected, "{}", c.at);
        if let Some(n) = Modulus::new(&m) {
            assert_eq!(n.mul(&n.reduce(&a), &n.reduce(&b)), expected, "{}", c.at);
        }
    });
}

#[test]
fn modular_powers() {
    each("mod_exp_tests.txt", 100, |c| {
        let (Some(a), e, m) = (c.nat("A"), c.nat("E").unwrap(), c.nat("M").unwrap()) else {
            return;
        };
        if let Some(n) = Modulus::new(&m) {
            let (a, expected) = (n.reduce(&a), c.nat("ModExp").unwrap());
            assert_eq!(n.pow(&a, &e), expected, "{}", c.at);
            assert_eq!(n.pow_vartime(&a, &e), expected, "{}", c.at);
        }
    });
}

#[test]
fn powers() {
    each("exp_tests.txt", 5, |c| {
        let (a, e) = (c.nat("A").unwrap(), c.nat("E").unwrap().limbs()[0]);
        let power = (0..e).fold(Nat::one(), |p, _| p.mul(&a).trim_vartime());
        assert_eq!(power, c.nat("Exp").unwrap(), "{}", c.at);
    });
}

#[test]
fn modular_inverses() {
    each("mod_inv_tests.txt", 25, |c| {
        let (a, m, expected) = (
            c.nat("A").unwrap(),
            c.nat("M").unwrap(),
            c.nat("ModInv").unwrap(),
        );
        if m.is_one() {
            return; // the ring of one element, which this library has no use for
        }
        assert_eq!(inv_mod(&a, &m).unwrap(), expected, "{}", c.at);
        assert_eq!(inv_mod_vartime(&a, &m).unwrap(), expected, "{}", c.at);
    });
}

#[test]
fn common_divisors() {
    each("gcd_tests.txt", 50, |c| {
        let (a, b, g) = (
            c.nat("A").unwrap(),
            c.nat("B").unwrap(),
            c.nat("GCD").unwrap(),
        );
        assert_eq!(a.gcd(&b), g, "{}", c.at);
        assert_eq!(a.gcd_vartime(&b), g, "{}", c.at);
        let lcm = c.nat("LCM").unwrap();
        if !a.is_zero() || !b.is_zero() {
            assert_eq!(a.lcm(&b), lcm, "{}", c.at);
        }
    });
}

#[test]
fn miller_rabin_by_base() {
    each("miller_rabin_tests.txt", 70, |c| {
        let (n, base) = (c.nat("W").unwrap(), c.nat("B").unwrap());
        let passes = c.fields["Result"] == "PossiblyPrime";
        assert_eq!(
            prime::miller_rabin(&Modulus::new(&n).unwrap(), &base),
            passes,
            "{}",
            c.at
        );
        if passes && prime::is_prime_vartime(&n) {
            assert!(prime::is_prime(&n, 4, &mut TestRng(31)), "{}", c.at);
        }
    });
}

/// There is no square root function; the test squares the given roots.
#[test]
fn modular_squares() {
    each("mod_sqrt_tests.txt", 80, |c| {
        if !c.has("ModSqrt") {
            return;
        }
        let ((a, negative), root) = (c.signed("A"), c.nat("ModSqrt").unwrap());
        let Some(n) = Modulus::new(&c.nat("P").unwrap()) else {
            return;
        };
        let a = n.reduce(&a);
        let a = if negative { n.neg(&a) } else { a };
        assert_eq!(n.sqr(&n.reduce(&root)), a, "{}", c.at);
    });
}
