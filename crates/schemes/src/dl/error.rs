//! Errors of groups, keys and operations.

use crate::formats::{FormatError, Locked};
use core::fmt;

/// A group or a key was refused, or an operation failed. The text says what is wrong and what to do.
///
/// Every failed verification is [`Error::Verification`], and every failed decryption is [`Error::Decryption`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// The bytes are not what was expected.
    Format {
        /// What was expected.
        expected: &'static str,
        /// What a parser said, or what was found instead.
        detail: String,
    },
    /// The key is for another algorithm.
    Algorithm(String),
    /// A number of the group has an unsupported size.
    Size {
        /// The number.
        part: &'static str,
        /// Its size.
        bits: usize,
        /// The range, in words.
        allowed: &'static str,
    },
    /// A number of the group is invalid or does not fit the others.
    Group(&'static str),
    /// A number of the key is invalid or does not fit the others.
    Key(&'static str),
    /// The file is encrypted and no password was given.
    PasswordNeeded,
    /// The password is wrong, or the encrypted file damaged.
    Password,
    /// Two keys are of different groups.
    OtherGroup,
    /// The shared secret would be publicly known.
    SmallOrder,
    /// The ciphertext is not valid for this key, hash and label.
    Decryption,
    /// The signature is not valid for this key, message and hash.
    Verification,
    /// The digest is not as long as the hash says.
    DigestLength {
        /// The length of the hash, in bytes.
        expected: usize,
        /// The given length, in bytes.
        found: usize,
    },
    /// SHA-1 is only for verifying old signatures.
    Sha1Signature,
    /// The result of a private operation failed its check and was destroyed.
    Fault,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Format { expected, detail } => write!(f, "this is not {expected} ({detail}): check which file this is, and that it is whole"),
            Error::Algorithm(found) => write!(
                f,
                "this is a key for {found}: use one for DSA (1.2.840.10040.4.1) or for Diffie-Hellman (1.2.840.10046.2.1, 1.2.840.113549.1.3.1)"
            ),
            Error::Size { part, bits, allowed } => write!(f, "{part} of {bits} bits is not possible here: use {allowed}"),
            Error::Group(what) => write!(f, "the group is unusable: {what}; get its parameters again from their maker or take a standard group"),
            Error::Key(what) => write!(f, "the key is unusable: {what}; get the key again from its owner or generate a new one"),
            Error::PasswordNeeded => f.write_str("the private key is encrypted: give its password"),
            Error::Password => f.write_str("the private key could not be decrypted: check the password, and that the file is whole"),
            Error::OtherGroup => f.write_str("the two keys are of different groups: agree on one group first"),
            Error::SmallOrder => f.write_str("the shared secret would be known to all: refuse whoever sent the public key"),
            Error::Decryption => f.write_str("the ciphertext cannot be decrypted: use the key, hash and label it was made with"),
            Error::Verification => f.write_str("the signature does not fit: use the message, key and hash it was made with"),
            Error::DigestLength { expected, found } => {
                write!(f, "the digest has {found} bytes and the hash gives {expected}: pass the digest, not the message, and name the hash that made it")
            }
            Error::Sha1Signature => f.write_str("SHA-1 is broken and only verifies old signatures: sign with sha256 or better"),
            Error::Fault => f.write_str("the private operation miscalculated and its result was destroyed: try again, and suspect this machine if it repeats"),
        }
    }
}

impl std::error::Error for Error {}

impl From<FormatError> for Error {
    fn from(FormatError { expected, detail }: FormatError) -> Error {
        Error::Format { expected, detail }
    }
}

impl From<Locked> for Error {
    fn from(locked: Locked) -> Error {
        match locked {
            Locked::Format(error) => error.into(),
            Locked::PasswordNeeded => Error::PasswordNeeded,
            Locked::Password => Error::Password,
        }
    }
}
