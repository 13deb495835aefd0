//! The module `carrysave.x25519`.

use crate::octets::{array, octets};
use crate::schemes::{Item, Raised, all, each, private_key, run_all};
use carrysave::ec::task::X25519Agree;
use carrysave::ec::{AnyPrivateKey, AnyPublicKey, Error, X25519PrivateKey, X25519PublicKey};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use zeroize::Zeroizing;

/// A private key of X25519. Functions that take it are constant time.
#[pyclass(module = "carrysave.x25519", name = "PrivateKey", frozen)]
pub(crate) struct XPrivateKey(pub(crate) X25519PrivateKey);

/// A public key of X25519.
#[pyclass(module = "carrysave.x25519", name = "PublicKey", frozen)]
pub(crate) struct XPublicKey(pub(crate) X25519PublicKey);

impl Item for X25519PublicKey {}

/// About the nanoseconds of an agreement.
const NANOS: u64 = 30_000;

impl XPrivateKey {
    fn secrets(
        &self,
        py: Python<'_>,
        peers: Vec<X25519PublicKey>,
        threads: usize,
    ) -> PyResult<Vec<Result<Zeroizing<Vec<u8>>, Error>>> {
        let key = self.0.clone();
        run_all(py, threads, NANOS, peers, move |&public| {
            let key = key.clone();
            X25519Agree { key, public }
        })
    }
}

#[pymethods]
impl XPrivateKey {
    /// Return a new private key, from the operating system's randomness.
    ///
    /// >>> from carrysave import x25519
    /// >>> x25519.PrivateKey.generate()
    /// <carrysave.x25519.PrivateKey>
    #[staticmethod]
    fn generate() -> Self {
        XPrivateKey(X25519PrivateKey::generate())
    }

    /// Return the private key of 32 bytes.
    #[staticmethod]
    fn from_private_bytes(data: &Bound<'_, PyAny>) -> PyResult<Self> {
        let data = octets("data", data)?;
        Ok(XPrivateKey(X25519PrivateKey::from_bytes(array(
            "data", &data,
        )?)))
    }

    /// Return the public key.
    fn public_key(&self) -> XPublicKey {
        XPublicKey(self.0.public())
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

    /// Return the secret of 32 bytes that is shared with the owner of a public key. Constant time.
    ///
    /// >>> from carrysave import x25519
    /// >>> alice, bob = (x25519.PrivateKey.generate() for _ in range(2))
    /// >>> alice.exchange(bob.public_key()) == bob.exchange(alice.public_key())
    /// True
    fn exchange<'py>(
        &self,
        py: Python<'py>,
        peer: PyRef<'py, XPublicKey>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let secrets = all(self.secrets(py, vec![peer.0], 1)?)?;
        Ok(PyBytes::new(py, &secrets[0]))
    }

    /// Return the list of the secrets shared with the owners of public keys, each as of `exchange`, side by side in vector
    /// lanes and on threads. In the place of a secret that is refused is the exception, a ValueError. Constant time.
    ///
    /// >>> from carrysave import x25519
    /// >>> key, peers = x25519.PrivateKey.generate(), [x25519.PrivateKey.generate() for _ in range(9)]
    /// >>> secrets = key.exchange_many([peer.public_key() for peer in peers])
    /// >>> secrets == [peer.exchange(key.public_key()) for peer in peers]
    /// True
    #[pyo3(signature = (peers, *, threads = 1))]
    fn exchange_many<'py>(
        &self,
        py: Python<'py>,
        peers: Vec<PyRef<'py, XPublicKey>>,
        threads: usize,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let peers = peers.iter().map(|peer| peer.0).collect();
        Ok(each(py, self.secrets(py, peers, threads)?))
    }

    fn __repr__(&self) -> &'static str {
        "<carrysave.x25519.PrivateKey>"
    }
}

#[pymethods]
impl XPublicKey {
    /// Return the public key of 32 bytes.
    #[staticmethod]
    fn from_public_bytes(data: &Bound<'_, PyAny>) -> PyResult<Self> {
        let data = octets("data", data)?;
        Ok(XPublicKey(X25519PublicKey(*array("data", &data)?)))
    }

    /// Return the 32 bytes of the key.
    fn public_bytes_raw<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.0.as_ref())
    }

    /// Return the key as PEM of SubjectPublicKeyInfo.
    fn public_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, AnyPublicKey::from(self.0).to_spki_pem().as_bytes())
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.0 == other.0
    }

    fn __repr__(&self) -> &'static str {
        "<carrysave.x25519.PublicKey>"
    }
}

/// X25519 (RFC 7748): keys and key agreement, one and many.
#[pymodule(submodule)]
pub(crate) mod x25519 {
    use super::*;
    #[pymodule_export]
    use super::{XPrivateKey, XPublicKey};
    use crate::schemes::another;

    /// Return the private key in `data`, the bytes of a file: PEM or DER of PKCS #8, encrypted or not.
    #[pyfunction]
    #[pyo3(signature = (data, password = None))]
    fn load_pem_private_key(
        data: &Bound<'_, PyAny>,
        password: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<XPrivateKey> {
        match private_key(data, password, AnyPrivateKey::from_any)? {
            AnyPrivateKey::X25519(key) => Ok(XPrivateKey(key)),
            key => Err(another(key.algorithm())),
        }
    }

    /// Return the public key in `data`, the bytes of a file: PEM or DER of SubjectPublicKeyInfo.
    #[pyfunction]
    fn load_pem_public_key(data: &Bound<'_, PyAny>) -> PyResult<XPublicKey> {
        match AnyPublicKey::from_any(&octets("data", data)?).map_err(Raised::raised)? {
            AnyPublicKey::X25519(key) => Ok(XPublicKey(key)),
            key => Err(another(key.algorithm())),
        }
    }
}
