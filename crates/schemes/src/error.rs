//! Why a key was refused: one error for the keys of all schemes.

use crate::formats::{FormatError, Locked};
use core::fmt;

/// A key, or a group of keys, was refused. The text says what is wrong with it and what to do.
///
/// ```
/// # use carrysave_schemes as carrysave;
/// use carrysave::{KeyError, rsa::PrivateKey};
/// let error = PrivateKey::from_any(b"no key", None).unwrap_err();
/// assert!(matches!(error, KeyError::Format { .. }));
/// ```
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
    /// The bytes are a key of a known algorithm, and cannot be read further.
    Damaged {
        /// What was expected.
        expected: &'static str,
        /// The parser's message, or what was found instead.
        detail: String,
    },
    /// The key is for another algorithm, or of another curve.
    Algorithm {
        /// The algorithm that the key is for.
        found: String,
        /// Which keys are taken, in words.
        needed: &'static str,
    },
    /// The file is encrypted and no password was given.
    PasswordNeeded,
    /// The password is wrong, or the encrypted file damaged.
    Password,
    /// A number has an unsupported size.
    Size {
        /// The number.
        part: &'static str,
        /// Its size.
        bits: usize,
        /// The range, in words.
        allowed: &'static str,
    },
    /// There are too many primes for the size, unless the options allow them.
    Primes {
        /// The size of the modulus.
        bits: usize,
        /// The most primes for this size.
        most: usize,
    },
    /// A part of the key is invalid or does not fit the others.
    Invalid(&'static str),
    /// A number of the group is invalid or does not fit the others.
    Group(&'static str),
    /// The options of key generation are impossible.
    Options(&'static str),
    /// The caller stopped the generation of the key.
    Stopped,
}

impl KeyError {
    /// How far a key was understood before it was refused: of several errors, the one with the most says most.
    pub fn weight(&self) -> u8 {
        match self {
            KeyError::Format { .. } => 1,
            KeyError::Algorithm { .. } => 2,
            KeyError::PasswordNeeded => 3,
            KeyError::Password => 4,
            _ => 5,
        }
    }

    /// With other words for which keys are taken.
    pub(crate) fn needing(self, needed: &'static str) -> KeyError {
        match self {
            KeyError::Algorithm { found, .. } => KeyError::Algorithm { found, needed },
            error => error,
        }
    }

    /// The error of a key whose algorithm is known.
    pub(crate) fn of_known(self) -> KeyError {
        match self {
            KeyError::Format { expected, detail } => KeyError::Damaged { expected, detail },
            error => error,
        }
    }
}

impl fmt::Display for KeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            KeyError::Format { expected, detail } | KeyError::Damaged { expected, detail } => write!(f, "this is not {expected} ({detail}): check which file this is, and that it is whole"),
            KeyError::Algorithm { found, needed } => write!(f, "this is a key for {found}: use {needed}"),
            KeyError::PasswordNeeded => f.write_str("the private key is encrypted: give its password"),
            KeyError::Password => f.write_str("the private key could not be decrypted: check the password, and that the file is whole"),
            KeyError::Size { part, bits, allowed } => write!(f, "{part} of {bits} bits is not possible here: use {allowed}"),
            KeyError::Primes { bits, most } => write!(f, "a modulus of {bits} bits has {most} primes at most, as OpenSSL takes no more: use {most}, or allow many primes explicitly"),
            KeyError::Invalid(what) => write!(f, "the key is unusable: {what}; get the key again from its owner or generate a new one"),
            KeyError::Group(what) => write!(f, "the group is unusable: {what}; get its parameters again from their maker or take a standard group"),
            KeyError::Options(what) => f.write_str(what),
            KeyError::Stopped => f.write_str("the generation was stopped, and there is no key: start it again"),
        }
    }
}

impl std::error::Error for KeyError {}

impl From<FormatError> for KeyError {
    fn from(FormatError { expected, detail }: FormatError) -> KeyError {
        KeyError::Format { expected, detail }
    }
}

impl From<Locked> for KeyError {
    fn from(locked: Locked) -> KeyError {
        match locked {
            Locked::Format(error) => error.into(),
            Locked::PasswordNeeded => KeyError::PasswordNeeded,
            Locked::Password => KeyError::Password,
        }
    }
}
