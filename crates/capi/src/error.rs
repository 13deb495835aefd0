//! What every function returns, its text, and the wall that no panic passes.

use carrysave::engine::{self, ServiceError};
use carrysave::{KeyError, dl, ec, rsa};
use core::convert::Infallible;
use core::ffi::{CStr, c_char, c_int};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What a function returns: `CS_OK`, or why it failed. `cs_error_text` has a sentence for each.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum cs_error {
    /// Success.
    CS_OK = 0,
    /// A pointer is null or not aligned.
    CS_ERROR_NULL = 1,
    /// A length does not fit the function or another length.
    CS_ERROR_LENGTH = 2,
    /// The output has too little room.
    CS_ERROR_ROOM = 3,
    /// A number that selects something selects nothing.
    CS_ERROR_ARGUMENT = 4,
    /// Input and output overlap.
    CS_ERROR_OVERLAP = 5,
    /// A number is not below the modulus.
    CS_ERROR_RANGE = 6,
    /// The modulus is even, or 1.
    CS_ERROR_MODULUS = 7,
    /// Division by zero, or the modulus 0.
    CS_ERROR_ZERO = 8,
    /// There is no inverse.
    CS_ERROR_NO_INVERSE = 9,
    /// The bytes are no key in a known format.
    CS_ERROR_KEY_FORMAT = 10,
    /// The key is for an unknown algorithm.
    CS_ERROR_KEY_ALGORITHM = 11,
    /// The key is encrypted and there is no password.
    CS_ERROR_KEY_PASSWORD_NEEDED = 12,
    /// The password is wrong.
    CS_ERROR_KEY_PASSWORD = 13,
    /// The key's numbers do not fit each other, or have a size that is not supported.
    CS_ERROR_KEY_INVALID = 14,
    /// The operation needs another kind of key.
    CS_ERROR_KEY_KIND = 15,
    /// The key is too small for the padding.
    CS_ERROR_KEY_SIZE = 16,
    /// The two keys are of different curves or groups.
    CS_ERROR_KEYS_DIFFER = 17,
    /// The signature does not fit. Every failed verification is this one.
    CS_ERROR_VERIFICATION = 18,
    /// The ciphertext cannot be decrypted. Every failed decryption is this one.
    CS_ERROR_DECRYPTION = 19,
    /// The message is longer than the key can encrypt.
    CS_ERROR_MESSAGE_LENGTH = 20,
    /// The digest is not as long as its hash says.
    CS_ERROR_DIGEST_LENGTH = 21,
    /// The shared secret would be known to all.
    CS_ERROR_SMALL_ORDER = 22,
    /// The key or the hash must not be used so.
    CS_ERROR_REFUSED = 23,
    /// The result of a private operation failed its check and was destroyed.
    CS_ERROR_FAULT = 24,
    /// The service takes no more calls.
    CS_ERROR_SHUT_DOWN = 25,
    /// The operating system refused a thread.
    CS_ERROR_SYSTEM = 26,
    /// A bug of carrysave, or an operating system without randomness.
    CS_ERROR_BUG = 27,
}

use cs_error::*;

/// A sentence for a code of `cs_error` that says what is wrong and what to do: text that ends with a null and lives as
/// long as the program. Any other number gets a sentence, too.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub extern "C" fn cs_error_text(code: c_int) -> *const c_char {
    text(code).as_ptr()
}

macro_rules! texts {
    ($($error:ident $text:literal)*) => {
        pub(crate) const ALL: &[cs_error] = &[$($error),*];

        fn text(code: c_int) -> &'static CStr {
            $(if code == $error as c_int {
                return $text;
            })*
            c"this is no code of carrysave: pass what a function returned"
        }
    };
}

texts! {
    CS_OK c"success"
    CS_ERROR_NULL c"a pointer is null or not aligned: pass the address of what the function's description names"
    CS_ERROR_LENGTH c"a length does not fit: see the function's description for what each length must be"
    CS_ERROR_ROOM c"the output has too little room: make it as long as the function's description says"
    CS_ERROR_ARGUMENT c"a number selects nothing: use a constant of carrysave.h, within the bounds of the description"
    CS_ERROR_OVERLAP c"input and output overlap: use one buffer for both, or two apart"
    CS_ERROR_RANGE c"a number is not below the modulus: reduce or split it"
    CS_ERROR_MODULUS c"the modulus is even or 1: use an odd one from 3 on, or the function for any modulus"
    CS_ERROR_ZERO c"division by zero: pass a divisor or modulus above 0"
    CS_ERROR_NO_INVERSE c"there is no inverse: the number and the modulus have a common factor"
    CS_ERROR_KEY_FORMAT c"the bytes are no key: check which file this is, and that it is whole"
    CS_ERROR_KEY_ALGORITHM c"the key is for an algorithm or curve that carrysave does not have: use another key"
    CS_ERROR_KEY_PASSWORD_NEEDED c"the private key is encrypted: pass its password"
    CS_ERROR_KEY_PASSWORD c"the private key could not be decrypted: check the password, and that the file is whole"
    CS_ERROR_KEY_INVALID c"the key is unusable, as its numbers do not fit: get it again from its owner or make a new one"
    CS_ERROR_KEY_KIND c"the operation needs another kind of key: check its algorithm, and whether it is private"
    CS_ERROR_KEY_SIZE c"the key is too small for this padding: use a longer key, a shorter hash or a shorter salt"
    CS_ERROR_KEYS_DIFFER c"the two keys are of different curves or groups: agree on one first"
    CS_ERROR_VERIFICATION c"the signature does not fit: use the message, key, padding and hash it was made with"
    CS_ERROR_DECRYPTION c"the ciphertext cannot be decrypted: use the key, padding, hash and label it was made with"
    CS_ERROR_MESSAGE_LENGTH c"the message is too long for the key: encrypt a symmetric key instead"
    CS_ERROR_DIGEST_LENGTH c"the digest is not as long as its hash: pass the digest, and name the hash that made it"
    CS_ERROR_SMALL_ORDER c"the shared secret would be known to all: refuse whoever sent the public key"
    CS_ERROR_REFUSED c"the key or hash must not be used so: sign with SHA-256 or better, by a key for this purpose"
    CS_ERROR_FAULT c"the private operation miscalculated and its result was destroyed: try again, and suspect this machine"
    CS_ERROR_SHUT_DOWN c"the service was shut down: make another, or call before that"
    CS_ERROR_SYSTEM c"the operating system refused a thread: ask for fewer, or raise its limit"
    CS_ERROR_BUG c"carrysave has a bug, or the operating system no randomness: please report it with the output on standard error"
}

