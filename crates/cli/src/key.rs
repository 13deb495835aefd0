//! Loading keys: any format, found out from the file.

use crate::exit::{Code, Failure, Result};
use crate::io;
use carrysave::cms::Recipient;
use carrysave::dl;
use carrysave::ec::{self, AnyPrivateKey, AnyPublicKey};
use carrysave::rsa::{KeyError, PrivateKey, PublicKey};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use zeroize::Zeroizing;

/// No key file is longer than this.
pub const MAX: u64 = 1 << 20;

/// Reads a file with a key or a password, which no output replaces from then on.
pub fn read(path: &Path) -> Result<Zeroizing<Vec<u8>>> {
    if !io::is_std(path) {
        io::keep(path);
    }
    io::read_small(path, MAX)
}

/// Where the password of an encrypted private key comes from.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct PasswordArgs {
    /// Take the password from the first line of FILE instead of asking on the terminal
    #[arg(long, value_name = "FILE")]
    pub password_file: Option<PathBuf>,
    /// Whether there is nobody to ask.
    #[arg(skip)]
    pub unattended: bool,
}

impl PasswordArgs {
    /// The password, from the file or from the terminal.
    pub fn get(&self, prompt: &str) -> Result<Zeroizing<Vec<u8>>> {
        let path = match &self.password_file {
            Some(path) => path,
            None if self.unattended => {
                return Err(Failure::usage(
                    "the private key is encrypted: use --password-file",
                ));
            }
            None => return ask(prompt),
        };
        let bytes = read(path)?;
        let line = bytes.split(|b| *b == b'\n').next().unwrap_or_default();
        let password = Zeroizing::new(line.strip_suffix(b"\r").unwrap_or(line).to_vec());
        if password.is_empty() {
            return Err(
                Failure::bad_input("the first line is empty: there is no password").about(path),
            );
        }
        Ok(password)
    }

    /// A password that is chosen now: from the file, or asked for twice.
    pub fn choose(&self, prompt: &str) -> Result<Zeroizing<Vec<u8>>> {
        if self.password_file.is_some() {
            return self.get(prompt);
        }
        let password = ask(prompt)?;
        if password.is_empty() {
            return Err(Failure::usage("an empty password protects nothing"));
        }
        if password != ask("The same again")? {
            return Err(Failure::usage("the passwords differ"));
        }
        Ok(password)
    }
}

/// Asks on the terminal.
pub fn ask(prompt: &str) -> Result<Zeroizing<Vec<u8>>> {
    let answer = rpassword::prompt_password(format!("{prompt}: ")).map_err(|e| match e.kind() {
        ErrorKind::Interrupted => Failure::new(Code::Interrupted, "interrupted"),
        _ => Failure::usage(format!(
            "cannot ask for a password here, use --password-file ({e})"
        )),
    })?;
    Ok(Zeroizing::new(answer.into_bytes()))
}

/// A private key.
pub fn private(path: &Path, password: &PasswordArgs) -> Result<PrivateKey> {
    private_from(&read(path)?, path, password)
}

fn private_from(bytes: &[u8], path: &Path, password: &PasswordArgs) -> Result<PrivateKey> {
    let key = match PrivateKey::from_any(bytes, None) {
        Err(KeyError::PasswordNeeded) => {
            let password = password.get(&prompt(path))?;
            PrivateKey::from_any(bytes, Some(&password))
        }
        other => other,
    };
    key.map_err(|e| Failure::from(e).about(path))
}

/// What a file may hold.
pub enum Any {
    /// Both halves.
    Private(PrivateKey),
    /// The public half.
    Public(PublicKey),
    /// The public half, with a name.
    Certificate(Recipient),
}

impl Any {
    /// The public key in it.
    pub fn public(&self) -> &PublicKey {
        match self {
            Any::Private(key) => key.public(),
            Any::Public(key) => key,
            Any::Certificate(recipient) => recipient.key(),
        }
    }
}

/// Whatever RSA key or certificate is in a file.
pub fn any(path: &Path, password: &PasswordArgs) -> Result<Any> {
    let bytes = read(path)?;
    let key = match any_from(&bytes, None) {
        Err(KeyError::PasswordNeeded) => any_from(&bytes, Some(&password.get(&prompt(path))?)),
        other => other,
    };
    key.map_err(|e| Failure::from(e).about(path))
}

fn any_from(bytes: &[u8], password: Option<&[u8]>) -> std::result::Result<Any, KeyError> {
    let private = match PrivateKey::from_any(bytes, password) {
        Ok(key) => return Ok(Any::Private(key)),
        Err(e) if password.is_some() || e == KeyError::PasswordNeeded => return Err(e),
        Err(e) => e,
    };
    if let Ok(recipient) = Recipient::from_certificate(bytes) {
        return Ok(Any::Certificate(recipient));
    }
    let labelled_private = bytes.windows(11).any(|w| w == b"PRIVATE KEY");
    match PublicKey::from_any(bytes) {
        _ if labelled_private => Err(private),
        Ok(key) => Ok(Any::Public(key)),
        Err(e) => Err(e),
    }
}

