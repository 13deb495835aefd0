//! Text in decimal, and in any other radix up to 36.
//!
//! A *chunk* is as many digits as fit one limb. A few chunks are multiplied in or divided off one by one; more are cut
//! in two at a power of the chunk's radix (Brent, Zimmermann, Modern Computer Arithmetic, algorithms 1.25 and 1.26). A
//! chunk is smaller than a limb, so a number fits in the place of its chunks.

use super::carry::add_at;
use super::div::divider;
use super::divider::Reciprocal;
use super::mul::mul;
use super::{LIMB_BITS, Nat};
use crate::plan::Plan;
use carrysave_kernels::{Limb, mpn::Mpn};
use core::array;
use zeroize::Zeroizing;

impl Nat {
    /// Parses decimal digits; `None` for other characters or an empty text. See [`Nat::from_radix`].
    ///
    /// ```
    /// use carrysave_arith::Nat;
    /// let a = Nat::from_decimal("340282366920938463463374607431768211456").unwrap();
    /// assert_eq!(a, Nat::power_of_two(128));
    /// assert_eq!(a.to_decimal_vartime(), "340282366920938463463374607431768211456");
    /// ```
    pub fn from_decimal(text: &str) -> Option<Nat> {
        Nat::from_radix(text, 10)
    }

    /// Decimal digits without leading zeros; `0` for 0. See [`Nat::to_radix_vartime`].
    pub fn to_decimal_vartime(&self) -> String {
        self.to_radix_vartime(10)
    }

    /// Parses digits in a radix, with letters of either case as digits from 10; `None` for other characters or an empty
    /// text. The result has one limb for each chunk of digits that fits a limb.
    ///
    /// # Panics
    /// If the radix is not in 2..=36.
    ///
    /// # Timing
    /// The number of digits, whether all are digits, and which are letters are made public. The arithmetic takes
    /// constant time.
    pub fn from_radix(text: &str, radix: u32) -> Option<Nat> {
        let chunk = Chunk::new(radix);
        if text.is_empty() {
            return None;
        }
        // Full capacity from the start, so that no reallocation leaves unwiped memory.
        let mut digits = Zeroizing::new(Vec::with_capacity(text.len()));
        let values = text.bytes().map(|c| match c.wrapping_sub(b'0') {
            digit @ 0..10 => digit,
            _ => (c | 0x20).wrapping_sub(b'a').saturating_add(10),
        });
        digits.extend(values);
        if digits
            .iter()
            .fold(false, |wrong, &d| wrong | (u32::from(d) >= radix))
        {
            return None;
        }
        let mut number = Nat::zeros(digits.len().div_ceil(chunk.digits));
        for (limb, digits) in number
            .limbs_mut()
            .iter_mut()
            .zip(digits.rchunks(chunk.digits))
        {
            *limb = chunk.read(digits);
        }
        let cuts = chunk.cuts(number.width());
        let mut scratch = Zeroizing::new(vec![0; number.width()]);
        chunk.join(number.limbs_mut(), &cuts, &mut scratch);
        Some(number)
    }

    /// Digits in a radix, without leading zeros, with lower-case letters as digits from 10; `0` for 0.
    ///
    /// # Panics
    /// If the radix is not in 2..=36.
    pub fn to_radix_vartime(&self, radix: u32) -> String {
        let chunk = Chunk::new(radix);
        let chunks = chunk.split(self);
        let mut text = vec![0; chunks.len() * chunk.digits];
        // The highest first.
        let few = chunks.rchunks(SIDE_BY_SIDE);
        for (few, text) in few.zip(text.chunks_mut(SIDE_BY_SIDE * chunk.digits)) {
            chunk.write(few, text);
        }
        let zeros = text.iter().take_while(|&&digit| digit == b'0').count();
        text.drain(..zeros.min(text.len() - 1));
        String::from_utf8(text).expect("digits and letters")
    }
}

