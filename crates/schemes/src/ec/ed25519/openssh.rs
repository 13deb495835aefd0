//! Public keys as lines of OpenSSH (RFC 8709).

use super::Ed25519PublicKey;
use crate::ec::AnyPublicKey;
#[cfg(feature = "files")]
use crate::ec::KeyError;

impl Ed25519PublicKey {
    /// Writes a line `ssh-ed25519 BASE64 comment` (RFC 8709, 4), without a line end.
    ///
    /// ```
    /// use carrysave_schemes::ec::Ed25519PrivateKey;
    /// let key = Ed25519PrivateKey::from_bytes(&[7; 32]);
    /// let line = key.public().to_openssh("me@example");
    /// assert!(line.starts_with("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI") && line.ends_with(" me@example"));
    /// ```
    pub fn to_openssh(&self, comment: &str) -> String {
        let line = AnyPublicKey::from(*self).to_openssh(comment);
        line.expect("OpenSSH has such keys")
    }

    /// The data of such a line, in base64 there, which is also the input of the fingerprint (RFC 4253, 6.6).
    pub fn to_openssh_blob(&self) -> Vec<u8> {
        let blob = AnyPublicKey::from(*self).to_openssh_blob();
        blob.expect("OpenSSH has such keys")
    }
}

#[cfg(feature = "files")]
impl Ed25519PublicKey {
    /// Reads a line `ssh-ed25519 BASE64 comment`, also with options before it as in `authorized_keys`.
    ///
    /// # Errors
    /// [`KeyError::Format`], [`KeyError::Algorithm`]; the errors of [`Ed25519PublicKey::from_bytes`].
    pub fn from_openssh(line: &str) -> Result<Self, KeyError> {
        use crate::formats::{FormatError, openssh};
        let line = openssh::line(line).ok_or_else(|| {
            FormatError::new(
                "an OpenSSH ssh-ed25519 public key line",
                "it has no word like ssh-ed25519",
            )
        })?;
        Ed25519PublicKey::from_spki_der(&openssh::public(&line)?)
    }
}
