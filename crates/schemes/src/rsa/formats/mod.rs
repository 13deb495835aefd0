//! Key files: PKCS #1 (RFC 8017 appendix A.1), PKCS #8 (RFC 5958) plain and encrypted (PBES2, RFC 8018),
//! SubjectPublicKeyInfo (RFC 5280), each as DER and as PEM (RFC 7468), and OpenSSH's `ssh-rsa` line (RFC 4253).

mod openssh;
mod pkcs1;
mod pkcs8;
mod spki;

use super::{KeyError, PrivateKey, PublicKey};
use crate::formats::{FormatError, Kind, kind, minimal, nat, pem, uint};

fn format_error(expected: &'static str, detail: impl ToString) -> KeyError {
    FormatError::new(expected, detail).into()
}

impl From<FormatError> for KeyError {
    fn from(FormatError { expected, detail }: FormatError) -> KeyError {
        KeyError::Format { expected, detail }
    }
}

const ANY_PUBLIC: &str = "an RSA public key as SPKI, PKCS #1 or OpenSSH";
const ANY_PRIVATE: &str = "an RSA private key as PKCS #8 or PKCS #1";
const NO_KEY: &str = "neither PEM nor the DER of a key";

impl PublicKey {
    /// Reads a public key in any format: SPKI or PKCS #1, PEM or DER, or an OpenSSH `ssh-rsa` line. Of a private key
    /// that is not encrypted it takes the public half.
    ///
    /// # Errors
    /// [`KeyError::Format`] if it is none of these; the errors of [`PublicKey::new`].
    pub fn from_any(bytes: &[u8]) -> Result<PublicKey, KeyError> {
        if let Some(text) = openssh::line(bytes) {
            return PublicKey::from_openssh(text);
        }
        let der = pem::any(bytes, ANY_PUBLIC)?;
        match kind(&der).ok_or_else(|| format_error(ANY_PUBLIC, NO_KEY))? {
            Kind::Spki => PublicKey::from_spki_der(&der),
            Kind::Pkcs1Public => PublicKey::from_pkcs1_der(&der),
            Kind::EncryptedPkcs8 => Err(KeyError::PasswordNeeded),
            Kind::Pkcs8 | Kind::Pkcs1Private => {
                Ok(PrivateKey::from_any(&der, None)?.public().clone())
            }
        }
    }
}

impl PrivateKey {
    /// Reads a private key in any format: PKCS #8, with the password if it is encrypted, or PKCS #1; PEM or DER.
    ///
    /// # Errors
    /// [`KeyError::PasswordNeeded`], [`KeyError::Password`]; [`KeyError::Format`] if it is none of these; the errors of
    /// [`PrivateKey::validate`].
    pub fn from_any(bytes: &[u8], password: Option<&[u8]>) -> Result<PrivateKey, KeyError> {
        let der = pem::any(bytes, ANY_PRIVATE)?;
        match kind(&der).ok_or_else(|| format_error(ANY_PRIVATE, NO_KEY))? {
            Kind::Pkcs8 => PrivateKey::from_pkcs8_der(&der),
            Kind::Pkcs1Private => PrivateKey::from_pkcs1_der(&der),
            Kind::EncryptedPkcs8 => PrivateKey::from_pkcs8_encrypted_der(
                &der,
                password.ok_or(KeyError::PasswordNeeded)?,
            ),
            Kind::Spki | Kind::Pkcs1Public => Err(format_error(ANY_PRIVATE, "it is a public key")),
        }
    }
}
