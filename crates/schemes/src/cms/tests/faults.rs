//! Messages that `openssl cms -decrypt` reads, as others and malformers made them: in `tests/data/cms`, a folder for each
//! kind.

use super::super::{ContentType, DecryptOptions, Identity, Opened, Recipient, decrypt};
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
    let told = |name: &str| -> ContentType { open(Identity::from(&key), name).1.content_type };
    assert_eq!(
        told("cms-content-type/inner_signed.cms").to_string(),
        "SignedData (1.2.840.113549.1.7.2)"
    );
    assert_eq!(
        told("cms-content-type/inner_compressed.cms").to_string(),
        "CompressedData (1.2.840.113549.1.9.16.1.9)"
    );
}

/// A certificate's issuer is found in another type of text, so that no other recipient is tried.
#[test]
fn a_certificate_is_found_by_its_issuers_text() {
    let certificate = Recipient::from_certificate(&data("cms-key-identifier/k.crt")).unwrap();
    let spki = certificate.rsa_key().unwrap().to_spki_der();
    let message = data("cms-key-identifier/issuer-as-printablestring.cms");
    let names = super::super::ids::Names::new(&spki, Some(&certificate)).unwrap();
    let start = message
        .windows(2)
        .position(|at| at == [0x31, 0x82])
        .unwrap();
    let mut r = super::super::ber::Reader::new(&message[start..]);
    r.enter(0x31).unwrap();
    r.enter(0x30).unwrap();
    r.number().unwrap();
    assert!(names.contain(&super::super::ids::Id::read(&mut r).unwrap()));
}
