//! AES (FIPS 197) in the modes ECB, CBC and CTR (NIST SP 800-38A).
//!
//! None of these modes authenticates: an attacker who can change a ciphertext can change the text.

use crate::{
    Text,
    pkcs7::{self, Unpadding},
    rijndael::{expand, inv_mix_column},
    share,
};
use carrysave_kernels::{
    Cpu,
    aes::{
        Block, cbc_decrypt::CbcDecrypt, cbc_encrypt::CbcEncrypt, ctr::Ctr, decrypt::Decrypt,
        encrypt::Encrypt,
    },
    off_stack,
};
use carrysave_team::{Serial, Team, once};
use core::{convert::Infallible, fmt};
use std::sync::OnceLock;
use zeroize::Zeroizing;

/// The bytes from which waking several threads pays.
const SHARED: usize = 1 << 20;

/// AES-128, -192 or -256, by the length of its key, which is wiped when it is dropped.
///
/// ```
/// use carrysave_symmetric::aes::Aes;
/// let aes = Aes::new(&[7; 32]).expect("a key of 32 bytes");
/// let mut text = *b"attack at dawn; retreat at dusk.";
/// aes.cbc_encrypt(&[1; 16], &mut text);
/// aes.cbc_decrypt(&[1; 16], &mut text);
/// assert_eq!(&text, b"attack at dawn; retreat at dusk.");
/// ```
#[derive(Clone)]
pub struct Aes {
    /// For the kernels of chains, which are made with a chain: a program without one links none.
    cpu: Cpu,
    encrypt: Encrypt,
    decrypt: Decrypt,
    ctr: Ctr,
    keys: Zeroizing<Vec<Block>>,
    /// The round keys of the equivalent inverse cipher, in the order of their use, made for the first decryption. In a
    /// box: where there are none, what was on the stack would stay in the unused bytes.
    inverse: OnceLock<Box<Zeroizing<Vec<Block>>>>,
}

