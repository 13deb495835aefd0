//! Diffie-Hellman with stated parameters.

use crate::published::RFC5114;
use crate::support::*;
use carrysave_arith::{Modulus, Nat};
use carrysave_schemes::dl::{Error, Named, Parameters};

#[test]
fn agreements_of_rfc_5114_without_a_check() {
    for case in &RFC5114 {
        let stated = Parameters::new(nat(case.p), nat(case.g)).unwrap();
        let q = nat(case.q);
        let [x, y] = [case.x[0], case.x[1]].map(nat);
        let bits = q.bits_vartime();
        let theirs = nat(case.y[1]);
        assert_eq!(stated.power(&x, bits), nat(case.y[0]));
        assert_eq!(stated.power(&y, bits), theirs);
        assert_eq!(*stated.agree(&theirs, &x, bits).unwrap(), hex(case.z));
        assert!(stated.has_order_vartime(&theirs, &q));
        stated.check(Some(&q)).unwrap();
        assert!(stated.check(None).is_err(), "p is no safe prime");
        // g has an order that divides both.
        for q in [q.shl(1), q.mul(&q), stated.p().clone()] {
            let error = stated.check(Some(&q)).unwrap_err().to_string();
            assert!(error.contains("its q is not a prime below p"), "{error}");
        }
        let other = Parameters::new(nat(case.p), Nat::from_limb(2)).unwrap();
        let error = other.check(Some(&q)).unwrap_err().to_string();
        assert!(
            error.contains("the order of its generator g is not q"),
            "{error}"
        );
        let x = stated.random_exponent(bits, Some(&q), &mut rng());
        assert!(x.lt(&q) && !x.is_zero());
        for bits in [1, 100, 128, 129].repeat(10) {
            let x = stated.random_exponent(bits, None, &mut rng());
            assert_eq!(x.bits_vartime(), bits, "its highest bit is set");
        }
    }
}

/// Whatever p and g are, both sides get what the definition says.
#[test]
fn any_odd_p_agrees() {
    let composite = Nat::power_of_two(600).add_limb(0x1_0001);
    // 2 is no square modulo a prime that is 3 modulo 8, so it has the order p - 1 there.
    let prime = Named::Modp2048.group().p().clone();
    let longest = Nat::power_of_two(Parameters::MAX_BITS).sub_limb(1).unwrap();
    for (p, g) in [
        (composite, 2),
        (prime.clone(), 2),
        (prime, 11),
        (longest, 3),
    ] {
        let g = Nat::from_limb(g);
        let stated = Parameters::new(p.clone(), g.clone()).unwrap();
        let bits = stated.exponent_bits();
        let [x, y] = [(); 2].map(|()| stated.random_exponent(bits, None, &mut rng()));
        let modulus = Modulus::new(&p).unwrap();
        let power = modulus.pow_vartime(&modulus.reduce(&g), &x);
        assert_eq!(stated.power(&x, bits), power);
        let secret = stated.agree(&stated.power(&y, bits), &x, bits).unwrap();
        assert_eq!(stated.agree(&power, &y, bits).unwrap(), secret);
        assert_eq!(Nat::from_be_bytes(&secret), modulus.pow_vartime(&power, &y));
        assert_eq!(secret.len(), stated.size());
    }
}

#[test]
fn a_standard_group_is_found_by_its_numbers() {
    for &named in Named::ALL {
        let group = named.group();
        let stated = Parameters::new(group.p().clone(), group.g().clone()).unwrap();
        assert_eq!(
            (stated.named(), &stated),
            (Some(named), &Parameters::from(named))
        );
        assert_eq!(stated.exponent_bits(), group.exponent_bits());
        stated.check(None).unwrap();
        stated.check(Some(group.q())).unwrap();
        let error = stated.check(Some(&Nat::from_limb(7))).unwrap_err();
        assert!(
            error.to_string().contains("does not divide p - 1"),
            "{error}"
        );
        let other = Parameters::new(group.p().clone(), Nat::from_limb(4)).unwrap();
        assert!(other.named().is_none() && other != stated);
        let bits = stated.exponent_bits();
        let x = stated.random_exponent(bits, None, &mut rng());
        assert!(x.bits_vartime() <= bits && !x.is_zero());
    }
}

