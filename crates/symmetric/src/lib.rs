//! Block ciphers and hash functions over the kernels: many blocks at a time, one a vector lane.
//!
//! - [`aes`]: AES (FIPS 197) in the modes ECB, CBC and CTR, many blocks side by side and on several threads;
//! - [`threefish`]: the tweakable block cipher of Skein, alone, with a tweak for each block, in a chain, and in counter
//!   mode;
//! - [`stream`]: their counter modes with a position, for the traits of the crate `cipher`;
//! - [`rijndael`]: AES's parent with its other block lengths and any number of rounds, for study;
//! - [`pkcs7`]: padding to whole blocks;
//! - [`skein`]: hashes of any length, message authentication codes, derived keys, streams, and tree hashing.
//!
//! Both ciphers implement the block traits of the crate `cipher`, from which other crates make modes, and Skein
//! implements those of `digest`. The modes here work in place, and in their forms for a team also from one buffer to
//! another ([`Text`]).
//!
//! Threefish and Skein are described by Ferguson, Lucks, Schneier, Whiting, Bellare, Kohno, Callas, Walker, The Skein Hash
//! Function Family, version 1.3 (2010).
#![forbid(unsafe_code)]

pub mod aes;
mod buffer;
pub mod pkcs7;
pub mod rijndael;
mod share;
pub mod skein;
pub mod stream;
mod text;
pub mod threefish;
mod traits;

pub use buffer::{Buffer, fill};
pub use text::Text;
