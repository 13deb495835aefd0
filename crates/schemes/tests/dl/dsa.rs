//! DSA against known answers.

use crate::published::{Key, RFC6979_1024, RFC6979_2048, SIGNED_1024, SIGNED_2048, Signed};
use crate::support::*;
use carrysave_arith::{Nat, Plan};
use carrysave_schemes::dl::{Error, Form, Group, PrivateKey, PublicKey, Signature};
use carrysave_schemes::hash::Hash;
use carrysave_schemes::testing::{self, NoFaults};

/// RFC 6979, A.2.1 and A.2.2. With SHA-1 only the RFC's messages are signed.
#[test]
fn deterministic_signatures_of_rfc_6979() {
    let check = |published: &Key, signed: &[Signed]| {
        for key in private_keys(&key(published)) {
            for &(name, message, signature) in signed {
                let hash = hash(name);
                let digest = hash.digest(message.as_bytes());
                let expected = Signature::from_be_bytes(key.group(), &hex(signature)).unwrap();
                let found = testing::dsa_sign(&key, hash, &digest, &[], &mut NoFaults);
                assert_eq!(found.as_ref(), Ok(&expected), "{name} {message}");
                match hash {
                    Hash::Sha1 => {
                        assert_eq!(key.dsa_sign(hash, &digest), Err(Error::Sha1Signature))
                    }
                    _ => assert_eq!(key.dsa_sign(hash, &digest), found),
                }
                assert_eq!(expected.to_be_bytes(key.group()), hex(signature));
                assert_eq!(
                    Signature::from_der(&expected.to_der()),
                    Ok(expected.clone())
                );
                key.public().dsa_verify(hash, &digest, &expected).unwrap();
                let other = hash.digest(b"another message");
                let result = key.public().dsa_verify(hash, &other, &expected);
                assert_eq!(result, Err(Error::Verification));
            }
        }
    };
    check(&RFC6979_1024, SIGNED_1024);
    check(&RFC6979_2048, SIGNED_2048);
}

#[test]
fn signatures_with_the_nonces_of_cavp() {
    let Some(text) = read("cavp/dsa_186-3/SigGen.txt") else {
        return;
    };
    let mut last = Last::new();
    let count = for_each_case(assignments(&text), "S", |fields| {
        let parameters = ["P", "Q", "G"].map(|name| fields.nat(name));
        let group = last.get(parameters, |[p, q, g]| {
            Group::new(p.clone(), q.clone(), g.clone()).unwrap()
        });
        let key = PrivateKey::with_public(group, &fields.nat("X"), &fields.nat("Y")).unwrap();
        let hash = hash(fields.text("[").rsplit(',').next().unwrap());
        let digest = hash.digest(&fields.bytes("Msg"));
        let expected = Signature::new(fields.nat("R"), fields.nat("S"));
        for cpu in masks() {
            let key = key.with_plan(cpu, Plan::best(cpu));
            let found = testing::dsa_sign_with_nonce(&key, &digest, &fields.nat("K"));
            assert_eq!(found.as_ref(), Ok(&expected), "{cpu}");
            key.public().dsa_verify(hash, &digest, &expected).unwrap();
        }
    });
    assert_eq!(count, 300);
}

/// Text in quotes, or hexadecimal.
fn message(text: &str) -> Vec<u8> {
    match text.strip_prefix('"') {
        Some(text) => text.trim_end_matches('"').into(),
        None => hex(text),
    }
}

/// A public key in parts.
pub fn component(fields: &Fields) -> PublicKey {
    let numbers = ["Modulus", "SubgroupOrder", "SubgroupGenerator"].map(|n| fields.nat(n));
    let [p, q, g] = numbers;
    let group = Group::new(p, q, g).unwrap();
    PublicKey::new(&group, fields.nat("PublicElement")).unwrap()
}

