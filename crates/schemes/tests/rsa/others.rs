//! Botan's and Crypto++'s vectors, and those for implicit rejection.

use crate::support::*;
use carrysave_arith::Nat;
use carrysave_schemes::hash::Hash;
use carrysave_schemes::rsa::task::EncryptPkcs1v15;
use carrysave_schemes::rsa::{Error, KeyError, PrivateKey, PublicKey};
use carrysave_team::task::Task;
use core::convert::Infallible;
use rand_core::{TryCryptoRng, TryRng};

/// A number as Botan writes it: decimal, or hexadecimal after 0x.
fn botan_nat(text: &str) -> Nat {
    if let Some(digits) = text.strip_prefix("0x") {
        return nat(digits);
    }
    let digit = |c: char| u64::from(c.to_digit(10).expect("a decimal digit"));
    text.chars()
        .fold(Nat::zero(), |n, c| {
            n.mul(&Nat::from_limb(10)).add(&Nat::from_limb(digit(c)))
        })
        .trim_vartime()
}

fn botan_key(fields: &Fields) -> Vec<PrivateKey> {
    let [e, p, q] = ["E", "P", "Q"].map(|name| botan_nat(fields.text(name)));
    private_keys(&PrivateKey::from_primes(vec![p, q], e).unwrap())
}

/// `HASH,MGF1(HASH)[,LABEL]` out of `OAEP(...)`.
fn botan_oaep(section: &str) -> (Hash, Hash, &str) {
    let inner = section
        .strip_prefix("OAEP(")
        .and_then(|s| s.strip_suffix(')'))
        .unwrap();
    let mut parts = inner.split(',');
    let hash_name = parts.next().unwrap();
    let mgf = parts
        .next()
        .unwrap()
        .strip_prefix("MGF1(")
        .unwrap()
        .trim_end_matches(')');
    (hash(hash_name), hash(mgf), parts.next().unwrap_or(""))
}

#[test]
fn botan_decrypt() {
    let Some(text) = read("botan/pubkey/rsa_decrypt.vec") else {
        return;
    };
    let mut rng = rng();
    let count = for_each_case(assignments(&text), "Msg", |fields| {
        let (hash, mgf, label) = botan_oaep(fields.text("["));
        let (c, m) = (fields.bytes("Ciphertext"), fields.bytes("Msg"));
        for key in botan_key(fields) {
            assert_eq!(
                *key.rsaes_oaep_decrypt(&mut rng, hash, mgf, label.as_bytes(), &c)
                    .unwrap(),
                m
            );
        }
    });
    assert_eq!(count, 25);
}

#[test]
fn botan_kem() {
    let Some(text) = read("botan/pubkey/rsa_kem.vec") else {
        return;
    };
    let mut rng = rng();
    let count = for_each_case(assignments(&text), "C0", |fields| {
        for key in botan_key(fields) {
            assert!(key.public().rsaep(&fields.nat("R")).unwrap() == fields.nat("C0"));
            assert!(key.rsadp(&mut rng, &fields.nat("C0")).unwrap() == fields.nat("R"));
        }
    });
    assert_eq!(count, 10);
}

/// A key given by its components or as DER, as it stands at a `Test` line.
fn cryptopp_key(fields: &Fields) -> PrivateKey {
    match fields.text("KeyFormat") {
        "DER" => PrivateKey::from_any(&fields.bytes("PrivateKey"), None).unwrap(),
        _ => {
            let [n, e, d, p, q] = [
                "Modulus",
                "PublicExponent",
                "PrivateExponent",
                "Prime1",
                "Prime2",
            ]
            .map(|name| fields.nat(name));
            PrivateKey::from_components(n, e, d, vec![p, q]).unwrap()
        }
    }
}

fn cryptopp(file: &str, mut case: impl FnMut(&str, &Fields, &PrivateKey)) -> usize {
    let Some(text) = read(&format!("cryptopp/TestVectors/{file}")) else {
        return 0;
    };
    let mut keys = Vec::new();
    for_each_case(continued(&text), "Test", |fields| {
        match fields.text("Test") {
            "KeyPairValidAndConsistent" => {
                keys = private_keys(&cryptopp_key(fields));
                assert!(keys.iter().all(|key| key.validate().is_ok()));
            }
            test => keys.iter().for_each(|key| case(test, fields, key)),
        }
    })
}

#[test]
fn cryptopp_oaep() {
    let mut rng = rng();
    let count = cryptopp("rsa_oaep.txt", |test, fields, key| {
        assert_eq!(test, "DecryptMatch");
        let (c, m) = (fields.bytes("Ciphertext"), fields.bytes("Plaintext"));
        assert_eq!(
            *key.rsaes_oaep_decrypt(&mut rng, Hash::Sha1, Hash::Sha1, b"", &c)
                .unwrap(),
            m
        );
    });
    assert!(count == 70 || path("cryptopp").is_none());
}