/// A public key, also from a certificate or a private key.
pub fn public(path: &Path, password: &PasswordArgs) -> Result<PublicKey> {
    any(path, password).map(|key| key.public().clone())
}

/// Somebody to encrypt for.
pub fn recipient(path: &Path, password: &PasswordArgs) -> Result<Recipient> {
    match any(path, password)? {
        Any::Certificate(recipient) => Ok(recipient),
        other => Ok(Recipient::from_public_key(other.public().clone())?),
    }
}

/// A key of an elliptic curve.
pub enum OfCurve {
    /// Both halves.
    Private(AnyPrivateKey),
    /// The public half.
    Public(AnyPublicKey),
}

/// A key of a group in GF(p)*.
pub enum OfGroup {
    /// Both halves.
    Private(dl::PrivateKey),
    /// The public half.
    Public(dl::PublicKey),
}

/// A key for any algorithm.
pub enum Found {
    /// For RSA.
    Rsa(Any),
    /// For agreement on a curve.
    Curve(Box<OfCurve>),
    /// For DSA or Diffie-Hellman, in this form.
    Group(dl::Form, OfGroup),
}

/// Whatever key is in a file. The password is asked for once.
pub fn of_any_kind(path: &Path, password: &PasswordArgs) -> Result<Found> {
    let bytes = read(path)?;
    let password = match AnyPrivateKey::from_any(&bytes, None) {
        Err(ec::Error::PasswordNeeded) => Some(password.get(&prompt(path))?),
        _ => None,
    };
    let password = password.as_ref().map(|password| &password[..]);
    found(&bytes, password).map_err(|e| e.about(path))
}

/// The readers of each kind refuse the others' keys as of another algorithm or format, but not what is wrong with
/// their own.
fn found(bytes: &[u8], password: Option<&[u8]>) -> Result<Found> {
    use {dl::Error as OfDl, ec::Error as OfEc};
    let private = AnyPrivateKey::from_any(bytes, password).map(OfCurve::Private);
    let key = match private {
        Err(OfEc::Format { .. }) => AnyPublicKey::from_any(bytes).map(OfCurve::Public),
        other => other,
    };
    match key {
        Err(OfEc::Format { .. } | OfEc::Algorithm) => {}
        other => return Ok(Found::Curve(Box::new(other?))),
    }
    let private = dl::PrivateKey::from_any(bytes, password);
    let key = match private.map(|(form, key)| (form, OfGroup::Private(key))) {
        Err(OfDl::Format { .. }) => {
            dl::PublicKey::from_any(bytes).map(|(form, key)| (form, OfGroup::Public(key)))
        }
        other => other,
    };
    match key {
        Err(OfDl::Format { .. } | OfDl::Algorithm(_)) => {}
        Ok((form, key)) => return Ok(Found::Group(form, key)),
        Err(e) => return Err(Failure::bad_input(e.to_string())),
    }
    any_from(bytes, password)
        .map(Found::Rsa)
        .map_err(|e| match e {
            KeyError::Algorithm(found) => {
                let message =
                    format!("this is a key for {found}, but not one that is known: {KNOWN}");
                Failure::bad_input(message)
            }
            KeyError::Format { detail, .. } => {
                let message = format!("this is not a key that is known ({detail}): {KNOWN}");
                Failure::bad_input(message)
            }
            e => e.into(),
        })
}

/// What [`of_any_kind`] finds.
const KNOWN: &str = "known are keys and certificates for RSA, and keys for P-256, P-384, P-521, \
                     secp256k1, X25519, Diffie-Hellman and DSA";

/// A private key of a curve.
pub fn private_of_curve(path: &Path, password: &PasswordArgs) -> Result<AnyPrivateKey> {
    let bytes = read(path)?;
    let key = match AnyPrivateKey::from_any(&bytes, None) {
        Err(ec::Error::PasswordNeeded) => {
            AnyPrivateKey::from_any(&bytes, Some(&password.get(&prompt(path))?))
        }
        other => other,
    };
    key.map_err(|e| of_no_curve(e).about(path))
}

/// A public key of a curve, also from a private key that is not encrypted.
pub fn public_of_curve(path: &Path) -> Result<AnyPublicKey> {
    let key = AnyPublicKey::from_any(&read(path)?);
    key.map_err(|e| of_no_curve(e).about(path))
}

/// Nothing was compared yet.
fn of_no_curve(e: ec::Error) -> Failure {
    match e {
        ec::Error::Algorithm => Failure::bad_input(
            "this key is not of a curve that is known: use one of P-256, P-384, P-521, secp256k1 or X25519",
        ),
        e => e.into(),
    }
}

fn prompt(path: &Path) -> String {
    format!("Password for {}", path.display())
}