#[test]
fn signatures_of_crypto_plus_plus() {
    let (mut good, mut bad, mut pairs) = (0, 0, 0);
    for name in ["dsa.txt", "dsa_1363.txt"] {
        let Some(text) = read(&format!("cryptopp/TestVectors/{name}")) else {
            return;
        };
        for_each_case(continued(&text), "Test", |fields| {
            let test = fields.text("Test");
            if test == "GenerateKey" || test == "PublicKeyValid" {
                return;
            }
            let public = match fields.text("KeyFormat") {
                "DER" => PublicKey::from_spki_der(&fields.bytes("PublicKey")).unwrap(),
                _ => (Form::Dsa, component(fields)),
            };
            let (Form::Dsa, public) = public else {
                panic!("not for DSA");
            };
            let group = public.group();
            if test == "KeyPairValidAndConsistent" {
                let key = match fields.text("KeyFormat") {
                    "DER" => {
                        PrivateKey::from_pkcs8_der(&fields.bytes("PrivateKey"))
                            .unwrap()
                            .1
                    }
                    _ => PrivateKey::new(group, &fields.nat("PrivateExponent")).unwrap(),
                };
                assert_eq!(*key.public(), public);
                pairs += 1;
                return;
            }
            let name = fields.text("Name").rsplit(['/', '(']).next().unwrap();
            let hash = hash(name.trim_end_matches(')'));
            let digest = hash.digest(&message(fields.text("Message")));
            let signature = Signature::from_be_bytes(group, &fields.bytes("Signature")).unwrap();
            let keys = public_keys(&public);
            let result = |key: &PublicKey| key.dsa_verify(hash, &digest, &signature);
            let on_every_level = |right| keys.iter().all(|key| result(key) == right);
            match test {
                "Verify" => good += usize::from(on_every_level(Ok(()))),
                "NotVerify" => bad += usize::from(on_every_level(Err(Error::Verification))),
                other => panic!("{other}"),
            }
        });
    }
    assert_eq!((good, bad, pairs), (165, 15, 14));
}

#[test]
fn keys_of_crypto_plus_plus() {
    for name in ["dsa512", "dsa1024", "nr2048"] {
        let Some(text) = read(&format!("cryptopp/TestData/{name}.dat")) else {
            return;
        };
        let (form, key) = PrivateKey::from_pkcs8_der(&hex(&text)).unwrap();
        assert_eq!(form, Form::Dsa);
        assert_eq!(*key.to_pkcs8_der(form).unwrap(), hex(&text));
    }
}

#[test]
fn randomized_signatures_differ_and_verify() {
    let key = key(&RFC6979_1024);
    for &hash in Hash::ALL {
        let digest = hash.digest(b"a message");
        if hash == Hash::Sha1 {
            let result = key.dsa_sign_randomized(&mut rng(), hash, &digest);
            assert_eq!(result, Err(Error::Sha1Signature));
            continue;
        }
        let sign = || key.dsa_sign_randomized(&mut rng(), hash, &digest).unwrap();
        let signatures = [sign(), sign(), key.dsa_sign(hash, &digest).unwrap()];
        for (i, signature) in signatures.iter().enumerate() {
            key.public().dsa_verify(hash, &digest, signature).unwrap();
            assert!(!signatures[..i].contains(signature));
        }
    }
}

/// Everything but the signature itself: other numbers, other octets, other digests.
#[test]
fn bad_signatures_are_refused() {
    let key = key(&RFC6979_1024);
    let (group, public, hash) = (key.group(), key.public(), Hash::Sha256);
    let digest = hash.digest(b"a message");
    let signature = key.dsa_sign(hash, &digest).unwrap();
    let (r, s, q) = (signature.r(), signature.s(), group.q());
    let mut bad = Vec::new();
    let odd = [
        Nat::zero(),
        Nat::one(),
        q.clone(),
        beside(q, 1),
        q.shl(1),
        Nat::power_of_two(999),
    ];
    for x in &odd {
        bad.extend([(x.clone(), s.clone()), (r.clone(), x.clone())]);
        bad.extend(odd.iter().map(|y| (x.clone(), y.clone())));
    }
    bad.extend([
        (s.clone(), r.clone()),
        (r.add(q), s.clone()),
        (r.clone(), s.add(q)),
    ]);
    bad.extend([
        (group.order().neg(r), s.clone()),
        (r.clone(), group.order().neg(s)),
    ]);
    for bit in 0..160 {
        bad.extend([(flipped(r, bit), s.clone()), (r.clone(), flipped(s, bit))]);
    }
    for (r, s) in bad {
        let result = public.dsa_verify(hash, &digest, &Signature::new(r, s));
        assert_eq!(result, Err(Error::Verification));
    }
    is_a_sentence(&Error::Verification);
    let der = signature.to_der();
    for len in 0..der.len() {
        assert_eq!(Signature::from_der(&der[..len]), Err(Error::Verification));
    }
    let longer = [&der[..], &[0]].concat();
    assert_eq!(Signature::from_der(&longer), Err(Error::Verification));
    let octets = signature.to_be_bytes(group);
    for len in (0..octets.len()).chain([octets.len() + 1]) {
        let octets: Vec<u8> = octets.iter().copied().chain([0]).take(len).collect();
        let result = Signature::from_be_bytes(group, &octets);
        assert_eq!(result, Err(Error::Verification));
    }
    for len in [0, 31, 33] {
        let expected = Err(Error::DigestLength {
            expected: 32,
            found: len,
        });
        let digest = vec![1; len];
        assert_eq!(public.dsa_verify(hash, &digest, &signature), expected);
        let result = key.dsa_sign(hash, &digest);
        is_a_sentence(&result.clone().unwrap_err());
        assert_eq!(result.map(|_| ()), expected);
    }
}
