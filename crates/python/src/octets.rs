//! What has the buffer protocol: octets, and words of 64 bits.

use crate::int::unfit;
use carrysave::arith::Nat;
use core::ops::Deref;
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;
use zeroize::Zeroizing;

/// Bytes that no longer change: those of `bytes` themselves, and a copy of others, which is wiped.
pub(crate) enum Octets {
    Python(PyBackedBytes),
    Copy(Zeroizing<Vec<u8>>),
}

impl Deref for Octets {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Octets::Python(octets) => octets,
            Octets::Copy(octets) => octets,
        }
    }
}

/// The bytes of the argument `name`.
///
/// # Errors
/// `TypeError` for what is no contiguous buffer.
pub(crate) fn octets(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Octets> {
    if let Ok(octets) = value.cast::<PyBytes>() {
        return Ok(Octets::Python(octets.clone().into()));
    }
    let copy = buffer(name, value)?.to_vec(value.py())?;
    Ok(Octets::Copy(Zeroizing::new(copy)))
}

/// The bytes of each item of the argument `name`.
///
/// # Errors
/// `TypeError` for what is no sequence of buffers.
pub(crate) fn many(name: &str, values: &Bound<'_, PyAny>) -> PyResult<Vec<Octets>> {
    let no_sequence =
        || PyTypeError::new_err(format!("{name} is no sequence: use a list of bytes"));
    if PyBuffer::<u8>::get(values).is_ok() {
        return Err(no_sequence());
    }
    let items = values.try_iter();
    let items = items.map_err(|error| unfit(values.py(), error, no_sequence))?;
    let item = format!("an item of {name}");
    items.map(|value| octets(&item, &value?)).collect()
}

/// A buffer of bytes.
///
/// # Errors
/// `TypeError` for what is no contiguous buffer.
pub(crate) fn buffer(name: &str, value: &Bound<'_, PyAny>) -> PyResult<PyBuffer<u8>> {
    let octets = view(name, value)?.call_method1(intern!(value.py(), "cast"), ("B",));
    octets
        .and_then(|octets| PyBuffer::get(&octets))
        .map_err(|error| unfit(value.py(), error, || no_buffer(name, value)))
}

/// A memoryview of a value.
fn view<'py>(name: &str, value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let builtins = value.py().import(intern!(value.py(), "builtins"))?;
    let view = builtins.call_method1(intern!(value.py(), "memoryview"), (value,));
    view.map_err(|error| unfit(value.py(), error, || no_buffer(name, value)))
}

fn no_buffer(name: &str, value: &Bound<'_, PyAny>) -> PyErr {
    let kind = value.get_type();
    let kind = kind.name();
    let kind = kind.map_or_else(|_| "this".into(), |name| name.to_string());
    PyTypeError::new_err(format!(
        "{name} is of type {kind}: use bytes, or another contiguous buffer"
    ))
}

/// The numbers in a buffer of words, `width` words each.
///
/// # Errors
/// `TypeError` for another buffer, `ValueError` for a part of a number.
pub(crate) fn limbs(
    name: &str,
    value: &Bound<'_, PyAny>,
    py: Python<'_>,
    width: usize,
) -> PyResult<Vec<Nat>> {
    let words = words(name, value)?.to_vec(py)?;
    if !words.len().is_multiple_of(width) {
        return Err(PyValueError::new_err(format!(
            "{name} has {} words: use a multiple of the modulus's {width}",
            words.len()
        )));
    }
    Ok(words.chunks(width).map(Nat::from_limbs).collect())
}

fn words(name: &str, value: &Bound<'_, PyAny>) -> PyResult<PyBuffer<u64>> {
    let buffer = PyBuffer::<u64>::get(value);
    let buffer = buffer.map_err(|error| unfit(value.py(), error, || no_words(name)))?;
    match buffer.is_c_contiguous() {
        true => Ok(buffer),
        false => Err(no_words(name)),
    }
}

fn no_words(name: &str) -> PyErr {
    PyTypeError::new_err(format!(
        "{name} is no contiguous buffer of unsigned 64-bit words: use a NumPy array of the type uint64, or array.array('Q')"
    ))
}

/// A writable buffer of words.
pub(crate) struct Words(PyBuffer<u64>);

impl Words {
    /// The buffer `out` of `length` words.
    ///
    /// # Errors
    /// `TypeError` for another buffer, `ValueError` for another length.
    pub(crate) fn new(value: &Bound<'_, PyAny>, length: usize) -> PyResult<Words> {
        let buffer = words("out", value)?;
        if buffer.readonly() {
            let text = "out is read-only: use a writable array of words";
            return Err(PyTypeError::new_err(text));
        }
        match buffer.item_count() == length {
            true => Ok(Words(buffer)),
            false => Err(PyValueError::new_err(format!(
                "out has {} words: use {length}",
                buffer.item_count()
            ))),
        }
    }

    /// Writes all words.
    pub(crate) fn write(&self, py: Python<'_>, words: &[u64]) -> PyResult<()> {
        self.0.copy_from_slice(py, words)
    }
}

/// Exactly so many bytes.
///
/// # Errors
/// `ValueError` for another number.
pub(crate) fn array<'a, const N: usize>(name: &str, octets: &'a [u8]) -> PyResult<&'a [u8; N]> {
    octets
        .try_into()
        .map_err(|_| PyValueError::new_err(format!("{name} has {} bytes: use {N}", octets.len())))
}
