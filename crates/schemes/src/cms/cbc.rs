//! AES-CBC with PKCS#7 padding in a stream, decryption only (RFC 3565, RFC 5652 section 6.3).

use super::Error;
use aes::cipher::{Block, BlockModeDecrypt, BlockSizeUser, KeyIvInit, array::Array, consts::U16};
use std::io::Write;
use zeroize::Zeroizing;

/// One message under way. The last block stays behind until the end, because its padding has to go.
pub struct Cbc {
    mode: Box<dyn Mode>,
    held: Zeroizing<Vec<u8>>,
}

trait Mode {
    fn decrypt(&mut self, blocks: &mut [u8]);
}

impl<M: BlockModeDecrypt + BlockSizeUser<BlockSize = U16>> Mode for M {
    fn decrypt(&mut self, blocks: &mut [u8]) {
        let (blocks, _) = Array::slice_as_chunks_mut(blocks);
        let blocks: &mut [Block<M>] = blocks;
        self.decrypt_blocks(blocks);
    }
}

impl Cbc {
    /// Starts a message; `None` unless the key has 16, 24 or 32 bytes and the IV has 16.
    pub fn new(key: &[u8], iv: &[u8]) -> Option<Cbc> {
        let mode: Box<dyn Mode> = match key.len() {
            16 => Box::new(cbc::Decryptor::<aes::Aes128>::new_from_slices(key, iv).ok()?),
            24 => Box::new(cbc::Decryptor::<aes::Aes192>::new_from_slices(key, iv).ok()?),
            32 => Box::new(cbc::Decryptor::<aes::Aes256>::new_from_slices(key, iv).ok()?),
            _ => return None,
        };
        Some(Cbc {
            mode,
            held: Zeroizing::new(Vec::new()),
        })
    }

    /// Decrypts the next part, of any length.
    pub fn decrypt(&mut self, part: &[u8], output: &mut dyn Write) -> Result<(), Error> {
        self.held.extend_from_slice(part);
        let ready = self.held.len().saturating_sub(1) / 16 * 16;
        let (blocks, _) = self.held.split_at_mut(ready);
        self.mode.decrypt(blocks);
        output.write_all(blocks).map_err(Error::Write)?;
        self.held.drain(..ready);
        Ok(())
    }

    /// Decrypts the last block and takes its padding off.
    pub fn finish(mut self, output: &mut dyn Write) -> Result<(), Error> {
        if self.held.len() != 16 {
            return Err(Error::Decryption);
        }
        self.mode.decrypt(&mut self.held);
        let pad = self.held[15];
        let mut bad = u8::from(pad == 0) | u8::from(pad > 16);
        for (i, byte) in self.held.iter().rev().enumerate() {
            bad |= u8::from(i < usize::from(pad)) & u8::from(*byte != pad);
        }
        if bad != 0 {
            return Err(Error::Decryption);
        }
        output
            .write_all(&self.held[..16 - usize::from(pad)])
            .map_err(Error::Write)
    }
}
