//! Every reader of keys, with the password of the seeds. What one takes is written by its writer as what it takes for the
//! same, and the reader of all kinds finds the private keys that the readers of one kind do.

#![no_main]

use carrysave_schemes::{
    cms, dl, ec,
    keys::{self, Content, Key},
    legacy::{esign, rabin, rw},
    rsa,
};
use libfuzzer_sys::fuzz_target;
use zeroize::Zeroizing;

/// The password of the seeds, or none: a key that is derived of it takes longer than all else, so one input in eight has it.
fn password(data: &[u8]) -> Option<&'static [u8]> {
    let sum = data
        .iter()
        .fold(0, |sum: u8, octet| sum.wrapping_add(*octet));
    sum.is_multiple_of(8).then_some(b"password")
}

/// What `read` takes is written as what it takes for the same.
fn again<K>(
    data: &[u8],
    read: impl Fn(&[u8]) -> Option<K>,
    write: impl Fn(&K) -> Option<Zeroizing<Vec<u8>>>,
) {
    let Some(key) = read(data) else { return };
    let written = write(&key).expect("it was read in this form");
    let read_again = read(&written).expect("it was written in this form");
    assert_eq!(write(&read_again), Some(written));
}

/// What is in a file, whatever it is.
fn everything(data: &[u8]) {
    let entries = keys::read(data, password(data));
    assert!(!entries.is_empty());
    let found = |want: fn(&Key) -> bool| {
        let mut contents = entries
            .iter()
            .filter_map(|entry| entry.content.as_ref().ok());
        contents.any(|content| matches!(content, Content::Key(key) if want(key)))
    };
    let rsa = found(|key| matches!(key, Key::RsaPrivate(_)));
    assert_eq!(rsa, rsa::PrivateKey::from_any(data, password(data)).is_ok());
    let curve = found(|key| matches!(key, Key::CurvePrivate(_)));
    assert_eq!(
        curve,
        ec::AnyPrivateKey::from_any(data, password(data)).is_ok()
    );
    let group = found(|key| matches!(key, Key::GroupPrivate(..)));
    assert_eq!(
        group,
        dl::PrivateKey::from_any(data, password(data)).is_ok()
    );
    for content in entries
        .iter()
        .filter_map(|entry| entry.content.as_ref().ok())
    {
        if let Content::Certificate(certificate) = content {
            let _ = (
                certificate.subject(),
                certificate.validity(),
                certificate.serial(),
            );
            assert!(
                !certificate.may_have_issued(certificate)
                    || certificate.issuer() == certificate.subject()
            );
        }
    }
}

fuzz_target!(|data: &[u8]| {
    everything(data);
    again(
        data,
        |data| rsa::PublicKey::from_any(data).ok(),
        |key| Some(key.to_spki_der().into()),
    );
    again(
        data,
        |data| rsa::PrivateKey::from_any(data, password(data)).ok(),
        |key| Some(key.to_pkcs8_der()),
    );
    again(
        data,
        |data| dl::PublicKey::from_any(data).ok(),
        |(form, key)| Some(key.to_spki_der(*form).ok()?.into()),
    );
    again(
        data,
        |data| dl::PrivateKey::from_any(data, password(data)).ok(),
        |(form, key)| key.to_pkcs8_der(*form).ok(),
    );
    again(
        data,
        |data| ec::AnyPublicKey::from_any(data).ok(),
        |key| Some(key.to_spki_der().into()),
    );
    again(
        data,
        |data| ec::AnyPrivateKey::from_any(data, password(data)).ok(),
        |key| Some(key.to_pkcs8_der()),
    );
    macro_rules! legacy {
        ($($scheme:ident)*) => { $(
            again(
                data,
                |data| $scheme::PublicKey::from_der(data).ok(),
                |key| Some(key.to_der().into()),
            );
            again(
                data,
                |data| $scheme::PrivateKey::from_der(data).ok(),
                |key| Some(key.to_der()),
            );
        )* };
    }
    legacy!(esign rabin rw);
    let _ = cms::Recipient::from_certificate(data);
});
