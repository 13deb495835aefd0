//! The common part of all schemes' key formats: one reader for every file, which returns keys in normal forms.
//!
//! `open` parses any file: PEM with text around, DER, BER, OpenSSH's lines, a PKCS #12 store. It returns private keys
//! as `PrivateKeyInfo` and public ones as `SubjectPublicKeyInfo`, so a scheme reads only these two.

pub(crate) mod asn1;
pub(crate) mod base64;
#[cfg(feature = "files")]
pub(crate) mod ber;
#[cfg(feature = "files")]
pub(crate) mod derive;
#[cfg(feature = "files")]
mod open;
#[cfg(feature = "files")]
pub(crate) mod openssh;
#[cfg(feature = "files")]
pub(crate) mod pbes;
pub(crate) mod pem;
#[cfg(feature = "files")]
mod pkcs12;
#[cfg(any(feature = "rsa", feature = "ec"))]
pub(crate) mod traits;
#[cfg(feature = "files")]
pub(crate) mod x509;

#[cfg(feature = "files")]
pub(crate) use open::{Found, Item, first, locked, open};
pub(crate) use pem::labelled;

use carrysave_arith::{Nat, publish};
use der::asn1::{AnyRef, BitStringRef, ObjectIdentifier, OctetStringRef, UintRef};
use der::{Decode, Encode, Tag, Tagged};
use pkcs8::PrivateKeyInfoRef;
use spki::{AlgorithmIdentifierRef, SubjectPublicKeyInfoRef};
use zeroize::Zeroizing;

/// id-ecPublicKey (RFC 5480, 2.1.1).
pub(crate) const EC: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.2.1");
/// id-dsa (RFC 3279, 2.3.2).
pub(crate) const DSA: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10040.4.1");
/// id-X25519, id-X448, id-Ed25519 and id-Ed448 (RFC 8410, 3).
pub(crate) const X25519: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.101.110");
pub(crate) const X448: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.101.111");
pub(crate) const ED25519: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.101.112");
pub(crate) const ED448: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.101.113");

/// The bytes do not have the expected form.
#[derive(Clone, Debug)]
pub(crate) struct FormatError {
    /// What was expected.
    pub(crate) expected: &'static str,
    /// The parser's message, or what was found instead.
    pub(crate) detail: String,
}

impl FormatError {
    pub(crate) fn new(expected: &'static str, detail: impl ToString) -> FormatError {
        // What a file says of itself must not control the terminal.
        let printed = |c: char| if c.is_control() { '\u{fffd}' } else { c };
        let detail = detail.to_string().chars().map(printed).collect();
        FormatError { expected, detail }
    }
}

/// Why a key cannot be read from its file.
#[derive(Clone, Debug)]
pub(crate) enum Locked {
    /// It is not a key, or uses something unsupported.
    Format(FormatError),
    /// It is encrypted, and no password was given.
    PasswordNeeded,
    /// The password is wrong, or the file damaged.
    Password,
}

impl From<FormatError> for Locked {
    fn from(error: FormatError) -> Locked {
        Locked::Format(error)
    }
}

/// A warning about a key that was accepted.
pub(crate) type Notes = Vec<&'static str>;

/// The minimal bytes of a number for DER. The length leaks, as it does in the file, with the first bit: a zero byte comes
/// before a 1.
pub(crate) fn minimal(x: &Nat) -> Zeroizing<Vec<u8>> {
    let mut bytes = x
        .to_be_bytes(x.bits().div_ceil(8))
        .expect("it was sized for that");
    if let Some(first) = bytes.first_mut() {
        *first = publish((*first).into()) as u8;
    }
    bytes
}

/// A string of SSH (RFC 4251, 5): its length in four octets, then the octets.
#[cfg(any(feature = "ec", feature = "files"))]
pub(crate) fn ssh_string(octets: &[u8]) -> Zeroizing<Vec<u8>> {
    let length = u32::try_from(octets.len()).expect("keys are short");
    Zeroizing::new([&length.to_be_bytes(), octets].concat())
}

pub(crate) fn uint(bytes: &[u8]) -> UintRef<'_> {
    UintRef::new(bytes).expect("a number of at most 8192 bytes")
}

pub(crate) fn nat(x: UintRef<'_>) -> Nat {
    Nat::from_be_bytes(x.as_bytes())
}

