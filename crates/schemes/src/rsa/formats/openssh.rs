//! OpenSSH's public key line (RFC 4253 section 6.6): `ssh-rsa BASE64 comment`.

use super::{KeyError, PublicKey, format_error, minimal};
use base64ct::{Base64, Encoding};
use carrysave_arith::Nat;

const OPENSSH: &str = "an OpenSSH ssh-rsa public key line";
const NAME: &str = "ssh-rsa";

/// The text, if this is such a line.
pub(super) fn line(bytes: &[u8]) -> Option<&str> {
    let text = str::from_utf8(bytes).ok()?;
    text.trim_start().starts_with("ssh-").then_some(text)
}

impl PublicKey {
    /// Reads a line `ssh-rsa BASE64 comment`.
    ///
    /// # Errors
    /// [`KeyError::Format`], [`KeyError::Algorithm`]; the errors of [`PublicKey::new`].
    pub fn from_openssh(line: &str) -> Result<PublicKey, KeyError> {
        let mut words = line.split_ascii_whitespace();
        match words.next() {
            Some(NAME) => {}
            Some(other) if other.starts_with("ssh-") => {
                return Err(KeyError::Algorithm(other.to_owned()));
            }
            _ => return Err(format_error(OPENSSH, "it does not start with ssh-rsa")),
        }
        let blob = words
            .next()
            .and_then(|base64| Base64::decode_vec(base64).ok());
        let blob = blob.ok_or_else(|| format_error(OPENSSH, "its second word is not base64"))?;
        let rest = &mut &blob[..];
        let parts = (string(rest), mpint(rest), mpint(rest), rest.is_empty());
        let (Some(b"ssh-rsa"), Some(e), Some(n), true) = parts else {
            return Err(format_error(
                OPENSSH,
                "it does not hold the name and two positive numbers",
            ));
        };
        PublicKey::new(n, e)
    }

    /// Writes a line `ssh-rsa BASE64 comment`, without a line end.
    pub fn to_openssh(&self, comment: &str) -> String {
        let mut blob = Vec::new();
        let mut string = |leading: &[u8], bytes: &[u8]| {
            blob.extend_from_slice(&((leading.len() + bytes.len()) as u32).to_be_bytes());
            blob.extend_from_slice(leading);
            blob.extend_from_slice(bytes);
        };
        string(&[], NAME.as_bytes());
        for number in [self.e(), self.n()].map(minimal) {
            // The numbers are signed: a zero byte before a top bit.
            string(if number[0] < 0x80 { &[] } else { &[0] }, &number);
        }
        let line = format!("{NAME} {} {comment}", Base64::encode_string(&blob));
        line.trim_end().to_owned()
    }
}

/// Takes a string (RFC 4251 section 5): its length in four bytes, then the bytes.
fn string<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let length = u32::from_be_bytes(*rest.split_off(..4)?.first_chunk()?);
    rest.split_off(..usize::try_from(length).ok()?)
}

/// Takes a positive number in its shortest form.
fn mpint(rest: &mut &[u8]) -> Option<Nat> {
    let bytes = string(rest)?;
    let magnitude = bytes.strip_prefix(&[0]).unwrap_or(bytes);
    let needs_zero = *magnitude.first()? >= 0x80;
    let shortest = magnitude[0] != 0 && needs_zero == (magnitude.len() < bytes.len());
    shortest.then(|| Nat::from_be_bytes(magnitude))
}
