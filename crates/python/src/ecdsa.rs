//! The module `carrysave.ecdsa`: ECDSA and ECDH.

use crate::octets::{Octets, many, octets};
use crate::schemes::{Item, Raised, all, another, each, pairs, private_key, run_all};
use crate::work::{run, share, team};
use carrysave::ec::task::{EcdhAgree, SignEcdsa, VerifyEcdsa};
use carrysave::ec::{Algorithm, AnyPrivateKey, AnyPublicKey, Error, Named, PublicKey};
use carrysave::hash::Hash;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::sync::Arc;

/// A private key of an elliptic curve, for ECDSA and ECDH. Functions that take it are constant time.
#[pyclass(module = "carrysave.ecdsa", name = "PrivateKey", frozen)]
pub(crate) struct EcPrivateKey(pub(crate) Arc<AnyPrivateKey>);

/// A public key of an elliptic curve. What is done with it is not constant time.
#[pyclass(module = "carrysave.ecdsa", name = "PublicKey", frozen)]
pub(crate) struct EcPublicKey(AnyPublicKey);

/// About the nanoseconds of an operation.
const NANOS: u64 = 100_000;

/// The names of curves in other programs.
const ALIASES: [(&str, &str); 9] = [
    ("secp224r1", "P-224"),
    ("secp256r1", "P-256"),
    ("prime256v1", "P-256"),
    ("secp384r1", "P-384"),
    ("secp521r1", "P-521"),
    ("p224", "P-224"),
    ("p256", "P-256"),
    ("p384", "P-384"),
    ("p521", "P-521"),
];

/// The curves of ECDSA.
fn curves() -> impl Iterator<Item = Algorithm> {
    let all = Algorithm::ALL.iter().copied();
    all.filter(|&curve| curve.agrees() && curve.signs())
}

fn curve(name: &str) -> PyResult<Algorithm> {
    let alias = ALIASES
        .iter()
        .find(|(alias, _)| alias.eq_ignore_ascii_case(name));
    let usual = alias.map_or(name, |(_, usual)| usual);
    let found = curves().find(|curve| curve.name().eq_ignore_ascii_case(usual));
    found.ok_or_else(|| {
        let all: Vec<&str> = curves().map(Algorithm::name).collect();
        PyValueError::new_err(format!(
            "curve='{name}' is not known: use one of {}",
            all.join(", ")
        ))
    })
}

/// Refuses keys that are for other modules.
fn of_ecdsa<K>(key: K, algorithm: Algorithm) -> PyResult<K> {
    match curves().any(|curve| curve == algorithm) {
        true => Ok(key),
        false => Err(another(algorithm)),
    }
}

/// A hash by its name, or that of the curve.
pub(crate) fn hash_of(algorithm: Algorithm, name: Option<&str>) -> PyResult<Hash> {
    name.map_or_else(|| Ok(algorithm.hash()), crate::schemes::hash)
}

impl<C: Named + 'static> Item for PublicKey<C> {}

impl EcPrivateKey {
    fn signatures(
        &self,
        py: Python<'_>,
        messages: Vec<Octets>,
        hash: Option<&str>,
        threads: usize,
    ) -> PyResult<Vec<Vec<u8>>> {
        let (key, hash) = (self.0.clone(), hash_of(self.0.algorithm(), hash)?);
        all(run_all(py, threads, NANOS, messages, move |message| {
            let (key, digest) = (key.clone(), hash.digest(message));
            SignEcdsa { key, hash, digest }
        })?)
    }
}