/// The number of chunks, or of numbers of a few, that are interleaved to hide latency.
const SIDE_BY_SIDE: usize = 4;

/// Up to this many chunks are multiplied in one by one.
const FEW: usize = 6;

/// As many digits as fit one limb, as one digit of a larger radix.
struct Chunk {
    mpn: &'static Mpn,
    plan: &'static Plan,
    base: u32,
    digits: usize,
    /// `base^digits`
    radix: Limb,
    reciprocal: Reciprocal,
}

/// A position where chunks are cut in two, with its weight: the chunk's radix to that power, in as many limbs.
struct Cut {
    at: usize,
    power: Nat,
}

impl Chunk {
    fn new(base: u32) -> Chunk {
        assert!((2..=36).contains(&base), "a radix from 2 to 36");
        let digits = Limb::MAX.ilog(base.into());
        let radix = Limb::from(base).pow(digits);
        Chunk {
            mpn: Mpn::native(),
            plan: Plan::native(),
            base,
            digits: digits as usize,
            radix,
            reciprocal: Reciprocal::new(radix),
        }
    }

    /// The most chunks of a number of `bits` bits.
    fn count(&self, bits: usize) -> usize {
        bits.div_ceil(self.radix.ilog2() as usize).max(1)
    }

    /// Parses a chunk or fewer digits, the highest first.
    fn read(&self, digits: &[u8]) -> Limb {
        let base = Limb::from(self.base);
        let (first, rest) = digits.split_at(digits.len() % 8);
        let first = first.iter().fold(0, |limb, &d| limb * base + Limb::from(d));
        rest.chunks_exact(8).fold(first, |limb, eight| {
            let eight = Limb::from_le_bytes(eight.try_into().expect("eight"));
            // Pairs side by side, pairs of these, and both of those; the higher is the lower in memory.
            let [ones, twos] = [0x00ff_00ff_00ff_00ff, 0x0000_ffff_0000_ffff];
            let pairs = (eight & ones) * base + (eight >> 8 & ones);
            let fours = (pairs & twos) * base.pow(2) + (pairs >> 16 & twos);
            let eight = (fours & 0xffff_ffff) * base.pow(4) + (fours >> 32);
            limb.wrapping_mul(base.wrapping_pow(8)).wrapping_add(eight)
        })
    }

    /// The radix to the power of `n`.
    fn power(&self, n: usize) -> Nat {
        let mut power = Nat::zeros(n);
        let limbs = power.limbs_mut();
        limbs[0] = self.radix;
        for i in 1..n {
            limbs[i] = self.mpn.mul_1.call_in_place(&mut limbs[..i], self.radix);
        }
        power
    }

    /// The positions where this many chunks are cut, largest first: about in halves, those again, and so on.
    fn cuts(&self, count: usize) -> Vec<Cut> {
        let at = count / 2;
        if count <= FEW {
            return Vec::new();
        }
        let mut cuts = self.cuts(at);
        let power = match cuts.first() {
            Some(below) => {
                let square = below.power.sqr();
                match at % 2 {
                    0 => square,
                    _ => square.mul_limb(self.radix),
                }
            }
            None => self.power(at),
        };
        cuts.insert(0, Cut { at, power });
        cuts
    }

    /// Replaces chunks by their number.
    fn join(&self, chunks: &mut [Limb], cuts: &[Cut], scratch: &mut [Limb]) {
        if let [cut, below @ ..] = cuts {
            let (low, high) = chunks.split_at_mut(cut.at);
            self.join(low, below, scratch);
            self.join(high, below, scratch);
            let product = &mut scratch[..low.len() + high.len()];
            mul(self.mpn, self.plan, product, high, cut.power.limbs());
            high.copy_from_slice(&product[low.len()..]);
            add_at(self.mpn, chunks, &product[..cut.at]);
            return;
        }
        // The number above a chunk, times the radix, plus the chunk.
        for i in (0..chunks.len()).rev() {
            let mut carry = chunks[i];
            for j in i + 1..chunks.len() {
                let sum = u128::from(chunks[j]) * u128::from(self.radix) + u128::from(carry);
                chunks[j - 1] = sum as Limb;
                carry = (sum >> LIMB_BITS) as Limb;
            }
            *chunks.last_mut().expect("a chunk") = carry;
        }
    }

