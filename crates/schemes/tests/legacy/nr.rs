//! Nyberg-Rueppel: Crypto++'s vectors and key, what is refused, and faults.

use crate::support::*;
use carrysave_arith::{Nat, Plan};
use carrysave_schemes::dl::{Error, Form, Group, PrivateKey, PublicKey, Signature};
use carrysave_schemes::hash::Hash;
use carrysave_schemes::legacy::nr;
use carrysave_schemes::testing::{DsaStage, NoFaults, nr_sign};

#[test]
fn signatures_of_cryptopp() {
    let Some(text) = read("cryptopp/TestVectors/nr.txt") else {
        return;
    };
    let (mut pairs, mut good) = (0, 0);
    let mut last = Last::new();
    let count = for_each_case(continued(&text), "Test", |fields| {
        let names = [
            "Modulus",
            "SubgroupOrder",
            "SubgroupGenerator",
            "PrivateExponent",
            "PublicElement",
        ];
        let keys = last.get(names.map(|name| fields.nat(name)), |[p, q, g, x, y]| {
            let group = Group::new(p.clone(), q.clone(), g.clone()).unwrap();
            let key = PrivateKey::with_public(&group, x, y).unwrap();
            let on = |cpu| key.with_plan(cpu, Plan::best(cpu));
            let all: Vec<PrivateKey> = masks().into_iter().map(on).collect();
            all
        });
        if fields.text("Test") == "KeyPairValidAndConsistent" {
            pairs += 1;
            return;
        }
        assert_eq!(fields.text("Test"), "Verify");
        let digest = Hash::Sha1.digest(&fields.bytes("Message"));
        let octets = fields.bytes("Signature");
        for key in keys {
            let signature = Signature::from_be_bytes(key.group(), &octets).unwrap();
            nr::verify(key.public(), Hash::Sha1, &digest, &signature).unwrap();
            let other = Hash::Sha1.digest(b"another message");
            let result = nr::verify(key.public(), Hash::Sha1, &other, &signature);
            assert_eq!(result, Err(Error::Verification));
            let ours = nr_sign(key, Hash::Sha1, &digest, &mut NoFaults).unwrap();
            nr::verify(key.public(), Hash::Sha1, &digest, &ours).unwrap();
        }
        good += 1;
    });
    assert_eq!((count, pairs, good), (77, 11, 66));
}

#[test]
fn a_key_of_cryptopp() {
    let Some(text) = read("cryptopp/TestData/nr2048.dat") else {
        return;
    };
    let (form, key) = PrivateKey::from_pkcs8_der(&hex(&text)).unwrap();
    assert_eq!((form, key.group().bits()), (Form::Dsa, 2048));
    for &hash in Hash::ALL {
        let digest = hash.digest(b"a message");
        let found = nr::sign(&key, hash, &digest);
        if hash == Hash::Sha1 {
            assert_eq!(found, Err(Error::Sha1Signature));
            continue;
        }
        let found = found.unwrap();
        for key in [key.public(), &key.public().precomputed()] {
            nr::verify(key, hash, &digest, &found).unwrap();
            // It is not a DSA signature, and its nonce differs.
            let result = key.dsa_verify(hash, &digest, &found);
            assert_eq!(result, Err(Error::Verification));
        }
        assert_eq!(nr::sign(&key.precomputed(), hash, &digest), Ok(found));
    }
}

fn small_key() -> PrivateKey {
    let made = Group::generate_with(&mut rng(), 512, 160, Hash::Sha256, &mut || ());
    PrivateKey::generate_with(&made.unwrap().0, &mut rng())
}

#[test]
fn bad_signatures_are_refused() {
    let (key, hash) = (small_key(), Hash::Sha256);
    let (group, public): (&Group, &PublicKey) = (key.group(), key.public());
    let digest = hash.digest(b"a message");
    let signature = nr::sign(&key, hash, &digest).unwrap();
    let (r, s, q) = (signature.r(), signature.s(), group.q());
    let minus = |x: &Nat| group.order().neg(&x.resize(group.order().width()).unwrap());
    let odd = [Nat::zero(), Nat::one(), q.clone(), q.add_limb(1), q.shl(1)];
    let mut bad = vec![
        (s.clone(), r.clone()),
        (r.add(q), s.clone()),
        (r.clone(), s.add(q)),
        (minus(r), s.clone()),
        (r.clone(), minus(s)),
    ];
    for x in &odd {
        bad.extend([(x.clone(), s.clone()), (r.clone(), x.clone())]);
        bad.extend(odd.iter().map(|y| (x.clone(), y.clone())));
    }
    for bit in 0..150 {
        bad.extend([(flipped(r, bit), s.clone()), (r.clone(), flipped(s, bit))]);
    }
    for (r, s) in bad {
        let result = nr::verify(public, hash, &digest, &Signature::new(r, s));
        assert_eq!(result, Err(Error::Verification));
    }
    // It is not a DSA signature, although the keys are of the same kind.
    let dsa = key.dsa_sign(hash, &digest).unwrap();
    let result = nr::verify(public, hash, &digest, &dsa);
    assert_eq!(result, Err(Error::Verification));
    for len in [0, 31, 33] {
        let (expected, found) = (32, len);
        let error = Error::DigestLength { expected, found };
        let digest = vec![1; len];
        let result = nr::verify(public, hash, &digest, &signature);
        assert_eq!(result, Err(error.clone()));
        assert_eq!(nr::sign(&key, hash, &digest), Err(error));
    }
}

#[test]
fn no_faulty_signature_is_released() {
    let (hash, mut caught) = (Hash::Sha256, 0);
    while caught < 2_000 {
        let key = small_key();
        let digest = hash.digest(&key.public().to_be_bytes());
        let right = nr::sign(&key, hash, &digest).unwrap();
        for stage in [
            DsaStage::Nonce,
            DsaStage::Again,
            DsaStage::Power,
            DsaStage::Digest,
            DsaStage::R,
            DsaStage::Exponent,
            DsaStage::S,
        ] {
            let mut reached = false;
            for bit in 0..160 {
                let found = nr_sign(&key, hash, &digest, &mut |_, at, value: &Nat| {
                    reached |= at == stage;
                    (at == stage).then(|| flipped(value, bit))
                });
                match found {
                    Ok(signature) => assert_eq!(signature, right, "bit {bit} at {stage:?}"),
                    Err(error) => {
                        assert_eq!(error, Error::Fault);
                        caught += 1;
                    }
                }
            }
            assert!(reached, "{stage:?} was not reached");
        }
    }
    println!("{caught} faults caught, none released");
}