macro_rules! by_length {
    ($($(#[$doc:meta])* $Name:ident;)*) => {
        $(
            $(#[$doc])*
            /// For the traits of the crate `cipher`; [`Aes`] has the modes.
            #[derive(Clone, Debug)]
            pub struct $Name(pub(crate) Aes);
        )*
    };
}

by_length! {
    /// AES with a key of 128 bits.
    ///
    /// ```
    /// use carrysave_symmetric::aes::Aes128;
    /// use cipher::{BlockCipherEncrypt, KeyInit};
    /// // FIPS 197, appendix B.
    /// let key = 0x2b7e151628aed2a6abf7158809cf4f3cu128.to_be_bytes();
    /// let mut block = 0x3243f6a8885a308d313198a2e0370734u128.to_be_bytes().into();
    /// Aes128::new(&key.into()).encrypt_block(&mut block);
    /// assert_eq!(block, 0x3925841d02dc09fbdc118597196a0b32u128.to_be_bytes());
    /// ```
    Aes128;
    /// AES with a key of 192 bits.
    Aes192;
    /// AES with a key of 256 bits.
    Aes256;
}

impl Aes {
    /// The cipher with a key of 16, 24 or 32 bytes; `None` for any other length.
    ///
    /// # Timing
    /// Depends on lengths only, as do all methods.
    pub fn new(key: &[u8]) -> Option<Aes> {
        Aes::with_cpu(Cpu::native(), key)
    }

    /// The cipher with a key of 16, 24 or 32 bytes, by kernels that `cpu` can execute; `None` for any other length.
    pub fn with_cpu(cpu: Cpu, key: &[u8]) -> Option<Aes> {
        if !matches!(key.len(), 16 | 24 | 32) {
            return None;
        }
        let encrypt = Encrypt::best(cpu);
        Some(Aes {
            keys: off_stack::<2048, _>(|| round_keys(&encrypt, key)),
            cpu,
            encrypt,
            decrypt: Decrypt::best(cpu),
            ctr: Ctr::best(cpu),
            inverse: OnceLock::new(),
        })
    }

    /// The round keys of the equivalent inverse cipher.
    fn inverse(&self) -> &[Block] {
        let new = || {
            off_stack::<2048, _>(|| {
                let last = self.keys.len() - 1;
                let mut inverse = self.keys.clone();
                inverse.reverse();
                inverse[1..last].iter_mut().for_each(inv_mix_columns);
                Box::new(inverse)
            })
        };
        once(&self.inverse, new).as_slice()
    }

    /// Encrypts each block by itself (ECB): equal blocks stay equal.
    ///
    /// # Panics
    /// If `data` is not whole blocks.
    pub fn ecb_encrypt(&self, data: &mut [u8]) {
        self.ecb_encrypt_on(&Serial, data);
    }

    /// Encrypts each block by itself (ECB), on the threads of a team from 1 MiB on.
    ///
    /// # Panics
    /// If `data` is not whole blocks.
    pub fn ecb_encrypt_on<'a>(&self, team: &dyn Team, data: impl Into<Text<'a>>) {
        let (kernel, keys) = (&self.encrypt, &self.keys);
        share::bytes(team, SHARED, data.into(), |_, part| {
            part.each(
                |to| kernel.call_in_place(to, keys),
                |to, from| kernel.call(to, from, keys),
            );
        });
    }

    /// Decrypts each block by itself.
    ///
    /// # Panics
    /// If `data` is not whole blocks.
    pub fn ecb_decrypt(&self, data: &mut [u8]) {
        self.ecb_decrypt_on(&Serial, data);
    }

    /// Decrypts each block by itself (ECB), on the threads of a team from 1 MiB on.
    ///
    /// # Panics
    /// If `data` is not whole blocks.
    pub fn ecb_decrypt_on<'a>(&self, team: &dyn Team, data: impl Into<Text<'a>>) {
        let (kernel, keys) = (&self.decrypt, self.inverse());
        share::bytes(team, SHARED, data.into(), |_, part| {
            part.each(
                |to| kernel.call_in_place(to, keys),
                |to, from| kernel.call(to, from, keys),
            );
        });
    }

    /// Encrypts blocks in a chain (CBC). A chain cannot be divided; for many chains see
    /// [`cbc_encrypt_streams`](Self::cbc_encrypt_streams).
    ///
    /// # Panics
    /// If `data` is not whole blocks.
    pub fn cbc_encrypt(&self, iv: &Block, data: &mut [u8]) {
        self.cbc_encrypt_streams(core::slice::from_ref(iv), data);
    }

    /// Encrypts consecutive streams of equal length, each in its own chain with one of these initialization vectors.
    ///
    /// # Panics
    /// If `data` is not as many streams of whole blocks as there are vectors.
    pub fn cbc_encrypt_streams(&self, ivs: &[Block], data: &mut [u8]) {
        self.cbc_encrypt_streams_on(&Serial, ivs, data);
    }

    /// Encrypts streams, each in its own chain, on the threads of a team from 1 MiB on. A thread takes 32 streams at a
    /// time.
    ///
    /// # Panics
    /// If `data` is not as many streams of whole blocks as there are vectors.
    ///
    /// ```
    /// use carrysave_team::Serial;
    /// use carrysave_symmetric::aes::Aes;
    /// let aes = Aes::new(&[7; 16]).expect("a key of 16 bytes");
    /// let (ivs, text) = ([[1; 16], [2; 16]], [9; 2 * 48]);
    /// let mut streams = [0; 2 * 48];
    /// aes.cbc_encrypt_streams_on(&Serial, &ivs, (&text[..], &mut streams[..]));
    /// let mut second = [9; 48];
    /// aes.cbc_encrypt(&ivs[1], &mut second);
    /// assert_eq!(streams[48..], second);
    /// ```
    pub fn cbc_encrypt_streams_on<'a>(
        &self,
        team: &dyn Team,
        ivs: &[Block],
        data: impl Into<Text<'a>>,
    ) {
        /// The streams that the widest kernel takes at a time.
        const STREAMS: usize = 32;
        let data = data.into();
        if data.is_empty() {
            return;
        }
        assert!(
            !ivs.is_empty() && data.len().is_multiple_of(16 * ivs.len()),
            "as many streams of whole blocks as there are vectors"
        );
        let (kernel, keys) = (CbcEncrypt::best(self.cpu), &self.keys);
        let encrypt = |ivs: &[Block], part: Text<'_>| {
            part.each(
                |to| kernel.call_in_place(to, keys, ivs),
                |to, from| kernel.call(to, from, keys, ivs),
            );
        };
        if ivs.len() <= STREAMS {
            return encrypt(ivs, data);
        }
        let team = share::worth(team, data.len() >= SHARED);
        let part = STREAMS * (data.len() / ivs.len());
        let parts = ivs.chunks(STREAMS).zip(data.chunks(part));
        let Ok(()) = share::out(team, parts, |(): &mut (), (ivs, part)| {
            encrypt(ivs, part);
            Ok::<_, Infallible>(())
        });
    }

    /// Decrypts a chain of blocks.
    ///
    /// # Panics
    /// If `data` is not whole blocks.
    pub fn cbc_decrypt(&self, iv: &Block, data: &mut [u8]) {
        self.cbc_decrypt_on(&Serial, iv, data);
    }

    /// Decrypts a chain of blocks (CBC), on the threads of a team from 1 MiB on.
    ///
    /// # Panics
    /// If `data` is not whole blocks.
    pub fn cbc_decrypt_on<'a>(&self, team: &dyn Team, iv: &Block, data: impl Into<Text<'a>>) {
        let (kernel, keys) = (CbcDecrypt::best(self.cpu), self.inverse());
        share::chain(team, SHARED, iv, data.into(), |before, part| {
            let iv = before.try_into().expect("a block");
            part.each(
                |to| kernel.call_in_place(to, keys, iv),
                |to, from| kernel.call(to, from, keys, iv),
            );
        });
    }

    /// Pads to whole blocks (PKCS #7) and encrypts them in a chain.
    pub fn cbc_encrypt_padded(&self, iv: &Block, data: &mut Vec<u8>) {
        pkcs7::pad(data, 16);
        self.cbc_encrypt(iv, data);
    }

    /// Decrypts a chain of blocks and removes the padding.
    ///
    /// # Errors
    /// If `data` is not whole blocks, one or more, or does not end in a padding; it is left empty.
    ///
    /// # Timing
    /// As that of [`unpad`](pkcs7::unpad).
    pub fn cbc_decrypt_padded(&self, iv: &Block, data: &mut Vec<u8>) -> Result<(), Unpadding> {
        if data.len().is_multiple_of(16) {
            self.cbc_decrypt(iv, data);
        }
        pkcs7::unpad(data, 16)
    }

    /// Xors `data` with the keystream of counter mode from byte `position` on: encrypts and decrypts.
    ///
    /// The first counter block is `counter`. Its last `bits` bits, 1 to 128, are a big-endian number that increases by
    /// one from block to block modulo `2^bits`. A counter block must never be used twice with a key.
    ///
    /// # Panics
    /// If `bits` is out of range, or the end of the data is beyond the position 2^64 - 1.
    ///
    /// # Timing
    /// Depends on lengths, the position and the counter, which are public.
    ///
    /// ```
    /// use carrysave_symmetric::aes::Aes;
    /// let aes = Aes::new(&[7; 16]).expect("a key of 16 bytes");
    /// let (mut whole, mut part) = ([0; 1000], [0; 100]);
    /// aes.apply_ctr(&[0xff; 16], 32, 0, &mut whole);
    /// aes.apply_ctr(&[0xff; 16], 32, 333, &mut part);
    /// assert_eq!(whole[333..433], part);
    /// ```
    pub fn apply_ctr(&self, counter: &Block, bits: u32, position: u64, data: &mut [u8]) {
        self.apply_ctr_on(&Serial, counter, bits, position, data);
    }

    /// Xors `data` with the stream of [`apply_ctr`](Self::apply_ctr), on the threads of a team from 1 MiB on.
    ///
    /// # Panics
    /// If `bits` is out of range, or the end of the data is beyond the position 2^64 - 1.
    pub fn apply_ctr_on<'a>(
        &self,
        team: &dyn Team,
        counter: &Block,
        bits: u32,
        position: u64,
        data: impl Into<Text<'a>>,
    ) {
        let data = data.into();
        assert!((1..=128).contains(&bits));
        assert!(position.checked_add(data.len() as u64).is_some());
        share::bytes(team, SHARED, data, |at, part| {
            self.apply_from(counter, bits, position + at as u64, part);
        });
    }

    fn apply_from(&self, counter: &Block, bits: u32, position: u64, data: Text<'_>) {
        let mask = u128::MAX >> (128 - bits);
        let first = u128::from_be_bytes(*counter);
        let at = |i: u64| first & !mask | first.wrapping_add(i.into()) & mask;
        let mut i = position / 16;
        let skip = (position % 16) as usize;
        let head = match skip {
            0 => 0,
            _ => data.len().min(16 - skip),
        };
        let (head, mut rest) = data.split_at(head);
        if !head.is_empty() {
            self.apply_part(at(i), skip, head.moved());
            i = i.wrapping_add(1);
        }
        while rest.len() >= 16 {
            // A kernel counts modulo 2^64, so a call ends where the counter differs from that.
            let counter = at(i);
            let room = (mask - (counter & mask)).min((u64::MAX - counter as u64).into());
            let blocks = ((rest.len() / 16) as u128).min(room + 1) as usize;
            let (now, later) = rest.split_at(16 * blocks);
            let (kernel, keys, counter) = (&self.ctr, &self.keys, counter.to_be_bytes());
            now.each(
                |to| kernel.call_in_place(to, keys, &counter),
                |to, from| kernel.call(to, from, keys, &counter),
            );
            (rest, i) = (later, i.wrapping_add(blocks as u64));
        }
        if !rest.is_empty() {
            self.apply_part(at(i), 0, rest.moved());
        }
    }

    /// The keystream of one counter block from byte `skip` on.
    fn apply_part(&self, counter: u128, skip: usize, data: &mut [u8]) {
        let mut block = Zeroizing::new([0; 16]);
        block[skip..][..data.len()].copy_from_slice(data);
        let kernel = &self.ctr;
        kernel.call_in_place(&mut *block, &self.keys, &counter.to_be_bytes());
        data.copy_from_slice(&block[skip..][..data.len()]);
    }
}

impl fmt::Debug for Aes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AES of {} rounds with a secret key", self.keys.len() - 1)
    }
}

/// The round keys (5.2).
fn round_keys(kernel: &Encrypt, key: &[u8]) -> Zeroizing<Vec<Block>> {
    let rounds = key.len() / 4 + 6;
    let words = expand(kernel, key, 4 * (rounds + 1));
    let block = |words: &[[u8; 4]]| core::array::from_fn(|i| words[i / 4][i % 4]);
    Zeroizing::new(words.chunks(4).map(block).collect())
}

/// `InvMixColumns` on a round key (5.3.3).
fn inv_mix_columns(key: &mut Block) {
    key.as_chunks_mut::<4>()
        .0
        .iter_mut()
        .for_each(inv_mix_column);
}
