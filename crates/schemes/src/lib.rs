//! Public-key schemes: RSA (RFC 8017), discrete logarithms (Diffie-Hellman, DSA) and key agreement on elliptic curves,
//! with their key formats; and some that are for old data only.
#![forbid(unsafe_code)]

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
