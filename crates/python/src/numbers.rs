//! Products, quotients and inverses of long integers.

use crate::int::{bits, int, parts, python, pythons};
use crate::work::{run, share, team};
use carrysave::arith::{Modulus, Nat, inv_mod_vartime};
use pyo3::exceptions::PyZeroDivisionError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyInt;

/// The bits of the shorter factor from which a product is faster here than by Python, with the conversions.
const MUL: usize = 1_300;
/// The bits of the divisor, and of the quotient, from which a division is.
const DIVIDE: usize = 1_100;
/// The most numbers that share one inversion.
const TOGETHER: usize = 64;

/// About the nanoseconds of a product of numbers of so many limbs.
fn nanos(limbs: usize) -> u64 {
    30 * limbs as u64 * limbs.ilog2().max(1) as u64
}

/// Return `a * b`.
///
/// Long factors are multiplied by Fourier transforms, which several threads can share. The time depends on lengths only,
/// but for Python's own integers.
///
/// >>> import carrysave
/// >>> carrysave.mul(-6, 7)
/// -42
#[pyfunction]
#[pyo3(signature = (a, b, /, *, threads = 1))]
pub(crate) fn mul<'py>(
    py: Python<'py>,
    a: &Bound<'py, PyAny>,
    b: &Bound<'py, PyAny>,
    threads: usize,
) -> PyResult<Bound<'py, PyAny>> {
    let square = a.is(b);
    let [a, b] = [int("a", a)?, int("b", b)?];
    let team = team(py, threads)?;
    if bits(&a)?.min(bits(&b)?) < MUL {
        return a.mul(b);
    }
    let ((x, x_negative), (y, y_negative)) = (parts(&a)?, parts(&b)?);
    let nanos = nanos(x.width() + y.width());
    let product = run(py, nanos, move |_| match square && team.size() == 1 {
        true => x.sqr(),
        false => x.mul_on(&*team, &y),
    })?;
    let product = python(py, &product)?;
    match x_negative == y_negative {
        true => Ok(product),
        false => product.neg(),
    }
}

/// Return `(a // b, a % b)` as Python's `divmod` does. Not constant time.
///
/// >>> import carrysave
/// >>> carrysave.divmod(-7, 2)
/// (-4, 1)
#[pyfunction]
#[pyo3(signature = (a, b, /))]
pub(crate) fn divmod<'py>(
    py: Python<'py>,
    a: &Bound<'py, PyAny>,
    b: &Bound<'py, PyAny>,
) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
    let [a, b] = [int("a", a)?, int("b", b)?];
    let divisor = bits(&b)?;
    if divisor.min(bits(&a)?.saturating_sub(divisor)) < DIVIDE {
        return a.divmod(b)?.extract();
    }
    let ((x, x_negative), (y, y_negative)) = (parts(&a)?, parts(&b)?);
    let nanos = 5 * nanos(x.width());
    let (q, r) = run(py, nanos, move |_| {
        let (q, r) = x.div_rem_vartime(&y);
        (q.trim_vartime(), r.trim_vartime())
    })?;
    let (mut q, mut r) = (python(py, &q)?, python(py, &r)?);
    // The remainder has the divisor's sign, and the quotient is rounded down.
    if x_negative != y_negative {
        if r.is_truthy()? {
            q = q.add(1)?;
            r = b.call_method0(intern!(py, "__abs__"))?.sub(r)?;
        }
        q = q.neg()?;
    }
    Ok((q, if y_negative { r.neg()? } else { r }))
}

/// Return the inverse of `a` modulo `m`, from 0 to `abs(m) - 1`. The name and the arguments are gmpy2's.
///
/// Raises ZeroDivisionError if there is none. Not constant time.
///
/// >>> import carrysave
/// >>> carrysave.invert(3, 7)
/// 5
#[pyfunction]
#[pyo3(signature = (a, m, /))]
pub(crate) fn invert<'py>(
    py: Python<'py>,
    a: &Bound<'py, PyAny>,
    m: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let (a, m) = (parts(&int("a", a)?)?, modulus(&int("m", m)?)?);
    let nanos = crate::power::inversion(m.width(), a.0.width());
    let inverse = run(py, nanos, move |_| inverse(&a, &m))?;
    python(py, &inverse.ok_or_else(|| none(None))?)
}

