//! In and out: limbs, hexadecimal, small integers. Bits are moved one group at a time.

use crate::{BITS, Num, RADIX};
use std::fmt;

impl Num {
    /// The number with these `width`-bit groups, least significant first.
    fn from_groups(groups: impl IntoIterator<Item = u64>, width: usize) -> Num {
        let (mut digits, mut digit, mut filled) = (Vec::new(), 0, 0);
        for group in groups {
            for i in 0..width {
                digit |= (group >> i & 1) << filled;
                filled += 1;
                if filled == BITS {
                    digits.push(digit as u32);
                    (digit, filled) = (0, 0);
                }
            }
        }
        digits.push(digit as u32);
        Num { digits }.trimmed()
    }

    /// The `width`-bit group of number `i`.
    fn group(&self, i: usize, width: usize) -> u64 {
        let (first, skip) = (i * width / BITS, i * width % BITS);
        let wanted = (skip + width).div_ceil(BITS);
        let mut group = 0;
        for j in (0..wanted).rev() {
            let digit = self.digit(first + j);
            // The lowest digit loses its `skip` low bits, the others move up by what precedes them.
            group = if j == 0 {
                group | digit >> skip
            } else {
                group | digit << (j * BITS - skip)
            };
        }
        if width == 64 {
            group
        } else {
            group & ((1 << width) - 1)
        }
    }

    /// The number with these 64-bit limbs, least significant first.
    pub fn from_limbs(limbs: &[u64]) -> Num {
        Num::from_groups(limbs.iter().copied(), 64)
    }

    /// The lowest `len` limbs, least significant first: the number modulo `2^(64 len)`.
    pub fn low_limbs(&self, len: usize) -> Vec<u64> {
        (0..len).map(|i| self.group(i, 64)).collect()
    }

    /// All of it in `len` limbs, least significant first.
    ///
    /// # Panics
    /// If it does not fit.
    pub fn to_limbs(&self, len: usize) -> Vec<u64> {
        assert!(
            self.bits() <= 64 * len,
            "{self:?} does not fit in {len} limbs"
        );
        self.low_limbs(len)
    }

    /// The value, if it fits in a limb.
    pub fn to_u64(&self) -> Option<u64> {
        (self.bits() <= 64).then(|| self.group(0, 64))
    }

    /// The number written in hexadecimal, most significant digit first; `None` for any other character.
    pub fn from_hex(hex: &str) -> Option<Num> {
        let nibbles: Option<Vec<u64>> = hex
            .chars()
            .rev()
            .map(|c| c.to_digit(16).map(u64::from))
            .collect();
        Some(Num::from_groups(nibbles?, 4))
    }

    /// Hexadecimal, lower case, no leading zeros; `0` for 0.
    pub fn to_hex(&self) -> String {
        let len = self.bits().div_ceil(4).max(1);
        (0..len)
            .rev()
            .map(|i| char::from_digit(self.group(i, 4) as u32, 16).expect("below 16"))
            .collect()
    }
}

impl From<u64> for Num {
    fn from(value: u64) -> Num {
        Num::carry([value % RADIX, value / RADIX % RADIX, value / RADIX / RADIX])
    }
}

impl fmt::Display for Num {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "0x{}", self.to_hex())
    }
}

impl fmt::Debug for Num {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
