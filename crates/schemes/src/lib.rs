//! Public-key schemes: RSA (RFC 8017), discrete logarithms (Diffie-Hellman, DSA) and key agreement on elliptic curves,
//! with their key formats; and some that are for old data only.
#![forbid(unsafe_code)]

/// The bytes of the stack that an operation with a secret may leave something in, which it overwrites at its end.
const STACK: usize = 1 << 14;
/// Those of what is done with the point of a key: tables of multiples take the most.
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
