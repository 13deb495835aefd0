//! Python's integers as numbers, and back, by `int.to_bytes` and `int.from_bytes`: the stable interface has nothing
//! faster, and no text is made.

use carrysave::arith::Nat;
use pyo3::exceptions::{
    PyAttributeError, PyBufferError, PyOverflowError, PyTypeError, PyValueError,
};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyInt};

/// The argument `name` as an exact `int`: of an `int`, whose class may change its methods, or of what has `__index__`,
/// such as NumPy's integers and those of gmpy2.
///
/// # Errors
/// `TypeError` for what is no integer.
pub(crate) fn int<'py>(name: &str, value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyInt>> {
    if let Ok(int) = value.cast::<PyInt>() {
        return exact(int);
    }
    let py = value.py();
    let index = value.call_method0(intern!(py, "__index__"));
    let index = index.map_err(|error| unfit(py, error, || no_int(name, value)))?;
    let index = index.cast_into::<PyInt>();
    exact(&index.map_err(|_| no_int(name, value))?)
}

/// What says better than Python that a value is not of a fitting kind; other errors, such as a `KeyboardInterrupt`, stay.
pub(crate) fn unfit(py: Python<'_>, error: PyErr, better: impl FnOnce() -> PyErr) -> PyErr {
    let is_kind = error.is_instance_of::<PyTypeError>(py)
        || error.is_instance_of::<PyAttributeError>(py)
        || error.is_instance_of::<PyValueError>(py)
        || error.is_instance_of::<PyBufferError>(py);
    if is_kind { better() } else { error }
}

/// An integer of the class `int` itself.
fn exact<'py>(value: &Bound<'py, PyInt>) -> PyResult<Bound<'py, PyInt>> {
    if value.is_exact_instance_of::<PyInt>() {
        return Ok(value.clone());
    }
    let py = value.py();
    let int = py.get_type::<PyInt>();
    let exact = int.call_method1(intern!(py, "__int__"), (value,))?;
    Ok(exact.cast_into::<PyInt>()?)
}

fn no_int(name: &str, value: &Bound<'_, PyAny>) -> PyErr {
    let kind = value.get_type();
    let kind = kind.name();
    let kind = kind.map_or_else(|_| "this".into(), |name| name.to_string());
    PyTypeError::new_err(format!("{name} is of type {kind}: use an int"))
}

/// The bit length of the absolute value.
pub(crate) fn bits(x: &Bound<'_, PyInt>) -> PyResult<usize> {
    let py = x.py();
    x.call_method0(intern!(py, "bit_length"))?.extract()
}

/// A number of at most `width` limbs, `width` limbs wide; `None` if it is negative or longer.
pub(crate) fn fitting(x: &Bound<'_, PyInt>, width: usize) -> PyResult<Option<Nat>> {
    let py = x.py();
    if width == 1 {
        let limb = x.extract::<u64>();
        return Ok(limb.ok().map(Nat::from_limb));
    }
    let arguments = (8 * width, intern!(py, "big"));
    match x.call_method1(intern!(py, "to_bytes"), arguments) {
        Ok(octets) => Ok(Some(Nat::from_be_bytes(
            octets.cast::<PyBytes>()?.as_bytes(),
        ))),
        Err(error) if error.is_instance_of::<PyOverflowError>(py) => Ok(None),
        Err(error) => Err(error),
    }
}

/// A number that is not negative, as wide as its bit length needs; `None` for a negative one.
pub(crate) fn nat(x: &Bound<'_, PyInt>) -> PyResult<Option<Nat>> {
    fitting(x, bits(x)?.div_ceil(64).max(1))
}

/// The absolute value, and whether the integer is below 0.
pub(crate) fn parts(x: &Bound<'_, PyInt>) -> PyResult<(Nat, bool)> {
    if let Some(number) = nat(x)? {
        return Ok((number, false));
    }
    let magnitude = nat(x.neg()?.cast::<PyInt>()?)?;
    Ok((magnitude.expect("one of the two is not negative"), true))
}

/// A number as an integer.
pub(crate) fn python<'py>(py: Python<'py>, x: &Nat) -> PyResult<Bound<'py, PyAny>> {
    if let [limb] = x.limbs() {
        return Ok(limb.into_pyobject(py)?.into_any());
    }
    let octets = x.to_be_bytes(8 * x.width()).expect("as wide as it is");
    let octets = PyBytes::new(py, &octets);
    let of = py.get_type::<PyInt>();
    of.call_method1(intern!(py, "from_bytes"), (octets, intern!(py, "big")))
}

/// Numbers as integers.
pub(crate) fn pythons<'py>(py: Python<'py>, xs: &[Nat]) -> PyResult<Vec<Bound<'py, PyAny>>> {
    xs.iter().map(|x| python(py, x)).collect()
}
