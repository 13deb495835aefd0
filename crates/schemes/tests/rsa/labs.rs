//! RSA Laboratories' vectors for PKCS #1 v2.1, and pyca's of the same shape for OAEP with SHA-2.

use crate::support::*;
use carrysave_arith::Nat;
use carrysave_schemes::hash::Hash;
use carrysave_schemes::rsa::{
    PrivateKey, eme_oaep_encode, eme_pkcs1_v1_5_encode, emsa_pkcs1_v1_5_encode, emsa_pss_encode,
};

/// The private key among the fields; its own exponent comes after the public one, under the same name.
fn keys(fields: &[Nat; 5]) -> Vec<PrivateKey> {
    let [n, e, d, p, q] = fields.clone();
    private_keys(&PrivateKey::from_components(n, e, d, vec![p, q]).unwrap())
}

fn key_fields(fields: &Fields, d: &str) -> [Nat; 5] {
    ["Modulus", "Public exponent", d, "Prime 1", "Prime 2"].map(|name| fields.nat(name))
}

fn oaep(
    file: &str,
    hash: Hash,
    mgf: Hash,
    d: &str,
    [m, last_field]: [&str; 2],
    seed: Option<&str>,
) -> usize {
    let Some(text) = read(file) else { return 0 };
    let (mut last, mut rng) = (Last::new(), rng());
    for_each_case(labelled(&text), last_field, |fields| {
        let (message, c) = (fields.bytes(m), fields.bytes(last_field));
        for key in last.get(key_fields(fields, d), keys) {
            assert_eq!(
                *key.rsaes_oaep_decrypt(&mut rng, hash, mgf, b"", &c)
                    .unwrap(),
                message
            );
            if let Some(seed) = seed {
                let em = eme_oaep_encode(hash, mgf, b"", &message, &fields.bytes(seed), key.size())
                    .unwrap();
                let encrypted = key.public().rsaep(&Nat::from_be_bytes(&em)).unwrap();
                assert_eq!(*encrypted.to_be_bytes(key.size()).unwrap(), c);
            }
        }
    })
}

fn skipped() -> bool {
    path("rsa_labs").is_none()
}

#[test]
fn oaep_vect() {
    let count = oaep(
        "rsa_labs/oaep-vect.txt",
        Hash::Sha1,
        Hash::Sha1,
        "Exponent",
        ["Message", "Encryption"],
        Some("Seed"),
    );
    assert!(count == 60 || skipped());
}

#[test]
fn oaep_int() {
    let fields = [
        "Message to be encrypted",
        "Ciphertext, the RSA encryption of EM",
    ];
    let count = oaep(
        "rsa_labs/oaep-int.txt",
        Hash::Sha1,
        Hash::Sha1,
        "Private exponent",
        fields,
        Some("seed"),
    );
    assert!(count == 1 || skipped());
}

#[test]
fn oaep_sha2() {
    let Some(folder) = path("rsa_oaep") else {
        return;
    };
    let mut files = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        // oaep-MGF-HASH.txt
        let hashes = name
            .strip_prefix("oaep-")
            .and_then(|s| s.strip_suffix(".txt"))
            .and_then(|s| s.split_once('-'));
        let Some((mgf, hash_name)) = hashes else {
            continue;
        };
        let file = format!("rsa_oaep/{name}");
        let count = oaep(
            &file,
            hash(hash_name),
            hash(mgf),
            "Exponent",
            ["Message", "Encryption"],
            None,
        );
        assert_eq!(count, 60, "{name}");
        files += 1;
    }
    assert_eq!(files, 10);
}

