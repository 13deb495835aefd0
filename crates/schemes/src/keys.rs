//! Key files of any algorithm and form.
//!
//! ```
//! use carrysave_schemes::{ec, keys::{self, Content, Key}};
//! let rng = &mut rand_core::UnwrapErr(getrandom::SysRng);
//! let key = ec::AnyPrivateKey::generate_with(ec::Algorithm::P256, rng);
//! let file = format!("a comment\n{}\n{}", key.public().to_spki_pem(), *key.to_pkcs8_pem());
//! let entries = keys::read(file.as_bytes(), None);
//! assert_eq!(entries.iter().map(|entry| entry.line).collect::<Vec<_>>(), [2, 7]);
//! assert!(matches!(entries[0].content, Ok(Content::Key(Key::CurvePublic(_)))));
//! assert!(matches!(entries[1].content, Ok(Content::Key(Key::CurvePrivate(_)))));
//! ```

use crate::KeyError;
use crate::formats::{self, FormatError, Found, Item, Notes, algorithm_name};
use crate::{dl, ec, rsa};
use der::{Decode, Encode};
use pkcs8::PrivateKeyInfoRef;
use spki::{AlgorithmIdentifierRef, SubjectPublicKeyInfoRef};
use x509_cert::certificate::{CertificateInner, Raw};

/// A key.
#[derive(Clone, Debug)]
#[non_exhaustive]
#[allow(clippy::large_enum_variant)] // Few are held at a time.
pub enum Key {
    /// Both halves, for RSA.
    RsaPrivate(rsa::PrivateKey),
    /// The public half, for RSA.
    RsaPublic(rsa::PublicKey),
    /// Both halves, for agreement or signatures on a curve.
    CurvePrivate(std::sync::Arc<ec::AnyPrivateKey>),
    /// The public half, for agreement or signatures on a curve.
    CurvePublic(ec::AnyPublicKey),
    /// Both halves, in a group in GF(p)*, with the form in the file.
    GroupPrivate(dl::Form, std::sync::Arc<dl::PrivateKey>),
    /// The public half, in a group in GF(p)*, with the form in the file.
    GroupPublic(dl::Form, dl::PublicKey),
}

impl Key {
    /// The public half.
    #[must_use]
    pub fn public(&self) -> Key {
        match self {
            Key::RsaPrivate(key) => Key::RsaPublic(key.public().clone()),
            Key::CurvePrivate(key) => Key::CurvePublic(key.public()),
            Key::GroupPrivate(form, key) => Key::GroupPublic(*form, key.public().clone()),
            public => public.clone(),
        }
    }

    /// Whether the public halves are equal.
    pub fn has_public_of(&self, other: &Key) -> bool {
        match (self.public(), other.public()) {
            (Key::RsaPublic(own), Key::RsaPublic(other)) => own == other,
            (Key::CurvePublic(own), Key::CurvePublic(other)) => own == other,
            (Key::GroupPublic(_, own), Key::GroupPublic(_, other)) => own == other,
            _ => false,
        }
    }

    /// The input of OpenSSH's fingerprints (RFC 4253, 6.6; RFC 5656, 3.1; RFC 8709, 4); `None` for a key without a form in OpenSSH.
    pub fn to_openssh_blob(&self) -> Option<Vec<u8>> {
        match self.public() {
            Key::RsaPublic(key) => Some(key.to_openssh_blob()),
            Key::CurvePublic(key) => key.to_openssh_blob(),
            _ => None,
        }
    }

    /// Whether the key has both halves.
    pub fn is_private(&self) -> bool {
        matches!(
            self,
            Key::RsaPrivate(_) | Key::CurvePrivate(_) | Key::GroupPrivate(..)
        )
    }
}

/// A certificate (RFC 5280): a key with a name. It is not verified.
#[derive(Clone, Debug)]
pub struct Certificate {
    der: Vec<u8>,
    parsed: Option<Box<CertificateInner<Raw>>>,
    key: Result<Key, KeyError>,
    notes: Notes,
}

