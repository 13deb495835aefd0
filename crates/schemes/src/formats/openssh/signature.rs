//! Signatures of files in the form of OpenSSH (PROTOCOL.sshsig), as `ssh-keygen -Y sign` makes them and `ssh-keygen -Y
//! verify` and git read them. What is signed is a short [`message`] about the file: its digest, and what the signature is
//! for.
//!
//! ```
//! use carrysave_schemes::ec::Ed25519PrivateKey;
//! use carrysave_schemes::{hash::Hash, sshsig::{self, SshSignature}};
//! let key = Ed25519PrivateKey::generate();
//! let digest = Hash::Sha512.digest(b"the file");
//! let signed = sshsig::message("file", Hash::Sha512, &digest);
//! let made = SshSignature {
//!     key: key.public().to_openssh_blob(),
//!     namespace: "file".into(),
//!     hash: Hash::Sha512,
//!     kind: "ssh-ed25519".into(),
//!     signature: key.sign(&signed).0.to_vec(),
//! };
//! let text = made.to_pem();
//! assert!(text.starts_with("-----BEGIN SSH SIGNATURE-----\n"));
//! assert_eq!(SshSignature::from_pem(text.as_bytes()).unwrap(), made);
//! ```

use super::{int, string};
use crate::formats::{FormatError, pem, ssh_string};
use crate::{KeyError, hash::Hash};
use base64ct::{Base64, Encoding};

const WHAT: &str = "a signature of OpenSSH";
/// What signatures, and what is signed, begin with.
const MAGIC: &[u8] = b"SSHSIG";
/// The only version.
const VERSION: u32 = 1;
/// The label of the text.
const LABEL: &str = "SSH SIGNATURE";
/// Letters in a line of `ssh-keygen`.
const LINE: usize = 70;

/// A signature with its signer's public key, and for what it was made. It is only read here: whether it is valid, and the
/// key one to trust, is not checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SshSignature {
    /// The signer's public key, as `to_openssh_blob` writes it.
    pub key: Vec<u8>,
    /// What the signature is for: `file`, or `git` for commits. It is no empty text.
    pub namespace: String,
    /// The hash of the file.
    pub hash: Hash,
    /// What OpenSSH calls signatures of this kind: `rsa-sha2-512` or `rsa-sha2-256` (RFC 8332, PKCS #1 v1.5), or as the
    /// key.
    pub kind: String,
    /// The signature of [`message`]: of RSA, as many octets as the key has; of Ed25519, 64; of ECDSA, what
    /// [`signature_to_openssh`](crate::ec::AnyPublicKey::signature_to_openssh) makes.
    pub signature: Vec<u8>,
}

/// What is signed in place of a file with this digest.
pub fn message(namespace: &str, hash: Hash, digest: &[u8]) -> Vec<u8> {
    let parts = [namespace.as_bytes(), b"", hash.name().as_bytes(), digest];
    let parts = parts.into_iter().flat_map(|part| ssh_string(part).to_vec());
    MAGIC.iter().copied().chain(parts).collect()
}

fn refuse(why: impl ToString) -> KeyError {
    FormatError::new(WHAT, why).into()
}

impl SshSignature {
    /// The hash of [`message`] that a signature with an RSA key of this kind has; `None` for another kind.
    pub fn rsa_hash(&self) -> Option<Hash> {
        match &*self.kind {
            "rsa-sha2-512" => Some(Hash::Sha512),
            "rsa-sha2-256" => Some(Hash::Sha256),
            _ => None,
        }
    }

    /// Writes the text, as `ssh-keygen` does.
    pub fn to_pem(&self) -> String {
        let inner = [self.kind.as_bytes(), &self.signature];
        let inner: Vec<u8> = inner
            .iter()
            .flat_map(|it| ssh_string(it).to_vec())
            .collect();
        let hash = self.hash.name().as_bytes();
        let parts = [&self.key, self.namespace.as_bytes(), b"", hash, &inner];
        let mut blob = [MAGIC, &VERSION.to_be_bytes()].concat();
        parts
            .iter()
            .for_each(|part| blob.extend(&*ssh_string(part)));
        let text = Base64::encode_string(&blob);
        let mut lines = format!("-----BEGIN {LABEL}-----\n");
        for line in text.as_bytes().chunks(LINE) {
            lines.extend(line.iter().map(|&letter| char::from(letter)));
            lines.push('\n');
        }
        lines + "-----END " + LABEL + "-----\n"
    }

