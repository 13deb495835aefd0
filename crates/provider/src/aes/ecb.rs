//! Electronic codebook (SP 800-38A, 6.1), with the padding of PKCS #7.

use super::{BLOCK, Data, Mode};
use crate::failure::Failure;
use carrysave::symmetric::aes::Aes;
use carrysave::symmetric::{Text, pkcs7};
use carrysave::team::Serial;
use zeroize::Zeroizing;

/// The state of a message.
#[derive(Clone)]
pub struct Ecb {
    encrypts: bool,
    padding: bool,
    /// Bytes that wait for the rest of their block, or for the end of the message, and their number. On the heap: a move on
    /// the stack would leave a copy there.
    block: Zeroizing<Vec<u8>>,
    kept: usize,
}

impl Default for Ecb {
    fn default() -> Self {
        Ecb {
            encrypts: true,
            padding: true,
            block: Zeroizing::new(vec![0; BLOCK]),
            kept: 0,
        }
    }
}

impl Ecb {
    fn apply(&self, aes: &Aes, text: Text<'_>) {
        match self.encrypts {
            true => aes.ecb_encrypt_on(&Serial, text),
            false => aes.ecb_decrypt_on(&Serial, text),
        }
    }

    /// Takes the kept block, encrypted or decrypted.
    fn taken(&mut self, aes: &Aes) -> Zeroizing<Vec<u8>> {
        let mut block = self.block.clone();
        self.apply(aes, Text::from(&mut block[..]));
        self.kept = 0;
        block
    }

    fn keep(&mut self, bytes: &[u8]) {
        self.block[self.kept..][..bytes.len()].copy_from_slice(bytes);
        self.kept += bytes.len();
    }
}

impl Mode for Ecb {
    const NUMBER: i32 = 1;
    const IV: usize = 0;
    const UNIT: usize = BLOCK;

    fn start(&mut self, encrypts: bool, _iv: Option<&[u8; BLOCK]>) {
        self.encrypts = encrypts;
        self.kept = 0;
    }

    /// Keeps back the last block to decrypt, as it may hold the padding.
    fn update(&mut self, aes: &Aes, mut data: Data<'_>) -> Result<usize, Failure> {
        let holds_back = !self.encrypts && self.padding;
        let all = self.kept + data.len();
        let written = all.saturating_sub(holds_back.into()) / BLOCK * BLOCK;
        data.has_room(written)?;
        if self.kept > 0 {
            self.keep(&data.take(BLOCK - self.kept));
            if written == 0 {
                return Ok(0);
            }
            if !data.is_apart() {
                // Takes all input first: the output may overlap it.
                let mut rest = data.take(usize::MAX);
                data.put(&self.taken(aes));
                let (whole, left) = rest.split_at_mut(written - BLOCK);
                self.apply(aes, Text::from(&mut *whole));
                data.put(whole);
                self.keep(left);
                return Ok(written);
            }
            data.put(&self.taken(aes));
            let left = data.tail(all - written);
            data.apply(written - BLOCK, |text| self.apply(aes, text));
            self.keep(&left);
            return Ok(written);
        }
        let left = data.tail(data.len() - written);
        data.apply(written, |text| self.apply(aes, text));
        self.keep(&left);
        Ok(written)
    }

    fn finish(&mut self, aes: &Aes, mut out: Data<'_>) -> Result<usize, Failure> {
        if self.kept == 0 && !self.padding {
            return Ok(0);
        }
        if self.padding && self.encrypts {
            let missing = BLOCK - self.kept;
            self.keep(&[missing as u8; BLOCK][..missing]);
        }
        if self.kept != BLOCK {
            return Err(Failure::new(
                "the message is not whole blocks of 16 bytes: pass all of it, or turn padding on",
            ));
        }
        let mut block = self.taken(aes);
        if self.padding && !self.encrypts {
            pkcs7::unpad(&mut block, BLOCK).map_err(|_| {
                Failure::new("the message cannot be decrypted: use the key it was made with")
            })?;
        }
        out.has_room(block.len())?;
        out.put(&block);
        Ok(block.len())
    }

    fn once(&mut self, aes: &Aes, mut data: Data<'_>) -> Result<usize, Failure> {
        let len = data.len();
        data.has_room(len)?;
        if !len.is_multiple_of(BLOCK) {
            return Err(Failure::new(
                "the message is not whole blocks of 16 bytes: pass whole ones",
            ));
        }
        data.apply(len, |text| self.apply(aes, text));
        Ok(len)
    }

    fn pads(&self) -> bool {
        self.padding
    }

    fn set_padding(&mut self, pads: bool) {
        self.padding = pads;
    }
}