impl Certificate {
    fn new(der: Vec<u8>) -> Certificate {
        let mut notes = Notes::new();
        let key = formats::x509::spki(&der)
            .map_err(KeyError::from)
            .and_then(|spki| public(&spki, &mut notes));
        let parsed = CertificateInner::from_der(&der).ok().map(Box::new);
        Certificate {
            der,
            parsed,
            key,
            notes,
        }
    }

    /// The whole certificate, as DER.
    pub fn der(&self) -> &[u8] {
        &self.der
    }

    /// The public key in it.
    ///
    /// # Errors
    /// As [`Entry::content`].
    pub fn key(&self) -> Result<&Key, &KeyError> {
        self.key.as_ref()
    }

    /// The subject (RFC 4514); `None` if it cannot be read.
    pub fn subject(&self) -> Option<String> {
        Some(
            self.parsed
                .as_ref()?
                .tbs_certificate()
                .subject()
                .to_string(),
        )
    }

    /// The issuer (RFC 4514).
    pub fn issuer(&self) -> Option<String> {
        Some(self.parsed.as_ref()?.tbs_certificate().issuer().to_string())
    }

    /// The first and the last second of its validity (RFC 3339).
    pub fn validity(&self) -> Option<[String; 2]> {
        let validity = self.parsed.as_ref()?.tbs_certificate().validity();
        Some([&validity.not_before, &validity.not_after].map(ToString::to_string))
    }

    /// The octets of its serial number.
    pub fn serial(&self) -> Option<&[u8]> {
        Some(
            self.parsed
                .as_ref()?
                .tbs_certificate()
                .serial_number()
                .as_bytes(),
        )
    }

    /// The usual name of the signature's algorithm, or its identifier.
    pub fn signature_algorithm(&self) -> Option<String> {
        let oid = self.parsed.as_ref()?.signature_algorithm().oid.to_string();
        let name = match &oid[..] {
            "1.2.840.113549.1.1.4" => "RSA with MD5",
            "1.2.840.113549.1.1.5" => "RSA with SHA-1",
            "1.2.840.113549.1.1.10" => "RSASSA-PSS",
            "1.2.840.113549.1.1.11" => "RSA with SHA-256",
            "1.2.840.113549.1.1.12" => "RSA with SHA-384",
            "1.2.840.113549.1.1.13" => "RSA with SHA-512",
            "1.2.840.10045.4.1" => "ECDSA with SHA-1",
            "1.2.840.10045.4.3.2" => "ECDSA with SHA-256",
            "1.2.840.10045.4.3.3" => "ECDSA with SHA-384",
            "1.2.840.10045.4.3.4" => "ECDSA with SHA-512",
            "2.16.840.1.101.3.4.3.2" => "DSA with SHA-256",
            "1.3.101.112" => "Ed25519",
            "1.3.101.113" => "Ed448",
            _ => return Some(oid),
        };
        Some(name.to_owned())
    }

    /// Whether `other` names this certificate's subject as its issuer, as in a chain.
    pub fn may_have_issued(&self, other: &Certificate) -> bool {
        let (Some(own), Some(other)) = (&self.parsed, &other.parsed) else {
            return false;
        };
        let (subject, issuer) = (
            own.tbs_certificate().subject(),
            other.tbs_certificate().issuer(),
        );
        subject.to_der().ok() == issuer.to_der().ok()
    }
}

/// The contents of an entry.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant)] // Few are held at a time.
pub enum Content {
    /// A key.
    Key(Key),
    /// A certificate.
    Certificate(Certificate),
}

/// An entry of a file.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The number of its first line, from 1; 0 in a file without lines.
    pub line: usize,
    /// The contents.
    ///
    /// # Errors
    /// [`KeyError::PasswordNeeded`] if it is encrypted and no password was given; else why it was refused.
    pub content: Result<Content, KeyError>,
    /// A warning about an accepted key: a violation of a standard, or a weak encryption.
    pub notes: Vec<&'static str>,
}

