//! Threefish, the block cipher of Skein (Ferguson et al., The Skein Hash Function Family, version 1.3, section 3.3).
//!
//! A block has m = 4, 8 or 16 words (Threefish-256, -512, -1024). Blocks are bytes at any address, a word of them eight
//! with the lowest first. Keys and tweaks are words, the key followed by its parity word: C240 and all words of the key
//! xored. Kernels take that word as it is, so the constant of older versions is a matter of the caller's ([`extend_key`]);
//! version 1.1 has other rotations, too ([`v1_1_encrypt`]).
//!
//! One block is a chain of additions, rotations and exclusive ors, each waiting for the one before; scalar code is
//! fastest. Many blocks are word-sliced: a vector holds the same word of as many blocks as it has lanes, and nothing
//! moves from lane to lane but when blocks are read and written. Vectors of the words of one block, subkeys that are made
//! beforehand, and the rotations of version 1.1 are there for comparison.

mod block;
pub(crate) mod operands;
mod rounds;
#[cfg(any(target_arch = "x86_64", feature = "checked"))]
mod sliced;

use crate::Limb;

/// The constant of the parity word in version 1.3.
pub const C240: Limb = 0x1bd1_1bda_a9fc_1a22;
/// The constant of the parity word in versions 1.0 to 1.2; rotational cryptanalysis led to its replacement (Skein 1.3,
/// section 10).
pub const C5: Limb = 0x5555_5555_5555_5555;
/// The words of the longest block.
pub const MAX_WORDS: usize = 16;
/// The bit of a tweak's upper word that marks the first block of a chain (Skein 1.3, table 6).
pub const FIRST: Limb = 1 << 62;
/// The bit of a tweak's upper word that marks the last block of a chain.
pub const FINAL: Limb = 1 << 63;

/// Words of a key, and their parity behind them.
///
/// # Panics
/// If `key` is not a word longer than its four, eight or sixteen words.
///
/// ```
/// use carrysave_kernels::threefish::{C240, extend_key};
/// let mut key = [1, 2, 4, 8, 0];
/// extend_key(&mut key, C240);
/// assert_eq!(key[4], C240 ^ 15);
/// ```
pub fn extend_key(key: &mut [Limb], constant: Limb) {
    let (parity, words) = key.split_last_mut().expect("a key and its parity");
    assert!(is_block(words.len()));
    *parity = words.iter().fold(constant, |sum, word| sum ^ word);
}

/// Whether Threefish has blocks of `words` words.
const fn is_block(words: usize) -> bool {
    matches!(words, 4 | 8 | 16)
}

/// How many blocks of a key's cipher `bytes` bytes are.
///
/// # Panics
/// If they are none, or not whole, or the key is not a word longer than a block.
fn blocks(bytes: usize, key: &[Limb]) -> usize {
    let words = key.len() - 1;
    assert!(is_block(words));
    // A power of two: to divide by one that is not known takes long for a single block.
    let log = (8 * words).trailing_zeros();
    let n = bytes >> log;
    assert!(n > 0 && n << log == bytes);
    n
}

ops! {
    Threefish:
    encrypt::Encrypt,
    decrypt::Decrypt,
    ctr::Ctr,
    cbc_encrypt::CbcEncrypt,
    ubi::Ubi,
    v1_1_encrypt::EncryptV1_1,
    v1_1_decrypt::DecryptV1_1,
}
