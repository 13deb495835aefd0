//! What the key formats of all schemes share.

pub(crate) mod pbes2;
pub(crate) mod pem;

use carrysave_arith::Nat;
use der::asn1::{AnyRef, UintRef};
use der::{Decode, Tag, Tagged};
use zeroize::Zeroizing;

/// Bytes are not what was expected.
pub(crate) struct FormatError {
    /// What that was.
    pub(crate) expected: &'static str,
    /// What a parser said, or what was found instead.
    pub(crate) detail: String,
}

impl FormatError {
    pub(crate) fn new(expected: &'static str, detail: impl ToString) -> FormatError {
        let detail = detail.to_string();
        FormatError { expected, detail }
    }
}

/// The minimal bytes of a number, as DER writes them. The length leaks, as it does in the file.
pub(crate) fn minimal(x: &Nat) -> Zeroizing<Vec<u8>> {
    x.to_be_bytes(x.bits().div_ceil(8))
        .expect("it was sized for that")
}

pub(crate) fn uint(bytes: &[u8]) -> UintRef<'_> {
    UintRef::new(bytes).expect("a number of at most 8192 bytes")
}

pub(crate) fn nat(x: UintRef<'_>) -> Nat {
    Nat::from_be_bytes(x.as_bytes())
}

/// What a DER file holds, by the tags of its outermost elements.
pub(crate) enum Kind {
    Pkcs1Public,
    Pkcs1Private,
    Pkcs8,
    EncryptedPkcs8,
    Spki,
}

pub(crate) fn kind(der: &[u8]) -> Option<Kind> {
    let tags: Vec<Tag> = Vec::<AnyRef<'_>>::from_der(der)
        .ok()?
        .iter()
        .map(Tagged::tag)
        .collect();
    match tags[..] {
        [Tag::Integer, Tag::Integer] => Some(Kind::Pkcs1Public),
        [Tag::Integer, Tag::Integer, Tag::Integer, ..] => Some(Kind::Pkcs1Private),
        [Tag::Integer, Tag::Sequence, Tag::OctetString, ..] => Some(Kind::Pkcs8),
        [Tag::Sequence, Tag::OctetString] => Some(Kind::EncryptedPkcs8),
        [Tag::Sequence, Tag::BitString] => Some(Kind::Spki),
        _ => None,
    }
}