/// All keys and certificates of a file, in their order, one entry at least: PKCS #8, PKCS #1, SEC 1 and OpenSSL's form of
/// DSA keys, plain and encrypted with `password`; SubjectPublicKeyInfo, certificates, each as PEM among text or as DER or
/// BER; OpenSSH's private keys and its public lines, also with options as in `authorized_keys`; PKCS #12 stores.
///
/// A key is derived from the password once for each entry that needs one.
///
/// # Timing
/// Depends on lengths, and on which keys are accepted.
pub fn read(bytes: &[u8], password: Option<&[u8]>) -> Vec<Entry> {
    let entry = |Found {
                     line,
                     item,
                     mut notes,
                 }: Found| {
        let content = item.map_err(KeyError::from).and_then(|item| match item {
            Item::Private(der) => private(&der, &mut notes).map(Content::Key),
            Item::Public(der) => public(&der, &mut notes).map(Content::Key),
            Item::Certificate(der) => {
                let certificate = Certificate::new(der);
                notes.extend(&certificate.notes);
                Ok(Content::Certificate(certificate))
            }
        });
        Entry {
            line,
            content,
            notes,
        }
    };
    formats::open(bytes, password)
        .into_iter()
        .map(entry)
        .collect()
}

/// The keys that are read.
const NEEDED: &str = "one for RSA, P-224, P-256, P-384, P-521, secp256k1, a Brainpool curve (r1), X25519, Ed25519, X448, Ed448, Diffie-Hellman or DSA";

/// The kind of key of an algorithm.
enum Family {
    Rsa,
    Curve,
    Group,
}

fn family(algorithm: AlgorithmIdentifierRef<'_>) -> Result<Family, KeyError> {
    match &algorithm.oid.to_string()[..] {
        "1.2.840.113549.1.1.1" | "1.2.840.113549.1.1.10" => Ok(Family::Rsa),
        "1.2.840.10045.2.1" | "1.3.101.110" | "1.3.101.111" | "1.3.101.112" | "1.3.101.113" => {
            Ok(Family::Curve)
        }
        "1.2.840.10040.4.1" | "1.2.840.10046.2.1" | "1.2.840.113549.1.3.1" => Ok(Family::Group),
        _ => Err(KeyError::Algorithm {
            found: algorithm_name(algorithm.oid),
            needed: NEEDED,
        }),
    }
}

fn damaged(e: impl ToString) -> KeyError {
    FormatError::new("a key", e).into()
}

fn private(der: &[u8], notes: &mut Notes) -> Result<Key, KeyError> {
    let algorithm = PrivateKeyInfoRef::from_der(der).map_err(damaged)?.algorithm;
    let key = match family(algorithm)? {
        Family::Rsa => rsa::PrivateKey::from_pkcs8_noted(der, notes).map(Key::RsaPrivate),
        Family::Curve => {
            ec::AnyPrivateKey::from_pkcs8_noted(der, notes).map(|key| Key::CurvePrivate(key.into()))
        }
        Family::Group => dl::PrivateKey::from_pkcs8_der(der)
            .map(|(form, key)| Key::GroupPrivate(form, key.into())),
    };
    key.map_err(|error| error.needing(NEEDED).of_known())
}

fn public(der: &[u8], notes: &mut Notes) -> Result<Key, KeyError> {
    let info = SubjectPublicKeyInfoRef::from_der(der).map_err(damaged)?;
    let key = match family(info.algorithm)? {
        Family::Rsa => rsa::PublicKey::from_spki_noted(der, notes).map(Key::RsaPublic),
        Family::Curve => ec::AnyPublicKey::from_spki_der(der).map(Key::CurvePublic),
        Family::Group => {
            dl::PublicKey::from_spki_der(der).map(|(form, key)| Key::GroupPublic(form, key))
        }
    };
    key.map_err(|error| error.needing(NEEDED).of_known())
}
