//! The module `carrysave.ed25519`.

use crate::octets::{Octets, array, many, octets};
use crate::schemes::{Raised, all, pairs, private_key, run_all};
use carrysave::ec::ed25519::task::{
    SignEd25519, VerifyEd25519, VerifyEd25519Zip215, WithoutCofactor,
};
use carrysave::ec::{AnyPrivateKey, AnyPublicKey, Error};
use carrysave::ec::{Ed25519PrivateKey, Ed25519PublicKey, Ed25519Signature};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// A private key of Ed25519. Functions that take it are constant time.
#[pyclass(module = "carrysave.ed25519", name = "PrivateKey", frozen)]
pub(crate) struct EdPrivateKey(pub(crate) Ed25519PrivateKey);

/// A public key of Ed25519. What is done with it is not constant time.
#[pyclass(module = "carrysave.ed25519", name = "PublicKey", frozen)]
pub(crate) struct EdPublicKey(Ed25519PublicKey);

/// About the nanoseconds of an operation.
const NANOS: u64 = 40_000;

impl EdPrivateKey {
    fn signatures(
        &self,
        py: Python<'_>,
        messages: Vec<Octets>,
        threads: usize,
    ) -> PyResult<Vec<Ed25519Signature>> {
        let key = self.0.clone();
        all(run_all(py, threads, NANOS, messages, move |message| {
            let (key, message) = (key.clone(), message.to_vec());
            SignEd25519 { key, message }
        })?)
    }
}

#[pymethods]
impl EdPrivateKey {
    /// Return a new private key, from the operating system's randomness.
    ///
    /// >>> from carrysave import ed25519
    /// >>> ed25519.PrivateKey.generate()
    /// <carrysave.ed25519.PrivateKey>
    #[staticmethod]
    fn generate() -> Self {
        EdPrivateKey(Ed25519PrivateKey::generate())
    }

    /// Return the private key of 32 bytes.
    #[staticmethod]
    fn from_private_bytes(data: &Bound<'_, PyAny>) -> PyResult<Self> {
        let data = octets("data", data)?;
        Ok(EdPrivateKey(Ed25519PrivateKey::from_bytes(array(
            "data", &data,
        )?)))
    }

    /// Return the public key.
    fn public_key(&self) -> EdPublicKey {
        EdPublicKey(*self.0.public())
    }

    /// Return the 32 bytes of the key.
    fn private_bytes_raw<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.0.as_bytes())
    }

    /// Return the key as PEM of PKCS #8, unencrypted.
    fn private_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let pem = AnyPrivateKey::from(self.0.clone()).to_pkcs8_pem();
        PyBytes::new(py, pem.as_bytes())
    }

    /// Return the signature of a message, of 64 bytes. Constant time.
    ///
    /// >>> from carrysave import ed25519
    /// >>> key = ed25519.PrivateKey.generate()
    /// >>> key.public_key().verify(key.sign(b"a message"), b"a message")
    fn sign<'py>(
        &self,
        py: Python<'py>,
        message: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let signatures = self.signatures(py, vec![octets("message", message)?], 1)?;
        Ok(PyBytes::new(py, signatures[0].as_ref()))
    }

    /// Return the list of the signatures of messages, each as of `sign`, on threads. Constant time.
    ///
    /// >>> from carrysave import ed25519
    /// >>> key = ed25519.PrivateKey.generate()
    /// >>> signatures = key.sign_many([b"one", b"two"], threads=2)
    /// >>> key.public_key().verify_many(signatures, [b"one", b"three"])
    /// [True, False]
    #[pyo3(signature = (messages, *, threads = 1))]
    fn sign_many<'py>(
        &self,
        py: Python<'py>,
        messages: &Bound<'py, PyAny>,
        threads: usize,
    ) -> PyResult<Vec<Bound<'py, PyBytes>>> {
        let signatures = self.signatures(py, many("messages", messages)?, threads)?;
        let signatures = signatures.iter();
        Ok(signatures.map(|s| PyBytes::new(py, s.as_ref())).collect())
    }

    fn __repr__(&self) -> &'static str {
        "<carrysave.ed25519.PrivateKey>"
    }
}

