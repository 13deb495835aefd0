//! A service as a signer, and as a decrypter.

use crate::{Service, ServiceError};
use carrysave_schemes::hash::Hash;
use carrysave_schemes::rsa::task::{DecryptOaep, DecryptPkcs1v15, SignPkcs1v15, SignPss};
use carrysave_schemes::rsa::{Error, Padding, PrivateKey};
use std::sync::Arc;
use zeroize::Zeroizing;

/// Signs for many threads at once, by a [`Service`].
///
/// ```
/// use carrysave_engine::{Service, Signer};
/// use carrysave_schemes::{hash::Hash, rsa::{KeygenOptions, Padding, PrivateKey}};
/// use getrandom::SysRng;
/// use rand_core::UnwrapErr;
/// use std::{sync::Arc, thread};
///
/// # let options = KeygenOptions { allow_small: true, ..Default::default() };
/// # let key = PrivateKey::generate_with(|| UnwrapErr(SysRng), 1024, &options, &|_| ()).unwrap();
/// let service = Arc::new(Service::new(Default::default()).unwrap());
/// let signer = Signer::new(service);
/// thread::scope(|scope| {
///     for message in ["one", "two", "three"] {
///         let (signer, key) = (&signer, &key);
///         scope.spawn(move || {
///             let (hash, digest) = (Hash::Sha256, Hash::Sha256.digest(message.as_bytes()));
///             let signature = signer.sign(key, hash, Padding::pss(hash), &digest).unwrap();
///             key.public().rsassa_pss_verify(hash, hash, Some(32), &digest, &signature).unwrap();
///         });
///     }
/// });
/// ```
#[derive(Clone, Debug)]
pub struct Signer(Arc<Service>);

impl Signer {
    /// Signs by `service`, which may have other users.
    pub fn new(service: Arc<Service>) -> Signer {
        Signer(service)
    }

    /// The service behind it.
    pub fn service(&self) -> &Service {
        &self.0
    }

    /// The signature of `digest`, which `hash` gave, by `key`.
    ///
    /// # Errors
    /// As [`Service::run`], with the errors of [`PrivateKey::rsassa_pss_sign`] and
    /// [`PrivateKey::rsassa_pkcs1_v1_5_sign`].
    ///
    /// # Timing
    /// As [`Service::run`].
    pub fn sign(
        &self,
        key: &PrivateKey,
        hash: Hash,
        padding: Padding,
        digest: &[u8],
    ) -> Result<Vec<u8>, ServiceError<Error>> {
        let (key, digest) = (key.clone(), digest.to_vec());
        match padding {
            Padding::Pss { mgf, salt_len } => self.0.run(SignPss {
                key,
                hash,
                mgf,
                salt_len,
                digest,
            }),
            Padding::Pkcs1v15 => self.0.run(SignPkcs1v15 { key, hash, digest }),
        }
    }
}

/// Decrypts for many threads at once, by a [`Service`].
///
/// ```
/// use carrysave_engine::{Decrypter, Service};
/// use carrysave_schemes::{hash::Hash, rsa::{KeygenOptions, PrivateKey}};
/// use getrandom::SysRng;
/// use rand_core::UnwrapErr;
/// use std::sync::Arc;
///
/// # let options = KeygenOptions { allow_small: true, ..Default::default() };
/// # let key = PrivateKey::generate_with(|| UnwrapErr(SysRng), 1024, &options, &|_| ()).unwrap();
/// let hash = Hash::Sha256;
/// let ciphertext = key.public().rsaes_oaep_encrypt(&mut UnwrapErr(SysRng), hash, hash, b"", b"a secret").unwrap();
/// let service = Arc::new(Service::new(Default::default()).unwrap());
/// let plaintext = Decrypter::new(service).rsaes_oaep_decrypt(&key, hash, hash, b"", &ciphertext).unwrap();
/// assert_eq!(*plaintext, b"a secret");
/// ```
#[derive(Clone, Debug)]
pub struct Decrypter(Arc<Service>);

impl Decrypter {
    /// Decrypts by `service`, which may have other users.
    pub fn new(service: Arc<Service>) -> Decrypter {
        Decrypter(service)
    }

    /// The service behind it.
    pub fn service(&self) -> &Service {
        &self.0
    }

    /// [`PrivateKey::rsaes_oaep_decrypt`] of `ciphertext` with `key`.
    ///
    /// # Errors
    /// As [`Service::run`], with those of the function above.
    ///
    /// # Timing
    /// As [`Service::run`] and the function above.
    pub fn rsaes_oaep_decrypt(
        &self,
        key: &PrivateKey,
        hash: Hash,
        mgf: Hash,
        label: &[u8],
        ciphertext: &[u8],
    ) -> Result<Zeroizing<Vec<u8>>, ServiceError<Error>> {
        self.0.run(DecryptOaep {
            key: key.clone(),
            hash,
            mgf,
            label: label.to_vec(),
            ciphertext: ciphertext.to_vec(),
        })
    }

    /// [`PrivateKey::rsaes_pkcs1_v1_5_decrypt`] of `ciphertext` with `key`.
    ///
    /// # Errors
    /// As [`Service::run`], with those of the function above.
    ///
    /// # Timing
    /// As [`Service::run`] and the function above.
    pub fn rsaes_pkcs1_v1_5_decrypt(
        &self,
        key: &PrivateKey,
        ciphertext: &[u8],
    ) -> Result<Zeroizing<Vec<u8>>, ServiceError<Error>> {
        self.0.run(DecryptPkcs1v15 {
            key: key.clone(),
            ciphertext: ciphertext.to_vec(),
        })
    }
}
