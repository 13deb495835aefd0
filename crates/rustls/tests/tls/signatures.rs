//! Each signature of TLS, made here and verified by the base, and the other way round.

use super::{ED25519, P256, P384, P521, RSA_2048, RSA_4096};
use carrysave::ec::AnyPrivateKey;
use carrysave::hash::Hash;
use carrysave::rsa::PrivateKey;
use rustls::SignatureScheme;
use rustls::crypto::CryptoProvider;
use rustls::pki_types::alg_id;

/// Those by RSA, the preferred ones first.
const SCHEMES: [SignatureScheme; 6] = [
    SignatureScheme::RSA_PSS_SHA512,
    SignatureScheme::RSA_PSS_SHA384,
    SignatureScheme::RSA_PSS_SHA256,
    SignatureScheme::RSA_PKCS1_SHA512,
    SignatureScheme::RSA_PKCS1_SHA384,
    SignatureScheme::RSA_PKCS1_SHA256,
];

fn verifies(
    provider: &CryptoProvider,
    scheme: SignatureScheme,
    public: &[u8],
    message: &[u8],
    signature: &[u8],
) -> bool {
    let mut mapping = provider.signature_verification_algorithms.mapping.iter();
    let (_, algorithms) = mapping.find(|(own, _)| *own == scheme).unwrap();
    algorithms[0]
        .verify_signature(public, message, signature)
        .is_ok()
}

