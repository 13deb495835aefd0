//! Keys of OpenSSH.

#[cfg(feature = "files")]
use super::AnyPrivateKey;
#[cfg(feature = "files")]
use super::Error;
use super::{Algorithm, AnyPublicKey};
#[cfg(feature = "files")]
use crate::formats::openssh::{mpint, writing};
use crate::formats::ssh_string;
use base64ct::{Base64, Encoding};
#[cfg(feature = "files")]
use {rand_core::CryptoRng, zeroize::Zeroizing};

impl Algorithm {
    /// What OpenSSH calls such keys, as `ssh-ed25519` or `ecdsa-sha2-nistp256` (RFC 5656, 3.1; RFC 8709, 4); `None` if it
    /// has none.
    ///
    /// ```
    /// use carrysave_schemes::ec::Algorithm;
    /// assert_eq!(Algorithm::P256.openssh_kind(), Some("ecdsa-sha2-nistp256"));
    /// assert_eq!(Algorithm::X25519.openssh_kind(), None);
    /// ```
    pub fn openssh_kind(self) -> Option<&'static str> {
        match self {
            Algorithm::P256 => Some("ecdsa-sha2-nistp256"),
            Algorithm::P384 => Some("ecdsa-sha2-nistp384"),
            Algorithm::P521 => Some("ecdsa-sha2-nistp521"),
            Algorithm::Ed25519 => Some("ssh-ed25519"),
            _ => None,
        }
    }
}

impl AnyPublicKey {
    /// Writes a line of OpenSSH, such as `ssh-ed25519 BASE64 comment` or `ecdsa-sha2-nistp256 BASE64 comment` (RFC 5656,
    /// 3.1; RFC 8709, 4), without a line end; `None` for a key without a form in OpenSSH.
    pub fn to_openssh(&self, comment: &str) -> Option<String> {
        let kind = self.algorithm().openssh_kind()?;
        let blob = Base64::encode_string(&self.to_openssh_blob()?);
        Some(format!("{kind} {blob} {comment}").trim_end().to_owned())
    }

    /// The data of such a line, in base64 there, which is also the input of the fingerprint (RFC 4253, 6.6).
    pub fn to_openssh_blob(&self) -> Option<Vec<u8>> {
        let kind = self.algorithm().openssh_kind()?;
        let key = self.to_octets();
        // Keys of ECDSA name their curve once more.
        let curve = kind.strip_prefix("ecdsa-sha2-").map(str::as_bytes);
        let parts = [Some(kind.as_bytes()), curve, Some(&key)];
        let parts = parts.into_iter().flatten();
        Some(parts.flat_map(|part| ssh_string(part).to_vec()).collect())
    }
}

#[cfg(feature = "files")]
impl AnyPublicKey {
    /// A signature with this key as [`SshSignature`](crate::sshsig::SshSignature) has it: of ECDSA, the DER, as two numbers
    /// of OpenSSH (RFC 5656, 3.1.2). One of Ed25519 stays as it is.
    ///
    /// # Errors
    /// [`Error::Verification`] for what is not DER, [`Error::NoDigest`] for a key of X25519.
    pub fn signature_to_openssh(&self, signature: &[u8]) -> Result<Vec<u8>, Error> {
        if let AnyPublicKey::Ed25519(_) = self {
            return Ok(signature.to_vec());
        }
        let numbers = self.signature_from_der(signature)?;
        let numbers = numbers.chunks(self.algorithm().size());
        Ok(numbers
            .flat_map(|number| writing::mpint(number).to_vec())
            .collect())
    }

    /// What [`AnyPublicKey::signature_to_openssh`] was given.
    ///
    /// # Errors
    /// [`Error::Verification`] for what it does not give, [`Error::NoDigest`] for a key of X25519.
    pub fn signature_from_openssh(&self, signature: &[u8]) -> Result<Vec<u8>, Error> {
        if let AnyPublicKey::Ed25519(_) = self {
            return Ok(signature.to_vec());
        }
        let mut rest = signature;
        let size = self.algorithm().size();
        let mut number = || mpint(&mut rest)?.to_be_bytes(size);
        let [r, s] = [number(), number()];
        match (r, s, rest) {
            (Some(r), Some(s), []) => self.signature_to_der(&[&r[..], &s].concat()),
            _ => Err(Error::Verification),
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
