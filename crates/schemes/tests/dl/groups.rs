//! Groups: the standard ones, and every defect of parameters and public keys.

use crate::published::RFC6979_1024;
use crate::support::*;
use carrysave_arith::{Modulus, Nat, prime};
use carrysave_schemes::dl::{Error, Group, KeyError, Named, PrivateKey, PublicKey};

/// The constants of their formulas are the smallest that give a safe prime.
#[test]
fn standard_groups_are_safe_primes() {
    for &named in Named::ALL {
        let group = named.group();
        assert_eq!(group.bits(), named.bits());
        assert_eq!(group.named(), Some(named));
        assert_eq!(named.name().parse(), Ok(named));
        assert_eq!(Named::with_prime(group.p()), Some(named));
        assert!(Named::with_prime(&beside(group.p(), 2)).is_none());
        assert!(group.contains_vartime(group.g()));
        assert_eq!(*group.q(), group.p().shr(1));
        if named.bits() <= 4096 {
            assert!(prime::is_prime_vartime(group.p()), "{named}");
            assert!(prime::is_prime_vartime(group.q()), "{named}");
        }
        // As foreign parameters it is the same group.
        let again = Group::with_safe_prime(group.p().clone(), Nat::from_limb(2)).unwrap();
        assert_eq!((&again, again.named()), (&group, Some(named)));
        assert_eq!(again.exponent_bits(), group.exponent_bits());
        let other = Group::with_safe_prime(group.p().clone(), Nat::from_limb(4)).unwrap();
        assert!(other != group && other.named().is_none());
    }
    let error = "ffdhe1024".parse::<Named>().unwrap_err().to_string();
    assert!(error.contains("modp8192"), "{error}");
}

#[test]
fn groups_of_rfc_3526() {
    let Some(text) = read("dh/rfc3526.txt") else {
        return;
    };
    let count = for_each_case(assignments(&text), "G", |fields| {
        let p = fields.nat("P");
        let named = Named::with_prime(&p).expect("a standard group");
        assert!(named.name().starts_with("modp"));
        assert_eq!(*named.group().p(), p);
        assert_eq!(fields.nat("G"), *named.group().g());
    });
    assert_eq!(count, 6);
}

/// Parameters that violate only one or two rules.
fn bad_parameters() -> Vec<(&'static str, Nat, Nat, Nat)> {
    let key = key(&RFC6979_1024);
    let (p, q, g) = (key.group().p(), key.group().q(), key.group().g());
    let small = Nat::from_limb;
    let mut bad = Vec::new();
    // p
    let lengths = [
        small(0),
        small(1),
        small(2),
        small(3),
        Nat::power_of_two(510).add_limb(1),
        Nat::power_of_two(8192).add_limb(1),
        Nat::power_of_two(100_000).add_limb(1),
    ];
    bad.extend(lengths.map(|p| ("a p of", p, q.clone(), g.clone())));
    for p in [beside(p, -1), beside(p, 1), p.shl(1), p.shl(64)] {
        bad.push(("its p is even", p, q.clone(), g.clone()));
    }
    for other in [beside(p, 2), beside(p, -2), p.mul_limb(3)] {
        bad.push(("its q does not divide", other, q.clone(), g.clone()));
    }
    for bit in [1, 7, 64, 500, 1000] {
        let flipped = flipped(p, bit);
        bad.push(("its q does not divide", flipped, q.clone(), g.clone()));
    }
    // A composite p where q divides p - 1.
    let composite = |k: u64| p.add(&q.mul_limb(2 * k));
    let composites = (1..).map(composite).filter(|p| !prime::is_prime_vartime(p));
    for p in composites.take(5).chain([p.sqr()]) {
        bad.push(("its p is not a prime", p, q.clone(), g.clone()));
    }
    // q
    let lengths = [
        small(0),
        small(1),
        small(2),
        small(3),
        q.shr(1),
        p.clone(),
        p.shl(3),
    ];
    bad.extend(lengths.map(|q| ("a q of", p.clone(), q, g.clone())));
    bad.push(("its q is even", p.clone(), q.shl(1), g.clone()));
    bad.push(("its q is even", p.clone(), beside(q, 1), g.clone()));
    for q in [beside(q, 2), beside(q, -2), q.mul_limb(1_000_003), q.sqr()] {
        bad.push(("its q does not divide", p.clone(), q, g.clone()));
    }
    for bit in [1, 7, 64, 100, 158] {
        let q = flipped(q, bit);
        bad.push(("its q does not divide", p.clone(), q, g.clone()));
    }
    // A composite q that divides p - 1: its odd part.
    let cofactor = beside(p, -1).div_rem_vartime(q).0;
    let twos = (0..).find(|&i| cofactor.bit(i)).unwrap();
    for q in [cofactor.shr(twos), beside(p, -1).shr(twos)] {
        bad.push(("its q is not a prime", p.clone(), q, g.clone()));
    }
    // g
    for g in [small(0), small(1), beside(p, -1), p.clone(), p.add(g)] {
        bad.push(("its generator g is not between", p.clone(), q.clone(), g));
    }
    let modulus = Modulus::new(p).unwrap();
    let others = [
        small(2),
        small(3),
        beside(g, 1),
        beside(g, -1),
        modulus.neg(g),
        flipped(g, 3),
        flipped(g, 900),
        q.clone(),
    ];
    bad.extend(others.map(|g| ("the order of its generator", p.clone(), q.clone(), g)));
    // A safe prime's generator of order p - 1.
    let named = Named::Modp2048.group();
    let (p, q) = (named.p(), named.q());
    let minus_g = beside(p, -2);
    bad.push(("the order of its generator", p.clone(), q.clone(), minus_g));
    bad
}

