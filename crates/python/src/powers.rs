//! `powmod` and its forms for many, with the names and the arguments of gmpy2.

use crate::int::{fitting, int, parts, python, pythons};
use crate::octets::{Words, limbs};
use crate::power::{Job, Work};
use crate::work::{batch, run, team};
use carrysave::arith::Nat;
use carrysave::team::Serial;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyInt};
use std::sync::Arc;

/// An argument that is one integer, or a sequence of some.
enum Argument<'py> {
    One(Bound<'py, PyInt>),
    Many(Vec<Bound<'py, PyInt>>),
}

impl<'py> Argument<'py> {
    fn new(name: &str, value: &Bound<'py, PyAny>) -> PyResult<Self> {
        if value.is_instance_of::<PyInt>() {
            return int(name, value).map(Argument::One);
        }
        match value.try_iter() {
            Ok(items) => {
                let items = items.map(|item| int(&format!("an item of {name}"), &item?));
                items.collect::<PyResult<_>>().map(Argument::Many)
            }
            Err(error) if error.is_instance_of::<PyTypeError>(value.py()) => {
                int(name, value).map(Argument::One)
            }
            Err(error) => Err(error),
        }
    }

    /// A sequence.
    fn list(name: &str, value: &Bound<'py, PyAny>) -> PyResult<Self> {
        match Argument::new(name, value)? {
            Argument::One(_) => Err(PyTypeError::new_err(format!(
                "{name} is one integer: use a sequence"
            ))),
            many => Ok(many),
        }
    }

    fn len(&self) -> Option<usize> {
        match self {
            Argument::One(_) => None,
            Argument::Many(items) => Some(items.len()),
        }
    }

    fn get(&self, i: usize) -> &Bound<'py, PyInt> {
        match self {
            Argument::One(item) => item,
            Argument::Many(items) => &items[i],
        }
    }
}

