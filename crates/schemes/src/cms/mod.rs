//! Encrypted files in the Cryptographic Message Syntax (RFC 5652), streaming in constant memory.
//!
//! It writes AuthEnvelopedData (RFC 5083) with AES-256-GCM (RFC 5084), which `openssl cms -decrypt` reads. The content
//! key is encrypted for RSA keys (RSAES-OAEP, RFC 3560), elliptic-curve keys (RFC 5753, RFC 8418) and passwords (RFC
//! 3211). It reads that with any AES-GCM, and the older EnvelopedData with AES-CBC or triple DES, also with PKCS#1
//! v1.5; in BER or DER, as PEM, base64 or S/MIME text or binary.
//!
//! EnvelopedData authenticates nothing: an attacker who can change the file can change the plaintext, and can even turn
//! an authenticated message into an unauthenticated one. [`Opened::authenticated`] tells them apart.
//!
//! ```
//! use carrysave_schemes::{cms, rsa::{KeygenOptions, PrivateKey}};
//! use getrandom::{SysRng, rand_core::UnwrapErr};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut rng = UnwrapErr(SysRng);
//! let key = PrivateKey::generate_with(|| UnwrapErr(SysRng), 2048, &KeygenOptions::default(), &|_| ())?;
//! let recipient = cms::Recipient::from_public_key(key.public().clone())?;
//!
//! let mut message = Vec::new();
//! let options = cms::EncryptOptions::default();
//! cms::encrypt(&mut rng, &[recipient], &options, &mut &b"attack at dawn"[..], &mut message)?;
//!
//! let mut plain = Vec::new();
//! let options = cms::DecryptOptions::default();
//! let opened = cms::decrypt(&mut rng, &key, &options, &mut &message[..], &mut plain)?;
//! assert!(opened.authenticated);
//! assert_eq!(plain, b"attack at dawn");
//! # Ok(())
//! # }
//! ```

mod agree;
mod armor;
pub(crate) mod ber;
pub(crate) mod cbc;
mod error;
mod gcm;
mod identity;
mod ids;
mod mime;
mod names;
mod password;
mod read;
mod recipients;
mod transport;
mod wrap;
mod write;
pub(crate) mod x509;

#[cfg(test)]
mod tests;

pub use error::Error;
pub use identity::Identity;
pub use read::{decrypt, decrypt_on};
pub use recipients::Addressees;
pub use write::{encrypt, encrypt_on};

use crate::KeyError;
use crate::ec::{self, AnyPublicKey};
use crate::hash::Hash;
use crate::rsa::PublicKey;
use std::fmt;
use std::io::Read;
use zeroize::Zeroizing;

/// The bytes that are read, encrypted and written at a time: whole blocks that fit a core's cache.
const CHUNK: usize = 128 * 1024;

/// A recipient of a message: a public key, with its name in the message, or a password.
#[derive(Clone, Debug)]
pub struct Recipient {
    to: To,
    key_id: Vec<u8>,
    issuer_and_serial: Option<Vec<u8>>,
}

#[derive(Clone)]
enum To {
    Rsa(PublicKey),
    Curve(Box<AnyPublicKey>),
    Password(Zeroizing<Vec<u8>>),
}

/// Without the password.
impl fmt::Debug for To {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            To::Rsa(key) => key.fmt(f),
            To::Curve(key) => key.fmt(f),
            To::Password(_) => f.write_str("Password"),
        }
    }
}

impl Recipient {
    /// A recipient named by the key itself: a subject key identifier (RFC 5280 section 4.2.1.2, method 1).
    ///
    /// # Errors
    /// The key cannot be encoded.
    pub fn from_public_key(key: PublicKey) -> Result<Recipient, Error> {
        let spki = key.to_spki_der();
        Recipient::from_spki(To::Rsa(key), &spki)
    }

    /// A recipient with an elliptic-curve key, named by the key itself.
    ///
    /// # Errors
    /// The key cannot be encoded, or it signs only.
    pub fn from_curve_key(key: AnyPublicKey) -> Result<Recipient, Error> {
        let spki = key.to_spki_der();
        Recipient::from_spki(To::Curve(Box::new(key)), &spki)
    }

    fn from_spki(to: To, spki: &[u8]) -> Result<Recipient, Error> {
        if matches!(&to, To::Curve(key) if !key.algorithm().agrees()) {
            return Err(ec::Error::NoAgreement.into());
        }
        Ok(Recipient {
            to,
            key_id: x509::key_ids_of_spki(spki)?.swap_remove(0),
            issuer_and_serial: None,
        })
    }

