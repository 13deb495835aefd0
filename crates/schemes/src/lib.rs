//! Public-key schemes: RSA (RFC 8017), discrete logarithms (Diffie-Hellman, DSA) and key agreement on elliptic curves,
//! with their key formats; and some that are for old data only.
#![forbid(unsafe_code)]

/// The bytes of the stack that an operation with a secret may leave something in, which it overwrites at its end: tables of
/// points take the most.
const STACK: usize = 1 << 14;

mod blinding;
pub mod cms;
pub mod dl;
pub mod ec;
mod formats;
pub mod hash;
pub mod keys;
pub mod legacy;
mod mgf;
pub mod rsa;