#[test]
fn cryptopp_pss() {
    let count = cryptopp("rsa_pss.txt", |test, fields, key| {
        assert_eq!(test, "Verify");
        let (digest, signature) = (
            Hash::Sha1.digest(&fields.bytes("Message")),
            fields.bytes("Signature"),
        );
        let salt_len = fields.bytes("Salt").len();
        let verified = key.public().rsassa_pss_verify(
            Hash::Sha1,
            Hash::Sha1,
            Some(salt_len),
            &digest,
            &signature,
        );
        assert_eq!(verified, Ok(()));
    });
    assert!(count == 65 || path("cryptopp").is_none());
}

#[test]
fn cryptopp_pkcs1_v1_5() {
    let (mut md2, mut others) = (0, 0);
    let count = cryptopp("rsa_pkcs1_1_5.txt", |test, fields, key| {
        if fields.text("Name").contains("MD2") {
            md2 += 1; // a hash that nobody should meet any more
            return;
        }
        others += 1;
        let (digest, signature) = (
            Hash::Sha1.digest(&fields.bytes("Message")),
            fields.bytes("Signature"),
        );
        let verified = key
            .public()
            .rsassa_pkcs1_v1_5_verify(Hash::Sha1, &digest, &signature);
        assert_eq!(verified.is_ok(), test == "Verify");
    });
    let masks = masks().len();
    assert!((count, md2, others) == (6, masks, 3 * masks) || path("cryptopp").is_none());
}

#[test]
fn cryptopp_keys() {
    for (file, bits) in [("rsa1024", 1024), ("rsa512a", 508), ("rsa400pv", 400)] {
        let Some(text) = read(&format!("cryptopp/TestData/{file}.dat")) else {
            return;
        };
        let der = hex(&text);
        let key = PrivateKey::from_any(&der, None).unwrap_or_else(|e| panic!("{file}: {e}"));
        assert_eq!(key.bits(), bits);
        key.validate().unwrap();
    }
    let der = hex(&read("cryptopp/TestData/rsa400pb.dat").unwrap());
    assert_eq!(PublicKey::from_any(&der).unwrap().bits(), 400);
    // A key for another algorithm is refused as such.
    let der = hex(&read("cryptopp/TestData/dsa1024.dat").unwrap());
    assert!(matches!(
        PrivateKey::from_any(&der, None),
        Err(KeyError::Algorithm { .. })
    ));
}

#[test]
fn implicit_rejection() {
    let Some(text) = read("rsa_implicit_rejection/implicit_rejection_2048_2049.json") else {
        return;
    };
    let (mut count, mut rng) = (0, rng());
    let sets: serde_json::Value = serde_json::from_str(&text).unwrap();
    for set in sets.as_array().unwrap() {
        let number = |name: &str| nat(set[name].as_str().unwrap());
        let key = PrivateKey::from_components(
            number("n"),
            number("e"),
            number("d"),
            vec![number("p"), number("q")],
        )
        .unwrap();
        for case in set["cases"].as_array().unwrap() {
            count += 1;
            for key in private_keys(&key) {
                let m = key.rsaes_pkcs1_v1_5_decrypt(&mut rng, &hex(case["ct"].as_str().unwrap()));
                // A ciphertext of the wrong length has no result.
                let expected = case["result"].as_str().map(hex).ok_or(Error::Decryption);
                assert_eq!(m.map(|m| m.to_vec()), expected, "{}", case["name"]);
            }
        }
    }
    assert_eq!(count, 38);
}

/// A generator of octets of which most are 0.
struct MostlyZeros(Rng);

impl TryRng for MostlyZeros {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok(0)
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(0)
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        self.0.try_fill_bytes(bytes)?;
        for byte in bytes.iter_mut().filter(|byte| **byte % 16 != 1) {
            *byte = 0;
        }
        Ok(())
    }
}

impl TryCryptoRng for MostlyZeros {}

/// No octet of the padding of an encryption is 0, whatever is drawn: what follows it would be lost. Every other octet
/// that is drawn comes. One by one and as tasks.
#[test]
fn the_padding_of_pkcs1_v1_5_has_no_zeros() {
    let mut rng = MostlyZeros(rng());
    let key = crate::faults::small_key(1024, 2);
    let message = b"a message".to_vec();
    let encrypt = EncryptPkcs1v15 {
        key: key.public().clone(),
        message: message.clone().into(),
    };
    let mut seen = [false; 256];
    for i in 0..64 {
        let c = match i % 2 {
            0 => key.public().rsaes_pkcs1_v1_5_encrypt(&mut rng, &message),
            _ => encrypt.run(&mut rng),
        };
        let c = Nat::from_be_bytes(&c.unwrap());
        let em = key.rsadp(&mut crate::support::rng(), &c).unwrap();
        let em = em.to_be_bytes(key.size()).unwrap();
        let (head, rest) = em.split_at(2);
        let (padding, end) = rest.split_at(rest.len() - message.len() - 1);
        assert_eq!(
            (head, &end[..1], &end[1..]),
            (&[0, 2][..], &[0][..], &message[..])
        );
        padding
            .iter()
            .for_each(|&octet| seen[usize::from(octet)] = true);
    }
    let drawn = |octet: usize| octet % 16 == 1;
    assert!((0..256).all(|octet| seen[octet] == drawn(octet)));
}