    /// The holder of a password. The key is derived by PBKDF2 with HMAC-SHA-256.
    pub fn from_password(password: &[u8]) -> Recipient {
        Recipient {
            to: To::Password(Zeroizing::new(password.to_vec())),
            key_id: Vec::new(),
            issuer_and_serial: None,
        }
    }

    /// A recipient named by the issuer and serial number of a certificate, DER or PEM. Nothing about it is verified.
    ///
    /// # Errors
    /// This is not a certificate, or its key is neither an RSA key nor of a known curve.
    pub fn from_certificate(bytes: &[u8]) -> Result<Recipient, Error> {
        let mut text = armor::Dearmored::new(bytes)?;
        if matches!(text.form(), armor::Form::Pem(label) if !label.ends_with("CERTIFICATE")) {
            return Err(Error::Malformed("not a certificate"));
        }
        let mut der = Vec::new();
        text.read_to_end(&mut der)?;
        let certificate = x509::Certificate::from_der(&der)?;
        let to = match PublicKey::from_spki_der(&certificate.spki) {
            Ok(key) => To::Rsa(key),
            Err(rsa) => match AnyPublicKey::from_spki_der(&certificate.spki) {
                Ok(key) => To::Curve(Box::new(key)),
                Err(KeyError::Algorithm { .. } | KeyError::Format { .. }) => return Err(rsa.into()),
                Err(e) => return Err(e.into()),
            },
        };
        let mut recipient = Recipient::from_spki(to, &certificate.spki)?;
        recipient.issuer_and_serial = Some(certificate.issuer_and_serial);
        if let Some(key_id) = certificate.key_id {
            recipient.key_id = key_id;
        }
        Ok(recipient)
    }

    /// The public key, if it is an RSA key.
    pub fn rsa_key(&self) -> Option<&PublicKey> {
        match &self.to {
            To::Rsa(key) => Some(key),
            _ => None,
        }
    }

    /// The public key, if it is a key of a curve.
    pub fn curve_key(&self) -> Option<&AnyPublicKey> {
        match &self.to {
            To::Curve(key) => Some(key),
            _ => None,
        }
    }
}

/// Choices when encrypting.
#[derive(Clone, Copy, Debug)]
pub struct EncryptOptions {
    /// The length of the input in bytes, if known.
    pub len: Option<u64>,
    /// Write PEM text instead of binary.
    pub pem: bool,
    /// The hash of OAEP and of its mask generation function.
    pub hash: Hash,
    /// The iterations of PBKDF2 that derive a key from a password.
    pub iterations: u32,
}

impl Default for EncryptOptions {
    fn default() -> EncryptOptions {
        EncryptOptions {
            len: None,
            pem: false,
            hash: Hash::Sha256,
            iterations: 600_000,
        }
    }
}

/// Choices when decrypting.
#[derive(Clone, Copy, Debug)]
pub struct DecryptOptions {
    /// Refuse unauthenticated messages before anything is written.
    pub require_authenticated: bool,
    /// The most iterations of PBKDF2 that a message may ask for, over all its passwords.
    pub max_iterations: u32,
}

impl Default for DecryptOptions {
    /// Everything is read, and some seconds of PBKDF2 are allowed.
    fn default() -> DecryptOptions {
        DecryptOptions {
            require_authenticated: false,
            max_iterations: 10_000_000,
        }
    }
}

/// The result of a decryption.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opened {
    /// The length of the plaintext in bytes.
    pub bytes: u64,
    /// Whether the content was authenticated; if not, it may have been changed.
    pub authenticated: bool,
    /// The type of the plaintext, as the message states it: nothing authenticates that, so anybody may have changed it.
    pub content_type: ContentType,
}

/// The type of an encrypted content: mostly data. A message that was signed first is SignedData, which needs its own
/// reader.
#[derive(Clone, PartialEq, Eq)]
pub struct ContentType(Vec<u8>);

impl ContentType {
    /// Whether it is id-data (RFC 5652 section 4): octets of no special form.
    pub fn is_data(&self) -> bool {
        self.0 == names::DATA
    }
}

/// The name if it is known, and the object identifier.
impl fmt::Display for ContentType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&names::named(&self.0))
    }
}

impl fmt::Debug for ContentType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
