//! The extension module of the Python package `carrysave`: the facade's arithmetic and schemes for Python.
//!
//! `python/carrysave` is the package that a user imports; it takes its names from this module. docs/guide/python.md is for
//! its users.
//!
//! | file | holds |
//! | --- | --- |
//! | `work` | what runs without the GIL: pools of threads by process, signals, panics |
//! | `int` | Python's integers as numbers, and back |
//! | `powers`, `power` | `powmod` and its forms for many; the powers themselves |
//! | `numbers`, `primes` | products, quotients, inverses; primes |
//! | `octets` | what has the buffer protocol |
//! | `schemes` | what the keys of all schemes have in common |
//! | `rsa`, `ecdsa`, `edwards`, `montgomery` | keys and what is done with them, one and many |
//! | `symmetric` | Skein and AES |
//! | `service` | one service for the calls of many threads |
//!
//! Importing the module starts no thread. No thread of it outlives a fork.

#![forbid(unsafe_code)]

mod ecdsa;
mod edwards;
mod int;
mod montgomery;
mod numbers;
mod octets;
mod power;
mod powers;
mod primes;
mod rsa;
mod schemes;
mod service;
mod symmetric;
mod work;

use pyo3::prelude::*;

/// Public-key and symmetric cryptographic arithmetic that uses every level of parallelism a machine has.
#[pymodule(gil_used = false)]
mod _carrysave {
    #[pymodule_export]
    use crate::ecdsa::ecdsa;
    #[pymodule_export]
    use crate::edwards::ed25519;
    #[pymodule_export]
    use crate::montgomery::x25519;
    #[pymodule_export]
    use crate::numbers::{divmod, invert, invert_list, mul};
    #[pymodule_export]
    use crate::powers::{
        powmod, powmod_base_list, powmod_exp_list, powmod_limbs, powmod_list, powmod_sec,
        powmod_sec_list,
    };
    #[pymodule_export]
    use crate::primes::{is_prime, random_prime, random_primes};
    #[pymodule_export]
    use crate::rsa::rsa;
    use crate::schemes::{DecryptionError, InvalidSignature};
    #[pymodule_export]
    use crate::service::Service;
    #[pymodule_export]
    use crate::symmetric::{aes_ctr, skein};
    #[pymodule_export]
    use crate::work::_panic;
    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        let py = module.py();
        module.add("InvalidSignature", py.get_type::<InvalidSignature>())?;
        module.add("DecryptionError", py.get_type::<DecryptionError>())?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
