//! Slow, obvious, independent arithmetic: what the tests believe.
//!
//! A number is a vector of digits in radix 2^20, least significant first, without leading zeros. Nothing else in
//! carrysave uses that radix, so a carry that goes wrong at a limb boundary there meets no boundary here. Products are
//! summed column by column without any carry, and quotients are found by repeated underestimates: neither is the
//! method of a kernel. Every value may be read in a debugger; nothing here is constant-time.
//!
//! ```
//! use carrysave_oracle::Num;
//! let p = Num::one().shl(127).sub(&Num::one());
//! assert!(p.is_prime());
//! assert_eq!(Num::from(3).pow_mod(&p.sub(&Num::one()), &p), Num::one());
//! ```
#![forbid(unsafe_code)]

mod convert;
mod div;
mod theory;

use std::cmp::Ordering;

/// The bits of a digit. Three digits fit in a `u64`, and so do 2^24 products of two digits.
const BITS: usize = 20;
/// The radix.
const RADIX: u64 = 1 << BITS;

/// A natural number of any size.
#[derive(Clone, PartialEq, Eq, Hash, Default)]
pub struct Num {
    /// Each below the radix, least significant first; the last one is not zero.
    digits: Vec<u32>,
}

impl Num {
    /// 0.
    pub fn zero() -> Num {
        Num::default()
    }

    /// 1.
    pub fn one() -> Num {
        Num::from(1)
    }

    /// Columns of any size, carried into digits.
    fn carry(columns: impl IntoIterator<Item = u64>) -> Num {
        let mut digits = Vec::new();
        let mut carry = 0;
        for column in columns {
            carry += column;
            digits.push((carry % RADIX) as u32);
            carry /= RADIX;
        }
        while carry > 0 {
            digits.push((carry % RADIX) as u32);
            carry /= RADIX;
        }
        Num { digits }.trimmed()
    }

    fn trimmed(mut self) -> Num {
        while self.digits.last() == Some(&0) {
            self.digits.pop();
        }
        self
    }

    /// The digit of weight `radix^i`, zero beyond the top.
    fn digit(&self, i: usize) -> u64 {
        self.digits.get(i).map_or(0, |&d| d.into())
    }

    /// Whether this is 0.
    pub fn is_zero(&self) -> bool {
        self.digits.is_empty()
    }

    /// Whether this is odd.
    pub fn is_odd(&self) -> bool {
        self.digit(0) % 2 == 1
    }

    /// The number of bits, 0 for 0.
    pub fn bits(&self) -> usize {
        match self.digits.last() {
            None => 0,
            Some(top) => self.digits.len() * BITS - (top.leading_zeros() as usize - (32 - BITS)),
        }
    }

    /// The bit of weight `2^i`.
    pub fn bit(&self, i: usize) -> bool {
        self.digit(i / BITS) >> (i % BITS) & 1 == 1
    }

    /// The sum.
    pub fn add(&self, other: &Num) -> Num {
        let len = self.digits.len().max(other.digits.len());
        Num::carry((0..len).map(|i| self.digit(i) + other.digit(i)))
    }

    /// The difference, where it is not negative.
    pub fn checked_sub(&self, other: &Num) -> Option<Num> {
        let mut digits = Vec::with_capacity(self.digits.len());
        let mut owed = 0;
        for i in 0..self.digits.len().max(other.digits.len()) {
            let due = other.digit(i) + owed;
            owed = (self.digit(i) < due).into();
            digits.push((self.digit(i) + owed * RADIX - due) as u32);
        }
        (owed == 0).then(|| Num { digits }.trimmed())
    }

    /// The difference.
    ///
    /// # Panics
    /// If `other` is larger.
    pub fn sub(&self, other: &Num) -> Num {
        self.checked_sub(other)
            .expect("the difference of naturals must not be negative")
    }

    /// The product: column sums first, one pass of carries at the end.
    ///
    /// # Panics
    /// If both operands have more than 300 million bits, where a column could overflow.
    pub fn mul(&self, other: &Num) -> Num {
        assert!(self.digits.len().min(other.digits.len()) < 1 << 24);
        let mut columns = vec![0; self.digits.len() + other.digits.len()];
        for (i, &x) in self.digits.iter().enumerate() {
            for (column, &y) in columns[i..].iter_mut().zip(&other.digits) {
                *column += u64::from(x) * u64::from(y);
            }
        }
        // A column is at most 2^24 * (2^20 - 1)^2 < 2^64 - 2^44, and the carry into it is below 2^44.
        Num::carry(columns)
    }

    /// The square.
    pub fn sqr(&self) -> Num {
        self.mul(self)
    }

    /// This times `2^bits`.
    pub fn shl(&self, bits: usize) -> Num {
        let scaled = Num::carry(self.digits.iter().map(|&d| u64::from(d) << (bits % BITS)));
        if scaled.is_zero() {
            return scaled;
        }
        let mut digits = vec![0; bits / BITS];
        digits.extend(scaled.digits);
        Num { digits }
    }

    /// This divided by `2^bits`, rounded down.
    pub fn shr(&self, bits: usize) -> Num {
        let (skip, part) = (bits / BITS, bits % BITS);
        let len = self.digits.len().saturating_sub(skip);
        let digit =
            |i| (self.digit(i + skip) | self.digit(i + skip + 1) << BITS) >> part & (RADIX - 1);
        Num {
            digits: (0..len).map(|i| digit(i) as u32).collect(),
        }
        .trimmed()
    }

    /// This modulo `2^bits`.
    pub fn low_bits(&self, bits: usize) -> Num {
        let (whole, part) = (bits / BITS, bits % BITS);
        let mut digits: Vec<u32> = self.digits.iter().take(whole).copied().collect();
        if whole < self.digits.len() {
            digits.push(self.digits[whole] & ((1 << part) - 1));
        }
        Num { digits }.trimmed()
    }
}

impl Ord for Num {
    fn cmp(&self, other: &Num) -> Ordering {
        let by_length = self.digits.len().cmp(&other.digits.len());
        by_length.then_with(|| self.digits.iter().rev().cmp(other.digits.iter().rev()))
    }
}

impl PartialOrd for Num {
    fn partial_cmp(&self, other: &Num) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
