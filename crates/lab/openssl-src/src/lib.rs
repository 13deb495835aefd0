//! openssl-src 400 (OpenSSL 4) under the version number that `openssl-sys` asks for.

pub use openssl_src_400::*;