/// Return the list of the inverses of `values` modulo `m`, each as of `invert`.
///
/// Many numbers share one inversion. Raises ZeroDivisionError with the place of the first that has none. Not constant
/// time.
///
/// >>> import carrysave
/// >>> carrysave.invert_list([3, 5], 7)
/// [5, 3]
#[pyfunction]
#[pyo3(signature = (values, m, /, *, threads = 1))]
pub(crate) fn invert_list<'py>(
    py: Python<'py>,
    values: &Bound<'py, PyAny>,
    m: &Bound<'py, PyAny>,
    threads: usize,
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let m = modulus(&int("m", m)?)?;
    let values = values.try_iter()?;
    let values = values.map(|value| parts(&int("an item of values", &value?)?));
    let values: Vec<(Nat, bool)> = values.collect::<PyResult<_>>()?;
    let team = team(py, threads)?;
    let nanos = (values.len() * m.width() * m.width()) as u64 * 10;
    let found = run(py, nanos, move |stop| {
        let chunks: Vec<_> = values.chunks(TOGETHER).collect();
        let found = share(&*team, chunks.len(), stop, |i| inverses(chunks[i], &m));
        found.concat()
    })?;
    if let Some(place) = found.iter().position(Option::is_none) {
        return Err(none(Some(place)));
    }
    pythons(py, &found.into_iter().flatten().collect::<Vec<_>>())
}

/// A modulus above 0.
fn modulus(m: &Bound<'_, PyInt>) -> PyResult<Nat> {
    let (m, _) = parts(m)?;
    match m.is_zero() {
        true => Err(PyZeroDivisionError::new_err(
            "the modulus is 0: use another",
        )),
        false => Ok(m),
    }
}

fn none(place: Option<usize>) -> PyErr {
    let which = place.map_or_else(|| "the number".into(), |place| format!("item {place}"));
    PyZeroDivisionError::new_err(format!(
        "{which} has no inverse: use one that has no factor in common with the modulus"
    ))
}

/// The inverse of an integer, if there is one. Modulo 1 it is 0.
fn inverse((a, negative): &(Nat, bool), m: &Nat) -> Option<Nat> {
    if m.is_one() {
        return Some(Nat::zero());
    }
    let x = inv_mod_vartime(a, m)?;
    match negative {
        true => m.sub(&x),
        false => Some(x),
    }
}

/// The inverses of some integers, by one inversion (Montgomery 1987) if all have one and the modulus is odd.
fn inverses(values: &[(Nat, bool)], m: &Nat) -> Vec<Option<Nat>> {
    let each = || values.iter().map(|value| inverse(value, m)).collect();
    let Some(n) = Modulus::new(m).filter(|_| values.len() > 1) else {
        return each();
    };
    let residues = values.iter().map(|(a, negative)| {
        let a = n.reduce(a);
        if *negative { n.neg(&a) } else { a }
    });
    let residues: Vec<Nat> = residues.collect();
    // The products of the first 1, 2, ... residues.
    let mut products = vec![residues[0].clone()];
    for (i, residue) in residues.iter().enumerate().skip(1) {
        products.push(n.mul(&products[i - 1], residue));
    }
    let Some(mut rest) = n.inv_vartime(&products[residues.len() - 1]) else {
        return each();
    };
    let mut found = vec![None; residues.len()];
    for i in (1..residues.len()).rev() {
        found[i] = Some(n.mul(&rest, &products[i - 1]));
        rest = n.mul(&rest, &residues[i]);
    }
    found[0] = Some(rest);
    found
}
