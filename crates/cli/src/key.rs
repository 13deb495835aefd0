//! Loading keys of any format, which is detected.

use crate::exit::{Failure, Result, program, say};
use crate::{io, terminal};
use carrysave::cms::Recipient;
use carrysave::ec::{AnyPrivateKey, AnyPublicKey};
use carrysave::keys::{self, Certificate, Content, Entry, Key};
use carrysave::rsa::{PrivateKey, PublicKey};
use carrysave::{KeyError, dl};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use zeroize::Zeroizing;

/// The most bytes of a key file.
pub const MAX: u64 = 1 << 20;

/// Reads a file with a key or a password, which no later output may replace.
pub fn read(path: &Path) -> Result<Zeroizing<Vec<u8>>> {
    if !io::is_std(path) {
        io::keep(path);
    }
    io::read_small(path, MAX)
}

/// The source of the password of an encrypted private key.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct PasswordArgs {
    /// Take the password from the first line of FILE instead of asking on the terminal
    #[arg(long, value_name = "FILE")]
    pub password_file: Option<PathBuf>,
    /// Whether there is no user to ask for a password.
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

    /// A new password: from the file, or asked for twice.
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

/// Asks for a password on the terminal.
pub fn ask(prompt: &str) -> Result<Zeroizing<Vec<u8>>> {
    terminal::ask(&format!("{prompt}: ")).map_err(|e| {
        Failure::usage(format!(
            "cannot ask for a password here, use --password-file ({e})"
        ))
    })
}

/// The kinds of file contents that a command accepts.
type Want<'a, T> = &'a dyn Fn(&Content) -> Option<T>;

/// Parses a file. Asks for the password, once, if no entry is usable without it.
fn entries(
    path: &Path,
    password: &PasswordArgs,
    does: impl Fn(&[Entry]) -> bool,
) -> Result<Vec<Entry>> {
    let bytes = read(path)?;
    let entries = keys::read(&bytes, None);
    let locked = |entry: &Entry| matches!(entry.content, Err(KeyError::PasswordNeeded));
    if does(&entries) || !entries.iter().any(locked) {
        return Ok(entries);
    }
    let password = password.get(&format!("Password for {}", path.display()))?;
    Ok(keys::read(&bytes, Some(&password)))
}

/// The error of an entry.
fn refused(
    path: &Path,
    entries: &[Entry],
    entry: &Entry,
    error: &impl std::fmt::Display,
) -> Failure {
    match (entries, entry.line) {
        ([_], _) | (_, 0) => Failure::bad_input(error.to_string()).about(path),
        (_, line) => Failure::bad_input(format!("line {line}: {error}")).about(path),
    }
}

/// Prints a warning about an accepted key.
fn warn(path: &Path, notes: &[&str]) {
    for note in notes {
        say(format_args!(
            "{}: warning: {}: {note}",
            program(),
            path.display()
        ));
    }
}

/// The first entry of the wanted kind, which `name` describes.
fn first<T>(path: &Path, password: &PasswordArgs, want: Want<'_, T>, name: &str) -> Result<T> {
    let found = |entry: &Entry| entry.content.as_ref().ok().and_then(want);
    let entries = entries(path, password, |entries| {
        entries.iter().any(|entry| found(entry).is_some())
    })?;
    for entry in &entries {
        if let Some(found) = found(entry) {
            warn(path, &entry.notes);
            return Ok(found);
        }
    }
    // The error of a key is more informative than that others have another kind.
    let errors = entries
        .iter()
        .filter_map(|entry| Some((entry, entry.content.as_ref().err()?)));
    match errors.max_by_key(|(_, error)| error.weight()) {
        Some((entry, error)) => Err(refused(path, &entries, entry, error)),
        None => {
            let what = entries
                .first()
                .and_then(|entry| entry.content.as_ref().ok())
                .map(describe);
            let what = what.unwrap_or_default();
            Err(Failure::bad_input(format!("this is {what}: {name} is needed")).about(path))
        }
    }
}

