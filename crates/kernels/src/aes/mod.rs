//! AES (FIPS 197) on many blocks.
//!
//! All operands are bytes at any address, blocks of sixteen. Round keys come expanded, as m + 1 blocks for m rounds, and
//! m may be any number up to [`MAX_ROUNDS`]: 10, 12 and 14 are AES-128, -192 and -256, others are for study.
//! Operations that decrypt take the round keys of the equivalent inverse cipher (FIPS 197, 5.3.5) in the order of their
//! use.

mod bitsliced;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64", feature = "checked"))]
mod lanes;
pub(crate) mod operands;
mod tables;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64", feature = "checked"))]
mod windows;

use crate::{Isa, Limb};

/// The most rounds.
pub const MAX_ROUNDS: usize = 16;
/// A block, or a round key.
pub type Block = [u8; 16];

/// The extensions that `vaes256` kernels execute.
pub const VAES256: Isa = Isa::AES.and(Isa::AVX2).and(Isa::VAES);
/// The extensions that `vaes512` kernels execute.
pub const VAES512: Isa = VAES256.and(Isa::AVX512F).and(Isa::AVX512BW);

/// The bytes of the stack that are overwritten after a call. Kernels by vectors spill round keys and text there, or do not,
/// as the compiler likes.
const LEFT: usize = 1024;

/// How many blocks there are.
///
/// # Panics
/// If there are none, or a part of one, or not as many round keys as two or more rounds up to [`MAX_ROUNDS`] take.
fn blocks(bytes: usize, keys: &[Block]) -> usize {
    assert!((2..=MAX_ROUNDS + 1).contains(&keys.len()));
    assert!(bytes > 0 && bytes.is_multiple_of(16));
    bytes / 16
}

/// The pointer to limbs at any address.
fn limbs<T>(x: &[T]) -> *const Limb {
    x.as_ptr().cast()
}

ops! {
    Aes:
    encrypt::Encrypt,
    decrypt::Decrypt,
    ctr::Ctr,
    cbc_encrypt::CbcEncrypt,
    cbc_decrypt::CbcDecrypt,
}
