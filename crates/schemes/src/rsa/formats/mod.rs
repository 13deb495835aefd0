//! Key files: PKCS #1 (RFC 8017 appendix A.1), PKCS #8 (RFC 5958) plain and encrypted (PBES2, RFC 8018),
//! SubjectPublicKeyInfo (RFC 5280), each as DER and as PEM (RFC 7468), and OpenSSH's `ssh-rsa` line (RFC 4253).

mod algorithm;
#[cfg(feature = "files")]
mod openssh;
mod pkcs1;
mod pkcs8;
mod spki;

use super::{KeyError, PrivateKey, PublicKey};
#[cfg(feature = "files")]
use crate::formats::Item;
use crate::formats::{self, FormatError, Notes, minimal, nat, pem, uint};

/// The refusal of a key for another algorithm.
fn other(found: impl Into<String>) -> KeyError {
    KeyError::Algorithm {
        found: found.into(),
        needed: "an RSA key (rsaEncryption, 1.2.840.113549.1.1.1)",
    }
}

fn format_error(expected: &'static str, detail: impl ToString) -> KeyError {
    FormatError::new(expected, detail).into()
}

#[cfg(feature = "files")]
const ANY_PRIVATE: &str = "an RSA private key";

#[cfg(feature = "files")]
impl PublicKey {
    /// Reads the first RSA public key of a file: SPKI or PKCS #1, as DER or as PEM with or without text around it, or
    /// an OpenSSH `ssh-rsa` line, also with options before it. It also takes the public key of a certificate, which is
    /// not verified, and of an unencrypted private key.
    ///
    /// # Errors
    /// [`KeyError::Format`] if it is none of these; the errors of [`PublicKey::new`].
    pub fn from_any(bytes: &[u8]) -> Result<PublicKey, KeyError> {
        let read = |item| match item {
            Item::Public(der) => PublicKey::from_spki_der(&der),
            Item::Private(der) => PrivateKey::from_pkcs8_der(&der).map(|key| key.public().clone()),
            Item::Certificate(der) => PublicKey::from_spki_der(&formats::x509::spki(&der)?),
        };
        formats::first(bytes, None, read)
    }
}

#[cfg(feature = "files")]
impl PrivateKey {
    /// Reads the first RSA private key of a file: PKCS #8 or PKCS #1, as DER or as PEM with or without text around it;
    /// OpenSSH's private keys; a PKCS #12 store. `password` opens encrypted keys.
    ///
    /// # Errors
    /// [`KeyError::PasswordNeeded`], [`KeyError::Password`]; [`KeyError::Format`] if it is none of these; the errors of
    /// [`PrivateKey::validate`].
    pub fn from_any(bytes: &[u8], password: Option<&[u8]>) -> Result<PrivateKey, KeyError> {
        let read = |item| match item {
            Item::Private(der) => PrivateKey::from_pkcs8_der(&der),
            Item::Public(_) => Err(format_error(ANY_PRIVATE, "it is a public key")),
            Item::Certificate(_) => Err(format_error(ANY_PRIVATE, "it is a certificate")),
        };
        formats::first(bytes, password, read)
    }
}