/// The kind of an entry, with an article.
pub fn describe(content: &Content) -> String {
    match content {
        Content::Certificate(_) => "a certificate".to_owned(),
        Content::Key(key) => {
            let half = if key.is_private() {
                "private"
            } else {
                "public"
            };
            format!("a {half} key for {}", algorithm(key))
        }
    }
}

/// The purpose of a key.
pub fn algorithm(key: &Key) -> &'static str {
    match key {
        Key::RsaPrivate(_) | Key::RsaPublic(_) => "RSA",
        Key::CurvePrivate(key) => key.algorithm().name(),
        Key::CurvePublic(key) => key.algorithm().name(),
        Key::GroupPrivate(dl::Form::Dsa, _) | Key::GroupPublic(dl::Form::Dsa, _) => "DSA",
        _ => "Diffie-Hellman",
    }
}

/// The public key of an entry.
fn public_half(content: &Content) -> Option<Key> {
    match content {
        Content::Key(key) => Some(key.public()),
        Content::Certificate(certificate) => certificate.key().ok().cloned(),
    }
}

/// An RSA private key.
pub fn private(path: &Path, password: &PasswordArgs) -> Result<PrivateKey> {
    let want = |content: &Content| match content {
        Content::Key(Key::RsaPrivate(key)) => Some(key.clone()),
        _ => None,
    };
    first(path, password, &want, "an RSA private key")
}

/// A private key that opens messages: RSA or elliptic-curve.
pub fn opener(path: &Path, password: &PasswordArgs) -> Result<Key> {
    let want = |content: &Content| match content {
        Content::Key(key @ Key::RsaPrivate(_)) => Some(key.clone()),
        Content::Key(key @ Key::CurvePrivate(own)) if own.algorithm().agrees() => Some(key.clone()),
        _ => None,
    };
    first(path, password, &want, "a private key for RSA or of a curve")
}

/// A private key that signs.
#[derive(Clone, Debug)]
pub enum Signer {
    /// RSASSA-PSS or RSASSA-PKCS1-v1_5.
    Rsa(PrivateKey),
    /// ECDSA, Ed25519 or Ed448.
    Curve(Arc<AnyPrivateKey>),
}

/// A public key that verifies.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant)] // A program has one.
pub enum Verifier {
    /// RSASSA-PSS or RSASSA-PKCS1-v1_5.
    Rsa(PublicKey),
    /// ECDSA, Ed25519 or Ed448.
    Curve(AnyPublicKey),
}

const SIGNS: &str = "a key for RSA, ECDSA, Ed25519 or Ed448";

/// A private key that signs.
pub fn signer(path: &Path, password: &PasswordArgs) -> Result<Signer> {
    let want = |content: &Content| match content {
        Content::Key(Key::RsaPrivate(key)) => Some(Signer::Rsa(key.clone())),
        Content::Key(Key::CurvePrivate(key)) if key.algorithm().signs() => {
            Some(Signer::Curve(key.clone()))
        }
        _ => None,
    };
    first(path, password, &want, &format!("{SIGNS}, a private one,"))
}

/// A public key that verifies, also from a certificate or a private key.
pub fn verifier(path: &Path, password: &PasswordArgs) -> Result<Verifier> {
    let want = |content: &Content| match public_half(content) {
        Some(Key::RsaPublic(key)) => Some(Verifier::Rsa(key)),
        Some(Key::CurvePublic(key)) if key.algorithm().signs() => Some(Verifier::Curve(key)),
        _ => None,
    };
    first(path, password, &want, SIGNS)
}

/// A certificate.
pub fn certificate(path: &Path) -> Result<Certificate> {
    let want = |content: &Content| match content {
        Content::Certificate(certificate) => Some(certificate.clone()),
        Content::Key(_) => None,
    };
    let nobody = PasswordArgs {
        unattended: true,
        ..PasswordArgs::default()
    };
    first(path, &nobody, &want, "a certificate")
}

