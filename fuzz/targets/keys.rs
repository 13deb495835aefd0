//! Every reader of keys. What one takes is written by its writer as what it takes for the same.

#![no_main]

use carrysave_schemes::{
    cms, dl, ec,
    legacy::{esign, rabin, rw},
    rsa,
};
use libfuzzer_sys::fuzz_target;

const PASSWORD: Option<&[u8]> = Some(b"password");

/// That `read` takes what was written, and that it is written so again.
fn again(written: &[u8], read: impl Fn(&[u8]) -> Option<Vec<u8>>) {
    assert_eq!(read(written).as_deref(), Some(written));
}

fuzz_target!(|data: &[u8]| {
    if let Ok(key) = rsa::PublicKey::from_any(data) {
        let read = |der: &[u8]| Some(rsa::PublicKey::from_any(der).ok()?.to_spki_der());
        again(&key.to_spki_der(), read);
    }
    if let Ok(key) = rsa::PrivateKey::from_any(data, PASSWORD) {
        let read = |der: &[u8]| {
            Some(
                rsa::PrivateKey::from_any(der, None)
                    .ok()?
                    .to_pkcs8_der()
                    .to_vec(),
            )
        };
        again(&key.to_pkcs8_der(), read);
    }
    if let Ok((form, key)) = dl::PublicKey::from_any(data) {
        let read = |der: &[u8]| dl::PublicKey::from_any(der).ok()?.1.to_spki_der(form).ok();
        again(
            &key.to_spki_der(form).expect("it was read in this form"),
            read,
        );
    }
    if let Ok((form, key)) = dl::PrivateKey::from_any(data, PASSWORD) {
        let read = |der: &[u8]| {
            Some(
                dl::PrivateKey::from_any(der, None)
                    .ok()?
                    .1
                    .to_pkcs8_der(form)
                    .ok()?
                    .to_vec(),
            )
        };
        again(
            &key.to_pkcs8_der(form).expect("it was read in this form"),
            read,
        );
    }
    if let Ok(key) = ec::AnyPublicKey::from_any(data) {
        let read = |der: &[u8]| Some(ec::AnyPublicKey::from_any(der).ok()?.to_spki_der());
        again(&key.to_spki_der(), read);
    }
    if let Ok(key) = ec::AnyPrivateKey::from_any(data, PASSWORD) {
        let read = |der: &[u8]| {
            Some(
                ec::AnyPrivateKey::from_any(der, None)
                    .ok()?
                    .to_pkcs8_der()
                    .to_vec(),
            )
        };
        again(&key.to_pkcs8_der(), read);
    }
    macro_rules! legacy {
        ($($scheme:ident)*) => { $(
            if let Ok(key) = $scheme::PublicKey::from_der(data) {
                again(&key.to_der(), |der| Some($scheme::PublicKey::from_der(der).ok()?.to_der()));
            }
            if let Ok(key) = $scheme::PrivateKey::from_der(data) {
                again(&key.to_der(), |der| Some($scheme::PrivateKey::from_der(der).ok()?.to_der().to_vec()));
            }
        )* };
    }
    legacy!(esign rabin rw);
    let _ = cms::Recipient::from_certificate(data);
});
