//! Counter mode (SP 800-38A, 6.5), with a counter of 128 bits.

use super::{BLOCK, Data, Mode};
use crate::failure::Failure;
use carrysave::symmetric::aes::Aes;
use carrysave::team::Serial;

/// The state of counter mode.
#[derive(Clone, Default)]
pub struct Ctr {
    first: [u8; BLOCK],
    /// The counter of the next block of which nothing is used.
    next: [u8; BLOCK],
    /// How many bytes of the block before are used, if not all.
    used: usize,
}

/// A counter some blocks on.
fn plus(counter: &[u8; BLOCK], blocks: u128) -> [u8; BLOCK] {
    u128::from_be_bytes(*counter)
        .wrapping_add(blocks)
        .to_be_bytes()
}

impl Mode for Ctr {
    const NUMBER: i32 = 5;
    const IV: usize = BLOCK;
    const UNIT: usize = 1;

    fn start(&mut self, _encrypts: bool, iv: Option<&[u8; BLOCK]>) {
        if let Some(iv) = iv {
            (self.first, self.next) = (*iv, *iv);
        }
        self.used = 0;
    }

    fn update(&mut self, aes: &Aes, mut data: Data<'_>) -> Result<usize, Failure> {
        let len = data.len();
        data.has_room(len)?;
        let (counter, position) = match self.used {
            0 => (self.next, 0),
            used => (plus(&self.next, u128::MAX), used),
        };
        data.apply(len, |text| {
            aes.apply_ctr_on(&Serial, &counter, 128, position as u64, text);
        });
        let end = position + len;
        self.next = plus(&counter, end.div_ceil(BLOCK) as u128);
        self.used = end % BLOCK;
        Ok(len)
    }

    fn finish(&mut self, _aes: &Aes, _out: Data<'_>) -> Result<usize, Failure> {
        Ok(0)
    }

    fn once(&mut self, aes: &Aes, data: Data<'_>) -> Result<usize, Failure> {
        self.update(aes, data)
    }

    fn position(&self) -> Option<(&[u8; BLOCK], &[u8; BLOCK], usize)> {
        Some((&self.first, &self.next, self.used))
    }
}
