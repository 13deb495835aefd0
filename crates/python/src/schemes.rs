//! What the modules of keys share: exceptions, names, and tasks in batches.

use crate::octets::{Octets, octets};
use crate::work::{batch, run};
use carrysave::KeyError;
use carrysave::engine::AnyTask;
use carrysave::hash::Hash;
use carrysave::{ec, rsa};
use core::sync::atomic::Ordering::Relaxed;
use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use zeroize::Zeroizing;

create_exception!(
    carrysave,
    InvalidSignature,
    PyException,
    "A signature does not fit the key, the message and the parameters."
);
create_exception!(
    carrysave,
    DecryptionError,
    PyException,
    "A ciphertext cannot be decrypted with this key and these parameters."
);

/// Nanoseconds that some tasks run without a look for a signal.
const SLICE: u64 = 50_000_000;

/// About the nanoseconds to hash a byte of a message.
const BYTE: u64 = 2;
/// About the nanoseconds to read a key without a password, and to check it.
const READ: u64 = 10_000_000;

/// What becomes an exception of Python.
pub(crate) trait Raised {
    /// The exception.
    fn raised(self) -> PyErr;
}

impl Raised for KeyError {
    fn raised(self) -> PyErr {
        PyValueError::new_err(self.to_string())
    }
}

impl Raised for rsa::Error {
    fn raised(self) -> PyErr {
        let text = self.to_string();
        match self {
            rsa::Error::Verification => InvalidSignature::new_err(text),
            rsa::Error::Decryption => DecryptionError::new_err(text),
            rsa::Error::Fault => PyRuntimeError::new_err(text),
            _ => PyValueError::new_err(text),
        }
    }
}

impl Raised for ec::Error {
    fn raised(self) -> PyErr {
        let text = self.to_string();
        match self {
            ec::Error::Verification => InvalidSignature::new_err(text),
            ec::Error::Fault => PyRuntimeError::new_err(text),
            _ => PyValueError::new_err(text),
        }
    }
}

/// A hash function by its name, with or without the hyphen of `sha-256`.
pub(crate) fn hash(name: &str) -> PyResult<Hash> {
    let lower = name.to_ascii_lowercase().replace('_', "-");
    let short = lower.replacen("sha-", "sha", 1);
    short.parse().map_err(|_| {
        let all: Vec<&str> = Hash::ALL.iter().map(|hash| hash.name()).collect();
        PyValueError::new_err(format!(
            "hash='{name}' is not known: use one of {}",
            all.join(", ")
        ))
    })
}

/// What a task takes in.
pub(crate) trait Item: Send + 'static {
    /// The bytes of messages that are hashed or copied.
    fn bytes(&self) -> usize {
        0
    }
}

impl Item for Octets {
    fn bytes(&self) -> usize {
        self.len()
    }
}

impl Item for (Octets, Octets) {
    fn bytes(&self) -> usize {
        self.0.len() + self.1.len()
    }
}

/// Runs a task for each item, which takes about so many nanoseconds and more for its bytes, on so many threads.
///
/// # Errors
/// What a signal handler raises.
pub(crate) fn run_all<M: Item, T: AnyTask + 'static>(
    py: Python<'_>,
    threads: usize,
    nanos: u64,
    items: Vec<M>,
    task: impl Fn(&M) -> T + Send + 'static,
) -> PyResult<Vec<Result<T::Output, T::Error>>> {
    let batch = batch(py, threads)?;
    let of = |item: &M| nanos + BYTE * item.bytes() as u64;
    let all = items.iter().map(of).fold(0, u64::saturating_add);
    let nanos = all / items.len().max(1) as u64;
    run(py, all, move |stop| {
        let many = (SLICE / nanos.max(1)) as usize * threads;
        let slice = many.next_multiple_of(64 * threads).max(64 * threads);
        let mut results = Vec::with_capacity(items.len());
        for items in items.chunks(slice) {
            // A task is made of the digest of its message.
            let wanted = items.iter().take_while(|_| !stop.load(Relaxed));
            let tasks: Vec<T> = wanted.map(&task).collect();
            if stop.load(Relaxed) {
                break;
            }
            results.extend(batch.run(&tasks));
        }
        results
    })
}

/// The results, or the first error.
pub(crate) fn all<T, E: Raised>(results: Vec<Result<T, E>>) -> PyResult<Vec<T>> {
    results
        .into_iter()
        .map(|result| result.map_err(E::raised))
        .collect()
}

/// The results as `bytes`, each error as an exception in its place.
pub(crate) fn each<E: Raised>(
    py: Python<'_>,
    results: Vec<Result<Zeroizing<Vec<u8>>, E>>,
) -> Vec<Bound<'_, PyAny>> {
    let value = |result: Result<Zeroizing<Vec<u8>>, E>| match result {
        Ok(octets) => PyBytes::new(py, &octets).into_any(),
        Err(error) => error.raised().into_value(py).into_bound(py).into_any(),
    };
    results.into_iter().map(value).collect()
}

/// The private key in a file, by `read`, which takes the file and its password. The derivation of a key from a password
/// takes as long as the file says.
///
/// # Errors
/// `TypeError` for other arguments, those of `read`, and what a signal handler raises.
pub(crate) fn private_key<K: Send + 'static>(
    data: &Bound<'_, PyAny>,
    password: Option<&Bound<'_, PyAny>>,
    read: impl FnOnce(&[u8], Option<&[u8]>) -> Result<K, KeyError> + Send + 'static,
) -> PyResult<K> {
    let (py, data) = (data.py(), octets("data", data)?);
    let password = password.map(|password| octets("password", password));
    let password = password.transpose()?;
    let nanos = if password.is_some() { u64::MAX } else { READ };
    run(py, nanos, move |_| read(&data, password.as_deref()))?.map_err(Raised::raised)
}

/// Signatures and messages in pairs.
///
/// # Errors
/// `ValueError` if there are not as many of each.
pub(crate) fn pairs<A, B>(signatures: Vec<A>, messages: Vec<B>) -> PyResult<Vec<(A, B)>> {
    match signatures.len() == messages.len() {
        true => Ok(signatures.into_iter().zip(messages).collect()),
        false => Err(PyValueError::new_err(format!(
            "there are {} signatures and {} messages: use as many of each",
            signatures.len(),
            messages.len()
        ))),
    }
}

/// A key is for another algorithm than the module's.
pub(crate) fn another(algorithm: ec::Algorithm) -> PyErr {
    let module = match algorithm {
        ec::Algorithm::X25519 => "x25519",
        ec::Algorithm::Ed25519 => "ed25519",
        ec::Algorithm::X448 | ec::Algorithm::Ed448 => {
            return PyValueError::new_err(format!(
                "this is a key for {algorithm}, which has no module here: use the program carrysave"
            ));
        }
        _ => "ecdsa",
    };
    PyValueError::new_err(format!(
        "this is a key for {algorithm}: use the module {module}"
    ))
}
