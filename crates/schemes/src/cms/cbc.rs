//! CBC with PKCS#7 padding in a stream, decryption only (RFC 3565, RFC 3370 section 5.1, RFC 5652 section 6.3).

use super::Error;
use carrysave_symmetric::{aes::Aes, pkcs7};
use des::TdesEde3;
use des::cipher::consts::U8;
use des::cipher::{BlockCipherDecrypt, BlockSizeUser, KeyInit};
use std::io::Write;
use zeroize::Zeroizing;

/// A block cipher, its key's length and an initialization vector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Algorithm {
    /// Triple DES with three keys, or AES.
    pub triple_des: bool,
    /// The length of the key in bytes.
    pub key_len: usize,
    /// One block.
    pub iv: Vec<u8>,
}

impl Algorithm {
    /// The bytes of a block.
    pub fn block_len(&self) -> usize {
        if self.triple_des { 8 } else { 16 }
    }

    /// The cipher; `None` if the key has another length.
    pub fn cipher(&self, key: &[u8]) -> Option<BlockCipher> {
        match self.triple_des {
            true => BlockCipher::triple_des(key),
            false if key.len() == self.key_len => Aes::new(key).map(BlockCipher::Aes),
            false => None,
        }
    }
}

/// A decryptor of chains of blocks.
pub enum BlockCipher {
    /// AES.
    Aes(Aes),
    /// Triple DES (SP 800-67), with look-ups at secret addresses: for old messages.
    TripleDes(Box<TdesEde3>),
}

impl BlockCipher {
    /// Triple DES; `None` unless the key has 24 bytes.
    pub fn triple_des(key: &[u8]) -> Option<BlockCipher> {
        let cipher = TdesEde3::new_from_slice(key).ok()?;
        Some(BlockCipher::TripleDes(Box::new(cipher)))
    }

    /// Decrypts a chain of whole blocks behind one block.
    pub fn decrypt(&self, before: &[u8], data: &mut [u8]) {
        match self {
            BlockCipher::Aes(aes) => aes.cbc_decrypt(before.try_into().expect("a block"), data),
            BlockCipher::TripleDes(cipher) => {
                decrypt_chain(&**cipher, before.try_into().expect("a block"), data);
            }
        }
    }
}

/// Decrypts a chain of whole blocks of eight bytes behind one block, with a cipher of an old message or key.
pub(crate) fn decrypt_chain<C>(cipher: &C, before: &[u8; 8], data: &mut [u8])
where
    C: BlockCipherDecrypt + BlockSizeUser<BlockSize = U8>,
{
    let (blocks, rest) = data.as_chunks_mut::<8>();
    assert!(rest.is_empty(), "whole blocks");
    let mut before = *before;
    for block in blocks {
        let next = *block;
        cipher.decrypt_block(block.into());
        block.iter_mut().zip(before).for_each(|(b, x)| *b ^= x);
        before = next;
    }
}

/// A message in progress. The last block is held back until the end, because its padding must be removed.
pub struct Cbc {
    cipher: BlockCipher,
    block_len: usize,
    /// The block before the held one.
    before: Vec<u8>,
    held: Zeroizing<Vec<u8>>,
}

impl Cbc {
    /// Starts a message; `None` unless the key has the cipher's length.
    pub fn new(key: &[u8], algorithm: &Algorithm) -> Option<Cbc> {
        Some(Cbc {
            cipher: algorithm.cipher(key)?,
            block_len: algorithm.block_len(),
            before: algorithm.iv.clone(),
            held: Zeroizing::new(Vec::new()),
        })
    }

    /// Decrypts the next part, of any length.
    pub fn decrypt(&mut self, part: &[u8], output: &mut dyn Write) -> Result<(), Error> {
        // A vector that grows leaves a copy behind.
        let len = self.held.len() + part.len();
        if len > self.held.capacity() {
            let mut longer = Zeroizing::new(Vec::with_capacity(len));
            longer.extend_from_slice(&self.held);
            self.held = longer;
        }
        self.held.extend_from_slice(part);
        let ready = self.held.len().saturating_sub(1) / self.block_len * self.block_len;
        let (blocks, _) = self.held.split_at_mut(ready);
        if ready > 0 {
            let last = blocks[ready - self.block_len..].to_vec();
            self.cipher.decrypt(&self.before, blocks);
            self.before = last;
        }
        output.write_all(blocks).map_err(Error::Write)?;
        self.held.drain(..ready);
        Ok(())
    }

    /// Decrypts the last block and removes its padding.
    pub fn finish(mut self, output: &mut dyn Write) -> Result<(), Error> {
        if self.held.len() != self.block_len {
            return Err(Error::Decryption);
        }
        let held = &mut *self.held;
        self.cipher.decrypt(&self.before, held);
        pkcs7::unpad(held, self.block_len).map_err(|_| Error::Decryption)?;
        output.write_all(held).map_err(Error::Write)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// AES with keys of so many octets.
    fn aes(key_len: usize) -> Algorithm {
        Algorithm {
            triple_des: false,
            key_len,
            iv: vec![3; 16],
        }
    }

    #[test]
    fn a_key_has_the_length_of_its_cipher() {
        for (named, given) in [(16, 16), (16, 24), (16, 32), (24, 16), (32, 24), (32, 32)] {
            let cipher = aes(named).cipher(&vec![5; given]);
            assert_eq!(cipher.is_some(), named == given, "{named} {given}");
        }
    }

    #[test]
    fn the_last_part_is_a_block() {
        let key = [5; 16];
        let mut message = b"a message".to_vec();
        Aes::new(&key)
            .unwrap()
            .cbc_encrypt_padded(&[3; 16], &mut message);
        // Whole blocks behind a message are read as its blocks.
        for len in (0..=40).filter(|&len| len <= 16 || len % 16 != 0) {
            let mut cbc = Cbc::new(&key, &aes(16)).unwrap();
            let ciphertext: Vec<u8> = message.iter().copied().cycle().take(len).collect();
            let mut output = vec![];
            let result = cbc.decrypt(&ciphertext, &mut output);
            let result = result.and_then(|()| cbc.finish(&mut output));
            match len {
                16 => assert_eq!((result.is_ok(), &output[..]), (true, &b"a message"[..])),
                _ => assert!(matches!(result, Err(Error::Decryption)), "{len}"),
            }
        }
    }
}
