//! Structured operands, the oracle's view of them, and vector files.
#![allow(dead_code, missing_docs)]

use carrysave_arith::Nat;
use carrysave_oracle::Num;
use rand_core::{Infallible, TryCryptoRng, TryRng};
use std::path::PathBuf;

/// A small deterministic generator (xorshift64*), good enough to fill tests.
pub struct TestRng(pub u64);

impl TryRng for TestRng {
    type Error = Infallible;
    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok((self.try_next_u64()? >> 32) as u32)
    }
    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        Ok(self.0.wrapping_mul(0x2545_F491_4F6C_DD1D))
    }
    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        for b in bytes {
            *b = (self.try_next_u64()? >> 56) as u8;
        }
        Ok(())
    }
}

impl TryCryptoRng for TestRng {}

impl TestRng {
    pub fn word(&mut self) -> u64 {
        self.try_next_u64().unwrap()
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.word() % n as u64) as usize
    }

    /// A number of `width` limbs from runs of ones and zeros, limb classes and random limbs: uniform numbers rarely
    /// find a lost carry.
    pub fn nat(&mut self, width: usize) -> Nat {
        let class = self.below(8);
        let limbs: Vec<u64> = (0..width)
            .map(|_| match class {
                0 => 0,
                1 => u64::MAX,
                2 => self.word(),
                _ => match self.below(8) {
                    0 => 0,
                    1 | 2 => u64::MAX,
                    3 => 1 << self.below(64),
                    4 => u64::MAX << self.below(64),
                    5 => u64::MAX >> self.below(64),
                    _ => self.word(),
                },
            })
            .collect();
        Nat::from_limbs(&limbs)
    }

    /// A random odd number above 1, of `width` limbs.
    pub fn odd(&mut self, width: usize) -> Nat {
        let mut n = self.nat(width);
        n.set_bit(0);
        n.set_bit(1 + self.below(64 * width - 1));
        n
    }

    /// A random odd number of exactly `bits` bits.
    pub fn odd_of(&mut self, bits: usize) -> Nat {
        let mut limbs = self.nat(bits.div_ceil(64)).limbs().to_vec();
        let top = (bits - 1) % 64;
        limbs[0] |= 1;
        let last = limbs.last_mut().unwrap();
        *last &= u64::MAX >> (63 - top);
        *last |= 1 << top;
        Nat::from_limbs(&limbs)
    }
}

pub fn num(n: &Nat) -> Num {
    Num::from_limbs(n.limbs())
}

#[track_caller]
pub fn same(n: &Nat, m: &Num) {
    assert_eq!(n.to_hex_vartime(), m.to_hex());
}

/// A file of the test vectors, or `None` with a printed notice.
pub fn vectors(name: &str) -> Option<String> {
    let root = std::env::var_os("CARRYSAVE_VECTORS")
        .map(PathBuf::from)
        .unwrap_or_else(|| {
            PathBuf::from(concat!(
                env!("CARGO_MANIFEST_DIR"),
                "/../../../shared/vectors"
            ))
        });
    let text = std::fs::read_to_string(root.join(name)).ok();
    if text.is_none() {
        eprintln!(
            "SKIPPED: {name} is not at hand (set CARRYSAVE_VECTORS to the folder of vectors)"
        );
    }
    text
}