    /// The chunks of a number, possibly with zeros above them.
    fn split(&self, number: &Nat) -> Vec<Limb> {
        let bits = number.bits_vartime();
        let mut count = self.count(bits);
        let mut levels = 0;
        while count >= self.plan.radix.max(2) {
            count = count.div_ceil(2);
            levels += 1;
        }
        let mut chunks = vec![0; count << levels];
        let used = bits.div_ceil(LIMB_BITS);
        chunks[..used].copy_from_slice(&number.limbs()[..used]);
        let mut powers: Vec<Nat> = Vec::new();
        for _ in 0..levels {
            powers.push(match powers.last() {
                Some(power) => power.sqr().trim_vartime(),
                None => self.power(count).trim_vartime(),
            });
        }
        for (level, power) in powers.iter().enumerate().rev() {
            self.halve(&mut chunks, count << level, power);
        }
        for some in chunks.chunks_mut(SIDE_BY_SIDE * count) {
            self.divide_off(some, count);
        }
        chunks
    }

    /// Cuts every number of `2n` chunks in two, at the radix to the power of `n`.
    fn halve(&self, chunks: &mut [Limb], n: usize, power: &Nat) {
        let width = power.width();
        let shift = power.limbs()[width - 1].leading_zeros();
        let shifted = power.shl(shift as usize);
        let divider = divider(&shifted.limbs()[..width], self.plan);
        if chunks.len() > 4 * n {
            divider.prepare();
        }
        let mut u = vec![0; 2 * width];
        for number in chunks.chunks_mut(2 * n) {
            let number = &mut number[..];
            u.copy_from_slice(&number[..2 * width]);
            if shift > 0 {
                self.mpn.lshift.call_in_place(&mut u, shift);
            }
            number.fill(0);
            divider.divide(&mut u, &mut number[n..n + width]);
            let low = &mut number[..width];
            low.copy_from_slice(&u[..width]);
            if shift > 0 {
                self.mpn.rshift.call_in_place(low, shift);
            }
        }
    }

    /// Replaces up to [`SIDE_BY_SIDE`] numbers by their chunks, `n` each.
    fn divide_off(&self, numbers: &mut [Limb], n: usize) {
        let mut numbers = numbers.chunks_exact_mut(n);
        match array::from_fn(|_| numbers.next()) {
            [Some(a), Some(b), Some(c), Some(d)] => self.reciprocal.digits([a, b, c, d]),
            some => some
                .into_iter()
                .flatten()
                .for_each(|a| self.reciprocal.digits([a])),
        }
    }

    /// The digits of up to [`SIDE_BY_SIDE`] chunks, the highest first: each is the integer part of a fraction times the
    /// base.
    ///
    /// The fraction in 64 bits is too large by 2^-64 at most, which is less than one unit of the last digit.
    fn write(&self, chunks: &[Limb], text: &mut [u8]) {
        const DIGITS: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";
        let mut fractions = [0; SIDE_BY_SIDE];
        for (fraction, chunk) in fractions.iter_mut().zip(chunks.iter().rev()) {
            *fraction = self.reciprocal.fraction(*chunk) + 1;
        }
        for place in 0..self.digits {
            for (fraction, text) in fractions.iter_mut().zip(text.chunks_exact_mut(self.digits)) {
                let product = u128::from(*fraction) * u128::from(self.base);
                text[place] = DIGITS[(product >> LIMB_BITS) as usize];
                *fraction = product as Limb;
            }
        }
    }
}
