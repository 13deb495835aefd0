//! Public-key cryptographic arithmetic that uses every level of parallelism a machine has.
//!
//! This crate is what a user depends on; it re-exports the layers below it:
//!
//! | module | what is in it |
//! | --- | --- |
//! | [`rsa`] | RSA (RFC 8017): keys, their formats, encryption, signatures |
//! | [`dl`] | discrete logarithms: groups, keys and their formats, Diffie-Hellman, DSA |
//! | [`ec`] | elliptic curves: ECDSA, Ed25519 and Ed448, ECDH, X25519 and X448, and their keys |
//! | [`keys`] | files of keys and certificates for any of these, in whatever form |
//! | [`legacy`] | schemes for old data only: Rabin, Rabin-Williams, ESIGN, Nyberg-Rueppel, MQV, DLIES, ECIES |
//! | [`hash`] | the hash functions that schemes take as a parameter |
//! | [`cms`] | encrypted files of any size (RFC 5652, RFC 5083) |
//! | [`sshsig`] | signatures of files as OpenSSH has them |
//! | [`symmetric`] | the block ciphers AES and Threefish and the hash function Skein, many blocks at a time |
//! | [`engine`] | many of these operations at once: over vector lanes and threads, in batches or for many callers |
//! | [`team`] | what threads need to carry out one operation together |
//! | [`arith`] | long naturals, Montgomery contexts, inverses, primes |
//! | [`kernels`] | every instruction-level loop behind its contract, and the registry of them |
//!
//! ```
//! use carrysave::rsa::SigningKey;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let key = SigningKey::generate(2048)?; // RSASSA-PSS with SHA-256
//! let signature = key.sign(b"the message");
//! key.verifying_key().verify(b"the message", &signature)?;
//! # Ok(())
//! # }
//! ```
//!
//! [`rsa::PrivateKey`] and [`rsa::PublicKey`] have the operations of RFC 8017 by their names, with every parameter. What
//! takes a generator of random numbers takes any of [`rand_core`]; [`system_rng`] is the operating system's.
//! [`engine::Batch`] and [`engine::Signer`] do many such operations at once.
//!
//! All features are on by default. Without the defaults there are kernels, arithmetic and teams, and each feature adds:
//!
//! | feature | adds |
//! | --- | --- |
//! | `rsa`, `dl`, `ec` | the module of this name, and [`hash`]; keys as plain PKCS #8 and SubjectPublicKeyInfo |
//! | `files` | [`keys`], [`cms`], `from_any`, encrypted keys; and the three above |
//! | `legacy` | [`legacy`], and the first three |
//! | `symmetric` | [`symmetric`] |
//! | `engine` | [`engine`], for the schemes that are there |
//! | `transforms` | products by fast Fourier transforms, which pay from 25,000 bits on |

#![forbid(unsafe_code)]

pub use carrysave_arith as arith;
#[cfg(feature = "engine")]
pub use carrysave_engine as engine;
pub use carrysave_kernels as kernels;
pub use carrysave_schemes::KeyError;
#[cfg(feature = "dl")]
pub use carrysave_schemes::dl;
#[cfg(feature = "ec")]
pub use carrysave_schemes::ec;
#[cfg(any(feature = "rsa", feature = "dl", feature = "ec"))]
pub use carrysave_schemes::hash;
#[cfg(feature = "legacy")]
pub use carrysave_schemes::legacy;
#[cfg(feature = "rsa")]
pub use carrysave_schemes::rsa;
#[cfg(feature = "files")]
pub use carrysave_schemes::{cms, keys, sshsig};
#[cfg(feature = "symmetric")]
pub use carrysave_symmetric as symmetric;
pub use carrysave_team as team;
pub use rand_core;

/// The operating system's generator of random numbers, for what takes one.
///
/// ```
/// use carrysave::{arith::Nat, system_rng};
/// let below = Nat::from_limb(100);
/// assert!(Nat::random_below(&below, &mut system_rng()).lt(&below));
/// ```
///
/// # Panics
/// Never; the generator does, where the operating system has no randomness.
pub fn system_rng() -> impl rand_core::CryptoRng {
    rand_core::UnwrapErr(getrandom::SysRng)
}

/// The examples of the README run.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;

/// Those of the guide run, too.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guide/library.md")]
struct Guide;
