//! RustCrypto's symmetric functions: `aes` with `ctr` and `cbc`, `threefish`, `skein`, `sha2`.

use super::{Answer, Bulk, Cipher, Mode, Refusal, Rival, Work, hashing, in_place};
use ::cipher::{
    Array, BlockCipherDecrypt, BlockCipherEncrypt, BlockModeDecrypt, BlockModeEncrypt,
    BlockSizeUser, InnerIvInit, KeyInit, StreamCipher, StreamCipherCoreWrapper,
};
use ctr::{
    CtrCore,
    flavors::{Ctr64LE, Ctr128BE},
};
use sha2::digest::{
    Digest,
    consts::{U32, U64, U128},
};

pub(super) const RIVAL: Rival = Rival {
    bulk: Some(|_, bulk| match bulk {
        Bulk::Cipher(cipher, mode) => prepare(cipher, mode),
        Bulk::Skein(256) => digest::<skein::Skein256<U32>>(),
        Bulk::Skein(512) => digest::<skein::Skein512<U64>>(),
        Bulk::Skein(_) => digest::<skein::Skein1024<U128>>(),
        Bulk::Sha256 => digest::<sha2::Sha256>(),
        Bulk::SkeinTree(_) | Bulk::Blake3 => Err(Refusal::NotOffered),
    }),
    ..Rival::new("rustcrypto", || {
        concat!(
            "aes ",
            env!("LAB_VERSION_AES"),
            ", threefish ",
            env!("LAB_VERSION_THREEFISH"),
            ", skein ",
            env!("LAB_VERSION_SKEIN"),
            ", sha2 ",
            env!("LAB_VERSION_SHA2"),
        )
        .to_owned()
    })
};

fn digest<D: Digest>() -> Answer<Work> {
    hashing(|data| D::digest(data).to_vec())
}

/// A cipher with the counter mode that counts as ours does.
macro_rules! modes {
    ($Cipher:ty, $Ctr:ident, $key:expr, $mode:expr) => {{
        type Block = Array<u8, <$Cipher as BlockSizeUser>::BlockSize>;
        let cipher = <$Cipher>::new_from_slice(&$key).map_err(Refusal::failed)?;
        fn blocks(data: &mut [u8]) -> &mut [Block] {
            Block::slice_as_chunks_mut(data).0
        }
        let zero = Block::default();
        match $mode {
            Mode::Ecb => in_place(move |data| cipher.encrypt_blocks(blocks(data))),
            Mode::EcbDecrypt => in_place(move |data| cipher.decrypt_blocks(blocks(data))),
            Mode::Ctr => in_place(move |data| {
                let core = CtrCore::<_, $Ctr>::inner_iv_init(cipher.clone(), &zero);
                StreamCipherCoreWrapper::from_core(core).apply_keystream(data);
            }),
            Mode::Cbc => in_place(move |data| {
                cbc::Encryptor::inner_iv_init(cipher.clone(), &zero).encrypt_blocks(blocks(data));
            }),
            Mode::CbcDecrypt => in_place(move |data| {
                cbc::Decryptor::inner_iv_init(cipher.clone(), &zero).decrypt_blocks(blocks(data));
            }),
        }
    }};
}

fn prepare(cipher: Cipher, mode: Mode) -> Answer<Work> {
    let key = cipher.key();
    match cipher {
        Cipher::Aes(128) => modes!(aes::Aes128, Ctr128BE, key, mode),
        Cipher::Aes(192) => modes!(aes::Aes192, Ctr128BE, key, mode),
        Cipher::Aes(_) => modes!(aes::Aes256, Ctr128BE, key, mode),
        Cipher::Threefish(256) => modes!(threefish::Threefish256, Ctr64LE, key, mode),
        Cipher::Threefish(512) => modes!(threefish::Threefish512, Ctr64LE, key, mode),
        Cipher::Threefish(_) => modes!(threefish::Threefish1024, Ctr64LE, key, mode),
    }
}
