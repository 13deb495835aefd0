//! Numbers in radix 2^52, one behind the other or side by side.

use carrysave_contract::Case;
use carrysave_kernels::Limb;
use carrysave_oracle::Num;

/// Where the digits of numbers in radix 2^52 stand.
pub struct Layout {
    /// Digits that count.
    pub digits: usize,
    /// Words of a number from the first to the last but those between.
    width: usize,
    /// Words from a digit to the next; numbers of a row stand between.
    lanes: usize,
}

impl Layout {
    /// The layout of an operation's numbers: in lanes, or in blocks of one number each.
    pub fn of(case: &Case) -> Layout {
        let (n, m) = (case.n, case.m);
        let (digits, width, lanes) = match case.op.name.starts_with("radix52") {
            true => (m, 8 * n, 1),
            false => (n, n, 8),
        };
        Layout {
            digits,
            width,
            lanes,
        }
    }

    /// The indices of the numbers in `words` words.
    fn numbers(&self, words: usize) -> std::ops::Range<usize> {
        0..words / self.width
    }

    /// The place of a digit of number `i` of `count`.
    fn place(&self, i: usize, count: usize, digit: usize) -> usize {
        match self.lanes {
            1 => self.width * i + digit,
            _ => count * digit + i,
        }
    }

    /// The numbers that words hold: row after row.
    pub fn split(&self, words: &[Limb]) -> Vec<Num> {
        let numbers = self.numbers(words.len());
        let number = |i| {
            let digits = (0..self.width).map(|d| words[self.place(i, numbers.len(), d)]);
            number(&digits.collect::<Vec<_>>())
        };
        numbers.clone().map(number).collect()
    }

    /// The words that hold numbers.
    pub fn join(&self, numbers: &[Num]) -> Vec<Limb> {
        let mut words = vec![0; self.width * numbers.len()];
        for (i, number) in numbers.iter().enumerate() {
            for (d, digit) in digits(number, self.width).into_iter().enumerate() {
                words[self.place(i, numbers.len(), d)] = digit;
            }
        }
        words
    }
}

/// The number with these digits, the lowest first.
fn number(digits: &[Limb]) -> Num {
    digits.iter().rev().fold(Num::zero(), |high, &digit| {
        high.shl(52).add(&Num::from(digit))
    })
}

/// The lowest `len` digits of a number.
fn digits(number: &Num, len: usize) -> Vec<Limb> {
    (0..len)
        .map(|i| number.shr(52 * i).low_bits(52).low_limbs(1)[0])
        .collect()
}
