//! AES-CBC with PKCS#7 padding in a stream, decryption only (RFC 3565, RFC 5652 section 6.3).

use super::Error;
use carrysave_symmetric::aes::Aes;
use std::io::Write;
use zeroize::Zeroizing;

/// One message under way. The last block stays behind until the end, because its padding has to go.
pub struct Cbc {
    aes: Aes,
    /// The block before the held ones.
    before: [u8; 16],
    held: Zeroizing<Vec<u8>>,
}

impl Cbc {
    /// Starts a message; `None` unless the key has 16, 24 or 32 bytes and the IV has 16.
    pub fn new(key: &[u8], iv: &[u8]) -> Option<Cbc> {
        Some(Cbc {
            aes: Aes::new(key)?,
            before: iv.try_into().ok()?,
            held: Zeroizing::new(Vec::new()),
        })
    }

    /// Decrypts the next part, of any length.
    pub fn decrypt(&mut self, part: &[u8], output: &mut dyn Write) -> Result<(), Error> {
        self.held.extend_from_slice(part);
        let ready = self.held.len().saturating_sub(1) / 16 * 16;
        let (blocks, _) = self.held.split_at_mut(ready);
        if let Some(last) = blocks.last_chunk().copied() {
            self.aes.cbc_decrypt(&self.before, blocks);
            self.before = last;
        }
        output.write_all(blocks).map_err(Error::Write)?;
        self.held.drain(..ready);
        Ok(())
    }

    /// Decrypts the last block and takes its padding off.
    pub fn finish(mut self, output: &mut dyn Write) -> Result<(), Error> {
        if self.held.len() != 16 {
            return Err(Error::Decryption);
        }
        let held = &mut *self.held;
        self.aes
            .cbc_decrypt_padded(&self.before, held)
            .map_err(|_| Error::Decryption)?;
        output.write_all(held).map_err(Error::Write)
    }
}
