//! BoringSSL's RSA tests: keys good and bad, then operations on them.

use crate::support::*;
use carrysave_arith::Nat;
use carrysave_schemes::hash::Hash;
use carrysave_schemes::rsa::{KeyError, PrivateKey, PublicKey};
use std::collections::HashMap;

struct Block(Vec<(String, String)>);

impl Block {
    fn kind(&self) -> &str {
        &self.0[0].0
    }

    fn get(&self, name: &str) -> Option<&str> {
        self.0
            .iter()
            .find(|(n, _)| n == name)
            .map(|(_, value)| value.as_str())
    }

    /// A quoted string or hexadecimal.
    fn bytes(&self, name: &str) -> Vec<u8> {
        let value = self
            .get(name)
            .unwrap_or_else(|| panic!("no {name} in {:?}", self.0[0]));
        match value.strip_prefix('"') {
            Some(text) => text.trim_end_matches('"').as_bytes().to_vec(),
            None => hex(value),
        }
    }

    fn hash(&self, name: &str) -> Option<Hash> {
        self.get(name).map(hash)
    }
}

#[derive(Default)]
struct Keys {
    public: HashMap<String, Vec<PublicKey>>,
    private: HashMap<String, Vec<PrivateKey>>,
}

impl Keys {
    /// Reads one key in all its forms, except those that the file or this library refuses.
    fn add(&mut self, block: &Block) {
        let name = block.0[0].1.clone();
        // Keys for RSASSA-PSS alone with parameters that make no sense are refused; their PKCS #1 forms are plain.
        let bound = name.contains("-PSS") && name.starts_with("RSA-2048");
        let refused = |error: KeyError| {
            let fits = match bound {
                true => matches!(error, KeyError::Algorithm { .. } | KeyError::Format { .. }),
                false => block.get("Error").is_some() || name == "RSA-PrimeMismatch",
            };
            assert!(fits, "{name}: {error}");
        };
        for (form, value) in &block.0[1..] {
            match form.as_str() {
                "SPKI" | "SPKINonCanonical" => match PublicKey::from_spki_der(&hex(value)) {
                    // The NULL of an algorithm without other parameters is written even if it was omitted.
                    Ok(key) if bound || block.get("Error").is_some() => {
                        let again = PublicKey::from_spki_der(&key.to_spki_der()).unwrap();
                        assert_eq!((again.purpose(), &again), (key.purpose(), &key), "{name}");
                    }
                    Ok(key) => assert_eq!(key.to_spki_der(), hex(value)),
                    Err(error) => refused(error),
                },
                "PKCS8" => match PrivateKey::from_pkcs8_der(&hex(value)) {
                    Ok(key) if bound => {
                        let again = PrivateKey::from_pkcs8_der(&key.to_pkcs8_der()).unwrap();
                        assert_eq!(again.public().purpose(), key.public().purpose(), "{name}");
                    }
                    Ok(key) => assert_eq!(*key.to_pkcs8_der(), hex(value)),
                    Err(error) => refused(error),
                },
                "RSAPublicKey" => {
                    let key = PublicKey::from_pkcs1_der(&hex(value)).unwrap();
                    assert_eq!(key.to_pkcs1_der(), hex(value));
                    self.public
                        .insert(name.clone(), public_keys(key.n(), key.e()));
                }
                "RSAPrivateKey" => match PrivateKey::from_pkcs1_der(&hex(value)) {
                    Ok(key) => {
                        assert_eq!(*key.to_pkcs1_der(), hex(value));
                        self.private.insert(name.clone(), private_keys(&key));
                    }
                    Err(error) => refused(error),
                },
                "RSAParamP" => {
                    let key = &self.private[&name][0];
                    assert!(key.primes().next() == Some(&nat(value)));
                }
                _ => {}
            }
        }
        let expected = block.get("Error").is_none();
        assert_eq!(self.public.contains_key(&name), expected, "{name}");
    }
}

/// Cases that this library's interface excludes: keys bound to PSS parameters, signing with a public key, and no hash.
fn inexpressible(block: &Block) -> bool {
    let key = &block.0[0].1;
    let raw = block.get("RSAPadding") == Some("None");
    let signature = ["Sign", "Verify", "SignMessage", "VerifyMessage"].contains(&block.kind());
    key.contains("-2048-PSS")
        || key.ends_with("/PublicOnly")
        || key.starts_with("RSA-PrimeMismatch")
        || signature && raw == block.get("Digest").is_some()
}

fn salt_len(block: &Block, hash: Hash, key_bits: usize) -> Option<usize> {
    match block.get("PSSSaltLength").unwrap_or("-2") {
        "-1" => Some(hash.len()),
        "-2" if block.kind() == "Sign" => {
            Some((key_bits - 1).div_ceil(8).saturating_sub(hash.len() + 2))
        }
        "-2" => None,
        len => Some(len.parse().unwrap()),
    }
}

fn verify(block: &Block, key: &PublicKey, message: &[u8], signature: &[u8]) -> bool {
    if block.get("RSAPadding") == Some("None") {
        return key
            .rsavp1(&Nat::from_be_bytes(signature))
            .is_ok_and(|m| m.to_be_bytes(key.size()).is_some_and(|m| *m == message));
    }
    let hash = block.hash("Digest").unwrap();
    let digest = if block.kind().ends_with("Message") {
        hash.digest(message)
    } else {
        message.to_vec()
    };
    let mgf = block.hash("MGF1Digest").unwrap_or(hash);
    match block.get("RSAPadding") {
        Some("PSS") => key
            .rsassa_pss_verify(
                hash,
                mgf,
                salt_len(block, hash, key.bits()),
                &digest,
                signature,
            )
            .is_ok(),
        _ => key
            .rsassa_pkcs1_v1_5_verify(hash, &digest, signature)
            .is_ok(),
    }
}

