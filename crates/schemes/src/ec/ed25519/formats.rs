//! Keys in SubjectPublicKeyInfo and PKCS #8 (RFC 8410, RFC 5958), and as lines of OpenSSH (RFC 8709).

use super::{Ed25519PrivateKey, Ed25519PublicKey};
use crate::ec::AnyPublicKey;
use crate::ec::formats::{not_private, not_public, other, public_octets};
use crate::ec::{INVALID, KeyError};
use crate::formats::{self, Notes};
use der::asn1::OctetStringRef;
use der::{Decode, Encode};
use pkcs8::PrivateKeyInfoRef;
use spki::AlgorithmIdentifierRef;
use zeroize::Zeroizing;

/// id-Ed25519 (RFC 8410, 3).
const ED25519: AlgorithmIdentifierRef<'static> = AlgorithmIdentifierRef {
    oid: formats::ED25519,
    parameters: None,
};

impl Ed25519PublicKey {
    /// Reads `SubjectPublicKeyInfo` from DER.
    ///
    /// # Errors
    /// [`KeyError::Format`], [`KeyError::Algorithm`]; the errors of [`Ed25519PublicKey::from_bytes`].
    pub fn from_spki_der(der: &[u8]) -> Result<Self, KeyError> {
        let octets = public_octets(der, ED25519)?.try_into();
        let octets = octets.map_err(|_| not_public("its key is not of 32 bytes"))?;
        Ed25519PublicKey::from_bytes(octets)
    }

    /// Writes `SubjectPublicKeyInfo` as DER.
    pub fn to_spki_der(&self) -> Vec<u8> {
        formats::public_key_info(ED25519, self.as_bytes())
    }

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

impl Ed25519PrivateKey {
    /// Reads `PrivateKeyInfo` from DER, without and with the public key.
    ///
    /// # Errors
    /// [`KeyError::Format`], [`KeyError::Algorithm`], and [`KeyError::Invalid`] if a public key in the file does not match.
    pub fn from_pkcs8_der(der: &[u8]) -> Result<Self, KeyError> {
        Ed25519PrivateKey::from_pkcs8_noted(der, &mut Notes::new())
    }

    pub(crate) fn from_pkcs8_noted(der: &[u8], _: &mut Notes) -> Result<Self, KeyError> {
        let info = PrivateKeyInfoRef::from_der(der).map_err(not_private)?;
        if info.algorithm != ED25519 {
            return Err(other(info.algorithm, not_private));
        }
        let key = <&OctetStringRef>::from_der(info.private_key.as_bytes()).map_err(not_private)?;
        let octets: Result<&[u8; 32], _> = key.as_bytes().try_into();
        let octets = octets.map_err(|_| not_private("its key is not of 32 bytes"))?;
        let key = Ed25519PrivateKey::from_bytes(octets);
        match info.public_key.map(|public| public.as_bytes()) {
            Some(public) if public != Some(&key.public().as_bytes()[..]) => Err(INVALID),
            _ => Ok(key),
        }
    }

    /// Writes `PrivateKeyInfo` as DER, without the public key, as OpenSSL does.
    pub fn to_pkcs8_der(&self) -> Zeroizing<Vec<u8>> {
        self.pkcs8(None)
    }

    /// Writes `PrivateKeyInfo` of version 2 as DER, with the public key, as ring asks for.
    pub fn to_pkcs8_v2_der(&self) -> Zeroizing<Vec<u8>> {
        self.pkcs8(Some(self.public().as_bytes()))
    }

    fn pkcs8(&self, public: Option<&[u8]>) -> Zeroizing<Vec<u8>> {
        let key = OctetStringRef::new(self.as_bytes()).expect("32 bytes");
        let key = Zeroizing::new(key.to_der().expect("32 bytes"));
        formats::private_key_info(ED25519, &key, public)
    }
}
