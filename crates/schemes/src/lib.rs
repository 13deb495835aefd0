//! Public-key schemes: RSA (RFC 8017), discrete logarithms (Diffie-Hellman, DSA) and key agreement on elliptic curves,
//! with their key formats, and legacy schemes for old data.
#![forbid(unsafe_code)]

/// The bytes of stack that an operation with a secret overwrites at its end, as they may hold a part of it.
const STACK: usize = 1 << 14;
/// The bytes of stack of operations on a key's point: tables of multiples take the most.
const STACK_OF_POINTS: usize = 1 << 13;

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
pub mod testing;