impl From<KeyError> for cs_error {
    fn from(error: KeyError) -> cs_error {
        match error {
            KeyError::Format { .. } | KeyError::Damaged { .. } => CS_ERROR_KEY_FORMAT,
            KeyError::Algorithm { .. } => CS_ERROR_KEY_ALGORITHM,
            KeyError::PasswordNeeded => CS_ERROR_KEY_PASSWORD_NEEDED,
            KeyError::Password => CS_ERROR_KEY_PASSWORD,
            KeyError::Options(_) => CS_ERROR_ARGUMENT,
            _ => CS_ERROR_KEY_INVALID,
        }
    }
}

impl From<rsa::Error> for cs_error {
    fn from(error: rsa::Error) -> cs_error {
        match error {
            rsa::Error::Decryption => CS_ERROR_DECRYPTION,
            rsa::Error::Verification => CS_ERROR_VERIFICATION,
            rsa::Error::MessageTooLong { .. } => CS_ERROR_MESSAGE_LENGTH,
            rsa::Error::KeyTooSmall => CS_ERROR_KEY_SIZE,
            rsa::Error::DigestLength { .. } => CS_ERROR_DIGEST_LENGTH,
            rsa::Error::OutOfRange => CS_ERROR_RANGE,
            rsa::Error::Fault => CS_ERROR_FAULT,
            _ => CS_ERROR_REFUSED,
        }
    }
}

impl From<dl::Error> for cs_error {
    fn from(error: dl::Error) -> cs_error {
        match error {
            dl::Error::OtherGroup => CS_ERROR_KEYS_DIFFER,
            dl::Error::SmallOrder => CS_ERROR_SMALL_ORDER,
            dl::Error::Decryption => CS_ERROR_DECRYPTION,
            dl::Error::Verification => CS_ERROR_VERIFICATION,
            dl::Error::DigestLength { .. } => CS_ERROR_DIGEST_LENGTH,
            dl::Error::Fault => CS_ERROR_FAULT,
            _ => CS_ERROR_REFUSED,
        }
    }
}

impl From<ec::Error> for cs_error {
    fn from(error: ec::Error) -> cs_error {
        match error {
            ec::Error::OtherCurve => CS_ERROR_KEYS_DIFFER,
            ec::Error::SmallOrder => CS_ERROR_SMALL_ORDER,
            ec::Error::NoAgreement | ec::Error::NoDigest(_) => CS_ERROR_KEY_KIND,
            ec::Error::Decryption => CS_ERROR_DECRYPTION,
            ec::Error::Verification => CS_ERROR_VERIFICATION,
            ec::Error::DigestLength { .. } => CS_ERROR_DIGEST_LENGTH,
            ec::Error::Fault => CS_ERROR_FAULT,
            _ => CS_ERROR_REFUSED,
        }
    }
}

impl From<engine::Error> for cs_error {
    fn from(error: engine::Error) -> cs_error {
        match error {
            engine::Error::Rsa(error) => error.into(),
            engine::Error::Dl(error) => error.into(),
            engine::Error::Ec(error) => error.into(),
            _ => CS_ERROR_RANGE,
        }
    }
}

impl<E: Into<cs_error>> From<ServiceError<E>> for cs_error {
    fn from(error: ServiceError<E>) -> cs_error {
        match error {
            ServiceError::Task(error) => error.into(),
            ServiceError::ShutDown => CS_ERROR_SHUT_DOWN,
            _ => CS_ERROR_BUG,
        }
    }
}

impl From<Infallible> for cs_error {
    fn from(error: Infallible) -> cs_error {
        match error {}
    }
}

/// What the body of a function gives.
pub type Outcome<T = ()> = Result<T, cs_error>;

/// Runs the body of a function: an error or a panic becomes its code.
pub fn guard(call: impl FnOnce() -> Outcome) -> cs_error {
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(Ok(())) => CS_OK,
        Ok(Err(error)) => error,
        Err(_) => CS_ERROR_BUG,
    }
}

/// The first code of several jobs that is not `CS_OK`.
pub fn first(mut codes: impl Iterator<Item = c_int>) -> Outcome {
    match codes.find(|&code| code != CS_OK as c_int) {
        None => Ok(()),
        Some(code) => {
            let error = ALL.iter().find(|&&error| error as c_int == code);
            Err(error.copied().unwrap_or(CS_ERROR_BUG))
        }
    }
}

/// [`guard`] around a body that follows pointers of the caller.
macro_rules! entry {
    ($($body:tt)*) => {
        $crate::error::guard(|| {
            // SAFETY: the caller keeps to the header: a pointer that is not null leads to as many elements as the
            // length beside it says, or to one, and nobody else changes them during the call.
            unsafe { $($body)* }
        })
    };
}
pub(crate) use entry;