#[test]
fn each_verifies_the_others() {
    let base = rustls_graviola::default_provider();
    let ours = carrysave_rustls::default_provider();
    for identity in [RSA_2048, RSA_4096] {
        let key = PrivateKey::from_pkcs8_der(identity.key().secret_der()).unwrap();
        let public = key.public().to_pkcs1_der();
        for (signer, verifier) in [(&ours, &base), (&base, &ours), (&ours, &ours)] {
            let key = signer
                .key_provider
                .load_private_key(identity.key())
                .unwrap();
            for scheme in SCHEMES {
                let signer = key.choose_scheme(&[scheme]).unwrap();
                assert_eq!(signer.scheme(), scheme);
                let signature = signer.sign(b"a message").unwrap();
                let verifies = |scheme, message: &[u8], signature: &[u8]| {
                    verifies(verifier, scheme, &public, message, signature)
                };
                assert!(verifies(scheme, b"a message", &signature), "{scheme:?}");
                assert!(!verifies(scheme, b"another message", &signature));
                assert!(!verifies(scheme, b"a message", &signature[1..]));
                for other in SCHEMES.iter().filter(|other| **other != scheme) {
                    assert!(
                        !verifies(*other, b"a message", &signature),
                        "{scheme:?} as {other:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn keys_on_curves_sign_by_one_scheme() {
    let base = rustls_graviola::default_provider();
    let ours = carrysave_rustls::default_provider();
    for (identity, scheme, known) in [
        (P256, SignatureScheme::ECDSA_NISTP256_SHA256, true),
        (P384, SignatureScheme::ECDSA_NISTP384_SHA384, true),
        (P521, SignatureScheme::ECDSA_NISTP521_SHA512, false),
        (ED25519, SignatureScheme::ED25519, true),
    ] {
        let key = AnyPrivateKey::from_pkcs8_der(identity.key().secret_der()).unwrap();
        let public = key.public().to_octets();
        let pairs = [(&ours, &ours), (&ours, &base), (&base, &ours)];
        for (signer, verifier) in &pairs[..if known { 3 } else { 1 }] {
            let key = signer
                .key_provider
                .load_private_key(identity.key())
                .unwrap();
            assert!(key.choose_scheme(&SCHEMES).is_none());
            let signer = key.choose_scheme(&[SCHEMES[0], scheme]).unwrap();
            assert_eq!(signer.scheme(), scheme);
            let signature = signer.sign(b"a message").unwrap();
            let verifies = |public: &[u8], message: &[u8], signature: &[u8]| {
                verifies(verifier, scheme, public, message, signature)
            };
            assert!(verifies(&public, b"a message", &signature), "{scheme:?}");
            assert!(!verifies(&public, b"another message", &signature));
            for place in 0..signature.len() {
                let mut wrong = signature.clone();
                wrong[place] ^= 1;
                assert!(
                    !verifies(&public, b"a message", &wrong),
                    "{scheme:?} {place}"
                );
            }
            assert!(!verifies(&public, b"a message", &signature[1..]));
            assert!(!verifies(&public[1..], b"a message", &signature));
            assert!(!verifies(&[], b"a message", &signature));
        }
    }
}

/// In certificates a hash goes with any curve.
#[test]
fn the_hash_of_a_signature_is_that_of_its_algorithm() {
    let ours = carrysave_rustls::default_provider().signature_verification_algorithms;
    for identity in [P256, P384, P521] {
        let key = AnyPrivateKey::from_pkcs8_der(identity.key().secret_der()).unwrap();
        let public = key.public();
        for (hash, id) in [
            (Hash::Sha256, alg_id::ECDSA_SHA256),
            (Hash::Sha384, alg_id::ECDSA_SHA384),
            (Hash::Sha512, alg_id::ECDSA_SHA512),
        ] {
            let signature = key.sign_digest(hash, &hash.digest(b"a message")).unwrap();
            let valid = ours.all.iter().filter(|algorithm| {
                algorithm
                    .verify_signature(&public.to_octets(), b"a message", &signature)
                    .is_ok()
            });
            let valid: Vec<_> = valid
                .map(|algorithm| algorithm.signature_alg_id())
                .collect();
            assert_eq!(valid, [id], "{}", public.algorithm());
        }
    }
}

#[test]
fn the_first_offered_of_the_preferred_is_chosen() {
    let ours = carrysave_rustls::default_provider();
    let key = ours.key_provider.load_private_key(RSA_2048.key()).unwrap();
    for first in 0..SCHEMES.len() {
        let mut offered = SCHEMES[first..].to_vec();
        offered.reverse();
        let signer = key.choose_scheme(&offered).unwrap();
        assert_eq!(signer.scheme(), SCHEMES[first]);
    }
    assert!(key.choose_scheme(&[SignatureScheme::ED25519]).is_none());
    assert!(key.choose_scheme(&[]).is_none());
}

#[test]
fn keys_of_other_sizes_verify_nothing() {
    let ours = carrysave_rustls::default_provider();
    let junk = b"no key at all".to_vec();
    let empty = Vec::new();
    // n = 35, e = 3.
    let tiny = vec![0x30, 6, 2, 1, 35, 2, 1, 3];
    for public in [junk, empty, tiny] {
        for scheme in SCHEMES {
            assert!(!verifies(&ours, scheme, &public, b"a message", &[1; 256]));
        }
    }
}

#[test]
fn the_algorithms_are_those_of_the_base_and_p521() {
    let base = rustls_graviola::default_provider().signature_verification_algorithms;
    let ours = carrysave_rustls::default_provider().signature_verification_algorithms;
    let ids = |algorithms: &[&'static dyn rustls::pki_types::SignatureVerificationAlgorithm]| {
        let ids = algorithms
            .iter()
            .map(|a| (a.public_key_alg_id(), a.signature_alg_id()));
        ids.collect::<Vec<_>>()
    };
    let (same, more) = ours.all.split_at(base.all.len());
    assert_eq!(ids(base.all), ids(same));
    let p521 = |&(key, _): &(_, _)| key == alg_id::ECDSA_P521;
    assert!(more.len() == 3 && ids(more).iter().all(p521));
    let debugs = |text: &str| {
        ours.all
            .iter()
            .filter(|a| format!("{a:?}").starts_with(text))
            .count()
    };
    assert_eq!(debugs("Rsa {"), SCHEMES.len());
    assert_eq!(debugs("Curve {"), ours.all.len() - SCHEMES.len());
    assert_eq!(ours.mapping.len(), base.mapping.len() + 1);
    for ((scheme, base), (own, ours)) in base.mapping.iter().zip(ours.mapping) {
        assert_eq!((scheme, ids(base)), (own, ids(ours)));
    }
}
