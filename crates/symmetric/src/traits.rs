//! The traits of the crate `cipher`, over many blocks at a time.

use crate::{
    aes::{Aes, Aes128, Aes192, Aes256},
    threefish::{Threefish256, Threefish512, Threefish1024},
};
use cipher::{
    AlgorithmName, Block, BlockCipherDecBackend, BlockCipherDecClosure, BlockCipherDecrypt,
    BlockCipherEncBackend, BlockCipherEncClosure, BlockCipherEncrypt, BlockSizeUser, InOut,
    InOutBuf, Key, KeyInit, KeySizeUser, ParBlocks, ParBlocksSizeUser,
    array::{Array, ArraySize},
    consts::{U16, U24, U32, U64, U128},
};
use core::fmt;

/// Independent encryption and decryption of whole blocks.
trait Blocks {
    fn encrypt_blocks_of(&self, data: &mut [u8]);
    fn decrypt_blocks_of(&self, data: &mut [u8]);
}

/// The bytes of blocks.
fn flat<N: ArraySize>(blocks: &mut [Array<u8, N>]) -> &mut [u8] {
    Array::slice_as_flattened_mut(blocks)
}

macro_rules! block_ciphers {
    ($($Name:ident: $name:literal, key $Key:ident, block $Block:ident, $Blocks:ident at a time;)*) => {
        $(
            impl KeySizeUser for $Name {
                type KeySize = $Key;
            }

            impl BlockSizeUser for $Name {
                type BlockSize = $Block;
            }

            impl ParBlocksSizeUser for $Name {
                type ParBlocksSize = $Blocks;
            }

            impl AlgorithmName for $Name {
                fn write_alg_name(f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    f.write_str($name)
                }
            }

            impl BlockCipherEncrypt for $Name {
                fn encrypt_with_backend(&self, f: impl BlockCipherEncClosure<BlockSize = $Block>) {
                    f.call(self);
                }
            }

            impl BlockCipherDecrypt for $Name {
                fn decrypt_with_backend(&self, f: impl BlockCipherDecClosure<BlockSize = $Block>) {
                    f.call(self);
                }
            }

            impl BlockCipherEncBackend for $Name {
                fn encrypt_block(&self, block: InOut<'_, '_, Block<Self>>) {
                    self.encrypt_blocks_of(block.into_out_with_copied_in());
                }

                fn encrypt_par_blocks(&self, blocks: InOut<'_, '_, ParBlocks<Self>>) {
                    self.encrypt_blocks_of(flat(blocks.into_out_with_copied_in()));
                }

                fn encrypt_tail_blocks(&self, blocks: InOutBuf<'_, '_, Block<Self>>) {
                    self.encrypt_blocks_of(flat(blocks.into_out_with_copied_in()));
                }
            }

            impl BlockCipherDecBackend for $Name {
                fn decrypt_block(&self, block: InOut<'_, '_, Block<Self>>) {
                    self.decrypt_blocks_of(block.into_out_with_copied_in());
                }

                fn decrypt_par_blocks(&self, blocks: InOut<'_, '_, ParBlocks<Self>>) {
                    self.decrypt_blocks_of(flat(blocks.into_out_with_copied_in()));
                }

                fn decrypt_tail_blocks(&self, blocks: InOutBuf<'_, '_, Block<Self>>) {
                    self.decrypt_blocks_of(flat(blocks.into_out_with_copied_in()));
                }
            }
        )*
    };
}

block_ciphers! {
    Aes128: "Aes128", key U16, block U16, U64 at a time;
    Aes192: "Aes192", key U24, block U16, U64 at a time;
    Aes256: "Aes256", key U32, block U16, U64 at a time;
    Threefish256: "Threefish256", key U32, block U32, U32 at a time;
    Threefish512: "Threefish512", key U64, block U64, U32 at a time;
    Threefish1024: "Threefish1024", key U128, block U128, U32 at a time;
}

macro_rules! aes {
    ($($Name:ident)*) => {
        $(
            impl KeyInit for $Name {
                fn new(key: &Key<Self>) -> Self {
                    $Name(Aes::new(key).expect("a length of keys"))
                }
            }

            impl Blocks for $Name {
                fn encrypt_blocks_of(&self, data: &mut [u8]) {
                    self.0.ecb_encrypt(data);
                }

                fn decrypt_blocks_of(&self, data: &mut [u8]) {
                    self.0.ecb_decrypt(data);
                }
            }
        )*
    };
}

aes!(Aes128 Aes192 Aes256);

macro_rules! threefish {
    ($($Name:ident)*) => {
        $(
            impl KeyInit for $Name {
                fn new(key: &Key<Self>) -> Self {
                    $Name::new(key)
                }
            }

            /// With a tweak of zeros.
            impl Blocks for $Name {
                fn encrypt_blocks_of(&self, data: &mut [u8]) {
                    self.encrypt([0, 0], data);
                }

                fn decrypt_blocks_of(&self, data: &mut [u8]) {
                    self.decrypt([0, 0], data);
                }
            }
        )*
    };
}

threefish!(Threefish256 Threefish512 Threefish1024);
