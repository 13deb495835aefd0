//! Public-key cryptographic arithmetic that uses every level of parallelism a machine has.
//!
//! This crate is what a user depends on; it re-exports the layers below it:
//!
//! | module | what is in it |
//! | --- | --- |
//! | [`rsa`] | RSA (RFC 8017): keys, their formats, encryption, signatures |
//! | [`dl`] | discrete logarithms: groups, keys and their formats, Diffie-Hellman, DSA |
//! | [`ec`] | key agreement on elliptic curves (ECDH, X25519) and its keys |
//! | [`keys`] | files of keys and certificates for any of these, in whatever form |
//! | [`legacy`] | schemes for old data only: Rabin, Rabin-Williams, ESIGN, Nyberg-Rueppel, MQV, DLIES, ECIES |
//! | [`hash`] | the hash functions that schemes take as a parameter |
//! | [`cms`] | encrypted files of any size (RFC 5652, RFC 5083) |
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
//! [`rsa::PrivateKey`] and [`rsa::PublicKey`] have the operations of RFC 8017 by their names, with every parameter.
//! [`engine::Batch`] and [`engine::Signer`] do many such operations at once.

#![forbid(unsafe_code)]

pub use carrysave_arith as arith;
pub use carrysave_engine as engine;
pub use carrysave_kernels as kernels;
pub use carrysave_schemes::{cms, dl, ec, hash, keys, legacy, rsa};
pub use carrysave_symmetric as symmetric;
pub use carrysave_team as team;

/// The examples of the README run.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;

/// Those of the guide run, too.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guide/library.md")]
struct Guide;