/// The integers of powers on their way to numbers.
struct Reader<'py> {
    work: Work,
    /// The last modulus and exponent that were read: mostly the next ones, too.
    modulus: Option<(Bound<'py, PyInt>, bool)>,
    exp: Option<(Bound<'py, PyInt>, Nat, bool)>,
    /// Which powers are of a modulus below 0, whose residues are not above 0.
    below: Vec<usize>,
}

impl<'py> Reader<'py> {
    fn new(secret: bool, one_base: bool) -> Self {
        Reader {
            work: Work {
                moduli: Vec::new(),
                jobs: Vec::new(),
                secret,
                one_base,
            },
            modulus: None,
            exp: None,
            below: Vec::new(),
        }
    }

    /// Adds `b ** e % m`.
    fn read(
        &mut self,
        b: &Bound<'py, PyInt>,
        e: &Bound<'py, PyInt>,
        m: &Bound<'py, PyInt>,
    ) -> PyResult<()> {
        if !self.modulus.as_ref().is_some_and(|(last, _)| last.is(m)) {
            self.read_modulus(m)?;
        }
        if !self.exp.as_ref().is_some_and(|(last, ..)| last.is(e)) {
            let (exp, negative) = parts(e)?;
            self.exp = Some((e.clone(), exp, negative));
        }
        let (_, exp, inverse) = self.exp.as_ref().expect("just read");
        let n = self.work.moduli.last().expect("just read");
        let (base, negative) = match fitting(b, n.width())? {
            Some(base) => (base, false),
            None => parts(b)?,
        };
        if *inverse && self.work.secret {
            let text = "a secret exponent is below 0: invert the base instead";
            return Err(PyValueError::new_err(text));
        }
        let (exp, inverse) = (exp.clone(), *inverse);
        let modulus = self.work.moduli.len() - 1;
        self.work.jobs.push(Job {
            modulus,
            base,
            negative,
            exp,
            inverse,
        });
        if self.modulus.as_ref().is_some_and(|(_, negative)| *negative) {
            self.below.push(self.work.jobs.len() - 1);
        }
        Ok(())
    }

    fn read_modulus(&mut self, m: &Bound<'py, PyInt>) -> PyResult<()> {
        let (n, negative) = parts(m)?;
        if n.is_zero() {
            return Err(PyValueError::new_err("the modulus is 0: use another"));
        }
        if self.work.secret && (negative || !n.is_odd() || n.is_one()) {
            return Err(PyValueError::new_err(
                "the modulus of a power with a secret exponent is not an odd number above 1: use powmod for others",
            ));
        }
        self.work.moduli.push(n);
        self.modulus = Some((m.clone(), negative));
        Ok(())
    }

    /// The powers.
    fn run(mut self, py: Python<'py>, threads: usize) -> PyResult<Vec<Bound<'py, PyAny>>> {
        if self.work.secret {
            let widths = self.work.jobs.iter().map(|job| job.exp.width());
            let widest = widths.max().unwrap_or(1);
            for job in &mut self.work.jobs {
                job.exp = job.exp.resize(widest).expect("not shorter");
            }
        }
        let Reader { work, below, .. } = self;
        let moduli: Vec<Nat> = below.iter().map(|&i| work.of(i).clone()).collect();
        let powers = powers(py, work, threads)?;
        let mut powers = pythons(py, &powers)?;
        for (i, modulus) in below.into_iter().zip(moduli) {
            if powers[i].is_truthy()? {
                powers[i] = powers[i].sub(python(py, &modulus)?)?;
            }
        }
        Ok(powers)
    }
}

/// The powers, on so many threads.
///
/// # Errors
/// `ValueError` if a base has no inverse for an exponent below 0; those of [`run`].
fn powers(py: Python<'_>, mut work: Work, threads: usize) -> PyResult<Vec<Nat>> {
    let nanos = work.nanos();
    // The words of Python's pow.
    let none = || PyValueError::new_err("base is not invertible for the given modulus");
    if threads == 1 && work.jobs.len() == 1 {
        let power = run(py, nanos, move |stop| {
            work.invert(&Serial, stop)?;
            Some(vec![work.alone(&Serial)])
        });
        return power?.ok_or_else(none);
    }
    let batch = batch(py, threads)?;
    let team = match work.takes_team() {
        true => team(py, threads)?,
        false => Arc::new(Serial),
    };
    let powers = run(py, nanos, move |stop| {
        work.invert(&*team, stop)?;
        Some(work.run(&batch, &*team, stop))
    });
    powers?.ok_or_else(none)
}

/// `b ** e % m` of one triple.
fn one<'py>(
    [b, e, m]: [&Bound<'py, PyInt>; 3],
    secret: bool,
    threads: usize,
) -> PyResult<Bound<'py, PyAny>> {
    let mut reader = Reader::new(secret, false);
    reader.read(b, e, m)?;
    Ok(reader.run(b.py(), threads)?.remove(0))
}

/// `b ** e % m` of many triples.
fn many<'py>(
    py: Python<'py>,
    [bases, exps, mods]: [Argument<'py>; 3],
    secret: bool,
    threads: usize,
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let mut lengths = [&bases, &exps, &mods].into_iter().filter_map(Argument::len);
    let Some(length) = lengths.next() else {
        let text = "no argument is a sequence: use powmod for one power";
        return Err(PyTypeError::new_err(text));
    };
    if let Some(other) = lengths.find(|&other| other != length) {
        return Err(PyValueError::new_err(format!(
            "the sequences have {length} and {other} items: use as many in each"
        )));
    }
    let one_base = matches!(bases, Argument::One(_));
    let mut reader = Reader::new(secret, one_base);
    for i in 0..length {
        reader.read(bases.get(i), exps.get(i), mods.get(i))?;
    }
    reader.run(py, threads)
}

/// Return `b ** e % m` as Python's `pow(b, e, m)` does, for integers of any size and sign.
///
/// Not constant time: the time depends on the exponent, and with an even modulus on every argument. For secret exponents
/// use `powmod_sec`. Several threads share one long power where the plan for the processor says that it pays.
///
/// >>> import carrysave
/// >>> carrysave.powmod(3, 2**100, 2**127 - 1) == pow(3, 2**100, 2**127 - 1)
/// True
/// >>> carrysave.powmod(3, -1, 7)
/// 5
#[pyfunction]
#[pyo3(signature = (b, e, m, /, *, threads = 1))]
pub(crate) fn powmod<'py>(
    b: &Bound<'py, PyAny>,
    e: &Bound<'py, PyAny>,
    m: &Bound<'py, PyAny>,
    threads: usize,
) -> PyResult<Bound<'py, PyAny>> {
    let [b, e, m] = [int("b", b)?, int("e", e)?, int("m", m)?];
    if threads == 1 && is_short(&m)? {
        return b.pow(e, m);
    }
    one([&b, &e, &m], false, threads)
}

