//! Keys in every form, and what is no key.

use super::{ED25519, Identity, P256, P384, P521, RSA_2048, RSA_4096};
use carrysave::{
    ec::{Algorithm, AnyPrivateKey, X25519PrivateKey},
    rsa::{KeygenOptions, PrivateKey},
    system_rng,
};
use rustls::pki_types::PrivateKeyDer;
use rustls::server::NoClientAuth;
use rustls::sign::SigningKey;
use rustls::{Error, InconsistentKeys, ServerConfig, SignatureAlgorithm};
use std::sync::Arc;

fn load(der: PrivateKeyDer<'static>) -> Result<Arc<dyn SigningKey>, Error> {
    carrysave_rustls::default_provider()
        .key_provider
        .load_private_key(der)
}

/// The sentence of a refusal.
fn refusal(der: PrivateKeyDer<'static>) -> String {
    match load(der) {
        Err(Error::General(sentence)) => sentence,
        other => panic!("{other:?}"),
    }
}

fn pkcs8(der: impl AsRef<[u8]>) -> PrivateKeyDer<'static> {
    PrivateKeyDer::Pkcs8(der.as_ref().to_vec().into())
}

#[test]
fn every_form_is_taken() {
    for identity in [RSA_2048, RSA_4096] {
        let key = PrivateKey::from_pkcs8_der(identity.key().secret_der()).unwrap();
        let public = key.public().to_spki_der();
        let pkcs1 = PrivateKeyDer::Pkcs1(key.to_pkcs1_der().to_vec().into());
        for der in [identity.key(), pkcs1] {
            let key = load(der).unwrap();
            assert_eq!(key.algorithm(), SignatureAlgorithm::RSA);
            assert_eq!(key.public_key().unwrap().as_ref(), public);
        }
    }
    for (identity, algorithm) in [
        (P256, SignatureAlgorithm::ECDSA),
        (P384, SignatureAlgorithm::ECDSA),
        (P521, SignatureAlgorithm::ECDSA),
        (ED25519, SignatureAlgorithm::ED25519),
    ] {
        let key = AnyPrivateKey::from_pkcs8_der(identity.key().secret_der()).unwrap();
        let public = key.public().to_spki_der();
        let mut forms = vec![identity.key()];
        if let Some(sec1) = sec1(&key) {
            forms.push(sec1);
        }
        for der in forms {
            let key = load(der).unwrap();
            assert_eq!(key.algorithm(), algorithm);
            assert_eq!(key.public_key().unwrap().as_ref(), public);
        }
    }
}

/// `ECPrivateKey` (RFC 5915), with the curve and without a public key.
fn sec1(key: &AnyPrivateKey) -> Option<PrivateKeyDer<'static>> {
    let oid: &[u8] = match key.algorithm() {
        Algorithm::P256 => &[0x2a, 0x86, 0x48, 0xce, 0x3d, 3, 1, 7],
        Algorithm::P384 => &[0x2b, 0x81, 4, 0, 0x22],
        Algorithm::P521 => &[0x2b, 0x81, 4, 0, 0x23],
        _ => return None,
    };
    let number = key.to_octets();
    let len = |octets: &[u8]| u8::try_from(octets.len()).unwrap();
    let curve = [&[0xa0, len(oid) + 2, 6, len(oid)], oid].concat();
    let body = [&[2, 1, 1, 4, len(&number)], &number[..], &curve].concat();
    let der = [&[0x30, len(&body)], &body[..]].concat();
    Some(PrivateKeyDer::Sec1(der.into()))
}

#[test]
fn no_part_of_a_key_is_a_key() {
    for identity in [P256, ED25519] {
        let whole = identity.key().secret_der().to_vec();
        for len in 0..whole.len() {
            refusal(pkcs8(&whole[..len]));
        }
    }
    let whole = RSA_2048.key().secret_der().to_vec();
    for len in (0..whole.len()).step_by(7) {
        refusal(pkcs8(&whole[..len]));
        refusal(PrivateKeyDer::Pkcs1(whole[..len].to_vec().into()));
        refusal(PrivateKeyDer::Sec1(whole[..len].to_vec().into()));
    }
    for place in (0..whole.len()).step_by(41) {
        let mut whole = whole.clone();
        whole[place] ^= 4;
        refusal(pkcs8(whole));
    }
}

#[test]
fn what_tls_cannot_use_is_refused_in_a_sentence() {
    let options = KeygenOptions {
        allow_small: true,
        ..Default::default()
    };
    let small = PrivateKey::generate_with(system_rng, 1024, &options, &|_| ()).unwrap();
    let small = pkcs8(small.to_pkcs8_der());
    assert_eq!(
        refusal(small),
        "an RSA key for TLS of 1024 bits is not possible here: use 2048 to 8192 bits"
    );

    // rsaEncryption, 1.2.840.113549.1.1.1, becomes id-RSASSA-PSS, which ends in 10.
    let mut pss = RSA_2048.key().secret_der().to_vec();
    let rsa = [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01];
    let place = pss.windows(rsa.len()).position(|oid| oid == rsa).unwrap();
    pss[place + rsa.len() - 1] = 10;
    // NULL becomes an empty SEQUENCE of parameters.
    pss[place + rsa.len()] = 0x30;
    assert!(refusal(pkcs8(pss)).contains("for RSASSA-PSS alone"));

    let agreement = X25519PrivateKey::generate().to_pkcs8_der();
    assert!(refusal(pkcs8(agreement)).starts_with("this is no private key to sign with"));
    let other = AnyPrivateKey::generate(Algorithm::Secp256k1).to_pkcs8_der();
    assert!(refusal(pkcs8(other)).starts_with("this is no private key to sign with"));
}

#[test]
fn a_key_of_another_certificate_is_refused() {
    let config = |certificate: Identity, key: Identity| {
        let provider = carrysave_rustls::default_provider();
        ServerConfig::builder_with_provider(Arc::new(provider))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_client_cert_verifier(Arc::new(NoClientAuth))
            .with_single_cert(vec![certificate.certificate()], key.key())
    };
    assert!(config(RSA_2048, RSA_2048).is_ok());
    for (certificate, key) in [
        (RSA_2048, RSA_4096),
        (P256, RSA_2048),
        (RSA_2048, P256),
        (P384, ED25519),
        (ED25519, P384),
    ] {
        let refused = config(certificate, key).unwrap_err();
        let mismatch = InconsistentKeys::KeyMismatch;
        assert_eq!(refused, Error::InconsistentKeys(mismatch));
    }
}
