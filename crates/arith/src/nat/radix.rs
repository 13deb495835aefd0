//! Text in decimal, and in any other radix up to 36.
//!
//! As many digits as fit one limb make a *chunk*. Below the plan's threshold chunks are multiplied in or divided off one
//! by one; above it a number is cut in two at a power of the chunk's radix (Brent, Zimmermann, Modern Computer
//! Arithmetic, algorithms 1.25 and 1.26).

use super::Nat;
use super::div::Reciprocal;
use crate::plan::Plan;
use carrysave_kernels::{Limb, mpn::Mpn};
use zeroize::Zeroizing;

impl Nat {
    /// The number that decimal digits write; `None` for anything else, or nothing. See [`Nat::from_radix`].
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

    /// The number that digits in a radix write, letters of either case standing for digits from 10; `None` for anything
    /// else, or nothing. It is a limb wide for every so many digits as fit one.
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
        // Room for all from the start, so that nothing is left behind unwiped.
        let mut digits = Zeroizing::new(Vec::with_capacity(text.len()));
        for c in text.chars() {
            digits.push(c.to_digit(radix)? as u8);
        }
        let value = |digits: &[u8]| {
            let digits = digits.iter();
            digits.fold(0, |limb, &d| limb * Limb::from(radix) + Limb::from(d))
        };
        let chunks: Vec<Limb> = digits.rchunks(chunk.digits).map(value).collect();
        let chunks = Zeroizing::new(chunks);
        Some(chunk.join(&chunks, &chunk.cuts(chunks.len())))
    }

    /// Digits in a radix, without leading zeros, lower-case letters standing for digits from 10; `0` for 0.
    ///
    /// # Panics
    /// If the radix is not in 2..=36.
    pub fn to_radix_vartime(&self, radix: u32) -> String {
        let chunk = Chunk::new(radix);
        let mut chunks = vec![0; chunk.count(self.bits_vartime())];
        let cuts = chunk.cuts(chunks.len());
        chunk.cut(self.clone(), &mut chunks, &cuts);
        let mut text = String::with_capacity(chunks.len() * chunk.digits);
        for value in chunks.iter().rev() {
            chunk.write(*value, &mut text);
        }
        match text.trim_start_matches('0') {
            "" => "0".into(),
            digits => digits.into(),
        }
    }
}

/// So many digits as fit one limb, as one digit of a larger radix.
struct Chunk {
    mpn: &'static Mpn,
    plan: &'static Plan,
    base: u32,
    digits: usize,
    /// `base^digits`
    radix: Limb,
    reciprocal: Reciprocal,
}

/// A place where chunks are cut in two, and what one unit above it is worth: the chunk's radix to that power.
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

    /// The chunks that a number of so many bits has at most.
    fn count(&self, bits: usize) -> usize {
        bits.div_ceil(self.radix.ilog2() as usize).max(1)
    }

    /// Where so many chunks are cut, largest first: about in halves, those again, and so on down to the plan's threshold.
    fn cuts(&self, count: usize) -> Vec<Cut> {
        let half = count / 2;
        if count < self.plan.radix.max(2) {
            return Vec::new();
        }
        let mut cuts = self.cuts(half);
        let power = match cuts.first() {
            Some(below) => {
                let square = below.power.sqr();
                match half % 2 {
                    0 => square,
                    _ => square.mul_limb(self.radix),
                }
            }
            None => (0..half).fold(Nat::one(), |power, _| power.mul_limb(self.radix)),
        };
        let power = power.trim_vartime();
        cuts.insert(0, Cut { at: half, power });
        cuts
    }

    /// The number of these chunks, a limb wide for each.
    fn join(&self, chunks: &[Limb], cuts: &[Cut]) -> Nat {
        let count = chunks.len();
        if let [cut, below @ ..] = cuts {
            let (low, high) = chunks.split_at(cut.at);
            let high = self.join(high, below).mul(&cut.power);
            return high.add(&self.join(low, below)).truncate(count);
        }
        let mut r = Nat::zeros(count);
        for (i, chunk) in chunks.iter().rev().enumerate() {
            let r = &mut r.limbs_mut()[..=i];
            if i > 0 {
                r[i] = self.mpn.mul_1.call_in_place(&mut r[..i], self.radix);
            }
            self.mpn.add_1.call_in_place(r, *chunk);
        }
        r
    }

    /// The chunks of a number that has not more of them.
    fn cut(&self, number: Nat, chunks: &mut [Limb], cuts: &[Cut]) {
        let mut number = number.trim_vartime();
        if let [cut, below @ ..] = cuts {
            let (low, high) = chunks.split_at_mut(cut.at);
            let (q, r) = number.div_rem_vartime(&cut.power);
            self.cut(q, high, below);
            self.cut(r, low, below);
            return;
        }
        for chunk in chunks {
            *chunk = self.reciprocal.div_in_place(number.limbs_mut());
            number = number.trim_vartime();
        }
    }

    /// Appends the digits of a chunk, the highest first: the whole parts of `chunk / radix` times the base, again and again.
    ///
    /// The fraction in 64 bits is too large by 2^-64 at most, which is less than one unit of the last digit.
    fn write(&self, chunk: Limb, text: &mut String) {
        let mut fraction = self.reciprocal.fraction(chunk) + 1;
        for _ in 0..self.digits {
            let product = u128::from(fraction) * u128::from(self.base);
            let digit = char::from_digit((product >> Limb::BITS) as u32, self.base);
            text.push(digit.expect("below the base"));
            fraction = product as Limb;
        }
    }
}