/// `PrivateKeyInfo` (RFC 5958) around a key.
pub(crate) fn private_key_info(
    algorithm: AlgorithmIdentifierRef<'_>,
    key: &[u8],
    public: Option<&[u8]>,
) -> Zeroizing<Vec<u8>> {
    let octets = OctetStringRef::new(key).expect("a key of a known size");
    let mut info = PrivateKeyInfoRef::new(algorithm, octets);
    info.public_key =
        public.map(|key| BitStringRef::from_bytes(key).expect("a key of a known size"));
    Zeroizing::new(info.to_der().expect("a key of a known size"))
}

/// `SubjectPublicKeyInfo` (RFC 5280, 4.1.2.7) around a key.
pub(crate) fn public_key_info(algorithm: AlgorithmIdentifierRef<'_>, key: &[u8]) -> Vec<u8> {
    let subject_public_key = BitStringRef::from_bytes(key).expect("a key of a known size");
    let info = SubjectPublicKeyInfoRef {
        algorithm,
        subject_public_key,
    };
    info.to_der().expect("a key of a known size")
}

/// The usual name of the algorithm of a key.
pub(crate) fn algorithm_name(oid: ObjectIdentifier) -> String {
    let oid = oid.to_string();
    let name = match &oid[..] {
        "1.2.840.113549.1.1.1" => "RSA",
        "1.2.840.113549.1.1.10" => "RSASSA-PSS",
        "1.2.840.113549.1.1.7" => "RSAES-OAEP",
        "1.2.840.10045.2.1" => "elliptic curves",
        "1.2.840.10040.4.1" => "DSA",
        "1.2.840.10046.2.1" | "1.2.840.113549.1.3.1" => "Diffie-Hellman",
        "1.3.101.110" => "X25519",
        "1.3.101.111" => "X448",
        "1.3.101.112" => "Ed25519",
        "1.3.101.113" => "Ed448",
        "2.16.840.1.101.3.4.3.17" | "2.16.840.1.101.3.4.3.18" | "2.16.840.1.101.3.4.3.19" => {
            "ML-DSA"
        }
        "2.16.840.1.101.3.4.4.1" | "2.16.840.1.101.3.4.4.2" | "2.16.840.1.101.3.4.4.3" => "ML-KEM",
        _ => return format!("the algorithm {oid}"),
    };
    name.to_owned()
}

/// The kind of a DER file, by the tags of its outermost elements.
#[cfg(feature = "files")]
pub(crate) enum Kind {
    Pkcs1Public,
    Pkcs1Private,
    Pkcs8,
    EncryptedPkcs8,
    Spki,
    Sec1,
    Dsa,
    Certificate,
    Pkcs12,
}

#[cfg(feature = "files")]
pub(crate) fn kind(der: &[u8]) -> Option<Kind> {
    let elements = Vec::<AnyRef<'_>>::from_der(der).ok()?;
    let tags: Vec<Tag> = elements.iter().map(Tagged::tag).collect();
    match tags[..] {
        [Tag::Integer, Tag::Integer] => Some(Kind::Pkcs1Public),
        [
            Tag::Integer,
            Tag::Integer,
            Tag::Integer,
            Tag::Integer,
            Tag::Integer,
            Tag::Integer,
        ] => Some(Kind::Dsa),
        [Tag::Integer, Tag::Integer, Tag::Integer, ..] => Some(Kind::Pkcs1Private),
        [Tag::Integer, Tag::Sequence, Tag::OctetString, ..] => Some(Kind::Pkcs8),
        [Tag::Integer, Tag::Sequence] | [Tag::Integer, Tag::Sequence, Tag::Sequence] => {
            Some(Kind::Pkcs12)
        }
        [Tag::Integer, Tag::OctetString, ..] => Some(Kind::Sec1),
        [Tag::Sequence, Tag::OctetString] => Some(Kind::EncryptedPkcs8),
        [Tag::Sequence, Tag::BitString] => Some(Kind::Spki),
        [Tag::Sequence, Tag::Sequence, Tag::BitString] => Some(Kind::Certificate),
        _ => None,
    }
}

/// An element with its tag and length.
#[cfg(feature = "files")]
pub(crate) fn joined(element: AnyRef<'_>) -> Zeroizing<Vec<u8>> {
    Zeroizing::new(element.to_der().expect("an element that was read"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_file_says_does_not_control_the_terminal() {
        let error = FormatError::new("a key", "it has \u{1b}]0;x\u{7}\n\u{9b}");
        assert_eq!(error.detail, "it has \u{fffd}]0;x\u{fffd}\u{fffd}\u{fffd}");
    }
}