/// The signature, or `None` on an error. SHA-1 signatures are only checked.
fn sign(block: &Block, key: &PrivateKey, message: &[u8]) -> Option<Vec<u8>> {
    let rng = &mut rng();
    if block.get("RSAPadding") == Some("None") {
        let whole = message.len() == key.size();
        return whole.then(|| {
            key.rsasp1(rng, &Nat::from_be_bytes(message))
                .unwrap()
                .to_be_bytes(key.size())
                .unwrap()
                .to_vec()
        });
    }
    let hash = block.hash("Digest").unwrap();
    let digest = if block.kind().ends_with("Message") {
        hash.digest(message)
    } else {
        message.to_vec()
    };
    let mgf = block.hash("MGF1Digest").unwrap_or(hash);
    match block.get("RSAPadding") {
        Some("PSS") => {
            let salt_len = salt_len(block, hash, key.bits()).unwrap();
            key.rsassa_pss_sign(rng, hash, mgf, salt_len, &digest).ok()
        }
        _ if hash == Hash::Sha1 => {
            let signature = hex(block.get("Output")?);
            key.public()
                .rsassa_pkcs1_v1_5_verify(hash, &digest, &signature)
                .ok()
                .map(|()| signature)
        }
        _ => key.rsassa_pkcs1_v1_5_sign(rng, hash, &digest).ok(),
    }
}

fn decrypt(block: &Block, key: &PrivateKey, c: &[u8]) -> Option<Vec<u8>> {
    let rng = &mut rng();
    let hash = block.hash("OAEPDigest").unwrap_or(Hash::Sha1);
    let mgf = block.hash("MGF1Digest").unwrap_or(hash);
    let label = block.get("OAEPLabel").map(hex).unwrap_or_default();
    let m = match block.get("RSAPadding") {
        Some("OAEP") => key
            .rsaes_oaep_decrypt(rng, hash, mgf, &label, c)
            .ok()?
            .to_vec(),
        Some("None") => key
            .rsadp(rng, &Nat::from_be_bytes(c))
            .ok()?
            .to_be_bytes(key.size())?
            .to_vec(),
        _ => key.rsaes_pkcs1_v1_5_decrypt(rng, c).ok()?.to_vec(),
    };
    Some(m)
}

fn encrypt(block: &Block, key: &PublicKey, m: &[u8]) -> Vec<u8> {
    let rng = &mut rng();
    let hash = block.hash("OAEPDigest").unwrap_or(Hash::Sha1);
    let label = block.get("OAEPLabel").map(hex).unwrap_or_default();
    match block.get("RSAPadding") {
        Some("OAEP") => key.rsaes_oaep_encrypt(rng, hash, hash, &label, m).unwrap(),
        Some("None") => key
            .rsaep(&Nat::from_be_bytes(m))
            .unwrap()
            .to_be_bytes(key.size())
            .unwrap()
            .to_vec(),
        _ => key.rsaes_pkcs1_v1_5_encrypt(rng, m).unwrap(),
    }
}

#[test]
fn rsa_tests() {
    let Some(text) = read("rsa_boringssl/rsa_tests.txt") else {
        return;
    };
    let mut keys = Keys::default();
    let (mut done, mut left_out) = (0, 0);
    for block in text
        .split("\n\n")
        .map(assignments)
        .filter(|block| !block.is_empty())
        .map(Block)
    {
        if block.kind() == "Key" {
            keys.add(&block);
            continue;
        }
        if inexpressible(&block) {
            left_out += 1;
            continue;
        }
        done += 1;
        let name = block.0[0].1.trim_end_matches("/Private");
        let input = block.bytes("Input");
        let fails = block.get("Error").is_some();
        match block.kind() {
            "Sign" | "SignMessage" => {
                for key in &keys.private[name] {
                    let signature = sign(&block, key, &input);
                    assert_eq!(signature.is_none(), fails, "{:?}", block.0);
                    let Some(signature) = signature else { continue };
                    match block.get("CheckVerify") {
                        Some(_) => assert!(verify(&block, key.public(), &input, &signature)),
                        None => assert_eq!(signature, block.bytes("Output")),
                    }
                }
            }
            "Verify" | "VerifyMessage" => {
                for key in &keys.public[name] {
                    assert_eq!(
                        verify(&block, key, &input, &block.bytes("Output")),
                        !fails,
                        "{:?}",
                        block.0
                    );
                }
            }
            "Decrypt" => {
                for key in &keys.private[name] {
                    // With a wrong v1.5 padding, implicit rejection gives another message instead of an error.
                    match decrypt(&block, key, &input) {
                        Some(m) if !fails => assert_eq!(m, block.bytes("Output")),
                        Some(_) => assert_eq!(block.get("RSAPadding"), None),
                        None => assert!(fails, "{:?}", block.0),
                    }
                }
            }
            "Encrypt" => {
                for key in &keys.private[name] {
                    let c = encrypt(&block, key.public(), &input);
                    assert_eq!(decrypt(&block, key, &c).as_ref(), Some(&input));
                }
            }
            other => panic!("an unknown test {other}"),
        }
    }
    assert_eq!((done, left_out), (181, 28));
}
