//! Public-key schemes: RSA (RFC 8017), discrete logarithms (Diffie-Hellman, DSA) and elliptic curves (ECDSA, Ed25519,
//! Ed448, ECDH, X25519, X448), with their key formats, and legacy schemes for old data.
//!
//! | feature | what it has |
//! | --- | --- |
//! | `rsa` | RSA |
//! | `dl` | Diffie-Hellman and DSA |
//! | `ec` | ECDSA, Ed25519, Ed448, ECDH, X25519 and X448 |
//! | `legacy` | the legacy schemes, and all of the above |
//! | `files` | keys from any file (encrypted, of OpenSSH, PKCS #12, certificates), CMS, and the first three |
//!
//! All are on by default. Without `files`, keys are read and written as plain PKCS #8 and SubjectPublicKeyInfo.
#![forbid(unsafe_code)]
// What only another feature uses is not dead.
#![cfg_attr(
    not(all(feature = "files", feature = "legacy")),
    allow(dead_code, unused_imports)
)]

/// The bytes of stack that an operation with a secret overwrites at its end, as they may hold a part of it.
const STACK: usize = 1 << 14;

/// Declares octets public and returns them, as [`publish`](carrysave_arith::publish) does with a limb.
#[cfg(feature = "ec")]
fn published<const N: usize>(mut octets: [u8; N]) -> [u8; N] {
    for chunk in octets.chunks_mut(8) {
        let mut limb = [0; 8];
        limb[..chunk.len()].copy_from_slice(chunk);
        let limb = carrysave_arith::publish(u64::from_le_bytes(limb)).to_le_bytes();
        chunk.copy_from_slice(&limb[..chunk.len()]);
    }
    octets
}

#[cfg(feature = "rsa")]
mod blinding;
#[cfg(feature = "hash")]
mod chain;
#[cfg(feature = "files")]
pub mod cms;
#[cfg(feature = "dl")]
pub mod dl;
#[cfg(feature = "ec")]
pub mod ec;
mod error;
mod fault;
mod formats;
#[cfg(feature = "hash")]
pub mod hash;
#[cfg(feature = "hash")]
mod hmac;
#[cfg(feature = "files")]
pub mod keys;
#[cfg(feature = "legacy")]
pub mod legacy;
#[cfg(feature = "rsa")]
mod mgf;
#[cfg(any(feature = "dl", feature = "ec"))]
mod nonce;
#[cfg(feature = "rsa")]
pub mod rsa;
#[cfg(any(feature = "rsa", feature = "dl", feature = "ec"))]
mod signing;
#[cfg(feature = "legacy")]
pub mod testing;

pub use error::KeyError;
#[cfg(feature = "files")]
pub use formats::openssh::signature as sshsig;