impl EdPublicKey {
    fn verdicts(
        &self,
        py: Python<'_>,
        pairs: Vec<(Octets, Octets)>,
        zip215: bool,
        threads: usize,
    ) -> PyResult<Vec<Result<(), Error>>> {
        let key = self.0;
        // What is no signature by its length is none by its value.
        let signature = |octets: &Octets| {
            let octets = octets[..].try_into();
            Ed25519Signature(octets.unwrap_or([0xff; 64]))
        };
        if zip215 {
            return run_all(py, threads, NANOS, pairs, move |(octets, message)| {
                VerifyEd25519Zip215 {
                    key,
                    message: message.to_vec(),
                    signature: signature(octets),
                }
            });
        }
        run_all(py, threads, NANOS, pairs, move |(octets, message)| {
            VerifyEd25519 {
                key: WithoutCofactor(key),
                message: message.to_vec(),
                signature: signature(octets),
            }
        })
    }
}

#[pymethods]
impl EdPublicKey {
    /// Return the public key of 32 bytes.
    #[staticmethod]
    fn from_public_bytes(data: &Bound<'_, PyAny>) -> PyResult<Self> {
        let data = octets("data", data)?;
        let key = Ed25519PublicKey::from_bytes(array("data", &data)?);
        key.map(EdPublicKey).map_err(Raised::raised)
    }

    /// Return the 32 bytes of the key.
    fn public_bytes_raw<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.0.as_bytes())
    }

    /// Return the key as PEM of SubjectPublicKeyInfo.
    fn public_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, AnyPublicKey::from(self.0).to_spki_pem().as_bytes())
    }

    /// Check a signature of a message: raise InvalidSignature if it does not fit. `zip215` takes the rules of ZIP 215.
    #[pyo3(signature = (signature, message, *, zip215 = false))]
    fn verify<'py>(
        &self,
        py: Python<'py>,
        signature: &Bound<'py, PyAny>,
        message: &Bound<'py, PyAny>,
        zip215: bool,
    ) -> PyResult<()> {
        let pair = vec![(octets("signature", signature)?, octets("message", message)?)];
        all(self.verdicts(py, pair, zip215, 1)?).map(|_| ())
    }

    /// Return for each signature and message whether they fit, on threads. By the rules of ZIP 215, which allow it, many
    /// are verified together in half of the time.
    #[pyo3(signature = (signatures, messages, *, zip215 = false, threads = 1))]
    fn verify_many<'py>(
        &self,
        py: Python<'py>,
        signatures: &Bound<'py, PyAny>,
        messages: &Bound<'py, PyAny>,
        zip215: bool,
        threads: usize,
    ) -> PyResult<Vec<bool>> {
        let pairs = pairs(many("signatures", signatures)?, many("messages", messages)?)?;
        let verdicts = self.verdicts(py, pairs, zip215, threads)?;
        Ok(verdicts.iter().map(Result::is_ok).collect())
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.0 == other.0
    }

    fn __repr__(&self) -> &'static str {
        "<carrysave.ed25519.PublicKey>"
    }
}

/// Ed25519 (RFC 8032): keys and signatures, one and many.
#[pymodule(submodule)]
pub(crate) mod ed25519 {
    use super::*;
    #[pymodule_export]
    use super::{EdPrivateKey, EdPublicKey};
    use crate::schemes::another;

    /// Return the private key in `data`, the bytes of a file: PEM or DER, of PKCS #8 or OpenSSH, encrypted or not.
    #[pyfunction]
    #[pyo3(signature = (data, password = None))]
    fn load_pem_private_key(
        data: &Bound<'_, PyAny>,
        password: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<EdPrivateKey> {
        match private_key(data, password, AnyPrivateKey::from_any)? {
            AnyPrivateKey::Ed25519(key) => Ok(EdPrivateKey(key)),
            key => Err(another(key.algorithm())),
        }
    }

    /// Return the public key in `data`, the bytes of a file: PEM or DER, of SubjectPublicKeyInfo, OpenSSH or a certificate.
    #[pyfunction]
    fn load_pem_public_key(data: &Bound<'_, PyAny>) -> PyResult<EdPublicKey> {
        match AnyPublicKey::from_any(&octets("data", data)?).map_err(Raised::raised)? {
            AnyPublicKey::Ed25519(key) => Ok(EdPublicKey(key)),
            key => Err(another(key.algorithm())),
        }
    }
}
