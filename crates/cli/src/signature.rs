//! Signatures as files: their bytes, or base64 of them, or as OpenSSH has them.

use crate::exit::{Code, Failure, Result};
use crate::{io, key};
use base64ct::{Base64, Encoding};
use carrysave::ec::{self, AnyPublicKey};
use carrysave::sshsig::SshSignature;
use std::path::Path;

/// A signature as text, in the lines that `openssl base64` writes.
pub fn to_base64(signature: &[u8]) -> Vec<u8> {
    let text = Base64::encode_string(signature);
    let lines = text.as_bytes().chunks(64);
    lines.flat_map(|line| [line, b"\n"].concat()).collect()
}

/// The options of signatures in the form of another program.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct Wrapping {
    /// The form of the signature [default: the signature alone]
    #[arg(long, value_enum)]
    pub format: Option<Format>,
    /// What a signature of OpenSSH is for: file, git, or a name with a domain in it [default: file]
    #[arg(long, value_name = "TEXT", requires = "format")]
    pub namespace: Option<String>,
}

/// A form of signatures.
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Of OpenSSH, as ssh-keygen -Y makes and verifies it
    Sshsig,
}

impl Wrapping {
    /// What signatures of OpenSSH are for, if these are some.
    ///
    /// # Errors
    /// If it is an empty text.
    pub fn namespace(&self) -> Result<Option<String>> {
        if self.format.is_none() {
            return Ok(None);
        }
        match self.namespace.as_deref() {
            Some("") => Err(Failure::usage(
                "OpenSSH has no signatures for nothing: give --namespace file, or leave it out",
            )),
            namespace => Ok(Some(namespace.unwrap_or("file").to_owned())),
        }
    }
}

/// Reads a signature of OpenSSH with this key, for this purpose.
///
/// # Errors
/// If it cannot be read, or is none; as one that is not valid if it is of another key or for another purpose.
pub fn read_openssh(path: &Path, key: &[u8], namespace: &str) -> Result<SshSignature> {
    let found = SshSignature::from_pem(&io::read_small(path, key::MAX)?);
    let found = found.map_err(|error| Failure::from(error).about(path))?;
    let why = if found.key != key {
        "it was made with another key: use the public key of its signer".to_owned()
    } else if found.namespace != namespace {
        format!(
            "it is for \"{}\", not \"{namespace}\": say what it should be for with --namespace",
            found.namespace
        )
    } else {
        return Ok(found);
    };
    Err(Failure::new(Code::Failed, format!("the signature does not fit: {why}")).about(path))
}

/// The form of a key's signatures.
#[derive(Clone, Debug)]
pub enum Form {
    /// So many bytes.
    Bytes(usize),
    /// ECDSA with a key of this curve: DER, or r and s one after the other.
    Ecdsa(Box<AnyPublicKey>),
}

impl Form {
    /// The signature in these bytes, as tasks take it.
    fn accept(&self, found: &[u8]) -> Option<Vec<u8>> {
        match self {
            Form::Bytes(size) => (found.len() == *size).then(|| found.to_vec()),
            Form::Ecdsa(key) => key.signature_to_der(found).ok(),
        }
    }

    /// Whether these bytes have the frame of a signature, so that what is wrong is inside.
    fn frames(&self, found: &[u8]) -> bool {
        let Form::Ecdsa(key) = self else {
            return false;
        };
        let numbers = 2 * key.algorithm().size();
        let der = found.first() == Some(&0x30) && (8..=numbers + 9).contains(&found.len());
        der || found.len() == numbers
    }

    /// What a signature is.
    pub fn describe(&self) -> String {
        match self {
            Form::Bytes(size) => format!("{size} bytes"),
            Form::Ecdsa(key) => {
                format!("the DER or the two numbers of ECDSA on {}", key.algorithm())
            }
        }
    }
}

/// Reads a signature of a form: binary, or in base64 with any white space in it.
///
/// # Errors
/// If it cannot be read, or is neither.
pub fn read(path: &Path, form: &Form) -> Result<Vec<u8>> {
    let mut found = io::read_small(path, key::MAX)?.to_vec();
    if let Some(signature) = form.accept(&found) {
        return Ok(signature);
    }
    let (len, framed) = (found.len(), form.frames(&found));
    found.retain(|byte| !byte.is_ascii_whitespace());
    let text = std::str::from_utf8(&found).ok();
    let decoded = text.and_then(|text| Base64::decode_vec(text).ok());
    if let Some(signature) = decoded.as_deref().and_then(|found| form.accept(found)) {
        return Ok(signature);
    }
    if framed || decoded.is_some_and(|found| form.frames(&found)) {
        return Err(Failure::from(ec::Error::Verification).about(path));
    }
    let message = format!(
        "a signature of this key is {}, or base64 of that, and this file has {len} bytes",
        form.describe()
    );
    Err(Failure::bad_input(message).about(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_are_read_as_they_are_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s");
        let found = |text: &[u8], size| {
            std::fs::write(&path, text).unwrap();
            read(&path, &Form::Bytes(size)).ok()
        };
        for size in [64, 128, 256, 512, 513] {
            let signature: Vec<u8> = (0..size).map(|i| (i * i) as u8).collect();
            let text = to_base64(&signature);
            assert!(
                text.split(|&byte| byte == b'\n')
                    .all(|line| line.len() <= 64)
            );
            let crlf = String::from_utf8(text.clone()).unwrap();
            let crlf = crlf.replace('\n', " \r\n\t");
            for form in [&signature, &text, crlf.trim().as_bytes(), crlf.as_bytes()] {
                assert_eq!(found(form, size).as_ref(), Some(&signature), "{size}");
                assert_eq!(found(form, size + 1), None, "{size}");
            }
            assert_eq!(found(&text[1..], size), None);
            assert_eq!(found(&[&text[..], b"="].concat(), size), None);
        }
    }
}
