//! The credentials that open a message.

use super::Recipient;
use crate::ec::AnyPrivateKey;
use crate::rsa::PrivateKey;
use std::fmt;

/// The reader of a message: the owner of an RSA or elliptic-curve private key, or the holder of a password.
///
/// ```
/// use carrysave_schemes::{cms, ec::{Algorithm, AnyPrivateKey}};
/// # fn main() -> Result<(), cms::Error> {
/// let rng = &mut rand_core::UnwrapErr(getrandom::SysRng);
/// let key = AnyPrivateKey::generate_with(Algorithm::X25519, rng);
/// let to = [cms::Recipient::from_curve_key(key.public())?, cms::Recipient::from_password(b"open sesame")];
/// let mut message = Vec::new();
/// cms::encrypt(rng, &to, &cms::EncryptOptions::default(), &mut &b"attack at dawn"[..], &mut message)?;
///
/// for identity in [cms::Identity::from(&key), cms::Identity::password(b"open sesame")] {
///     let mut plain = Vec::new();
///     cms::decrypt(rng, identity, &cms::DecryptOptions::default(), &mut &message[..], &mut plain)?;
///     assert_eq!(plain, b"attack at dawn");
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy)]
pub struct Identity<'a> {
    pub(super) secret: Secret<'a>,
    pub(super) certificate: Option<&'a Recipient>,
}

#[derive(Clone, Copy)]
pub(super) enum Secret<'a> {
    Rsa(&'a PrivateKey),
    Curve(&'a AnyPrivateKey),
    Password(&'a [u8]),
}

impl<'a> Identity<'a> {
    /// The holder of this password.
    pub fn password(password: &'a [u8]) -> Identity<'a> {
        Identity {
            secret: Secret::Password(password),
            certificate: None,
        }
    }

    /// With the key's certificate, by whose issuer and serial number a message may name its owner.
    pub fn with_certificate(self, certificate: &'a Recipient) -> Identity<'a> {
        Identity {
            certificate: Some(certificate),
            ..self
        }
    }
}

impl<'a> From<&'a PrivateKey> for Identity<'a> {
    fn from(key: &'a PrivateKey) -> Identity<'a> {
        Identity {
            secret: Secret::Rsa(key),
            certificate: None,
        }
    }
}

impl<'a> From<&'a AnyPrivateKey> for Identity<'a> {
    fn from(key: &'a AnyPrivateKey) -> Identity<'a> {
        Identity {
            secret: Secret::Curve(key),
            certificate: None,
        }
    }
}

/// Without the secret.
impl fmt::Debug for Identity<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.secret {
            Secret::Rsa(_) => "Identity of an RSA key",
            Secret::Curve(_) => "Identity of a key of a curve",
            Secret::Password(_) => "Identity of a password",
        })
    }
}
