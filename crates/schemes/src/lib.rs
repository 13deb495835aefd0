//! Public-key schemes: RSA (RFC 8017) with its key formats.
#![forbid(unsafe_code)]

pub mod cms;
pub mod hash;
pub mod rsa;
