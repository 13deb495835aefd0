//! Unique block iteration (section 3.4) over a string in pieces.

use crate::threefish::read_words;
use carrysave_kernels::{
    Cpu, Limb,
    threefish::{C240, FINAL, FIRST, Ubi, extend_key},
};
use core::mem;
use zeroize::{Zeroize, Zeroizing};

/// The type field of the tweak (table 6).
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    Key = 0,
    Configuration = 4,
    Personalization = 8,
    PublicKey = 12,
    KeyIdentifier = 16,
    Nonce = 20,
    Message = 48,
    Output = 63,
}

impl Kind {
    /// The upper word of the tweaks, for a level of a tree or 0.
    pub(super) fn upper(self, level: u8) -> Limb {
        (self as Limb) << 56 | Limb::from(level) << 48
    }

    /// The tweak of a string of `bytes` bytes that is one block.
    pub(super) fn whole(self, bytes: u64) -> [Limb; 2] {
        [bytes, self.upper(0) | FIRST | FINAL]
    }
}

/// The bit of the upper word for a message whose last byte is not whole.
const BIT_PAD: Limb = 1 << 55;

/// A chain of blocks. The last block, whole or not, is held back until it is known to be the last.
#[derive(Clone)]
pub(super) struct Chain<const W: usize> {
    ubi: Ubi,
    g: Zeroizing<Vec<Limb>>,
    /// The number of bytes before the held ones, and the flags.
    tweak: [Limb; 2],
    /// On the heap, as a move on the stack would leave a copy.
    waiting: Zeroizing<Vec<u8>>,
    filled: usize,
}

impl<const W: usize> Chain<W> {
    const BLOCK: usize = 8 * W;

    /// A chain from the value g on, for the bytes of a string from `position` on.
    pub(super) fn new(cpu: Cpu, g: &[Limb], kind: Kind, level: u8, position: u64) -> Self {
        Chain {
            ubi: Ubi::best(cpu),
            g: Zeroizing::new(g.to_vec()),
            tweak: [position, kind.upper(level) | FIRST],
            waiting: Zeroizing::new(vec![0; Self::BLOCK]),
            filled: 0,
        }
    }

    /// Resets to a new chain.
    pub(super) fn restart(&mut self, g: &[Limb], kind: Kind, level: u8, position: u64) {
        self.g.copy_from_slice(g);
        self.tweak = [position, kind.upper(level) | FIRST];
        self.filled = 0;
    }

    pub(super) fn update(&mut self, mut data: &[u8]) {
        let room = Self::BLOCK - self.filled;
        if data.len() > room {
            if self.filled > 0 {
                let head = data.split_off(..room).expect("it is longer");
                self.waiting[self.filled..].copy_from_slice(head);
                self.waiting_block();
            }
            let whole = (data.len() - 1) / Self::BLOCK * Self::BLOCK;
            if whole > 0 {
                self.blocks(data.split_off(..whole).expect("it is longer"));
            }
            self.filled = 0;
        }
        self.waiting[self.filled..][..data.len()].copy_from_slice(data);
        self.filled += data.len();
    }

    /// Marks the last held byte as not whole.
    pub(super) fn mark_bits(&mut self) {
        self.tweak[1] |= BIT_PAD;
    }

    /// The number of held bytes.
    pub(super) fn waiting(&self) -> &[u8] {
        &self.waiting[..self.filled]
    }

    /// The chain value after the last block, with its parity.
    pub(super) fn finish(mut self, g: &mut [Limb]) {
        self.end();
        g.copy_from_slice(&self.g);
    }

    /// The chain value after the last block.
    pub(super) fn end(&mut self) -> &[Limb] {
        let filled = self.filled;
        self.waiting[filled..].fill(0);
        // A kernel counts whole blocks.
        let missing = (Self::BLOCK - filled) as Limb;
        self.tweak[0] = self.tweak[0].wrapping_sub(missing);
        self.tweak[1] |= FINAL;
        self.waiting_block();
        &self.g
    }

    fn waiting_block(&mut self) {
        let block = mem::take(&mut self.waiting);
        self.blocks(&block);
        self.waiting = block;
    }

    fn blocks(&mut self, x: &[u8]) {
        let mut r = Zeroizing::new([0; 128]);
        let r = &mut r[..Self::BLOCK];
        self.ubi.call(r, &self.g, x, self.tweak);
        set(&mut self.g, r);
        self.tweak[0] = self.tweak[0].wrapping_add(x.len() as Limb);
        self.tweak[1] &= !FIRST;
    }
}

impl<const W: usize> Drop for Chain<W> {
    fn drop(&mut self) {
        self.tweak.zeroize();
    }
}

/// A chain value from its bytes, with its parity.
pub(super) fn set(g: &mut [Limb], bytes: &[u8]) {
    read_words(g, bytes);
    extend_key(g, C240);
}
