//! Every reader of keys. What one takes is written by its writer as what it takes for the same.

#![no_main]

use carrysave_schemes::{
    cms, dl, ec,
    legacy::{esign, rabin, rw},
    rsa,
};
use libfuzzer_sys::fuzz_target;
use zeroize::Zeroizing;

const PASSWORD: Option<&[u8]> = Some(b"password");

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

fuzz_target!(|data: &[u8]| {
    again(
        data,
        |data| rsa::PublicKey::from_any(data).ok(),
        |key| Some(key.to_spki_der().into()),
    );
    again(
        data,
        |data| rsa::PrivateKey::from_any(data, PASSWORD).ok(),
        |key| Some(key.to_pkcs8_der()),
    );
    again(
        data,
        |data| dl::PublicKey::from_any(data).ok(),
        |(form, key)| Some(key.to_spki_der(*form).ok()?.into()),
    );
    again(
        data,
        |data| dl::PrivateKey::from_any(data, PASSWORD).ok(),
        |(form, key)| key.to_pkcs8_der(*form).ok(),
    );
    again(
        data,
        |data| ec::AnyPublicKey::from_any(data).ok(),
        |key| Some(key.to_spki_der().into()),
    );
    again(
        data,
        |data| ec::AnyPrivateKey::from_any(data, PASSWORD).ok(),
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