/// Whether Python's own arithmetic is faster for this modulus.
fn is_short(m: &Bound<'_, PyInt>) -> PyResult<bool> {
    Ok(m.extract::<i64>().is_ok())
}

/// Return `b ** e % m` for a secret exponent.
///
/// Constant time: the time depends on the lengths of the arguments in words of 64 bits, and on the sign of `b`. `m` is odd
/// and above 1, `e` is not below 0. Python's integers themselves are neither wiped nor constant time.
///
/// >>> import carrysave
/// >>> carrysave.powmod_sec(2, 10, 1001)
/// 23
#[pyfunction]
#[pyo3(signature = (b, e, m, /, *, threads = 1))]
pub(crate) fn powmod_sec<'py>(
    b: &Bound<'py, PyAny>,
    e: &Bound<'py, PyAny>,
    m: &Bound<'py, PyAny>,
    threads: usize,
) -> PyResult<Bound<'py, PyAny>> {
    one([&int("b", b)?, &int("e", e)?, &int("m", m)?], true, threads)
}

/// Return the list of `b ** e % m`. Each argument is a sequence of integers, or one integer for all; at least one is a
/// sequence.
///
/// Eight powers run side by side in vector lanes, where the processor has them, on each of the threads. Moduli of about
/// one length share lanes. Not constant time, as `powmod`.
///
/// >>> import carrysave
/// >>> carrysave.powmod_list([2, 3, 4], 5, 1001)
/// [32, 243, 23]
/// >>> carrysave.powmod_list(2, [5, 6], [1001, 1003])
/// [32, 64]
#[pyfunction]
#[pyo3(signature = (bases, exps, mods, /, *, threads = 1))]
pub(crate) fn powmod_list<'py>(
    py: Python<'py>,
    bases: &Bound<'py, PyAny>,
    exps: &Bound<'py, PyAny>,
    mods: &Bound<'py, PyAny>,
    threads: usize,
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let arguments = [
        Argument::new("bases", bases)?,
        Argument::new("exps", exps)?,
        Argument::new("mods", mods)?,
    ];
    many(py, arguments, false, threads)
}

/// Return the list of `b ** e % m` for secret exponents. The arguments are those of `powmod_list`.
///
/// Constant time, as `powmod_sec`: all exponents take the time of the longest.
///
/// >>> import carrysave
/// >>> carrysave.powmod_sec_list(2, [5, 6], 1001)
/// [32, 64]
#[pyfunction]
#[pyo3(signature = (bases, exps, mods, /, *, threads = 1))]
pub(crate) fn powmod_sec_list<'py>(
    py: Python<'py>,
    bases: &Bound<'py, PyAny>,
    exps: &Bound<'py, PyAny>,
    mods: &Bound<'py, PyAny>,
    threads: usize,
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let arguments = [
        Argument::new("bases", bases)?,
        Argument::new("exps", exps)?,
        Argument::new("mods", mods)?,
    ];
    many(py, arguments, true, threads)
}

