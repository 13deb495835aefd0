//! Block ciphers and hash functions over the kernels: many blocks at a time, one a vector lane.
//!
//! - [`aes`]: AES (FIPS 197) in the modes ECB, CBC and CTR;
//! - [`threefish`]: the tweakable block cipher of Skein, alone, with a tweak for each block, and in counter mode;
//! - [`skein`]: hashes of any length, codes of authentication, derived keys, streams, and tree hashing.
//!
//! The latter two are described by Ferguson, Lucks, Schneier, Whiting, Bellare, Kohno, Callas, Walker, The Skein Hash Function
//! Family, version 1.3 (2010).
#![forbid(unsafe_code)]

pub mod aes;
mod share;
pub mod skein;
pub mod threefish;