/// Modulo a safe prime -g is of another order than g, which is a square: fine, unless that order is stated.
#[test]
fn a_generator_of_another_order_than_stated_is_refused() {
    let group = Named::Ffdhe2048.group();
    let minus_g = group.p().sub(group.g()).unwrap();
    let stated = Parameters::new(group.p().clone(), minus_g).unwrap();
    stated.check(None).unwrap();
    let error = stated.check(Some(group.q())).unwrap_err();
    assert!(error.to_string().contains("the order of its"), "{error}");
}

#[test]
fn absurd_parameters_are_refused() {
    let p = Named::Ffdhe2048.group().p().clone();
    let refused = |p: &Nat, g: Nat| Parameters::new(p.clone(), g).unwrap_err().to_string();
    let two = || Nat::from_limb(2);
    for g in [
        Nat::zero(),
        Nat::one(),
        beside(&p, -1),
        p.clone(),
        beside(&p, 1),
    ] {
        assert!(refused(&p, g).contains("between 1 and p - 1"));
    }
    assert!(refused(&beside(&p, 1), two()).contains("even"));
    for bits in [0, 1, 511, 10_001, 40_000] {
        let said = refused(&Nat::power_of_two(bits).sub_limb(1).unwrap(), two());
        assert!(said.contains(&format!("{bits} bits")), "{said}");
    }
    // (p - 1) / 2 is no prime.
    let stated = Parameters::new(beside(&p, -4), two()).unwrap();
    assert!(stated.check(None).is_err());
}

#[test]
fn secrets_that_all_know_are_refused() {
    let p = Named::Ffdhe2048.group().p().clone();
    let x = Nat::from_limb(6);
    for g in [2, 3] {
        let stated = Parameters::new(p.clone(), Nat::from_limb(g)).unwrap();
        for y in [
            Nat::zero(),
            Nat::one(),
            beside(&p, -1),
            p.clone(),
            beside(&p, 1),
            beside(&p, 5),
            p.shl(1),
        ] {
            assert!(!stated.may_be_public_vartime(&y));
            assert_eq!(stated.agree(&y, &x, 3), Err(Error::SmallOrder));
        }
    }
    // The square of y is 1, -1 or 0 modulo y^2 - 1, y^2 + 1 and y^2.
    let power = Nat::power_of_two(512);
    let odd = power.add_limb(1);
    for (y, p) in [
        (&power, power.sqr().sub_limb(1).unwrap()),
        (&power, power.sqr().add_limb(1)),
        (&odd, odd.sqr()),
    ] {
        let stated = Parameters::new(p, Nat::from_limb(2)).unwrap();
        assert!(stated.may_be_public_vartime(y));
        let [square, cube] = [2, 3].map(|x| stated.agree(y, &Nat::from_limb(x), 2));
        assert_eq!(square, Err(Error::SmallOrder));
        assert_eq!(cube.is_ok(), *y == power);
    }
}

#[test]
fn new_parameters_are_those_that_were_asked_for() {
    for g in [2, 3, 5, 6] {
        let mut candidates = 0;
        let g = Nat::from_limb(g);
        let made =
            Parameters::generate_with(512, g.clone(), None, &mut rng(), &mut || candidates += 1);
        let made = made.unwrap().unwrap();
        made.check(None).unwrap();
        let q = made.p().shr(1);
        assert!(made.bits() == 512 && *made.g() == g && made.has_order_vartime(&g, &q));
        assert!(candidates > 0);
    }
    let stop = std::sync::atomic::AtomicBool::new(true);
    let two = Nat::from_limb(2);
    let none = Parameters::generate_with(2048, two.clone(), Some(&stop), &mut rng(), &mut || ());
    assert!(none.unwrap().is_none());
    for (bits, g) in [(511, two.clone()), (10_001, two), (512, Nat::one())] {
        assert!(Parameters::generate_with(bits, g, None, &mut rng(), &mut || ()).is_err());
    }
}
