//! One service for the calls of many threads.

use crate::ecdsa::{EcPrivateKey, hash_of};
use crate::int::{fitting, int, nat, parts, python};
use crate::montgomery::{XPrivateKey, XPublicKey};
use crate::octets::octets;
use crate::power::residue;
use crate::rsa::{Padding, RsaPrivateKey, of_signatures, sign_pss};
use crate::schemes::Raised;
use crate::work::{checked, run, run_borrowed};
use carrysave::arith::{Modulus, Nat, task::OutOfRange, task::Power};
use carrysave::ec::task::{SignEcdsa, X25519Agree};
use carrysave::engine::{self, AnyTask, ServiceError, ServiceOptions};
use carrysave::rsa::task::{DecryptOaep, SignPkcs1v15};
use core::time::Duration;
use pyo3::exceptions::{PyOSError, PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use std::sync::{Arc, Mutex};

/// The most seconds that a call waits for others.
const LONGEST: f64 = 1.0;

/// Runs the calls of many threads: those that come at the same time share vector lanes, and each waits for its own result.
///
/// Not more than `threads` calls compute at the same time, by default as many as there are processors. The service has as
/// many threads of its own, which sleep unless calls queue up. `wait` is the longest time in seconds for which a call waits
/// for others, at most 1. A forked process makes a service of its own.
///
/// >>> import carrysave
/// >>> from concurrent.futures import ThreadPoolExecutor
/// >>> with carrysave.Service(threads=1) as service, ThreadPoolExecutor(16) as pool:
/// ...     list(pool.map(lambda b: service.powmod(b, 65537, 2**127 - 1), range(3)))
/// [0, 1, 32]
#[pyclass(module = "carrysave", frozen)]
pub(crate) struct Service {
    service: Arc<engine::Service>,
    process: u32,
    /// The last modulus with its context: mostly that of the next call, too.
    modulus: Mutex<Option<Modulus>>,
}

impl Raised for OutOfRange {
    fn raised(self) -> PyErr {
        PyValueError::new_err(self.to_string())
    }
}

impl Service {
    /// Runs a task, and looks for signals meanwhile: the calls before it take their time, too.
    fn run<T>(&self, py: Python<'_>, task: T) -> PyResult<T::Output>
    where
        T: AnyTask<Output: Send, Error: Raised + Send> + 'static,
    {
        if self.process != std::process::id() {
            return Err(PyRuntimeError::new_err(
                "this service is of the process before the fork: make another in this process",
            ));
        }
        let service = self.service.clone();
        let result = run(py, u64::MAX, move |_| service.run(task))?;
        result.map_err(|error| match error {
            ServiceError::Task(error) => error.raised(),
            ServiceError::ShutDown => {
                PyRuntimeError::new_err("the service was shut down: make another")
            }
            _ => PyRuntimeError::new_err(
                "carrysave failed, which is a bug: report it with the arguments",
            ),
        })
    }

    /// The context of a modulus.
    fn context(&self, n: &Nat) -> Option<Modulus> {
        let mut last = crate::work::lock(&self.modulus);
        if let Some(modulus) = last.as_ref().filter(|last| last.nat() == n) {
            return Some(modulus.clone());
        }
        let modulus = Modulus::new(n)?;
        *last = Some(modulus.clone());
        Some(modulus)
    }
}

#[pymethods]
impl Service {
    #[new]
    #[pyo3(signature = (threads = None, *, wait = 50e-6))]
    fn new(threads: Option<usize>, wait: f64) -> PyResult<Self> {
        let mut options = ServiceOptions::default();
        options.threads = checked(threads.unwrap_or(options.threads))?;
        if !(0.0..=LONGEST).contains(&wait) {
            return Err(PyValueError::new_err(format!(
                "wait={wait} is not possible: use 0 to {LONGEST} seconds"
            )));
        }
        options.wait = Duration::from_secs_f64(wait);
        let service = engine::Service::new(options);
        Ok(Service {
            service: Arc::new(service.map_err(|error| PyOSError::new_err(error.to_string()))?),
            process: std::process::id(),
            modulus: Mutex::new(None),
        })
    }

    /// Return `b ** e % m` for a secret exponent: as the function `powmod_sec`, and constant time as that.
    fn powmod<'py>(
        &self,
        py: Python<'py>,
        b: &Bound<'py, PyAny>,
        e: &Bound<'py, PyAny>,
        m: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let [b, e, m] = [int("b", b)?, int("e", e)?, int("m", m)?];
        let modulus = nat(&m)?.and_then(|n| self.context(&n)).ok_or_else(|| {
            PyValueError::new_err(
                "the modulus is not an odd number above 1: use the function powmod for others",
            )
        })?;
        let (base, negative) = match fitting(&b, modulus.width())? {
            Some(base) => (base, false),
            None => parts(&b)?,
        };
        let base = run_borrowed(py, || residue(&modulus, &base, negative))?;
        let exp = nat(&e)?.ok_or_else(|| {
            PyValueError::new_err("the exponent is below 0: invert the base instead")
        })?;
        python(py, &self.run(py, Power::new(modulus, base, exp))?)
    }

    /// Return the signature of a message by a private key of `rsa` or `ecdsa`, as its method `sign` does. Constant time.
    #[pyo3(signature = (key, message, *, padding = None, hash = None))]
    fn sign<'py>(
        &self,
        py: Python<'py>,
        key: &Bound<'py, PyAny>,
        message: &Bound<'py, PyAny>,
        padding: Option<&str>,
        hash: Option<&str>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let message = octets("message", message)?;
        let signature = if let Ok(key) = key.cast::<RsaPrivateKey>() {
            let hash = crate::schemes::hash(hash.unwrap_or("sha256"))?;
            let key = &key.get().0;
            match of_signatures(padding.unwrap_or("pss"), None)? {
                Padding::Pss(salt) => {
                    let task = run_borrowed(py, || sign_pss(key, hash, salt, &message))?;
                    self.run(py, task)?
                }
                _ => {
                    let digest = run_borrowed(py, || hash.digest(&message))?;
                    let key = key.clone();
                    self.run(py, SignPkcs1v15 { key, hash, digest })?
                }
            }
        } else if let Ok(key) = key.cast::<EcPrivateKey>() {
            if padding.is_some() {
                let text = "padding is for keys of rsa: leave it out";
                return Err(PyValueError::new_err(text));
            }
            let key = key.get().0.clone();
            let hash = hash_of(key.algorithm(), hash)?;
            let digest = run_borrowed(py, || hash.digest(&message))?;
            self.run(py, SignEcdsa { key, hash, digest })?
        } else {
            let text = "key is no private key of rsa or ecdsa: use one of these";
            return Err(PyTypeError::new_err(text));
        };
        Ok(PyBytes::new(py, &signature))
    }

    /// Return the plaintext of a ciphertext for a private key of `rsa`, by OAEP. Constant time.
    #[pyo3(signature = (key, ciphertext, *, hash = "sha256"))]
    fn decrypt<'py>(
        &self,
        py: Python<'py>,
        key: PyRef<'py, RsaPrivateKey>,
        ciphertext: &Bound<'py, PyAny>,
        hash: &str,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let hash = crate::schemes::hash(hash)?;
        let task = DecryptOaep {
            key: key.0.clone(),
            hash,
            mgf: hash,
            label: Vec::new(),
            ciphertext: octets("ciphertext", ciphertext)?.to_vec(),
        };
        Ok(PyBytes::new(py, &self.run(py, task)?))
    }

    /// Return the secret that a private key of `x25519` shares with the owner of a public key. Constant time.
    fn exchange<'py>(
        &self,
        py: Python<'py>,
        key: PyRef<'py, XPrivateKey>,
        peer: PyRef<'py, XPublicKey>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let (key, public) = (key.0.clone(), peer.0);
        let secret = self.run(py, X25519Agree { key, public })?;
        Ok(PyBytes::new(py, &secret))
    }

    /// Return what was done so far: `jobs`, the `groups` in which they ran, `mean_fill`, the jobs a group, and `mean_queue`,
    /// the seconds a call waited for its group.
    fn metrics<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let metrics = self.service.metrics();
        let dict = PyDict::new(py);
        dict.set_item("jobs", metrics.jobs)?;
        dict.set_item("groups", metrics.groups)?;
        dict.set_item("mean_fill", metrics.mean_fill())?;
        dict.set_item("mean_queue", metrics.mean_queue().as_secs_f64())?;
        Ok(dict)
    }

    /// Refuse calls from now on, and return when those before have their results.
    fn shutdown(&self, py: Python<'_>) -> PyResult<()> {
        if self.process != std::process::id() {
            return Ok(());
        }
        let service = self.service.clone();
        run(py, u64::MAX, move |_| service.shutdown())
    }

    fn __enter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    #[pyo3(signature = (*_args))]
    fn __exit__(&self, py: Python<'_>, _args: &Bound<'_, pyo3::types::PyTuple>) -> PyResult<()> {
        self.shutdown(py)
    }
}
