//! Errors of messages.

use super::Addressees;
use crate::{ec, rsa};
use std::{fmt, io};

/// Why a message was not written or read.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The message is empty.
    Empty,
    /// The message ends too early.
    Truncated,
    /// The input is not a message, for this reason.
    Malformed(&'static str),
    /// The message uses something unknown.
    Unsupported(String),
    /// The message is encrypted for others.
    NoRecipient(Addressees),
    /// The message is not authenticated, but authentication was required.
    Unauthenticated,
    /// The message was altered, or this is not its key.
    Decryption,
    /// The input is longer than AES-GCM may protect.
    TooLong,
    /// The input does not have the announced length.
    LengthChanged,
    /// The public key cannot transport a content key.
    Rsa(rsa::Error),
    /// The key in a certificate cannot be used.
    Key(rsa::KeyError),
    /// An elliptic-curve key cannot be used.
    Curve(ec::Error),
    /// Reading failed.
    Read(io::Error),
    /// Writing failed.
    Write(io::Error),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Empty => f.write_str("the input is empty"),
            Error::Truncated => f.write_str("the message is cut short"),
            Error::Malformed(why) => write!(f, "not a CMS message, or a damaged one: {why}"),
            Error::Unsupported(what) => {
                write!(f, "this CMS message uses what is not supported: {what}")
            }
            Error::NoRecipient(others) => write!(f, "the message is encrypted for others: {others}"),
            Error::Unauthenticated => f.write_str(
                "the message is EnvelopedData, which is not authenticated: anybody may have changed it",
            ),
            Error::Decryption => f.write_str(
                "the message does not decrypt: it was altered, or it is encrypted for another key or password",
            ),
            Error::TooLong => f.write_str(
                "the input is longer than the 64 GiB that AES-GCM may protect; split it",
            ),
            Error::LengthChanged => f.write_str("the input changed its length while it was read"),
            Error::Rsa(e) => e.fmt(f),
            Error::Key(e) => e.fmt(f),
            Error::Curve(e) => e.fmt(f),
            Error::Read(e) => write!(f, "reading failed: {e}"),
            Error::Write(e) => write!(f, "writing failed: {e}"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Rsa(e) => Some(e),
            Error::Key(e) => Some(e),
            Error::Curve(e) => Some(e),
            Error::Read(e) | Error::Write(e) => Some(e),
            _ => None,
        }
    }
}

impl From<rsa::Error> for Error {
    fn from(e: rsa::Error) -> Error {
        Error::Rsa(e)
    }
}

impl From<rsa::KeyError> for Error {
    fn from(e: rsa::KeyError) -> Error {
        Error::Key(e)
    }
}

impl From<ec::Error> for Error {
    fn from(e: ec::Error) -> Error {
        Error::Curve(e)
    }
}

/// For errors of the input; those of the output are mapped where they happen.
impl From<io::Error> for Error {
    fn from(e: io::Error) -> Error {
        match e.kind() {
            io::ErrorKind::UnexpectedEof => Error::Truncated,
            io::ErrorKind::InvalidData => {
                Error::Malformed("the base64 text is damaged or cut short")
            }
            _ => Error::Read(e),
        }
    }
}