#[test]
fn bad_parameters_are_refused_with_a_sentence() {
    let bad = bad_parameters();
    assert!(bad.len() >= 50, "{}", bad.len());
    for (i, (what, p, q, g)) in bad.into_iter().enumerate() {
        let error = Group::new(p, q, g).expect_err(what);
        assert!(error.to_string().contains(what), "{i}: {what}: {error}");
        is_a_sentence(&error);
    }
}

/// A product of two primes that are 1 modulo q, and an element of order q modulo both: only a primality test rejects
/// it.
#[test]
fn a_composite_with_an_element_of_order_q_is_refused() {
    let q = nat(RFC6979_1024.q);
    let prime_above = |bits: usize| {
        let k = Nat::power_of_two(bits - 161);
        let candidate = |i| q.mul(&k.add_limb(i)).shl(1).add_limb(1).trim_vartime();
        (1..).map(candidate).find(prime::is_prime_vartime).unwrap()
    };
    let (a, b) = (prime_above(400), prime_above(420));
    let n = a.mul(&b).trim_vartime();
    let modulus = Modulus::new(&n).unwrap();
    // lambda(n) / q = lcm((a - 1) / q, (b - 1) / q)
    let part = |p: &Nat| beside(p, -1).div_rem_vartime(&q).0;
    let exponent = part(&a).mul(&part(&b));
    let g = modulus.pow_vartime(&modulus.reduce(&Nat::from_limb(2)), &exponent);
    assert!(modulus.pow_vartime(&g, &q).is_one() && !g.is_one());
    let error = Group::new(n, q, g).unwrap_err();
    assert!(error.to_string().contains("p is not a prime"), "{error}");
}

/// A safe prime whose half is no prime, and generators that old files have.
#[test]
fn bad_safe_primes_are_refused_with_a_sentence() {
    let p = nat(RFC6979_1024.p);
    let error = Group::with_safe_prime(p, Nat::from_limb(2)).unwrap_err();
    assert!(error.to_string().contains("no safe prime"), "{error}");
    let Some(text) = read("dh/vec.txt") else {
        return;
    };
    let mut refused = 0;
    let count = for_each_case(assignments(&text), "K", |fields| {
        let number = |name| Nat::from_decimal(fields.text(name)).unwrap();
        let (p, g) = (number("P"), number("G"));
        let result = Group::with_safe_prime(p.clone(), g.clone());
        match result.unwrap_err() {
            KeyError::Size { bits: 256, .. } => {}
            error => assert!(error.to_string().contains("generator"), "{error}"),
        }
        // The square of each generator has order q. A power to an odd exponent does not.
        let Ok(group) = Group::with_safe_prime(p, g.sqr()) else {
            return;
        };
        let Ok(theirs) = PublicKey::new(&group, number("Y")) else {
            refused += 1;
            return;
        };
        for group in groups(&group) {
            let ours = PrivateKey::new(&group, &number("X")).unwrap();
            assert_eq!(*ours.agree(&theirs).unwrap(), fields.bytes("K"));
        }
    });
    assert_eq!((count, refused), (5, 3));
}

#[test]
fn bad_keys_are_refused_with_a_sentence() {
    let mut count = 0;
    let safe = Named::Ffdhe2048.group();
    for group in [key(&RFC6979_1024).group(), &safe] {
        let key = PrivateKey::generate_with(group, &mut rng());
        let (p, y) = (group.p(), key.public().y());
        let modulus = group.modulus();
        let mut bad = vec![Nat::zero(), Nat::one(), Nat::zero().shl(200)];
        bad.extend([beside(p, -1), p.clone(), beside(p, 1), p.add(y), p.shl(1)]);
        bad.extend([modulus.neg(y), modulus.neg(group.g()), p.sqr(), p.shl(64)]);
        // An element outside of the subgroup times those inside.
        let outside = (2..).map(Nat::from_limb);
        let mut outside = outside.filter(|y| y.jacobi_vartime(p) == -1);
        let outside = modulus.reduce(&outside.next().unwrap());
        bad.push(outside.clone());
        bad.extend((0..10).map(|_| {
            let exponent = group.random_exponent(&mut rng());
            modulus.mul(&group.power_vartime(&exponent), &outside)
        }));
        for y in bad {
            let error = PublicKey::new(group, y).unwrap_err();
            assert!(error.to_string().contains("its y is not"), "{error}");
            is_a_sentence(&error);
            count += 1;
        }
        let octets = key.public().to_be_bytes();
        let longer = [&[0][..], &octets].concat();
        for octets in [&octets[1..], &octets[..octets.len() - 1], &longer, &[]] {
            let error = PublicKey::from_be_bytes(group, octets).unwrap_err();
            assert!(matches!(error, KeyError::Format { .. }), "{error}");
            is_a_sentence(&error);
            count += 1;
        }
        let q = group.q();
        for x in [Nat::zero(), q.clone(), beside(q, 1), q.shl(1), p.clone()] {
            let error = PrivateKey::new(group, &x).unwrap_err();
            assert!(error.to_string().contains("its x is not"), "{error}");
            is_a_sentence(&error);
            count += 1;
        }
        for y in [Nat::one(), modulus.neg(y), beside(y, 1), modulus.sqr(y)] {
            let error = PrivateKey::with_public(group, key.x(), &y).unwrap_err();
            assert!(error.to_string().contains("its y is not g^x"), "{error}");
            is_a_sentence(&error);
            count += 1;
        }
        let other = PrivateKey::generate_with(&Named::Ffdhe3072.group(), &mut rng());
        let error = key.agree(other.public()).unwrap_err();
        assert_eq!(error, Error::OtherGroup);
        is_a_sentence(&error);
    }
    assert!(count >= 40, "{count}");
}
