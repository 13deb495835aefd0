//! The module `carrysave.rsa`.

use crate::octets::{Octets, many, octets};
use crate::schemes::{Raised, all, each, pairs, private_key, run_all};
use crate::work::run_borrowed;
use carrysave::hash::Hash;
use carrysave::rsa::task::{
    DecryptOaep, DecryptPkcs1v15, SignPkcs1v15, SignPss, VerifyPkcs1v15, VerifyPss,
};
use carrysave::rsa::{self as schemes, Error, KeygenOptions};
use carrysave::system_rng;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use zeroize::Zeroizing;

/// A private key of RSA. Functions that take it are constant time, and check each result before it leaves.
#[pyclass(module = "carrysave.rsa", name = "PrivateKey", frozen)]
pub(crate) struct RsaPrivateKey(pub(crate) schemes::PrivateKey);

/// A public key of RSA. What is done with it is not constant time.
#[pyclass(module = "carrysave.rsa", name = "PublicKey", frozen)]
pub(crate) struct RsaPublicKey(schemes::PublicKey);

/// How a message is padded.
#[derive(Clone, Copy)]
pub(crate) enum Padding {
    /// Of signatures: PSS with a salt of this length, or that of the hash.
    Pss(Option<usize>),
    /// Of ciphertexts.
    Oaep,
    Pkcs1v15,
}

impl Padding {
    fn new(name: &str, probabilistic: Padding) -> PyResult<Padding> {
        let first = match probabilistic {
            Padding::Oaep => "oaep",
            _ => "pss",
        };
        match name {
            "pkcs1v15" => Ok(Padding::Pkcs1v15),
            _ if name == first => Ok(probabilistic),
            _ => Err(PyValueError::new_err(format!(
                "padding='{name}' is not known here: use '{first}' or 'pkcs1v15'"
            ))),
        }
    }
}

/// About the nanoseconds of a private operation in lanes, and of a public one.
fn nanos(bits: usize) -> [u64; 2] {
    let limbs = bits.div_ceil(64) as u64;
    [4 * limbs.pow(3), 30 * limbs.pow(2)]
}

/// Signatures of digests that are made in the batch.
pub(crate) fn signatures(
    py: Python<'_>,
    key: &schemes::PrivateKey,
    messages: Vec<Octets>,
    padding: Padding,
    hash: Hash,
    threads: usize,
) -> PyResult<Vec<Vec<u8>>> {
    let (key, [nanos, _]) = (key.clone(), nanos(key.bits()));
    match padding {
        Padding::Pkcs1v15 => all(run_all(py, threads, nanos, messages, move |message| {
            let (key, digest) = (key.clone(), hash.digest(message));
            SignPkcs1v15 { key, hash, digest }
        })?),
        Padding::Pss(salt) => all(run_all(py, threads, nanos, messages, move |message| {
            sign_pss(&key, hash, salt, message)
        })?),
        Padding::Oaep => unreachable!("no padding of signatures"),
    }
}

pub(crate) fn sign_pss(
    key: &schemes::PrivateKey,
    hash: Hash,
    salt: Option<usize>,
    message: &[u8],
) -> SignPss {
    SignPss {
        key: key.clone(),
        hash,
        mgf: hash,
        salt_len: salt.unwrap_or(hash.len()),
        digest: hash.digest(message),
    }
}

/// The padding of signatures by its name.
pub(crate) fn of_signatures(name: &str, salt: Option<usize>) -> PyResult<Padding> {
    match Padding::new(name, Padding::Pss(salt))? {
        Padding::Pkcs1v15 if salt.is_some() => Err(PyValueError::new_err(
            "salt_length is for padding='pss': leave it out",
        )),
        padding => Ok(padding),
    }
}

/// The padding of ciphertexts by its name, and its label.
fn of_ciphertexts(
    name: &str,
    label: Option<&Bound<'_, PyAny>>,
) -> PyResult<(Padding, Option<Octets>)> {
    match Padding::new(name, Padding::Oaep)? {
        Padding::Pkcs1v15 if label.is_some() => Err(PyValueError::new_err(
            "label is for padding='oaep': leave it out",
        )),
        padding => Ok((
            padding,
            label.map(|label| octets("label", label)).transpose()?,
        )),
    }
}