    /// Reads the text.
    ///
    /// # Errors
    /// [`KeyError::Format`] if it is none, or of another version or hash than `sha256` and `sha512`.
    pub fn from_pem(text: &[u8]) -> Result<Self, KeyError> {
        let text = str::from_utf8(text).map_err(|_| refuse("it is no text"))?;
        let blob = pem::labelled(text, LABEL, WHAT)?;
        let damaged = || refuse("it is damaged or cut short");
        let mut rest = blob.strip_prefix(MAGIC).ok_or_else(damaged)?;
        let rest = &mut rest;
        match int(rest).ok_or_else(damaged)? {
            VERSION => {}
            version => return Err(refuse(format_args!("it has the version {version}"))),
        }
        let mut next = || string(rest).ok_or_else(damaged);
        // The reserved part is for later versions, which readers of this one ignore.
        let [key, namespace, _, hash, inner] = [next()?, next()?, next()?, next()?, next()?];
        let mut inner = inner;
        let [kind, signature] = [(); 2].map(|()| string(&mut inner));
        let (kind, signature) = (kind.ok_or_else(damaged)?, signature.ok_or_else(damaged)?);
        if !rest.is_empty() || !inner.is_empty() {
            return Err(refuse("something follows its last part"));
        }
        if namespace.is_empty() {
            return Err(refuse("it does not say what it is for"));
        }
        let text = |octets: &[u8]| String::from_utf8(octets.to_vec()).map_err(|_| damaged());
        Ok(SshSignature {
            key: key.to_vec(),
            namespace: text(namespace)?,
            hash: match hash {
                b"sha256" => Hash::Sha256,
                b"sha512" => Hash::Sha512,
                _ => return Err(refuse("its hash is neither sha256 nor sha512")),
            },
            kind: text(kind)?,
            signature: signature.to_vec(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made() -> SshSignature {
        SshSignature {
            key: b"a key".to_vec(),
            namespace: "file".into(),
            hash: Hash::Sha256,
            kind: "rsa-sha2-256".into(),
            signature: vec![7; 256],
        }
    }

    /// PROTOCOL.sshsig, section 2: the lengths are of four octets.
    #[test]
    fn what_is_signed_is_as_the_protocol_says() {
        let expected = b"SSHSIG\0\0\0\x04file\0\0\0\0\0\0\0\x06sha256\0\0\0\x02\x01\x02";
        assert_eq!(message("file", Hash::Sha256, &[1, 2]), expected);
    }

    #[test]
    fn what_is_written_is_read() {
        for hash in [Hash::Sha256, Hash::Sha512] {
            let made = SshSignature { hash, ..made() };
            let text = made.to_pem();
            assert!(text.lines().all(|line| line.len() <= LINE));
            assert_eq!(SshSignature::from_pem(text.as_bytes()).unwrap(), made);
            let crlf = text.replace('\n', "\r\n");
            assert_eq!(SshSignature::from_pem(crlf.as_bytes()).unwrap(), made);
        }
        assert_eq!(made().rsa_hash(), Some(Hash::Sha256));
    }

    #[test]
    fn what_is_damaged_is_refused() {
        let text = made().to_pem();
        let blob = pem::labelled(&text, LABEL, WHAT).unwrap();
        let wrapped = |blob: &[u8]| {
            let text = Base64::encode_string(blob);
            format!("-----BEGIN {LABEL}-----\n{text}\n-----END {LABEL}-----\n")
        };
        assert!(SshSignature::from_pem(wrapped(&blob).as_bytes()).is_ok());
        for len in 0..blob.len() {
            let cut = SshSignature::from_pem(wrapped(&blob[..len]).as_bytes());
            assert!(matches!(cut, Err(KeyError::Format { .. })), "{len}");
        }
        let longer = [&blob[..], b"x"].concat();
        assert!(SshSignature::from_pem(wrapped(&longer).as_bytes()).is_err());
        let mut later = blob.to_vec();
        later[9] = 2;
        let error = SshSignature::from_pem(wrapped(&later).as_bytes()).unwrap_err();
        assert!(error.to_string().contains("the version 2"), "{error}");
        let other = SshSignature {
            hash: Hash::Sha1,
            ..made()
        }
        .to_pem();
        let error = SshSignature::from_pem(other.as_bytes()).unwrap_err();
        assert!(error.to_string().contains("neither sha256"), "{error}");
        for text in [&b""[..], b"no text", b"\xff"] {
            assert!(SshSignature::from_pem(text).is_err());
        }
    }
}