/// Return `[b ** exp % mod for b in base_lst]`. The name and the arguments are gmpy2's; see `powmod_list`.
///
/// Not constant time, as `powmod`.
///
/// >>> import carrysave
/// >>> carrysave.powmod_base_list([2, 3], 5, 1001)
/// [32, 243]
#[pyfunction]
#[pyo3(signature = (base_lst, exp, r#mod, /, *, threads = 1))]
pub(crate) fn powmod_base_list<'py>(
    py: Python<'py>,
    base_lst: &Bound<'py, PyAny>,
    exp: &Bound<'py, PyAny>,
    r#mod: &Bound<'py, PyAny>,
    threads: usize,
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let arguments = [
        Argument::list("base_lst", base_lst)?,
        Argument::One(int("exp", exp)?),
        Argument::One(int("mod", r#mod)?),
    ];
    many(py, arguments, false, threads)
}

/// Return `[base ** e % mod for e in exp_lst]`. The name and the arguments are gmpy2's; see `powmod_list`.
///
/// A table of powers of the base is made where that pays. Not constant time, as `powmod`.
///
/// >>> import carrysave
/// >>> carrysave.powmod_exp_list(2, [5, 6], 1001)
/// [32, 64]
#[pyfunction]
#[pyo3(signature = (base, exp_lst, r#mod, /, *, threads = 1))]
pub(crate) fn powmod_exp_list<'py>(
    py: Python<'py>,
    base: &Bound<'py, PyAny>,
    exp_lst: &Bound<'py, PyAny>,
    r#mod: &Bound<'py, PyAny>,
    threads: usize,
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let arguments = [
        Argument::One(int("base", base)?),
        Argument::list("exp_lst", exp_lst)?,
        Argument::One(int("mod", r#mod)?),
    ];
    many(py, arguments, false, threads)
}

/// Raise numbers that are rows of limbs to one power, without integers of Python.
///
/// `bases` is a contiguous buffer of unsigned 64-bit words, such as a NumPy array of the type `uint64`: one number after
/// the other, each as many words as `mod` has, the least significant word first. The powers go into `out`, a writable
/// buffer of this kind, which may be `bases` itself; without it a new `bytearray` is returned.
///
/// Not constant time, as `powmod`.
///
/// >>> import array, carrysave
/// >>> words = array.array("Q", [2, 0, 3, 0])  # two numbers of two words
/// >>> carrysave.powmod_limbs(words, 5, 2**64 + 13, out=words)
/// >>> list(words)
/// [32, 0, 243, 0]
#[pyfunction]
#[pyo3(signature = (bases, exp, r#mod, /, *, out = None, threads = 1))]
pub(crate) fn powmod_limbs<'py>(
    py: Python<'py>,
    bases: &Bound<'py, PyAny>,
    exp: &Bound<'py, PyAny>,
    r#mod: &Bound<'py, PyAny>,
    out: Option<&Bound<'py, PyAny>>,
    threads: usize,
) -> PyResult<Option<Bound<'py, PyByteArray>>> {
    let [exp, modulus] = [int("exp", exp)?, int("mod", r#mod)?];
    let mut reader = Reader::new(false, false);
    reader.read_modulus(&modulus)?;
    let (exp, below) = parts(&exp)?;
    if below || reader.modulus.is_some_and(|(_, negative)| negative) {
        let text = "exp or mod is below 0: use powmod_list for these";
        return Err(PyValueError::new_err(text));
    }
    let mut work = reader.work;
    let width = work.moduli[0].width();
    let jobs = limbs("bases", bases, py, width)?
        .into_iter()
        .map(|base| Job {
            modulus: 0,
            base,
            negative: false,
            exp: exp.clone(),
            inverse: false,
        });
    work.jobs.extend(jobs);
    let out = out.map(|out| Words::new(out, work.jobs.len() * width));
    let out = out.transpose()?;
    let powers = powers(py, work, threads)?;
    let words = powers
        .iter()
        .flat_map(|power| power.limbs().iter().copied());
    match out {
        Some(out) => {
            let words: Vec<u64> = words.collect();
            out.write(py, &words).map(|()| None)
        }
        None => {
            let octets: Vec<u8> = words.flat_map(|word| word.to_ne_bytes()).collect();
            Ok(Some(PyByteArray::new(py, &octets)))
        }
    }
}
