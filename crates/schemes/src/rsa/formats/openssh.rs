//! OpenSSH's public key line (RFC 4253 section 6.6): `ssh-rsa BASE64 comment`.

use super::{KeyError, PublicKey, format_error, minimal, other};
use crate::formats::openssh;
use base64ct::{Base64, Encoding};

const NAME: &str = "ssh-rsa";

impl PublicKey {
    /// Reads a line `ssh-rsa BASE64 comment`, also with options before it as in `authorized_keys`.
    ///
    /// # Errors
    /// [`KeyError::Format`], [`KeyError::Algorithm`]; the errors of [`PublicKey::new`].
    pub fn from_openssh(line: &str) -> Result<PublicKey, KeyError> {
        let line = openssh::line(line).ok_or_else(|| {
            format_error(
                "an OpenSSH ssh-rsa public key line",
                "it has no word like ssh-rsa",
            )
        })?;
        if line.kind != NAME {
            return Err(other(line.kind));
        }
        PublicKey::from_spki_der(&openssh::public(&line)?)
    }

    /// Writes a line `ssh-rsa BASE64 comment`, without a line end.
    pub fn to_openssh(&self, comment: &str) -> String {
        let line = format!(
            "{NAME} {} {comment}",
            Base64::encode_string(&self.to_openssh_blob())
        );
        line.trim_end().to_owned()
    }

    /// The data of such a line, in base64 there, which is also the input of the fingerprint (RFC 4253 section 6.6).
    pub fn to_openssh_blob(&self) -> Vec<u8> {
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
        blob
    }
}
