//! Primes.

use crate::int::{int, parts, python, pythons};
use crate::work::{run, share, team};
use carrysave::arith::{Nat, prime};
use carrysave::system_rng;
use core::sync::atomic::{AtomicBool, Ordering::Relaxed};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::sync::OnceLock;

/// The rounds that the Baillie-PSW test stands for, as in GMP.
const BAILLIE_PSW: usize = 24;
/// The most primes of a call.
const MOST: usize = 1 << 20;
/// The fewest bits of a random prime, and of a random safe prime.
const LEAST: [usize; 2] = [16, 17];

/// Return whether `n` is probably a prime: no composite is known that passes. Numbers below 2 are none.
///
/// The Baillie-PSW test, and for each of `rounds` above 24 a round of Miller and Rabin's with a random base, as GMP counts
/// them. Not constant time.
///
/// >>> import carrysave
/// >>> carrysave.is_prime(2**127 - 1)
/// True
/// >>> carrysave.is_prime(-7)
/// False
#[pyfunction]
#[pyo3(signature = (n, rounds = 25, /))]
pub(crate) fn is_prime(py: Python<'_>, n: &Bound<'_, PyAny>, rounds: usize) -> PyResult<bool> {
    let n = int("n", n)?;
    let (n, negative) = parts(&n)?;
    if negative {
        return Ok(false);
    }
    let more = rounds.saturating_sub(BAILLIE_PSW);
    let nanos = crate::power::nanos(n.width(), n.width()).saturating_mul(4 + more as u64);
    run(py, nanos, move |stop| {
        let mut rng = system_rng();
        // One round at a time, as a signal may end them.
        let round = |_| !stop.load(Relaxed) && prime::is_prime(&n, 1, &mut rng);
        prime::is_prime_vartime(&n) && (0..more).all(round)
    })
}

/// Return a random prime of exactly `bits` bits, from the operating system's randomness.
///
/// With `safe` also `(p - 1) / 2` is a prime, which takes hundreds of times as long. Several threads search together. The
/// prime is a secret: only the number of candidates that were refused shows in the time.
///
/// >>> import carrysave
/// >>> carrysave.random_prime(256).bit_length()
/// 256
#[pyfunction]
#[pyo3(signature = (bits, *, safe = false, threads = 1))]
pub(crate) fn random_prime(
    py: Python<'_>,
    bits: usize,
    safe: bool,
    threads: usize,
) -> PyResult<Bound<'_, PyAny>> {
    check(bits, safe)?;
    let team = team(py, threads)?;
    let found = run(py, nanos(bits, safe), move |stop| {
        let first = OnceLock::new();
        team.offer(&|_| {
            if let Some(prime) = random(bits, safe, stop) {
                let _ = first.set(prime);
                // The others may stop.
                stop.store(true, Relaxed);
            }
        });
        first.into_inner()
    })?;
    python(py, &found.expect("a search that ends by itself finds one"))
}

/// Return a list of `count` random primes of exactly `bits` bits, each as of `random_prime`.
///
/// >>> import carrysave
/// >>> [p.bit_length() for p in carrysave.random_primes(3, 128, threads=2)]
/// [128, 128, 128]
#[pyfunction]
#[pyo3(signature = (count, bits, *, safe = false, threads = 1))]
pub(crate) fn random_primes(
    py: Python<'_>,
    count: usize,
    bits: usize,
    safe: bool,
    threads: usize,
) -> PyResult<Vec<Bound<'_, PyAny>>> {
    check(bits, safe)?;
    if count > MOST {
        return Err(PyValueError::new_err(format!(
            "count={count} is not possible: use {MOST} at most, and call it again"
        )));
    }
    let team = team(py, threads)?;
    let nanos = nanos(bits, safe).saturating_mul(count as u64);
    let found = run(py, nanos, move |stop| {
        let found = share(&*team, count, stop, |_| random(bits, safe, stop));
        found.into_iter().flatten().collect::<Vec<Nat>>()
    })?;
    pythons(py, &found)
}

/// Whether there are such primes.
fn check(bits: usize, safe: bool) -> PyResult<()> {
    let least = LEAST[usize::from(safe)];
    match (least..=1 << 20).contains(&bits) {
        true => Ok(()),
        false => Err(PyValueError::new_err(format!(
            "bits={bits} is not possible: use {least} to {}",
            1 << 20
        ))),
    }
}

/// About the nanoseconds of a search.
fn nanos(bits: usize, safe: bool) -> u64 {
    let limbs = bits.div_ceil(64);
    let tests = bits as u64 / 20 + 10;
    let more = if safe { tests } else { 1 };
    crate::power::nanos(limbs, limbs).saturating_mul(tests * more)
}

/// A random prime, unless the search is stopped.
fn random(bits: usize, safe: bool, stop: &AtomicBool) -> Option<Nat> {
    let rng = &mut system_rng();
    if safe {
        return prime::random_safe_prime(bits, Some(stop), rng, &mut || ());
    }
    let options = prime::PrimeOptions {
        stop: Some(stop),
        ..Default::default()
    };
    prime::random_prime(bits, &options, rng, &mut || ())
}
