//! Keys of OpenSSH.

#[cfg(feature = "files")]
use super::AnyPrivateKey;
use super::AnyPublicKey;
#[cfg(feature = "files")]
use crate::formats::openssh::writing;
use crate::formats::ssh_string;
use base64ct::{Base64, Encoding};
#[cfg(feature = "files")]
use {rand_core::CryptoRng, zeroize::Zeroizing};

impl AnyPublicKey {
    /// Writes a line of OpenSSH, such as `ssh-ed25519 BASE64 comment` or `ecdsa-sha2-nistp256 BASE64 comment` (RFC 5656,
    /// 3.1; RFC 8709, 4), without a line end; `None` for a key without a form in OpenSSH.
    pub fn to_openssh(&self, comment: &str) -> Option<String> {
        let blob = self.to_openssh_blob()?;
        // It begins with its kind, behind four octets that say how long that is.
        let len = usize::from(*blob.get(3)?);
        let kind = String::from_utf8_lossy(blob.get(4..4 + len)?);
        let line = format!("{kind} {} {comment}", Base64::encode_string(&blob));
        Some(line.trim_end().to_owned())
    }

    /// The data of such a line, in base64 there, which is also the input of the fingerprint (RFC 4253, 6.6).
    pub fn to_openssh_blob(&self) -> Option<Vec<u8>> {
        if let AnyPublicKey::Ed25519(key) = self {
            return Some(key.to_openssh_blob());
        }
        let curve = self.openssh_curve()?;
        let (kind, key) = (format!("ecdsa-sha2-{curve}"), self.to_octets());
        let parts = [kind.as_bytes(), curve.as_bytes(), &key];
        Some(parts.map(|part| ssh_string(part).to_vec()).concat())
    }

    /// The curve's name there.
    fn openssh_curve(&self) -> Option<&'static str> {
        match self {
            AnyPublicKey::P256(_) => Some("nistp256"),
            AnyPublicKey::P384(_) => Some("nistp384"),
            AnyPublicKey::P521(_) => Some("nistp521"),
            _ => None,
        }
    }
}

#[cfg(feature = "files")]
impl AnyPrivateKey {
    /// Writes a private key file of OpenSSH, encrypted with the password if there is one (by bcrypt and AES-256-CTR, as
    /// `ssh-keygen` does); `None` for a key without a form in OpenSSH.
    ///
    /// # Panics
    /// If the password is empty.
    ///
    /// # Timing
    /// Depends on the lengths of the parts, and on how many leading zero octets the private number has, as the file's
    /// length does.
    ///
    /// ```
    /// use carrysave_schemes::ec::{Algorithm, AnyPrivateKey};
    /// let rng = &mut rand_core::UnwrapErr(getrandom::SysRng);
    /// let key = AnyPrivateKey::generate_with(Algorithm::Ed25519, rng);
    /// let text = key.to_openssh("me@example.com", None, rng).unwrap();
    /// assert!(text.starts_with("-----BEGIN OPENSSH PRIVATE KEY-----\n"));
    /// ```
    pub fn to_openssh<R: CryptoRng + ?Sized>(
        &self,
        comment: &str,
        password: Option<&[u8]>,
        rng: &mut R,
    ) -> Option<Zeroizing<String>> {
        let public = self.public();
        let (blob, secret) = (public.to_openssh_blob()?, self.to_octets());
        let last = match self {
            AnyPrivateKey::Ed25519(_) => {
                ssh_string(&Zeroizing::new([&secret[..], &public.to_octets()].concat()))
            }
            _ => writing::mpint(&secret),
        };
        Some(writing::private(
            &blob,
            &[&blob, &last],
            comment,
            password,
            rng,
        ))
    }
}
