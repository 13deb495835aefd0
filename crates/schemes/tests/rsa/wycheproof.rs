//! Every RSA case of Wycheproof, on every level of the processor.

use crate::support::*;
use carrysave_arith::{Nat, prime};
use carrysave_schemes::hash::Hash;
use carrysave_schemes::rsa::{Error, PrivateKey, PublicKey};
use wycheproof::{
    HashFunction, TestResult, primality, rsa_oaep, rsa_pkcs1_decrypt, rsa_pkcs1_verify,
    rsa_pss_verify,
};

fn hash_of(function: HashFunction) -> Hash {
    match function {
        HashFunction::Sha1 => Hash::Sha1,
        HashFunction::Sha2_224 => Hash::Sha224,
        HashFunction::Sha2_256 => Hash::Sha256,
        HashFunction::Sha2_384 => Hash::Sha384,
        HashFunction::Sha2_512 => Hash::Sha512,
        HashFunction::Sha2_512_224 => Hash::Sha512_224,
        HashFunction::Sha2_512_256 => Hash::Sha512_256,
        HashFunction::Sha3_224 => Hash::Sha3_224,
        HashFunction::Sha3_256 => Hash::Sha3_256,
        HashFunction::Sha3_384 => Hash::Sha3_384,
        HashFunction::Sha3_512 => Hash::Sha3_512,
        HashFunction::Shake128 => Hash::Shake128,
        HashFunction::Shake256 => Hash::Shake256,
    }
}

/// Whether the result of an operation matches the file.
fn agrees(expected: TestResult, succeeded: bool) -> bool {
    match expected {
        TestResult::Valid => succeeded,
        TestResult::Invalid => !succeeded,
        TestResult::Acceptable => true,
    }
}

/// The key of a group, read from each of its forms in the file.
fn public(n: &[u8], e: &[u8], pkcs1: &[u8], der: &[u8], pem: &str) -> Vec<PublicKey> {
    let (n, e) = (Nat::from_be_bytes(n), Nat::from_be_bytes(e));
    let keys = public_keys(&n, &e);
    assert_eq!(PublicKey::from_pkcs1_der(pkcs1).as_ref(), Ok(&keys[0]));
    for read in [
        PublicKey::from_any(der),
        PublicKey::from_any(pem.as_bytes()),
    ] {
        assert_eq!(read.as_ref(), Ok(&keys[0]));
    }
    keys
}

#[test]
fn rsa_pkcs1_verify() {
    let mut count = 0;
    for name in rsa_pkcs1_verify::TestName::all() {
        for group in rsa_pkcs1_verify::TestSet::load(name).unwrap().test_groups {
            let keys = public(
                &group.key.n,
                &group.key.e,
                &group.asn_key,
                &group.der,
                &group.pem,
            );
            let hash = hash_of(group.hash);
            for test in group.tests {
                count += 1;
                let digest = hash.digest(&test.msg);
                for key in &keys {
                    let result = key.rsassa_pkcs1_v1_5_verify(hash, &digest, &test.sig);
                    assert!(
                        agrees(test.result, result.is_ok()),
                        "{name:?} {}: {}",
                        test.tc_id,
                        test.comment
                    );
                    assert!(matches!(result, Ok(()) | Err(Error::Verification)));
                }
            }
        }
    }
    assert_eq!(count, 6202);
}

#[test]
fn rsa_pss_verify() {
    let mut count = 0;
    for name in rsa_pss_verify::TestName::all() {
        for group in rsa_pss_verify::TestSet::load(name).unwrap().test_groups {
            let (n, e) = (
                Nat::from_be_bytes(&group.key.n),
                Nat::from_be_bytes(&group.key.e),
            );
            let keys = public_keys(&n, &e);
            assert_eq!(
                PublicKey::from_pkcs1_der(&group.asn_key).as_ref(),
                Ok(&keys[0])
            );
            let hash = hash_of(group.hash);
            // No hash for the mask means that the hash is itself extendable.
            let mgf = group.mgf_hash.map_or(hash, hash_of);
            for test in group.tests {
                count += 1;
                let digest = hash.digest(&test.msg);
                for key in &keys {
                    let result =
                        key.rsassa_pss_verify(hash, mgf, Some(group.salt_size), &digest, &test.sig);
                    assert!(
                        agrees(test.result, result.is_ok()),
                        "{name:?} {}: {}",
                        test.tc_id,
                        test.comment
                    );
                    assert!(matches!(result, Ok(()) | Err(Error::Verification)));
                }
            }
        }
    }
    assert_eq!(count, 3497);
}

