//! Arithmetic of long numbers against the oracle, which has digits of another length.

#![no_main]

use carrysave_arith::{Modulus, Nat, inv_mod, inv_mod_vartime};
use carrysave_fuzz::three;
use carrysave_oracle::Num;
use libfuzzer_sys::fuzz_target;

/// Converts a number for the oracle.
fn num(x: &Nat) -> Num {
    Num::from_limbs(x.limbs())
}

/// The most octets of all numbers together, but for one input in 256: the oracle takes most of the time.
const SHORT: usize = 160;

fuzz_target!(|data: &[u8]| {
    let Some(octets) = three(data, SHORT) else {
        return;
    };
    let [a, b, n] = octets.map(Nat::from_be_bytes);
    let [x, y, m] = [&a, &b, &n].map(num);

    assert_eq!(num(&a.mul(&b)), x.mul(&y));
    assert_eq!(num(&a.sqr()), x.mul(&x));
    assert_eq!(num(&a.add(&b)), x.add(&y));
    assert_eq!(a.sub(&b).as_ref().map(num), x.checked_sub(&y));
    assert_eq!(num(&a.gcd(&b)), x.gcd(&y));
    assert_eq!(num(&a.gcd_vartime(&b)), x.gcd(&y));
    assert_eq!(
        Nat::from_decimal(&a.to_decimal_vartime()).as_ref().map(num),
        Some(x.clone())
    );
    if !y.is_zero() {
        let (q, r) = x.div_rem(&y);
        let is = |(quotient, rest): (Nat, Nat)| num(&quotient) == q && num(&rest) == r;
        assert!(is(a.div_rem(&b)));
        assert!(is(a.div_rem_vartime(&b)));
    }
    if m.is_odd() && m.bits() > 1 {
        let inverse = x.rem(&m).inv_mod(&m);
        let r = a.rem(&n);
        assert_eq!(inv_mod(&r, &n).as_ref().map(num), inverse);
        assert_eq!(inv_mod_vartime(&r, &n).as_ref().map(num), inverse);
        // A short exponent: the oracle is slow.
        let exponent = Nat::from_limb(b.limbs().first().copied().unwrap_or(0) >> 48);
        let modulus = Modulus::new(&n).expect("odd, and above 1");
        let base = r.resize(modulus.width()).expect("below n");
        assert_eq!(
            num(&modulus.pow(&base, &exponent)),
            num(&r).pow_mod(&num(&exponent), &m)
        );
    }
});
