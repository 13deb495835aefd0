//! Arithmetic of long numbers against GMP, which is fast: long numbers, and exponents as long as the modulus.

#![no_main]

use carrysave_arith::{Modulus, Nat, inv_mod, inv_mod_vartime, prime::is_prime_vartime};
use carrysave_fuzz::three;
use libfuzzer_sys::fuzz_target;
use rug::{
    Integer,
    integer::{IsPrime, Order},
};

/// Converts a number for GMP.
fn big(x: &Nat) -> Integer {
    Integer::from_digits(x.limbs(), Order::Lsf)
}

/// The most octets of all numbers together, but for one input in 256, as long ones take most of the time.
const SHORT: usize = 96;

/// The most octets of a modulus: powers take the cube of their number.
const MODULUS: usize = 96;

/// The most octets of what may be a prime.
const CANDIDATE: usize = 24;

fuzz_target!(|data: &[u8]| {
    let Some([a, b, n]) = three(data, SHORT) else {
        return;
    };
    let short = n.len() <= CANDIDATE;
    let [a, b, n] = [a, b, &n[..n.len().min(MODULUS)]].map(Nat::from_be_bytes);
    let [x, y, m] = [&a, &b, &n].map(big);

    assert_eq!(big(&a.mul(&b)), Integer::from(&x * &y));
    assert_eq!(big(&a.sqr()), Integer::from(x.square_ref()));
    assert_eq!(big(&a.add(&b)), Integer::from(&x + &y));
    let difference = Some(Integer::from(&x - &y)).filter(|d| !d.is_negative());
    assert_eq!(a.sub(&b).as_ref().map(big), difference);
    let gcd = Integer::from(x.gcd_ref(&y));
    assert_eq!(big(&a.gcd(&b)), gcd);
    assert_eq!(big(&a.gcd_vartime(&b)), gcd);
    let decimal = a.to_decimal_vartime();
    assert_eq!(decimal, x.to_string());
    assert_eq!(
        Nat::from_decimal(&decimal).as_ref().map(big),
        Some(x.clone())
    );
    if !y.is_zero() {
        let (q, r) = x.div_rem_ref(&y).into();
        let is = |(quotient, rest): (Nat, Nat)| big(&quotient) == q && big(&rest) == r;
        assert!(is(a.div_rem(&b)));
        assert!(is(a.div_rem_vartime(&b)));
    }
    if short {
        let prime = m.is_probably_prime(30) != IsPrime::No;
        assert_eq!(is_prime_vartime(&n), prime);
    }
    if m.is_odd() && m > 1 {
        assert_eq!(a.jacobi_vartime(&n), x.jacobi(&m));
        let r = a.rem(&n);
        let residue = Integer::from(&x % &m);
        let inverse = residue.clone().invert(&m).ok();
        assert_eq!(inv_mod(&r, &n).as_ref().map(big), inverse);
        assert_eq!(inv_mod_vartime(&r, &n).as_ref().map(big), inverse);
        let modulus = Modulus::new(&n).expect("odd, and above 1");
        let base = r.resize(modulus.width()).expect("below n");
        let exponent = b.rem(&n);
        let power = Integer::from(
            residue
                .pow_mod_ref(&big(&exponent), &m)
                .expect("not negative"),
        );
        assert_eq!(big(&modulus.pow(&base, &exponent)), power);
        assert_eq!(big(&modulus.pow_vartime(&base, &exponent)), power);
    }
});