#[pymethods]
impl EcPrivateKey {
    /// The name of the curve.
    #[getter]
    fn curve(&self) -> &'static str {
        self.0.algorithm().name()
    }

    /// Return the public key.
    fn public_key(&self) -> EcPublicKey {
        EcPublicKey(self.0.public())
    }

    /// Return the key as PEM of PKCS #8, unencrypted.
    fn private_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.0.to_pkcs8_pem().as_bytes())
    }

    /// Return the signature of a message as DER, with the nonce of RFC 6979. The hash goes with the curve, unless it is
    /// given. Constant time.
    ///
    /// >>> from carrysave import ecdsa
    /// >>> key = ecdsa.generate_private_key("P-256")
    /// >>> key.public_key().verify(key.sign(b"a message"), b"a message")
    #[pyo3(signature = (message, *, hash = None))]
    fn sign<'py>(
        &self,
        py: Python<'py>,
        message: &Bound<'py, PyAny>,
        hash: Option<&str>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let messages = vec![octets("message", message)?];
        Ok(PyBytes::new(
            py,
            &self.signatures(py, messages, hash, 1)?[0],
        ))
    }

    /// Return the list of the signatures of messages, each as of `sign`, side by side in vector lanes and on threads.
    /// Constant time.
    ///
    /// >>> from carrysave import ecdsa
    /// >>> key = ecdsa.generate_private_key("P-384")
    /// >>> signatures = key.sign_many([b"one", b"two"], threads=2)
    /// >>> key.public_key().verify_many(signatures, [b"one", b"three"])
    /// [True, False]
    #[pyo3(signature = (messages, *, hash = None, threads = 1))]
    fn sign_many<'py>(
        &self,
        py: Python<'py>,
        messages: &Bound<'py, PyAny>,
        hash: Option<&str>,
        threads: usize,
    ) -> PyResult<Vec<Bound<'py, PyBytes>>> {
        let messages = many("messages", messages)?;
        let signatures = self.signatures(py, messages, hash, threads)?;
        Ok(signatures.iter().map(|s| PyBytes::new(py, s)).collect())
    }

    /// Return the secret shared with the owner of a public key, by ECDH: an x-coordinate. Constant time.
    ///
    /// >>> from carrysave import ecdsa
    /// >>> alice, bob = (ecdsa.generate_private_key("P-256") for _ in range(2))
    /// >>> alice.exchange(bob.public_key()) == bob.exchange(alice.public_key())
    /// True
    fn exchange<'py>(
        &self,
        py: Python<'py>,
        peer: PyRef<'py, EcPublicKey>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let (key, peer) = (self.0.clone(), peer.0.clone());
        let secret = run(py, NANOS, move |_| key.agree(&peer))?;
        Ok(PyBytes::new(py, &secret.map_err(Raised::raised)?))
    }

    /// Return the list of the secrets shared with the owners of public keys, each as of `exchange`, side by side in vector
    /// lanes and on threads. In the place of a secret that is refused is the exception, a ValueError. Constant time.
    ///
    /// >>> from carrysave import ecdsa
    /// >>> key = ecdsa.generate_private_key("P-256")
    /// >>> peers = [ecdsa.generate_private_key(curve).public_key() for curve in ("P-256", "P-384")]
    /// >>> [type(secret).__name__ for secret in key.exchange_many(peers)]
    /// ['bytes', 'ValueError']
    #[pyo3(signature = (peers, *, threads = 1))]
    fn exchange_many<'py>(
        &self,
        py: Python<'py>,
        peers: Vec<PyRef<'py, EcPublicKey>>,
        threads: usize,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let alike = |peer: &AnyPublicKey| peer.algorithm() == self.0.algorithm();
        let places: Vec<bool> = peers.iter().map(|peer| alike(&peer.0)).collect();
        let peers = peers.iter().map(|peer| peer.0.clone()).filter(alike);
        let peers: Vec<AnyPublicKey> = peers.collect();
        /// Those of a curve that has tasks.
        macro_rules! in_batches {
            ($($Curve:ident)*) => {
                match &*self.0 {
                    $(AnyPrivateKey::$Curve(key) => {
                        let key = key.clone();
                        let peers = peers.into_iter().filter_map(|peer| match peer {
                            AnyPublicKey::$Curve(peer) => Some(peer),
                            _ => None,
                        });
                        run_all(py, threads, NANOS, peers.collect(), move |peer| {
                            EcdhAgree { key: key.clone(), public: peer.clone() }
                        })?
                    })*
                    _ => {
                        let (key, team) = (self.0.clone(), team(py, threads)?);
                        let nanos = NANOS * peers.len() as u64;
                        run(py, nanos, move |stop| {
                            share(&*team, peers.len(), stop, |i| key.agree(&peers[i]))
                        })?
                    }
                }
            };
        }
        let mut secrets = in_batches!(P256 P384 P521 Secp256k1).into_iter();
        let secret = |alike| if alike { secrets.next() } else { None };
        let secrets = places.into_iter().map(secret);
        let secrets = secrets.map(|s| s.unwrap_or(Err(Error::OtherCurve)));
        Ok(each(py, secrets.collect()))
    }

    fn __repr__(&self) -> String {
        format!("<carrysave.ecdsa.PrivateKey of {}>", self.curve())
    }
}

