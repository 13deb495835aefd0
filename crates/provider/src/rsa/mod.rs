//! RSA: keys, signatures, encryption.

pub mod cipher;
mod der;
pub mod keys;
pub mod signature;
pub mod tls;

use crate::digests::Digest;
use crate::failure::Failure;
use crate::param::Value;
use core::ffi::CStr;

/// A padding (`RSA_*_PADDING` of openssl/rsa.h).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Padding {
    /// PKCS #1 v1.5.
    Pkcs1,
    None,
    Oaep,
    Pss,
    /// PKCS #1 v1.5 of the premaster secret of TLS.
    Tls,
}

/// Paddings with their numbers and names.
const PADDINGS: &[(Padding, i32, &CStr)] = &[
    (Padding::Pkcs1, 1, c"pkcs1"),
    (Padding::None, 3, c"none"),
    (Padding::Oaep, 4, c"oaep"),
    (Padding::Pss, 6, c"pss"),
    (Padding::Tls, 7, c"tls"),
];

impl Padding {
    /// The padding that a parameter names.
    fn read(value: Value<'_>) -> Result<Padding, Failure> {
        let found = if value.is_text() {
            let name = value.text()?;
            let name = if name == "oeap" { "oaep" } else { name };
            PADDINGS.iter().find(|(_, _, own)| own.to_str() == Ok(name))
        } else {
            let number = value.integer()?;
            PADDINGS
                .iter()
                .find(|(_, own, _)| i64::from(*own) == number)
        };
        let (padding, ..) = found.ok_or_else(|| {
            Failure::new("the padding is not supported: use PSS, OAEP or PKCS #1 v1.5, or ask for provider=default")
        })?;
        Ok(*padding)
    }

    fn answer(self, wanted: &mut crate::param::Wanted<'_>) -> Result<(), Failure> {
        let row = PADDINGS.iter().find(|(padding, ..)| *padding == self);
        match row {
            Some((_, _, name)) if wanted.wants_text() => wanted.set_text(name),
            Some((_, number, _)) => wanted.set_integer(*number),
            None => Ok(()),
        }
    }
}

/// The hash function that a parameter names.
fn digest(value: Value<'_>) -> Result<Digest, Failure> {
    crate::digests::find(value.text()?)
}
