//! Errors of operations.

use core::fmt;

/// An operation failed. The text says what is wrong and what to do.
///
/// Every failed verification is [`Error::Verification`], and every failed decryption is [`Error::Decryption`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
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