#[pymethods]
impl RsaPrivateKey {
    /// The length of the modulus in bits.
    #[getter]
    fn key_size(&self) -> usize {
        self.0.bits()
    }

    /// Return the public key.
    fn public_key(&self) -> RsaPublicKey {
        RsaPublicKey(self.0.public().clone())
    }

    /// Return the key as PEM of PKCS #8, unencrypted.
    fn private_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.0.to_pkcs8_pem().as_bytes())
    }

    /// Return the signature of a message. `padding` is "pss" or "pkcs1v15"; the salt of PSS is as long as the hash, unless
    /// `salt_length` says otherwise. Constant time.
    ///
    /// >>> from carrysave import rsa
    /// >>> key = rsa.generate_private_key(key_size=2048)
    /// >>> signature = key.sign(b"a message")
    /// >>> key.public_key().verify(signature, b"a message")
    #[pyo3(signature = (message, *, padding = "pss", hash = "sha256", salt_length = None))]
    fn sign<'py>(
        &self,
        py: Python<'py>,
        message: &Bound<'py, PyAny>,
        padding: &str,
        hash: &str,
        salt_length: Option<usize>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let messages = vec![octets("message", message)?];
        let (padding, hash) = (
            of_signatures(padding, salt_length)?,
            crate::schemes::hash(hash)?,
        );
        let signatures = signatures(py, &self.0, messages, padding, hash, 1)?;
        Ok(PyBytes::new(py, &signatures[0]))
    }

    /// Return the list of the signatures of messages, each as of `sign`, side by side in vector lanes and on threads.
    /// Constant time.
    ///
    /// >>> from carrysave import rsa
    /// >>> key = rsa.generate_private_key(key_size=2048)
    /// >>> signatures = key.sign_many([b"one", b"two"], threads=2)
    /// >>> key.public_key().verify_many(signatures, [b"one", b"three"])
    /// [True, False]
    #[pyo3(signature = (messages, *, padding = "pss", hash = "sha256", salt_length = None, threads = 1))]
    fn sign_many<'py>(
        &self,
        py: Python<'py>,
        messages: &Bound<'py, PyAny>,
        padding: &str,
        hash: &str,
        salt_length: Option<usize>,
        threads: usize,
    ) -> PyResult<Vec<Bound<'py, PyBytes>>> {
        let messages = many("messages", messages)?;
        let (padding, hash) = (
            of_signatures(padding, salt_length)?,
            crate::schemes::hash(hash)?,
        );
        let signatures = signatures(py, &self.0, messages, padding, hash, threads)?;
        Ok(signatures.iter().map(|s| PyBytes::new(py, s)).collect())
    }

    /// Return the plaintext of a ciphertext. `padding` is "oaep" or "pkcs1v15", which gives random bytes for what is no
    /// ciphertext (implicit rejection). Constant time.
    ///
    /// >>> from carrysave import rsa
    /// >>> key = rsa.generate_private_key(key_size=2048)
    /// >>> key.decrypt(key.public_key().encrypt(b"a secret"))
    /// b'a secret'
    #[pyo3(signature = (ciphertext, *, padding = "oaep", hash = "sha256", label = None))]
    fn decrypt<'py>(
        &self,
        py: Python<'py>,
        ciphertext: &Bound<'py, PyAny>,
        padding: &str,
        hash: &str,
        label: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let ciphertexts = vec![octets("ciphertext", ciphertext)?];
        let plain = all(self.plaintexts(py, ciphertexts, (padding, hash, label), 1)?)?;
        Ok(PyBytes::new(py, &plain[0]))
    }

    /// Return the list of the plaintexts of ciphertexts, each as of `decrypt`, side by side in vector lanes and on threads.
    /// In the place of a ciphertext that is refused is the exception, a DecryptionError. Constant time.
    ///
    /// >>> from carrysave import rsa
    /// >>> key = rsa.generate_private_key(key_size=2048)
    /// >>> [plain, error] = key.decrypt_many([key.public_key().encrypt(b"a secret"), bytes(256)])
    /// >>> plain, type(error).__name__
    /// (b'a secret', 'DecryptionError')
    #[pyo3(signature = (ciphertexts, *, padding = "oaep", hash = "sha256", label = None, threads = 1))]
    fn decrypt_many<'py>(
        &self,
        py: Python<'py>,
        ciphertexts: &Bound<'py, PyAny>,
        padding: &str,
        hash: &str,
        label: Option<&Bound<'py, PyAny>>,
        threads: usize,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let ciphertexts = many("ciphertexts", ciphertexts)?;
        Ok(each(
            py,
            self.plaintexts(py, ciphertexts, (padding, hash, label), threads)?,
        ))
    }

    fn __repr__(&self) -> String {
        format!("<carrysave.rsa.PrivateKey of {} bits>", self.0.bits())
    }
}

