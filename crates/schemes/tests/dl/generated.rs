//! Generated parameters, and verification of those of others (FIPS 186-4, appendix A).

use crate::support::*;
use carrysave_arith::Nat;
use carrysave_schemes::dl::{DomainSeed, Group, PrivateKey};
use carrysave_schemes::hash::Hash;

/// The hash of a section such as `mod = L=1024, N=160, SHA-1`.
fn hash_of(section: &str) -> Hash {
    hash(section.rsplit(',').next().unwrap())
}

/// The part of the file from one heading to the next that is in brackets and has no `=`.
fn part<'a>(text: &'a str, heading: &str) -> &'a str {
    let start = text.find(heading).expect("the heading");
    let text = &text[start + heading.len()..];
    &text[..text.find("[A.").unwrap_or(text.len())]
}

#[test]
fn primes_from_seeds() {
    let Some(text) = read("cavp/dsa_186-3/PQGVer.rsp") else {
        return;
    };
    let slow = std::env::var_os("CARRYSAVE_SLOW").is_some();
    if !slow {
        eprintln!("SKIPPED: primes of 3072 bits from seeds: set CARRYSAVE_SLOW=1");
    }
    let mut good = 0;
    let part = part(&text, "[A.1.1.3 ");
    let count = for_each_case(assignments(part), "Result", |fields| {
        let seed = DomainSeed {
            hash: hash_of(fields.text("[")),
            seed: fields.bytes("Seed"),
            counter: fields.text("c").parse().unwrap(),
        };
        let expected = fields.text("Result").starts_with('P');
        good += usize::from(expected);
        // Two seconds each: as many numbers of 3072 bits are tested as it took to find the prime.
        if expected && !slow && fields.text("[").contains("3072") {
            return;
        }
        let result = seed.verify(&fields.nat("P"), &fields.nat("Q"));
        assert_eq!(result.is_ok(), expected, "{fields:?}: {result:?}");
    });
    assert_eq!((count, good), (75, 30));
}

#[test]
fn generators_of_order_q() {
    let Some(text) = read("cavp/dsa_186-3/PQGVer.rsp") else {
        return;
    };
    let mut good = 0;
    let part = part(&text, "[A.2.2 ");
    let count = for_each_case(assignments(part), "Result", |fields| {
        let expected = fields.text("Result").starts_with('P');
        good += usize::from(expected);
        let result = Group::new(fields.nat("P"), fields.nat("Q"), fields.nat("G"));
        assert_eq!(result.is_ok(), expected, "{fields:?}: {result:?}");
        if let Ok(group) = result {
            let some = Group::with_some_generator(fields.nat("P"), fields.nat("Q")).unwrap();
            let same = fields.nat("H") == Nat::from_limb(2);
            assert_eq!(some == group, same);
        }
    });
    assert_eq!((count, good), (75, 30));
}

#[test]
fn generators_from_seeds() {
    let Some(text) = read("cavp/dsa_186-3/PQGVer.rsp") else {
        return;
    };
    let mut good = 0;
    let part = part(&text, "[A.2.4 ");
    let count = for_each_case(assignments(part), "Result", |fields| {
        let seed = DomainSeed {
            hash: hash_of(fields.text("[")),
            seed: fields.bytes("domain_parameter_seed"),
            counter: 0,
        };
        let expected = fields.text("Result").starts_with('P');
        good += usize::from(expected);
        let (p, q, index) = (fields.nat("P"), fields.nat("Q"), fields.bytes("index")[0]);
        let g = seed.generator(&p, &q, index).unwrap();
        assert_eq!(g == fields.nat("G"), expected, "{fields:?}");
        if let Ok(group) = Group::new(p, q, fields.nat("G")) {
            assert_eq!(seed.verify_generator(&group, index).is_ok(), expected);
        }
    });
    assert_eq!((count, good), (75, 30));
}

#[test]
fn key_pairs() {
    let Some(text) = read("cavp/dsa_186-3/KeyPair.rsp") else {
        return;
    };
    let mut last = Last::new();
    let count = for_each_case(assignments(&text), "Y", |fields| {
        let parameters = ["P", "Q", "G"].map(|name| fields.nat(name));
        let all = last.get(parameters, |[p, q, g]| {
            let group = Group::new(p.clone(), q.clone(), g.clone()).unwrap();
            let precomputed = group.precomputed();
            groups(&group)
                .into_iter()
                .chain([precomputed])
                .collect::<Vec<_>>()
        });
        for group in all {
            PrivateKey::with_public(group, &fields.nat("X"), &fields.nat("Y")).unwrap();
        }
    });
    assert_eq!(count, 40);
}

#[test]
fn generated_groups_keep_the_rules() {
    for (l, n, hash) in [
        (512, 160, Hash::Sha1),
        (513, 161, Hash::Sha256),
        (768, 256, Hash::Sha256),
        (1000, 224, Hash::Sha3_224),
        (1024, 160, Hash::Sha512),
    ] {
        let mut candidates = 0;
        let (group, seed) =
            Group::generate_with(&mut rng(), l, n, hash, &mut || candidates += 1).unwrap();
        assert_eq!((group.bits(), group.q().bits()), (l, n));
        assert!(candidates > 1);
        seed.verify(group.p(), group.q()).unwrap();
        seed.verify_generator(&group, 1).unwrap();
        let mut refused = vec![
            seed.verify_generator(&group, 2),
            seed.verify(&beside(group.p(), 2), group.q()),
            seed.verify(group.p(), &beside(group.q(), 2)),
        ];
        let other = |counter, changed: Option<usize>| {
            let mut seed = DomainSeed {
                counter,
                ..seed.clone()
            };
            if let Some(at) = changed {
                seed.seed[at] ^= 1;
            }
            seed.verify(group.p(), group.q())
        };
        refused.push(other(seed.counter + 1, None));
        refused.push(other(seed.counter.wrapping_sub(1).min(4 * l), None));
        refused.push(other(seed.counter, Some(0)));
        for result in refused {
            is_a_sentence(&result.unwrap_err());
        }
    }
    let group = Group::generate_safe_prime_with(&mut rng(), 520, &mut || ()).unwrap();
    assert_eq!((group.bits(), group.q().bits()), (520, 519));
    let key = PrivateKey::generate_with(&group, &mut rng());
    assert!(key.x().bits() <= 225);
}

#[test]
fn generation_refuses_what_cannot_be() {
    for (l, n, hash) in [
        (511, 160, Hash::Sha256),
        (0, 160, Hash::Sha256),
        (8193, 256, Hash::Sha256),
        (1024, 159, Hash::Sha256),
        (1024, 0, Hash::Sha256),
        (1024, 257, Hash::Sha256),
        (1024, 161, Hash::Sha1),
        (512, 512, Hash::Sha512),
    ] {
        let error = Group::generate_with(&mut rng(), l, n, hash, &mut || ()).unwrap_err();
        is_a_sentence(&error);
    }
    for bits in [0, 511, 8193] {
        is_a_sentence(&Group::generate_safe_prime_with(&mut rng(), bits, &mut || ()).unwrap_err());
    }
    for [p, q] in [[0, 0], [0, 1], [1, 1], [2, 1], [7, 0], [7, 3]] {
        let [p, q] = [p, q].map(Nat::from_limb);
        let seed = DomainSeed {
            hash: Hash::Sha256,
            seed: vec![7; 32],
            counter: 0,
        };
        if q.is_zero() {
            is_a_sentence(&seed.generator(&p, &q, 1).unwrap_err());
        }
        is_a_sentence(&Group::with_some_generator(p, q).unwrap_err());
    }
}
