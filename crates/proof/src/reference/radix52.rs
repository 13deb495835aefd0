//! Operations on numbers in radix 2^52, one behind the other or side by side.

use super::{Call, Effects, inverse_of_odd};
use carrysave_contract::Case;
use carrysave_kernels::{Limb, fp8::place, mb8::DIGIT_MASK};
use carrysave_oracle::Num;

/// Where the digits of numbers in radix 2^52 stand.
struct Layout {
    /// Digits that count.
    digits: usize,
    /// Words of a number from the first to the last but those between.
    width: usize,
    /// Words from a digit to the next; numbers of a row stand between.
    lanes: usize,
}

impl Layout {
    /// The layout of an operation's numbers: in lanes, or in blocks of one number each.
    fn of(case: &Case) -> Layout {
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
    fn split(&self, words: &[Limb]) -> Vec<Num> {
        let numbers = self.numbers(words.len());
        let number = |i| {
            let digits = (0..self.width).map(|d| words[self.place(i, numbers.len(), d)]);
            number(&digits.collect::<Vec<_>>())
        };
        numbers.clone().map(number).collect()
    }

    /// The words that hold numbers.
    fn join(&self, numbers: &[Num]) -> Vec<Limb> {
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

impl Call<'_> {
    /// For every number r := (a b + q n) / R, b the other factor, with the q below R that makes the division exact. Of
    /// a table of factors each number takes that of the row that its index says.
    pub(super) fn almost_montgomery(&self, factor: &'static str) -> Effects {
        let layout = Layout::of(self);
        let bits = 52 * layout.digits;
        let numbers = |name| layout.split(&self.values[self.position(name)]);
        let (a, n, mut b) = (numbers("a"), numbers("n"), numbers(factor));
        if b.len() > a.len() {
            let rows = self.values[self.position("index")].iter().enumerate();
            b = rows
                .map(|(i, &row)| b[a.len() * row as usize + i].clone())
                .collect();
        }
        let each: Vec<Num> = a
            .iter()
            .zip(&b)
            .zip(&n)
            .map(|((a, b), n)| {
                let product = a.mul(b);
                let negative = Num::one().shl(bits).sub(&product.low_bits(bits));
                let q = negative.mul(&inverse_of_odd(n, bits)).low_bits(bits);
                let (r, rest) = product.add(&q.mul(n)).div_rem(&Num::one().shl(bits));
                assert!(
                    rest.is_zero() && r < n.shl(1),
                    "the reference contradicts the contract"
                );
                r
            })
            .collect();
        Effects {
            written: vec![("r", layout.join(&each))],
            returned: 0,
        }
    }

    /// `t := t + a b` in the columns of eight words `from .. to`: the low and high
    /// halves of the products of digits, wherever they belong.
    pub(super) fn halves52(&self, factor: &'static str, from: usize, to: usize) -> Effects {
        let (a, b) = (self.words("a"), self.words(factor));
        let mut sums = vec![0u64; a.len() + b.len()];
        sums[8 * from..8 * to].copy_from_slice(self.words("t"));
        for (i, x) in a.iter().enumerate() {
            for (j, y) in b.iter().enumerate() {
                add_halves52(&mut sums[i + j..], *x, *y);
            }
        }
        self.writes("t", sums[8 * from..8 * to].to_vec())
    }

    /// t := the sums of halves of products of each of the lower m blocks of a with its own digits and those of twice what
    /// is above it.
    pub(super) fn lower_square52(&self) -> Effects {
        let a = self.words("a");
        // A word more for halves that are 0.
        let mut sums = vec![0u64; 8 * (self.n + self.m) + 1];
        for i in 0..8 * self.m {
            let block = i / 8 * 8;
            let mut carry = 0;
            for (j, digit) in a.iter().enumerate().skip(block) {
                let mut digit = digit & DIGIT_MASK;
                if j >= block + 8 {
                    (digit, carry) = (digit << 1 & DIGIT_MASK | carry, digit >> 51);
                }
                add_halves52(&mut sums[i + j..], a[i], digit);
            }
            add_halves52(&mut sums[i + a.len()..], a[i], carry);
        }
        assert_eq!(sums.pop(), Some(0));
        self.writes("t", sums)
    }

    /// In each lane v := a b mod R + d (a b div R), less as many times the prime as the two highest sums of v tell.
    pub(super) fn crandall_lanes(&self, factor: &'static str) -> Effects {
        let layout = Layout::of(self);
        let numbers = |name| layout.split(&self.values[self.position(name)]);
        let (n, width, c) = (self.n, 52 * self.n, self.scalar());
        let prime = Num::one().shl(self.m).sub(&c);
        let d = c.shl(width - self.m);
        let digit = |x: &Num, k: usize| x.shr(52 * k).low_bits(52);
        let each = |(a, b): (&Num, &Num)| {
            let product = a.mul(b);
            let v = product.low_bits(width).add(&d.mul(&product.shr(width)));
            let part = |k: usize| digit(&product, n + k).mul(&d);
            let highest = digit(&product, n - 1)
                .add(&part(n - 2).shr(52))
                .add(&part(n - 1));
            let r = v.sub(&prime.mul(&highest.shr(self.m - 52 * (n - 1))));
            let above = r.shr(self.m);
            assert!(
                above <= Num::one(),
                "the reference contradicts the contract"
            );
            r
        };
        let (a, b) = (numbers("a"), numbers(factor));
        let r: Vec<Num> = a.iter().zip(&b).map(each).collect();
        Effects {
            written: vec![("r", layout.join(&r))],
            returned: 0,
        }
    }

    /// In each lane a b modulo the prime.
    pub(super) fn crandall_slack(&self, factor: &'static str) -> Effects {
        let (n, w) = (self.n, self.m);
        let prime = Num::one().shl(w).sub(&self.scalar());
        let number = |name, lane: usize| {
            let digits = self.values[self.position(name)][lane..].iter().step_by(8);
            let digits = digits.enumerate();
            digits.fold(Num::zero(), |sum, (i, &digit)| {
                sum.add(&Num::from(digit).shl(place(n, w, i)))
            })
        };
        let mut r = vec![0; 8 * n];
        for lane in 0..8 {
            let (_, rest) = number("a", lane).mul(&number(factor, lane)).div_rem(&prime);
            for i in 0..n {
                let digit = rest.shr(place(n, w, i));
                r[8 * i + lane] = digit
                    .low_bits(place(n, w, i + 1) - place(n, w, i))
                    .to_limbs(1)[0];
            }
        }
        self.writes("r", r)
    }
}

/// The halves of the product of two digits, added to the lowest words of `sums`.
fn add_halves52(sums: &mut [Limb], x: Limb, y: Limb) {
    let product = u128::from(x & DIGIT_MASK) * u128::from(y & DIGIT_MASK);
    for (sum, half) in sums
        .iter_mut()
        .zip([product as Limb & DIGIT_MASK, (product >> 52) as Limb])
    {
        *sum = sum.wrapping_add(half);
    }
}