impl RsaPrivateKey {
    fn plaintexts(
        &self,
        py: Python<'_>,
        ciphertexts: Vec<Octets>,
        (padding, hash, label): (&str, &str, Option<&Bound<'_, PyAny>>),
        threads: usize,
    ) -> PyResult<Vec<Result<Zeroizing<Vec<u8>>, Error>>> {
        let (padding, label) = of_ciphertexts(padding, label)?;
        let hash = crate::schemes::hash(hash)?;
        let label = label.map_or_else(Vec::new, |label| label.to_vec());
        let (key, [nanos, _]) = (self.0.clone(), nanos(self.0.bits()));
        match padding {
            Padding::Oaep => run_all(py, threads, nanos, ciphertexts, move |text| DecryptOaep {
                key: key.clone(),
                hash,
                mgf: hash,
                label: label.clone(),
                ciphertext: text.to_vec(),
            }),
            _ => run_all(py, threads, nanos, ciphertexts, move |text| {
                let (key, ciphertext) = (key.clone(), text.to_vec());
                DecryptPkcs1v15 { key, ciphertext }
            }),
        }
    }
}

#[pymethods]
impl RsaPublicKey {
    /// The length of the modulus in bits.
    #[getter]
    fn key_size(&self) -> usize {
        self.0.bits()
    }

    /// The modulus.
    #[getter]
    fn n<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        crate::int::python(py, self.0.n())
    }

    /// The public exponent.
    #[getter]
    fn e<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        crate::int::python(py, self.0.e())
    }

    /// Return the key as PEM of SubjectPublicKeyInfo.
    fn public_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.0.to_spki_pem().as_bytes())
    }

    /// Check a signature of a message: raise InvalidSignature if it does not fit. PSS is accepted with a salt of any length,
    /// unless `salt_length` is given.
    #[pyo3(signature = (signature, message, *, padding = "pss", hash = "sha256", salt_length = None))]
    fn verify<'py>(
        &self,
        py: Python<'py>,
        signature: &Bound<'py, PyAny>,
        message: &Bound<'py, PyAny>,
        padding: &str,
        hash: &str,
        salt_length: Option<usize>,
    ) -> PyResult<()> {
        let pair = vec![(octets("signature", signature)?, octets("message", message)?)];
        let (padding, hash) = (
            of_signatures(padding, salt_length)?,
            crate::schemes::hash(hash)?,
        );
        all(self.verdicts(py, pair, padding, hash, 1)?).map(|_| ())
    }

    // As many as the function has in Python.
    #[allow(clippy::too_many_arguments)]
    /// Return for each signature and message whether they fit, side by side in vector lanes and on threads.
    #[pyo3(signature = (signatures, messages, *, padding = "pss", hash = "sha256", salt_length = None, threads = 1))]
    fn verify_many<'py>(
        &self,
        py: Python<'py>,
        signatures: &Bound<'py, PyAny>,
        messages: &Bound<'py, PyAny>,
        padding: &str,
        hash: &str,
        salt_length: Option<usize>,
        threads: usize,
    ) -> PyResult<Vec<bool>> {
        let pairs = pairs(many("signatures", signatures)?, many("messages", messages)?)?;
        let (padding, hash) = (
            of_signatures(padding, salt_length)?,
            crate::schemes::hash(hash)?,
        );
        let verdicts = self.verdicts(py, pairs, padding, hash, threads)?;
        Ok(verdicts.iter().map(Result::is_ok).collect())
    }

    /// Return the ciphertext of a short plaintext, by OAEP or with `padding="pkcs1v15"`.
    #[pyo3(signature = (plaintext, *, padding = "oaep", hash = "sha256", label = None))]
    fn encrypt<'py>(
        &self,
        py: Python<'py>,
        plaintext: &Bound<'py, PyAny>,
        padding: &str,
        hash: &str,
        label: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let (padding, label) = of_ciphertexts(padding, label)?;
        let hash = crate::schemes::hash(hash)?;
        let plaintext = octets("plaintext", plaintext)?;
        let label: &[u8] = label.as_ref().map_or(&[], |label| label);
        let ciphertext = run_borrowed(py, || {
            let rng = &mut system_rng();
            match padding {
                Padding::Oaep => self
                    .0
                    .rsaes_oaep_encrypt(rng, hash, hash, label, &plaintext),
                _ => self.0.rsaes_pkcs1_v1_5_encrypt(rng, &plaintext),
            }
        })?;
        Ok(PyBytes::new(py, &ciphertext.map_err(Raised::raised)?))
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.0 == other.0
    }

    fn __repr__(&self) -> String {
        format!("<carrysave.rsa.PublicKey of {} bits>", self.0.bits())
    }
}