/// An elliptic-curve private key.
pub fn private_of_curve(path: &Path, password: &PasswordArgs) -> Result<Arc<AnyPrivateKey>> {
    let want = |content: &Content| match content {
        Content::Key(Key::CurvePrivate(key)) if key.algorithm().agrees() => Some(key.clone()),
        _ => None,
    };
    first(path, password, &want, OF_CURVE)
}

/// An elliptic-curve public key, also from a certificate, or from an unencrypted private key.
pub fn public_of_curve(path: &Path) -> Result<AnyPublicKey> {
    let want = |content: &Content| match public_half(content) {
        Some(Key::CurvePublic(key)) if key.algorithm().agrees() => Some(key),
        _ => None,
    };
    let nobody = PasswordArgs {
        unattended: true,
        ..PasswordArgs::default()
    };
    first(path, &nobody, &want, OF_CURVE)
}

const OF_CURVE: &str = "a key of a NIST curve, secp256k1, a Brainpool curve, X25519 or X448";

/// Everything in a file, for display.
pub fn all(path: &Path, password: &PasswordArgs) -> Result<Vec<Entry>> {
    let open = |entry: &Entry| !matches!(entry.content, Err(KeyError::PasswordNeeded));
    entries(path, password, |entries| entries.iter().all(open))
}

/// Whether a certificate of a file is only the issuer of another one in a chain.
pub fn is_behind(entries: &[Entry], place: usize) -> bool {
    let certificate = |entry: &Entry| match &entry.content {
        Ok(Content::Certificate(certificate)) => Some(certificate.clone()),
        _ => None,
    };
    let Some(own) = certificate(&entries[place]) else {
        return false;
    };
    let mut before = entries[..place].iter().filter_map(certificate);
    before.any(|before| own.may_have_issued(&before))
}

/// All recipients in a file: of a chain of certificates the first one, of a key and its certificate the certificate.
/// Unusable entries are refused, as their owners could not read the message.
pub fn recipients(path: &Path, password: &PasswordArgs) -> Result<Vec<Recipient>> {
    let readable = |entries: &[Entry]| entries.iter().any(|entry| entry.content.is_ok());
    let entries = entries(path, password, readable)?;
    let mut found: Vec<(Key, bool, Recipient)> = Vec::new();
    for (place, entry) in entries.iter().enumerate() {
        let content = match &entry.content {
            Ok(content) => content,
            // A key beside its certificate.
            Err(KeyError::PasswordNeeded) => continue,
            Err(error) => return Err(refused(path, &entries, entry, error)),
        };
        if is_behind(&entries, place) {
            continue;
        }
        let (key, recipient) = match content {
            Content::Certificate(certificate) => {
                let key = certificate
                    .key()
                    .map_err(|e| refused(path, &entries, entry, e))?;
                (key.clone(), Recipient::from_certificate(certificate.der())?)
            }
            Content::Key(key) => match key.public() {
                Key::RsaPublic(key) => (
                    Key::RsaPublic(key.clone()),
                    Recipient::from_public_key(key)?,
                ),
                Key::CurvePublic(key) => {
                    let recipient = Recipient::from_curve_key(key.clone());
                    let recipient =
                        recipient.map_err(|error| refused(path, &entries, entry, &error))?;
                    (Key::CurvePublic(key), recipient)
                }
                other => {
                    let message = format!(
                        "this is {}: messages are encrypted for keys for RSA or of a curve",
                        describe(&Content::Key(other))
                    );
                    return Err(Failure::bad_input(message).about(path));
                }
            },
        };
        warn(path, &entry.notes);
        let named = matches!(content, Content::Certificate(_));
        match found
            .iter_mut()
            .find(|(known, ..)| known.has_public_of(&key))
        {
            Some(known) if named && !known.1 => *known = (key, named, recipient),
            Some(_) => {}
            None => found.push((key, named, recipient)),
        }
    }
    Ok(found.into_iter().map(|(.., recipient)| recipient).collect())
}
