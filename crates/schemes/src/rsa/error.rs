//! Errors: one enum for operations, and one for keys.

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
            Error::Unfit(why) => write!(f, "the padding is not for this key and hash: {why}; use PSS or PSSR"),
            Error::Purpose(what) => write!(f, "the key's file says what it is for: {what}; use it so, or another key"),
            Error::OutOfRange => f.write_str("the number is not below the modulus: reduce or split the input"),
            Error::Fault => f.write_str("the private operation miscalculated and its result was destroyed: try again, and suspect this machine if it repeats"),
        }
    }
}

impl std::error::Error for Error {}

/// A key was refused. The text says what is wrong with it and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeyError {
    /// The bytes are not a key in the named format.
    Format {
        /// What was expected.
        expected: &'static str,
        /// The parser's message, or what was found instead.
        detail: String,
    },
    /// The key is for another algorithm.
    Algorithm(String),
    /// The file is encrypted and no password was given.
    PasswordNeeded,
    /// The password is wrong, or the encrypted file damaged.
    Password,
    /// The size is outside of the allowed range.
    Size {
        /// Of the modulus.
        bits: usize,
        /// The range, in words.
        allowed: &'static str,
    },
    /// There are too many primes for the size, unless the options allow them.
    Primes {
        /// Of the modulus.
        bits: usize,
        /// The most primes for this size.
        most: usize,
    },
    /// A part of the key is invalid or does not fit the others.
    Invalid(&'static str),
    /// The options of key generation are impossible.
    Options(&'static str),
}

impl fmt::Display for KeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            KeyError::Format { expected, detail } => write!(f, "this is not {expected} ({detail}): check which file this is, and that it is whole"),
            KeyError::Algorithm(found) => write!(f, "this is a key for {found}: an RSA key (rsaEncryption, 1.2.840.113549.1.1.1) is needed"),
            KeyError::PasswordNeeded => f.write_str("the private key is encrypted: give its password"),
            KeyError::Password => f.write_str("the private key could not be decrypted: check the password, and that the file is whole"),
            KeyError::Size { bits, allowed } => write!(f, "a modulus of {bits} bits is not possible here: use {allowed}"),
            KeyError::Primes { bits, most } => write!(f, "a modulus of {bits} bits has {most} primes at most, as OpenSSL takes no more: use {most}, or allow many primes explicitly"),
            KeyError::Invalid(what) => write!(f, "the key is unusable: {what}; get the key again from its owner or generate a new one"),
            KeyError::Options(what) => f.write_str(what),
        }
    }
}

impl std::error::Error for KeyError {}