impl RsaPublicKey {
    fn verdicts(
        &self,
        py: Python<'_>,
        pairs: Vec<(Octets, Octets)>,
        padding: Padding,
        hash: Hash,
        threads: usize,
    ) -> PyResult<Vec<Result<(), Error>>> {
        let (key, [_, nanos]) = (self.0.clone(), nanos(self.0.bits()));
        match padding {
            Padding::Pkcs1v15 => run_all(py, threads, nanos, pairs, move |(signature, message)| {
                VerifyPkcs1v15 {
                    key: key.clone(),
                    hash,
                    digest: hash.digest(message),
                    signature: signature.to_vec(),
                }
            }),
            Padding::Pss(salt_len) => {
                run_all(py, threads, nanos, pairs, move |(signature, message)| {
                    VerifyPss {
                        key: key.clone(),
                        hash,
                        mgf: hash,
                        salt_len,
                        digest: hash.digest(message),
                        signature: signature.to_vec(),
                    }
                })
            }
            Padding::Oaep => unreachable!("no padding of signatures"),
        }
    }
}

/// RSA (RFC 8017): keys, signatures and encryption, one and many.
#[pymodule(submodule)]
pub(crate) mod rsa {
    use super::*;
    #[pymodule_export]
    use super::{RsaPrivateKey, RsaPublicKey};

    /// Return a new private key, from the operating system's randomness. Several threads search for its primes.
    ///
    /// >>> from carrysave import rsa
    /// >>> rsa.generate_private_key(key_size=2048)
    /// <carrysave.rsa.PrivateKey of 2048 bits>
    #[pyfunction]
    #[pyo3(signature = (public_exponent = 65537, key_size = 3072, *, threads = 1))]
    fn generate_private_key(
        py: Python<'_>,
        public_exponent: u64,
        key_size: usize,
        threads: usize,
    ) -> PyResult<RsaPrivateKey> {
        let mut options = KeygenOptions {
            e: carrysave::arith::Nat::from_limb(public_exponent),
            threads,
            ..KeygenOptions::default()
        };
        // Long enough that a signal may come.
        let key = crate::work::run(py, u64::MAX, move |stop| {
            options.stop = Some(stop.clone());
            schemes::PrivateKey::generate_with(system_rng, key_size, &options, &|_| ())
        })?;
        key.map(RsaPrivateKey).map_err(Raised::raised)
    }

    /// Return the private key in `data`, the bytes of a file: PEM or DER, of PKCS #8, PKCS #1, PKCS #12 or OpenSSH, encrypted or not.
    #[pyfunction]
    #[pyo3(signature = (data, password = None))]
    fn load_pem_private_key(
        data: &Bound<'_, PyAny>,
        password: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<RsaPrivateKey> {
        private_key(data, password, schemes::PrivateKey::from_any).map(RsaPrivateKey)
    }

    /// Return the public key in `data`, the bytes of a file: PEM or DER, of SubjectPublicKeyInfo, PKCS #1, OpenSSH or a certificate.
    #[pyfunction]
    fn load_pem_public_key(data: &Bound<'_, PyAny>) -> PyResult<RsaPublicKey> {
        let key = schemes::PublicKey::from_any(&octets("data", data)?);
        key.map(RsaPublicKey).map_err(Raised::raised)
    }
}