impl EcPublicKey {
    fn verdicts(
        &self,
        py: Python<'_>,
        pairs: Vec<(Octets, Octets)>,
        hash: Option<&str>,
        threads: usize,
    ) -> PyResult<Vec<Result<(), Error>>> {
        let (key, hash) = (self.0.clone(), hash_of(self.0.algorithm(), hash)?);
        run_all(py, threads, NANOS, pairs, move |(signature, message)| {
            VerifyEcdsa {
                key: key.clone(),
                hash,
                digest: hash.digest(message),
                signature: signature.to_vec(),
            }
        })
    }
}

#[pymethods]
impl EcPublicKey {
    /// The name of the curve.
    #[getter]
    fn curve(&self) -> &'static str {
        self.0.algorithm().name()
    }

    /// Return the key as PEM of SubjectPublicKeyInfo.
    fn public_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.0.to_spki_pem().as_bytes())
    }

    /// Check a signature of a message: raise InvalidSignature if it does not fit.
    #[pyo3(signature = (signature, message, *, hash = None))]
    fn verify<'py>(
        &self,
        py: Python<'py>,
        signature: &Bound<'py, PyAny>,
        message: &Bound<'py, PyAny>,
        hash: Option<&str>,
    ) -> PyResult<()> {
        let pair = vec![(octets("signature", signature)?, octets("message", message)?)];
        all(self.verdicts(py, pair, hash, 1)?).map(|_| ())
    }

    /// Return for each signature and message whether they fit, side by side in vector lanes and on threads.
    #[pyo3(signature = (signatures, messages, *, hash = None, threads = 1))]
    fn verify_many<'py>(
        &self,
        py: Python<'py>,
        signatures: &Bound<'py, PyAny>,
        messages: &Bound<'py, PyAny>,
        hash: Option<&str>,
        threads: usize,
    ) -> PyResult<Vec<bool>> {
        let pairs = pairs(many("signatures", signatures)?, many("messages", messages)?)?;
        let verdicts = self.verdicts(py, pairs, hash, threads)?;
        Ok(verdicts.iter().map(Result::is_ok).collect())
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.0 == other.0
    }

    fn __repr__(&self) -> String {
        format!("<carrysave.ecdsa.PublicKey of {}>", self.curve())
    }
}

/// ECDSA (FIPS 186-5) and ECDH on P-224, P-256, P-384, P-521, secp256k1 and three Brainpool curves, one and many.
#[pymodule(submodule)]
pub(crate) mod ecdsa {
    use super::*;
    #[pymodule_export]
    use super::{EcPrivateKey, EcPublicKey};

    /// Return a new private key, from the operating system's randomness.
    ///
    /// >>> from carrysave import ecdsa
    /// >>> ecdsa.generate_private_key("secp256k1")
    /// <carrysave.ecdsa.PrivateKey of secp256k1>
    #[pyfunction]
    #[pyo3(signature = (curve = "P-256"))]
    fn generate_private_key(py: Python<'_>, curve: &str) -> PyResult<EcPrivateKey> {
        let curve = super::curve(curve)?;
        let key = run(py, NANOS, move |_| AnyPrivateKey::generate(curve))?;
        Ok(EcPrivateKey(key.into()))
    }

    /// Return the private key in `data`, the bytes of a file: PEM or DER, of PKCS #8, SEC 1, PKCS #12 or OpenSSH, encrypted or not.
    #[pyfunction]
    #[pyo3(signature = (data, password = None))]
    fn load_pem_private_key(
        data: &Bound<'_, PyAny>,
        password: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<EcPrivateKey> {
        let key = private_key(data, password, AnyPrivateKey::from_any)?;
        let algorithm = key.algorithm();
        Ok(EcPrivateKey(of_ecdsa(key, algorithm)?.into()))
    }

    /// Return the public key in `data`, the bytes of a file: PEM or DER, of SubjectPublicKeyInfo, OpenSSH or a certificate.
    #[pyfunction]
    fn load_pem_public_key(data: &Bound<'_, PyAny>) -> PyResult<EcPublicKey> {
        let key = AnyPublicKey::from_any(&octets("data", data)?).map_err(Raised::raised)?;
        let algorithm = key.algorithm();
        Ok(EcPublicKey(of_ecdsa(key, algorithm)?))
    }
}
