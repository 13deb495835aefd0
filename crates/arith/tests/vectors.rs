//! BoringSSL's bignum vectors (`bn_boringssl` in the folder of vectors).
#![allow(missing_docs)]

mod support;
use carrysave_arith::{Modulus, Nat, inv_mod, inv_mod_vartime, prime};
use std::collections::HashMap;
use support::{TestRng, vectors};

/// Calls `check` for every paragraph of `Name = value` lines of a file. It must check at least `least` of them: it returns
/// whether a case is one for this library.
fn each(file: &str, least: usize, check: impl Fn(&Case) -> bool) {
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
            count += usize::from(check(&Case {
                at: format!("{file}, paragraph {at}"),
                fields,
            }));
        }
    }
    println!("{count} cases of {file}");
    assert!(count >= least, "{file}: only {count} cases were checked");
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
    each("sum_tests.txt", 654, |c| {
        let [a, b, sum] = ["A", "B", "Sum"].map(|name| c.signed(name));
        // A sum of magnitudes, whichever signs the three have.
        let (whole, [part, other]) = match (a.1 == b.1, a.1 == sum.1) {
            (true, _) => (sum.0, [a.0, b.0]),
            (false, true) => (a.0, [b.0, sum.0]),
            (false, false) => (b.0, [a.0, sum.0]),
        };
        assert_eq!(part.add(&other), whole, "{}", c.at);
        assert_eq!(whole.sub(&other).unwrap(), part, "{}", c.at);
        true
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
        true
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
        true
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
        true
    });
}

#[test]
fn modular_products() {
    each("mod_mul_tests.txt", 437, |c| {
        let square = c.has("ModSquare");
        let (product, factor) = if square {
            ("ModSquare", "A")
        } else {
            ("ModMul", "B")
        };
        let ((a, of_a), (b, of_b)) = (c.signed("A"), c.signed(factor));
        let (m, expected) = (c.signed("M").0, c.nat(product).unwrap());
        let r = a.mul(&b).div_rem_vartime(&m).1;
        let negative = of_a != of_b && !r.is_zero();
        let r = if negative { m.sub(&r).unwrap() } else { r };
        assert_eq!(r, expected, "{}", c.at);
        if let Some(n) = Modulus::new(&m) {
            let [a, b] = [(&a, of_a), (&b, of_b)].map(|(x, negative)| residue(&n, x, negative));
            assert_eq!(n.mul(&a, &b), expected, "{}", c.at);
        }
        true
    });
}

/// A number, perhaps negative, modulo n.
fn residue(n: &Modulus, magnitude: &Nat, negative: bool) -> Nat {
    let x = n.reduce(magnitude);
    if negative { n.neg(&x) } else { x }
}

/// Those for odd moduli, which all powers here have.
#[test]
fn modular_powers() {
    each("mod_exp_tests.txt", 123, |c| {
        let ((a, negative), e) = (c.signed("A"), c.nat("E").unwrap());
        let (m, expected) = (c.nat("M").unwrap(), c.nat("ModExp").unwrap());
        let Some(n) = Modulus::new(&m) else {
            assert!(!m.bit(0) || m.is_one(), "{}", c.at);
            return false;
        };
        let a = residue(&n, &a, negative);
        assert_eq!(n.pow(&a, &e), expected, "{}", c.at);
        assert_eq!(n.pow_vartime(&a, &e), expected, "{}", c.at);
        true
    });
}

#[test]
fn powers() {
    each("exp_tests.txt", 5, |c| {
        let (a, e) = (c.nat("A").unwrap(), c.nat("E").unwrap().limbs()[0]);
        let power = (0..e).fold(Nat::one(), |p, _| p.mul(&a).trim_vartime());
        assert_eq!(power, c.nat("Exp").unwrap(), "{}", c.at);
        true
    });
}

#[test]
fn modular_inverses() {
    each("mod_inv_tests.txt", 24, |c| {
        let (a, m, expected) = (
            c.nat("A").unwrap(),
            c.nat("M").unwrap(),
            c.nat("ModInv").unwrap(),
        );
        if m.is_one() {
            return false; // the ring of one element, which this library has no use for
        }
        assert_eq!(inv_mod(&a, &m).unwrap(), expected, "{}", c.at);
        assert_eq!(inv_mod_vartime(&a, &m).unwrap(), expected, "{}", c.at);
        true
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
        true
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
        true
    });
}

/// There is no square root function; the test squares the given roots.
#[test]
fn modular_squares() {
    each("mod_sqrt_tests.txt", 80, |c| {
        if !c.has("ModSqrt") {
            return false;
        }
        let ((a, negative), root) = (c.signed("A"), c.nat("ModSqrt").unwrap());
        let Some(n) = Modulus::new(&c.nat("P").unwrap()) else {
            return false;
        };
        let square = n.sqr(&n.reduce(&root));
        assert_eq!(square, residue(&n, &a, negative), "{}", c.at);
        true
    });
}