#[test]
fn oaep_label() {
    let Some(text) = read("rsa_oaep/oaep-label.txt") else {
        return;
    };
    let mut rng = rng();
    let count = for_each_case(assignments(&text), "Output", |fields| {
        let key = PrivateKey::from_pkcs8_der(&fields.bytes("KEY")).unwrap();
        let (hash, label, c) = (
            hash(fields.text("OAEPDigest")),
            fields.bytes("OAEPLabel"),
            fields.bytes("Input"),
        );
        for key in private_keys(&key) {
            let m = key
                .rsaes_oaep_decrypt(&mut rng, hash, hash, &label, &c)
                .unwrap();
            assert_eq!(*m, fields.text("Output").trim_matches('"').as_bytes());
            assert!(
                key.rsaes_oaep_decrypt(&mut rng, hash, hash, b"", &c)
                    .is_err()
            );
        }
    });
    assert_eq!(count, 1);
}

#[test]
fn pkcs1_v1_5_crypt() {
    let Some(text) = read("rsa_labs/pkcs1v15crypt-vectors.txt") else {
        return;
    };
    let (mut last, mut rng) = (Last::new(), rng());
    let count = for_each_case(labelled(&text), "Encryption", |fields| {
        let (message, seed, c) = (
            fields.bytes("Message"),
            fields.bytes("Seed"),
            fields.bytes("Encryption"),
        );
        for key in last.get(key_fields(fields, "Exponent"), keys) {
            assert_eq!(
                *key.rsaes_pkcs1_v1_5_decrypt(&mut rng, &c).unwrap(),
                message
            );
            let em = eme_pkcs1_v1_5_encode(&message, key.size(), |ps| ps.copy_from_slice(&seed))
                .unwrap();
            let encrypted = key.public().rsaep(&Nat::from_be_bytes(&em)).unwrap();
            assert_eq!(*encrypted.to_be_bytes(key.size()).unwrap(), c);
        }
    });
    assert_eq!(count, 300);
}

#[test]
fn pkcs1_v1_5_sign() {
    let Some(text) = read("rsa_labs/pkcs1v15sign-vectors.txt") else {
        return;
    };
    let (mut last, mut rng) = (Last::new(), rng());
    let count = for_each_case(labelled(&text), "Signature", |fields| {
        let (digest, signature) = (
            Hash::Sha1.digest(&fields.bytes("Message to be signed")),
            fields.bytes("Signature"),
        );
        for key in last.get(key_fields(fields, "Exponent"), keys) {
            let em = emsa_pkcs1_v1_5_encode(Hash::Sha1, &digest, key.size()).unwrap();
            let s = key.rsasp1(&mut rng, &Nat::from_be_bytes(&em)).unwrap();
            assert_eq!(*s.to_be_bytes(key.size()).unwrap(), signature);
            assert_eq!(
                key.public()
                    .rsassa_pkcs1_v1_5_verify(Hash::Sha1, &digest, &signature),
                Ok(())
            );
        }
    });
    assert_eq!(count, 300);
}

fn pss(file: &str, salt: &str, last_field: &str) -> usize {
    let Some(text) = read(file) else { return 0 };
    let (mut last, mut rng) = (Last::new(), rng());
    for_each_case(labelled(&text), last_field, |fields| {
        let hash = Hash::Sha1;
        let digest = hash.digest(&fields.bytes("Message to be signed"));
        let (salt, signature) = (fields.bytes(salt), fields.bytes(last_field));
        for key in last.get(key_fields(fields, "Exponent"), keys) {
            let em = emsa_pss_encode(hash, hash, &digest, key.bits() - 1, &salt).unwrap();
            let s = key.rsasp1(&mut rng, &Nat::from_be_bytes(&em)).unwrap();
            assert_eq!(*s.to_be_bytes(key.size()).unwrap(), signature);
            assert_eq!(
                key.public()
                    .rsassa_pss_verify(hash, hash, Some(20), &digest, &signature),
                Ok(())
            );
        }
    })
}

#[test]
fn pss_vect() {
    assert!(pss("rsa_labs/pss-vect.txt", "Salt", "Signature") == 60 || skipped());
}

#[test]
fn pss_int() {
    let count = pss(
        "rsa_labs/pss-int.txt",
        "salt",
        "Signature, the RSA decryption of EM",
    );
    assert!(count == 1 || skipped());
}
