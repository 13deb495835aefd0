//! Messages of other programs, and malformed ones, that `openssl cms -decrypt` reads: in `tests/data/cms`, a folder a
//! kind.

use super::super::ber::{self, Reader};
use super::super::ids::{Id, Names};
use super::super::{ContentType, DecryptOptions, Identity, Opened, Recipient, decrypt};
use crate::ec::AnyPrivateKey;
use crate::rsa::PrivateKey;
use std::fs;

fn data(name: &str) -> Vec<u8> {
    let path = format!("{}/tests/data/cms/{name}", env!("CARGO_MANIFEST_DIR"));
    fs::read(&path).unwrap_or_else(|e| panic!("{path}: {e}"))
}

fn open(identity: Identity<'_>, name: &str) -> (Vec<u8>, Opened) {
    let mut plain = Vec::new();
    let (rng, options) = (&mut super::rng(), DecryptOptions::default());
    let opened = decrypt(rng, identity, &options, &mut &data(name)[..], &mut plain);
    let opened = opened.unwrap_or_else(|e| panic!("{name}: {e}"));
    (plain, opened)
}

#[test]
fn each_is_read() {
    let hello = b"hello world".to_vec();
    for (folder, key, files, plain) in [
        (
            "cms-ber-small-strings",
            "key.pem",
            &[
                "ek_constructed.cms",
                "ek_indef.cms",
                "iv_constructed.cms",
                "iv_constructed_indef.cms",
                "mac_constructed.cms",
            ][..],
            Some(&hello),
        ),
        (
            "cms-content-type",
            "key.pem",
            &["3des.cms", "inner_compressed.cms", "inner_signed.cms"],
            Some(&hello),
        ),
        (
            "cms-key-identifier",
            "key.pem",
            &["aws-style-32-byte-ski.cms", "issuer-as-printablestring.cms"],
            Some(&hello),
        ),
        (
            "cms-key-identifier",
            "own.pem",
            &["own-18-certificates.cms"],
            Some(&b"hi".to_vec()),
        ),
        (
            "cms-one-odd-recipient",
            "key.pem",
            &[
                "ek_constructed.cms",
                "ktri_v2_isn.cms",
                "ktri_v5.cms",
                "oaep_absent.cms",
                "oaep_hash_params.cms",
                "oaep_md5.cms",
                "oaep_null.cms",
                "oaep_ripemd.cms",
                "oaep_shake_mgf.cms",
                "ski300.cms",
            ],
            Some(&hello),
        ),
        (
            "smime-headers",
            "key.pem",
            &[
                "folded.eml",
                "footer.eml",
                "latin1-subject.eml",
                "no-space.eml",
                "quoted.eml",
                "two-spaces.eml",
            ],
            None,
        ),
    ] {
        let key = PrivateKey::from_any(&data(&format!("{folder}/{key}")), None).unwrap();
        let certificate = Recipient::from_certificate(&data("cms-key-identifier/k.crt")).unwrap();
        for file in files {
            let name = format!("{folder}/{file}");
            let identity = Identity::from(&key);
            for identity in [identity, identity.with_certificate(&certificate)] {
                let (found, opened) = open(identity, &name);
                match plain {
                    Some(plain) => assert_eq!(found.trim_ascii_end(), *plain, "{name}"),
                    None => assert_eq!(found.len(), 3000, "{name}"),
                }
                assert_eq!(opened.content_type.is_data(), !file.starts_with("inner"));
            }
        }
    }
}

#[test]
fn the_type_of_the_content_is_told() {
    let key = PrivateKey::from_any(&data("cms-content-type/key.pem"), None).unwrap();
    let content_type =
        |name: &str| -> ContentType { open(Identity::from(&key), name).1.content_type };
    assert_eq!(
        content_type("cms-content-type/inner_signed.cms").to_string(),
        "SignedData (1.2.840.113549.1.7.2)"
    );
    assert_eq!(
        content_type("cms-content-type/inner_compressed.cms").to_string(),
        "CompressedData (1.2.840.113549.1.9.16.1.9)"
    );
}

/// A name in another type of text is found, so that no other recipient is tried.
#[test]
fn a_certificate_is_found_by_its_issuers_text() {
    let certificate = Recipient::from_certificate(&data("cms-key-identifier/k.crt")).unwrap();
    let spki = certificate.rsa_key().unwrap().to_spki_der();
    let message = data("cms-key-identifier/issuer-as-printablestring.cms");
    let mut r = Reader::new(&message[..]);
    for tag in [
        ber::SEQUENCE,
        ber::context(0),
        ber::SEQUENCE,
        ber::SET,
        ber::SEQUENCE,
    ] {
        while r.peek().unwrap() != Some(tag) {
            r.raw(64).unwrap();
        }
        r.enter(tag).unwrap();
    }
    r.number().unwrap();
    let names = Names::new(&spki, Some(&certificate)).unwrap();
    assert!(names.contain(&Id::read(&mut r).unwrap()));
}

/// `sha1sum` and `sha256sum` of the key and of its bits: RFC 5280 method 1, RFC 7093 methods 1 and 4.
#[test]
fn key_identifiers_are_those_of_the_standards() {
    let certificate = Recipient::from_certificate(&data("cms-key-identifier/k.crt")).unwrap();
    let spki = certificate.rsa_key().unwrap().to_spki_der();
    let names = Names::new(&spki, None).unwrap();
    for (id, len) in [
        (0x56f9ca6c7f6301cdf9f94fe250fabc0a_u128, 20),
        (0xb44140c051dbcb6d5bacd9714da42872, 20),
        (0xdf9ed8f976a06f036ce2315348ab41e0, 32),
    ] {
        let found = crate::cms::x509::key_ids_of_spki(&spki).unwrap();
        let found = found
            .into_iter()
            .find(|found| found[..16] == id.to_be_bytes());
        let found = found.unwrap_or_else(|| panic!("{id:x}"));
        assert!(found.len() == len && names.contain(&Id::KeyId(found)));
    }
}

/// RFC 8418 by pyca/cryptography: X25519, HKDF and the key wrap are its own.
#[test]
fn x25519_as_another_program_has_it() {
    let key = AnyPrivateKey::from_any(&data("x25519/key.pem"), None).unwrap();
    for name in ["x25519/hkdf-sha256.cms", "x25519/hkdf-sha512-ukm.cms"] {
        assert_eq!(open(Identity::from(&key), name).0, b"hello world");
    }
}
