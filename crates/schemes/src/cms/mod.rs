//! Encrypted files in the Cryptographic Message Syntax (RFC 5652), streaming in constant memory.
//!
//! Written is AuthEnvelopedData (RFC 5083) with AES-256-GCM (RFC 5084) and RSAES-OAEP key transport (RFC 3560), which
//! `openssl cms -decrypt` reads. Read is that with any AES-GCM, and the older EnvelopedData with AES-CBC, with keys that
//! travel in OAEP or PKCS#1 v1.5; in BER or DER, as PEM or S/MIME text or binary.
//!
//! EnvelopedData authenticates nothing: whoever can change the file can change the plaintext, and can even turn an
//! authenticated message into one that is not. [`Opened::authenticated`] says which it was.
//!
//! ```
//! use carrysave_schemes::{cms, rsa::{KeygenOptions, PrivateKey}};
//! use getrandom::{SysRng, rand_core::UnwrapErr};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut rng = UnwrapErr(SysRng);
//! let key = PrivateKey::generate(|| UnwrapErr(SysRng), 2048, &KeygenOptions::default(), &|_| ())?;
//! let recipient = cms::Recipient::from_public_key(key.public().clone())?;
//!
//! let mut message = Vec::new();
//! let options = cms::EncryptOptions::default();
//! cms::encrypt(&mut rng, &[recipient], &options, &mut &b"attack at dawn"[..], &mut message)?;
//!
//! let mut plain = Vec::new();
//! let opened = cms::decrypt(&mut rng, &key, None, &mut &message[..], &mut plain)?;
//! assert!(opened.authenticated);
//! assert_eq!(plain, b"attack at dawn");
//! # Ok(())
//! # }
//! ```

mod armor;
pub(crate) mod ber;
mod cbc;
mod gcm;
mod names;
mod read;
mod write;
mod x509;

#[cfg(test)]
mod tests;

pub use read::{decrypt, decrypt_on};
pub use write::{encrypt, encrypt_on};

use crate::hash::Hash;
use crate::rsa::{self, PublicKey};
use std::fmt;
use std::io::{self, Read};

/// How much is read, encrypted and written at a time: whole blocks, that stay in the cache of a core.
const CHUNK: usize = 128 * 1024;

/// Somebody that a message is encrypted for: a public key, and how the message names it.
#[derive(Clone, Debug)]
pub struct Recipient {
    key: PublicKey,
    key_id: Vec<u8>,
    issuer_and_serial: Option<Vec<u8>>,
}

impl Recipient {
    /// A recipient named by the key itself: a subject key identifier (RFC 5280 section 4.2.1.2, method 1).
    ///
    /// # Errors
    /// The key cannot be encoded.
    pub fn from_public_key(key: PublicKey) -> Result<Recipient, Error> {
        let key_id = x509::key_id_of_spki(&key.to_spki_der())?;
        Ok(Recipient {
            key,
            key_id,
            issuer_and_serial: None,
        })
    }

    /// A recipient named by the issuer and serial number of a certificate, DER or PEM. Nothing about it is verified.
    ///
    /// # Errors
    /// This is not a certificate, or its key is not an RSA key.
    pub fn from_certificate(bytes: &[u8]) -> Result<Recipient, Error> {
        let mut text = armor::Dearmored::new(bytes)?;
        if matches!(text.form(), armor::Form::Pem(label) if !label.ends_with("CERTIFICATE")) {
            return Err(Error::Malformed("not a certificate"));
        }
        let mut der = Vec::new();
        text.read_to_end(&mut der)?;
        let certificate = x509::Certificate::from_der(&der)?;
        let mut recipient = Recipient::from_public_key(
            PublicKey::from_spki_der(&certificate.spki).map_err(Error::Key)?,
        )?;
        recipient.issuer_and_serial = Some(certificate.issuer_and_serial);
        if let Some(key_id) = certificate.key_id {
            recipient.key_id = key_id;
        }
        Ok(recipient)
    }

    /// The public key.
    pub fn key(&self) -> &PublicKey {
        &self.key
    }
}

/// Choices when encrypting.
#[derive(Clone, Copy, Debug)]
pub struct EncryptOptions {
    /// The length of the input in bytes, if it is known.
    pub len: Option<u64>,
    /// Write PEM text instead of binary.
    pub pem: bool,
    /// The hash of OAEP and of its mask generation function.
    pub hash: Hash,
}

impl Default for EncryptOptions {
    fn default() -> EncryptOptions {
        EncryptOptions {
            len: None,
            pem: false,
            hash: Hash::Sha256,
        }
    }
}

/// What was decrypted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Opened {
    /// The length of the plaintext in bytes.
    pub bytes: u64,
    /// Whether the content was authenticated; if not, anybody may have changed it.
    pub authenticated: bool,
}

/// Why a message was not written or read.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// There is nothing in it.
    Empty,
    /// It ends too early.
    Truncated,
    /// It is not a message, for this reason.
    Malformed(&'static str),
    /// It is a message that uses something unknown.
    Unsupported(String),
    /// It is encrypted for others.
    NoRecipient,
    /// It was altered, or this is not the key.
    Decryption,
    /// The input is longer than AES-GCM may protect.
    TooLong,
    /// The input has not the length that was announced.
    LengthChanged,
    /// The public key cannot transport a content key.
    Rsa(rsa::Error),
    /// The key in a certificate cannot be used.
    Key(rsa::KeyError),
    /// Reading failed.
    Read(io::Error),
    /// Writing failed.
    Write(io::Error),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Empty => f.write_str("the input is empty"),
            Error::Truncated => f.write_str("the message is cut short"),
            Error::Malformed(why) => write!(f, "not a CMS message, or a damaged one: {why}"),
            Error::Unsupported(what) => {
                write!(f, "this CMS message uses what is not supported: {what}")
            }
            Error::NoRecipient => f.write_str("the message is encrypted for another key"),
            Error::Decryption => f.write_str(
                "the message does not decrypt: it was altered, or it is encrypted for another key",
            ),
            Error::TooLong => f.write_str(
                "the input is longer than the 64 GiB that AES-GCM may protect; split it",
            ),
            Error::LengthChanged => f.write_str("the input changed its length while it was read"),
            Error::Rsa(e) => e.fmt(f),
            Error::Key(e) => e.fmt(f),
            Error::Read(e) => write!(f, "reading failed: {e}"),
            Error::Write(e) => write!(f, "writing failed: {e}"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Rsa(e) => Some(e),
            Error::Key(e) => Some(e),
            Error::Read(e) | Error::Write(e) => Some(e),
            _ => None,
        }
    }
}

impl From<rsa::Error> for Error {
    fn from(e: rsa::Error) -> Error {
        Error::Rsa(e)
    }
}

/// For errors of the input; those of the output are mapped where they happen.
impl From<io::Error> for Error {
    fn from(e: io::Error) -> Error {
        match e.kind() {
            io::ErrorKind::UnexpectedEof => Error::Truncated,
            io::ErrorKind::InvalidData => {
                Error::Malformed("the base64 text is damaged or cut short")
            }
            _ => Error::Read(e),
        }
    }
}
