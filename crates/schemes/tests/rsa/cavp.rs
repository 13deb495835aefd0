//! NIST's CAVP vectors for FIPS 186-3 signatures and keys and for SP 800-56B RSADP.

use crate::support::*;
use carrysave_arith::{Cpu, Nat};
use carrysave_schemes::hash::Hash;
use carrysave_schemes::rsa::{PrivateKey, PublicKey, emsa_pkcs1_v1_5_encode, emsa_pss_encode};

fn key(fields: &Fields) -> (Nat, Nat, Nat) {
    (fields.nat("n"), fields.nat("e"), fields.nat("d"))
}

/// Keys without primes, which are computed once for all cases of a key.
fn keys((n, e, d): &(Nat, Nat, Nat)) -> Vec<PrivateKey> {
    let key = PrivateKey::from_components(n.clone(), e.clone(), d.clone(), Vec::new());
    private_keys(&key.unwrap_or_else(|e| panic!("{e}")))
}

#[test]
fn sig_gen_15() {
    let Some(text) = read("cavp/rsa_186-3/SigGen15_186-3.txt") else {
        return;
    };
    let (mut last, mut rng) = (Last::new(), rng());
    let count = for_each_case(assignments(&text), "S", |fields| {
        let (hash, signature) = (hash(fields.text("SHAAlg")), fields.bytes("S"));
        let digest = hash.digest(&fields.bytes("Msg"));
        for key in last.get(key(fields), keys) {
            // SHA-1 is refused by the scheme, so those cases take its two steps.
            let em = emsa_pkcs1_v1_5_encode(hash, &digest, key.size()).unwrap();
            let s = key.rsasp1(&mut rng, &Nat::from_be_bytes(&em)).unwrap();
            assert_eq!(*s.to_be_bytes(key.size()).unwrap(), signature);
            let signed = key.rsassa_pkcs1_v1_5_sign(&mut rng, hash, &digest);
            assert_eq!(signed.is_ok_and(|s| s == signature), hash != Hash::Sha1);
            assert_eq!(
                key.public()
                    .rsassa_pkcs1_v1_5_verify(hash, &digest, &signature),
                Ok(())
            );
        }
    });
    assert_eq!(count, 150);
}

#[test]
fn sig_gen_pss() {
    let Some(text) = read("cavp/rsa_186-3/SigGenPSS_186-3.txt") else {
        return;
    };
    let (mut last, mut rng) = (Last::new(), rng());
    let count = for_each_case(assignments(&text), "SaltVal", |fields| {
        let (hash, signature, salt) = (
            hash(fields.text("SHAAlg")),
            fields.bytes("S"),
            fields.bytes("SaltVal"),
        );
        let digest = hash.digest(&fields.bytes("Msg"));
        for key in last.get(key(fields), keys) {
            let em = emsa_pss_encode(hash, hash, &digest, key.bits() - 1, &salt).unwrap();
            let s = key.rsasp1(&mut rng, &Nat::from_be_bytes(&em)).unwrap();
            assert_eq!(*s.to_be_bytes(key.size()).unwrap(), signature);
            assert_eq!(
                key.public()
                    .rsassa_pss_verify(hash, hash, Some(salt.len()), &digest, &signature),
                Ok(())
            );
        }
    });
    assert_eq!(count, 150);
}

#[test]
fn sig_ver_15() {
    let Some(text) = read("cavp/rsa_186-3/SigVer15_186-3.rsp") else {
        return;
    };
    let mut valid = 0;
    let count = for_each_case(assignments(&text), "Result", |fields| {
        let hash = hash(fields.text("SHAAlg"));
        let digest = hash.digest(&fields.bytes("Msg"));
        let expected = fields.text("Result").starts_with('P');
        valid += usize::from(expected);
        for key in public_keys(&fields.nat("n"), &fields.nat("e")) {
            assert_eq!(
                key.rsassa_pkcs1_v1_5_verify(hash, &digest, &fields.bytes("S"))
                    .is_ok(),
                expected
            );
        }
    });
    assert_eq!((count, valid), (270, 45));
}

#[test]
fn sig_ver_pss() {
    let Some(text) = read("cavp/rsa_186-3/SigVerPSS_186-3.rsp") else {
        return;
    };
    let mut valid = 0;
    let count = for_each_case(assignments(&text), "Result", |fields| {
        let hash = hash(fields.text("SHAAlg"));
        let digest = hash.digest(&fields.bytes("Msg"));
        let expected = fields.text("Result").starts_with('P');
        valid += usize::from(expected);
        // The files write an empty salt as 00.
        let salt_len = Some(fields.text("SaltVal"))
            .filter(|salt| *salt != "00")
            .map_or(0, |salt| hex(salt).len());
        for key in public_keys(&fields.nat("n"), &fields.nat("e")) {
            let verified =
                key.rsassa_pss_verify(hash, hash, Some(salt_len), &digest, &fields.bytes("S"));
            assert_eq!(verified.is_ok(), expected, "{}", fields.text("Result"));
        }
    });
    assert_eq!((count, valid), (270, 45));
}

#[test]
fn key_gen() {
    let Some(text) = read("cavp/rsa_186-3/KeyGen_RandomProbablyPrime3_3.rsp") else {
        return;
    };
    let count = for_each_case(assignments(&text), "d", |fields| {
        let (n, e, d) = key(fields);
        let primes = vec![fields.nat("p"), fields.nat("q")];
        let key = PrivateKey::from_primes(primes.clone(), e.clone()).unwrap();
        assert_eq!((key.public().n(), key.d()), (&n, &d));
        PrivateKey::from_components(n, e, d, primes).unwrap();
    });
    assert_eq!(count, 40);
}

#[test]
fn rsadp_component() {
    let Some(text) = read("cavp/rsa_components/RSADPComponent800_56B.txt") else {
        return;
    };
    let mut rng = rng();
    // "k" follows "Result" only where the decryption works.
    let mut failing = 0;
    let keys = |fields: &Fields| {
        let (n, e, d) = key(fields);
        let public = PublicKey::with_long_exponent(n, e, Cpu::native()).unwrap();
        private_keys(&PrivateKey::from_public(public, d, Vec::new()).unwrap())
    };
    let count = for_each_case(assignments(&text), "Result", |fields| {
        if fields.text("Result") == "Fail" {
            failing += 1;
            for key in keys(fields) {
                assert!(key.rsadp(&mut rng, &fields.nat("c")).is_err());
            }
        }
    });
    let passing = for_each_case(assignments(&text), "k", |fields| {
        for key in keys(fields) {
            assert!(key.rsadp(&mut rng, &fields.nat("c")).unwrap() == fields.nat("k"));
        }
    });
    assert_eq!(count, 60);
    assert_eq!(failing + passing, 60);
    assert!(failing >= 20);
}
