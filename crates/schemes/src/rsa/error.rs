//! Errors of operations.

use core::fmt;

/// An RSA operation failed.
///
/// Every failed decryption is [`Error::Decryption`], and every failed verification is [`Error::Verification`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// The ciphertext is not valid for this key and these parameters.
    Decryption,
    /// The signature is not valid for this key, message and parameters.
    Verification,
    /// The message is longer than the key can encrypt; `max` bytes fit.
    MessageTooLong {
        /// The longest message that fits, in bytes.
        max: usize,
    },
    /// The key is too small for the padding with this hash and salt.
    KeyTooSmall,
    /// The digest is not as long as the hash says.
    DigestLength {
        /// The length of the hash, in bytes.
        expected: usize,
        /// The given length, in bytes.
        found: usize,
    },
    /// SHA-1 is only for verifying old signatures.
    Sha1Signature,
    /// The padding is not for this hash or this key; the text says why.
    Unfit(&'static str),
    /// The key is for another purpose, named in the text.
    Purpose(&'static str),
    /// The number is not below the modulus.
    OutOfRange,
    /// The result of a private operation failed its check and was destroyed.
    Fault,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Decryption => f.write_str("the ciphertext cannot be decrypted: use the key, padding, hash and label it was made with"),
            Error::Verification => f.write_str("the signature does not fit: use the message, key, padding and hash it was made with"),
            Error::MessageTooLong { max } => {
                write!(f, "the message is too long: this key and padding take at most {max} bytes, so encrypt a symmetric key instead")
            }
            Error::KeyTooSmall => f.write_str("the key is too small for this padding: use a longer key, a shorter hash or a shorter salt"),
            Error::DigestLength { expected, found } => {
                write!(f, "the digest has {found} bytes and the hash gives {expected}: pass the digest, not the message, and name the hash that made it")
            }
            Error::Sha1Signature => f.write_str("SHA-1 is broken and only verifies old signatures: sign with sha256 or better"),
            Error::Unfit(why) => write!(f, "the padding is not for this key and hash: {why}; use another hash, or PSS or PSSR"),
            Error::Purpose(what) => write!(f, "the key's file says what it is for: {what}; use it so, or another key"),
            Error::OutOfRange => f.write_str("the number is not below the modulus: reduce or split the input"),
            Error::Fault => f.write_str("the private operation miscalculated and its result was destroyed: try again, and suspect this machine if it repeats"),
        }
    }
}

impl std::error::Error for Error {}