#[test]
fn rsa_oaep() {
    let (mut count, mut rng) = (0, rng());
    for name in rsa_oaep::TestName::all() {
        for group in rsa_oaep::TestSet::load(name).unwrap().test_groups {
            let key = PrivateKey::from_any(&group.pkcs8, None).unwrap();
            assert_eq!(
                PrivateKey::from_pkcs8_pem(&group.pem).unwrap().public(),
                key.public()
            );
            assert_eq!(*key.to_pkcs8_der(), *group.pkcs8);
            let (hash, mgf) = (hash_of(group.hash), hash_of(group.mgf_hash));
            for key in private_keys(&key) {
                for test in &group.tests {
                    count += 1;
                    let result = key.rsaes_oaep_decrypt(&mut rng, hash, mgf, &test.label, &test.ct);
                    let same = result.as_ref().is_ok_and(|m| **m == *test.pt);
                    assert!(
                        agrees(test.result, same),
                        "{name:?} {}: {}",
                        test.tc_id,
                        test.comment
                    );
                    assert!(same || result == Err(Error::Decryption));
                }
            }
        }
    }
    assert_eq!(count, 1098 * masks().len());
}

#[test]
fn rsa_pkcs1_decrypt() {
    let (mut count, mut rng) = (0, rng());
    for name in rsa_pkcs1_decrypt::TestName::all() {
        for group in rsa_pkcs1_decrypt::TestSet::load(name).unwrap().test_groups {
            let key = PrivateKey::from_any(&group.pkcs8, None).unwrap();
            assert_eq!(
                PrivateKey::from_any(group.pem.as_bytes(), None)
                    .unwrap()
                    .public(),
                key.public()
            );
            for key in private_keys(&key) {
                for test in &group.tests {
                    count += 1;
                    // Implicit rejection: what is invalid decrypts to something else.
                    let result = key.rsaes_pkcs1_v1_5_decrypt(&mut rng, &test.ct);
                    let same = result.as_ref().is_ok_and(|m| **m == *test.pt);
                    assert!(
                        agrees(test.result, same),
                        "{name:?} {}: {}",
                        test.tc_id,
                        test.comment
                    );
                    assert_eq!(
                        result.is_err(),
                        test.ct.len() != key.size() || !below(&test.ct, &key)
                    );
                }
            }
        }
    }
    assert_eq!(count, 201 * masks().len());
}

fn below(c: &[u8], key: &PrivateKey) -> bool {
    Nat::from_be_bytes(c).lt(key.public().n())
}

#[test]
fn primality() {
    let (mut count, mut rng) = (0, rng());
    for group in primality::TestSet::load(primality::TestName::Primality)
        .unwrap()
        .test_groups
    {
        for test in group.tests {
            // Numbers are signed; a negative one is no prime, and no natural number.
            if test.value.first().is_some_and(|byte| *byte >= 0x80) {
                assert_ne!(test.result, TestResult::Valid);
                continue;
            }
            count += 1;
            let n = Nat::from_be_bytes(&test.value);
            for prime in [
                prime::is_prime_vartime(&n),
                prime::is_prime(&n, 40, &mut rng),
            ] {
                assert!(
                    agrees(test.result, prime),
                    "{}: {}",
                    test.tc_id,
                    test.comment
                );
            }
        }
    }
    assert_eq!(count, 303);
}
