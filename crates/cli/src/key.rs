//! Loading keys: any format, found out from the file.

use crate::exit::{Failure, Result};
use crate::io;
use carrysave::cms::Recipient;
use carrysave::ec::{self, AnyPrivateKey, AnyPublicKey};
use carrysave::rsa::{KeyError, PrivateKey, PublicKey};
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
    let answer = rpassword::prompt_password(format!("{prompt}: ")).map_err(|e| {
        Failure::usage(format!(
            "cannot ask for a password here, use --password-file ({e})"
        ))
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
    any_from(&read(path)?, path, password)
}

fn any_from(bytes: &[u8], path: &Path, password: &PasswordArgs) -> Result<Any> {
    let private = match PrivateKey::from_any(bytes, None) {
        Ok(key) => return Ok(Any::Private(key)),
        Err(KeyError::PasswordNeeded) => {
            return private_from(bytes, path, password).map(Any::Private);
        }
        Err(e) => e,
    };
    if let Ok(recipient) = Recipient::from_certificate(bytes) {
        return Ok(Any::Certificate(recipient));
    }
    let labelled_private = bytes.windows(11).any(|w| w == b"PRIVATE KEY");
    match PublicKey::from_any(bytes) {
        Ok(key) if !labelled_private => Ok(Any::Public(key)),
        Err(e) if !labelled_private => Err(Failure::from(e).about(path)),
        _ => Err(Failure::from(private).about(path)),
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

/// A key for any algorithm.
pub enum Found {
    /// For RSA.
    Rsa(Any),
    /// For agreement on a curve.
    Curve(Box<OfCurve>),
}

/// Whatever key is in a file. The password is asked for once.
pub fn of_any_kind(path: &Path, password: &PasswordArgs) -> Result<Found> {
    let bytes = read(path)?;
    let of_curve = |key| Ok(Found::Curve(Box::new(key)));
    match AnyPrivateKey::from_any(&bytes, None) {
        Ok(key) => of_curve(OfCurve::Private(key)),
        Err(ec::Error::PasswordNeeded) => {
            let password = password.get(&prompt(path))?;
            match AnyPrivateKey::from_any(&bytes, Some(&password)) {
                Ok(key) => of_curve(OfCurve::Private(key)),
                Err(ec::Error::Algorithm) => {
                    let key = PrivateKey::from_any(&bytes, Some(&password));
                    let key = key.map_err(|e| Failure::from(e).about(path))?;
                    Ok(Found::Rsa(Any::Private(key)))
                }
                Err(e) => Err(Failure::from(e).about(path)),
            }
        }
        Err(e @ ec::Error::Invalid) => Err(Failure::from(e).about(path)),
        Err(_) => match AnyPublicKey::from_any(&bytes) {
            Ok(key) => of_curve(OfCurve::Public(key)),
            Err(e @ ec::Error::Invalid) => Err(Failure::from(e).about(path)),
            Err(_) => any_from(&bytes, path, password).map(Found::Rsa),
        },
    }
}

/// A private key of a curve.
pub fn private_of_curve(path: &Path, password: &PasswordArgs) -> Result<AnyPrivateKey> {
    let bytes = read(path)?;
    let key = match AnyPrivateKey::from_any(&bytes, None) {
        Err(ec::Error::PasswordNeeded) => {
            AnyPrivateKey::from_any(&bytes, Some(&password.get(&prompt(path))?))
        }
        other => other,
    };
    key.map_err(|e| Failure::from(e).about(path))
}

/// A public key of a curve, also from a private key that is not encrypted.
pub fn public_of_curve(path: &Path) -> Result<AnyPublicKey> {
    let key = AnyPublicKey::from_any(&read(path)?);
    key.map_err(|e| Failure::from(e).about(path))
}

fn prompt(path: &Path) -> String {
    format!("Password for {}", path.display())
}
