//! Arithmetic on residues in lanes, written once for all vectors.
//!
//! All digits of a residue are below 2^52, and the highest has little more than its bits of the prime. So a sum needs no
//! more than one chain of carries. Before that, what stands above the prime is multiplied by c and added below.

use super::{DIGIT_BITS, DIGIT_MASK, Lanes, ROWS, Residues};
use crate::{Limb, simd::unroll};

/// [`Residues`] modulo `2^BITS - c` in N digits.
#[derive(Clone, Copy)]
pub struct Digits<L: Lanes, const N: usize, const BITS: usize>([L::Vector; N]);

/// Twice as many sums as a residue has digits, at most.
const SUMS: usize = 10;

/// A sum, with what it has too much.
#[derive(Clone, Copy)]
pub struct Sum<L: Lanes> {
    words: L::Vector,
    surplus: Limb,
}

impl<L: Lanes> Sum<L> {
    #[inline(always)]
    fn of(words: L::Vector) -> Self {
        Sum { words, surplus: 0 }
    }

    /// The sum, and `more`.
    #[inline(always)]
    fn plus(&self, l: L, more: Limb) -> L::Vector {
        match more.wrapping_sub(self.surplus) {
            0 => self.words,
            due => l.add(self.words, l.splat(due)),
        }
    }
}

/// `sums[k]` and `sums[k + 1]` plus the halves of a product; with `FLOOR` the low one is not negative.
#[inline(always)]
fn mac<const FLOOR: bool, L: Lanes>(
    l: L,
    sums: &mut [Sum<L>; SUMS],
    k: usize,
    a: L::Factor,
    b: L::Factor,
) {
    let words = [sums[k].words, sums[k + 1].words];
    let words = if FLOOR {
        l.mac_floor(words, a, b)
    } else {
        l.mac(words, a, b)
    };
    for (half, words) in words.into_iter().enumerate() {
        let surplus = sums[k + half].surplus.wrapping_add(L::SURPLUS[half]);
        sums[k + half] = Sum { words, surplus };
    }
}

/// `sum` plus a product of digits below 2^51, which has a low half only.
#[inline(always)]
fn mac_low<L: Lanes>(l: L, sum: &mut Sum<L>, a: L::Factor, b: L::Factor) {
    sum.words = l.mac_low(sum.words, a, b);
    sum.surplus = sum.surplus.wrapping_add(L::SURPLUS[0]);
}

/// What is added to a sum that may be negative, so that it stays above zero while its carry is taken; and by how much
/// that carry is then too large.
const fn lift<L: Lanes>() -> (Limb, Limb) {
    if L::SIGNED {
        (1 << 60, 1 << (60 - DIGIT_BITS))
    } else {
        (0, 0)
    }
}

/// Propagates carries through the first `count` sums: digits, the last one with all that is left, not cut.
#[inline(always)]
fn carry<L: Lanes>(l: L, sums: &[Sum<L>; SUMS], count: usize) -> [L::Vector; SUMS] {
    let ((lift, owed), mask) = (const { lift::<L>() }, l.splat(DIGIT_MASK));
    let mut digits = [l.splat(0); SUMS];
    unroll!(k < count of 10, {
        let due = if k > 0 { owed } else { 0 };
        let kept = if k + 1 < count { lift } else { 0 };
        digits[k] = sums[k].plus(l, kept.wrapping_sub(due));
        if k > 0 {
            digits[k] = l.add(digits[k], l.shr(digits[k - 1], DIGIT_BITS));
            digits[k - 1] = l.and(digits[k - 1], mask);
        }
    });
    digits
}

/// The bits of the highest digit of a prime.
pub(super) const fn top(n: usize, bits: usize) -> usize {
    bits - DIGIT_BITS * (n - 1)
}

impl<L: Lanes, const N: usize, const BITS: usize> Digits<L, N, BITS> {
    #[inline(always)]
    fn of(digits: [L::Vector; N]) -> Self {
        Digits(digits)
    }

    const TOP: usize = top(N, BITS);
    /// Digits of a product, whose highest are 0: three digits have no more than 130 bits.
    const PRODUCT: usize = if N == 3 { 5 } else { 2 * N };

    /// The lowest of these digits.
    #[inline(always)]
    fn lowest(l: L, digits: &[L::Vector; SUMS]) -> Self {
        let mut lowest = [l.splat(0); N];
        unroll!(i < N of 10, lowest[i] = digits[i]);
        Digits(lowest)
    }

    #[inline(always)]
    fn factors(&self, l: L) -> [L::Factor; N] {
        let mut factors = [l.factor(l.splat(0)); N];
        unroll!(i < N of 10, factors[i] = l.factor(self.0[i]));
        factors
    }

    /// `mac` into the sums that are reduced next: the highest of them, which tells the quotient, must not be rounded up.
    #[inline(always)]
    fn mac_below(l: L, sums: &mut [Sum<L>; SUMS], k: usize, a: L::Factor, b: L::Factor) {
        if k + 2 == N {
            mac::<true, L>(l, sums, k, a, b);
        } else {
            mac::<false, L>(l, sums, k, a, b);
        }
    }

    /// A residue from sums: what stands above the prime, with `above` at 2^(52N), goes below times c.
    #[inline(always)]
    fn reduce(l: L, mut sums: [Sum<L>; SUMS], above: Sum<L>, c: Limb) -> Self {
        // A digit more for one less above, as a sum may be negative.
        let signed = Limb::from(L::SIGNED);
        let highest = sums[N - 1].plus(l, signed << DIGIT_BITS);
        let above = l.shl(above.plus(l, signed.wrapping_neg()), DIGIT_BITS - Self::TOP);
        let quotient = l.factor(l.add(l.shr(highest, Self::TOP), above));
        let c_factor = l.factor(l.splat(c));
        sums[N - 1] = Sum::of(l.and(highest, l.splat((1 << Self::TOP) - 1)));
        // A quotient has 33 bits at most: 32 of a word, and one of a residue.
        if c < 1 << 18 {
            mac_low(l, &mut sums[0], quotient, c_factor);
        } else {
            mac::<false, L>(l, &mut sums, 0, quotient, c_factor);
        }
        Self::lowest(l, &carry(l, &sums, N))
    }

    /// The residue of a product's sums by columns.
    #[inline(always)]
    fn fold(l: L, sums: &[Sum<L>; SUMS], c: Limb) -> Self {
        let product = carry(l, sums, Self::PRODUCT);
        let mut sums = [Sum::of(l.splat(0)); SUMS];
        unroll!(k < N of 10, sums[k].words = product[k]);
        let d = l.factor(l.splat(c << (DIGIT_BITS - Self::TOP)));
        unroll!(k < (Self::PRODUCT - N) of 10, {
            let high = l.factor(product[N + k]);
            Self::mac_below(l, &mut sums, k, high, d);
        });
        Self::reduce(l, sums, sums[N], c)
    }
}

impl<L: Lanes, const N: usize, const BITS: usize> Residues<L> for Digits<L, N, BITS> {
    type Parameter = Limb;
    type Product = [Sum<L>; SUMS];

    super::eager_sums!();

    #[inline(always)]
    fn place(i: usize) -> usize {
        DIGIT_BITS * i
    }

    #[inline(always)]
    fn load(l: L, from: &[[Limb; 8]], part: usize) -> Self {
        let mut digits = [l.splat(0); N];
        unroll!(i < N of 10, digits[i] = l.load(&from[i], part));
        Digits(digits)
    }

    #[inline(always)]
    fn store(&self, l: L, to: &mut [[Limb; 8]], part: usize) {
        unroll!(i < N of 10, l.store(self.0[i], &mut to[i], part));
    }

    #[inline(always)]
    fn product(&self, l: L, other: &Self, _c: Limb) -> Self::Product {
        let (a, b) = (self.factors(l), other.factors(l));
        let mut sums = [Sum::of(l.splat(0)); SUMS];
        unroll!(i < N of 10,
            unroll!(j < N of 10, {
                if i + j + 1 < Self::PRODUCT {
                    mac::<false, L>(l, &mut sums, i + j, a[i], b[j]);
                } else {
                    mac_low(l, &mut sums[i + j], a[i], b[j]);
                }
            })
        );
        sums
    }

    /// Products of different digits once, and doubled.
    #[inline(always)]
    fn square(&self, l: L, _c: Limb) -> Self::Product {
        let a = self.factors(l);
        let mut sums = [Sum::of(l.splat(0)); SUMS];
        unroll!(i < N of 10,
            unroll!(j < N of 10,
                if i < j {
                    mac::<false, L>(l, &mut sums, i + j, a[i], a[j])
                }
            )
        );
        unroll!(k < (2 * N) of 10,
            sums[k] = Sum {
                words: l.add(sums[k].words, sums[k].words),
                surplus: sums[k].surplus.wrapping_mul(2),
            }
        );
        unroll!(i < N of 10, {
            if 2 * i + 1 < Self::PRODUCT {
                mac::<false, L>(l, &mut sums, 2 * i, a[i], a[i]);
            } else {
                mac_low(l, &mut sums[2 * i], a[i], a[i]);
            }
        });
        sums
    }

    #[inline(always)]
    fn reduced(l: L, product: Self::Product, c: Limb) -> Self {
        Self::fold(l, &product, c)
    }

    #[inline(always)]
    fn mul_word(&self, l: L, word: Limb, c: Limb) -> Self {
        let (a, word) = (self.factors(l), l.factor(l.splat(word)));
        let mut sums = [Sum::of(l.splat(0)); SUMS];
        unroll!(i < N of 10, Self::mac_below(l, &mut sums, i, a[i], word));
        Self::reduce(l, sums, sums[N], c)
    }

    #[inline(always)]
    fn add(&self, l: L, other: &Self, c: Limb) -> Self {
        let mut sums = [Sum::of(l.splat(0)); SUMS];
        unroll!(i < N of 10, sums[i].words = l.add(self.0[i], other.0[i]));
        Self::reduce(l, sums, Sum::of(l.splat(0)), c)
    }

    /// By way of four times the prime in digits from which nothing is borrowed.
    #[inline(always)]
    fn sub(&self, l: L, other: &Self, c: Limb) -> Self {
        let mut sums = [Sum::of(l.splat(0)); SUMS];
        unroll!(i < N of 10, {
            let four = match i {
                0 => (4 << DIGIT_BITS) - 4 * c,
                _ if i < N - 1 => (4 << DIGIT_BITS) - 4,
                _ => (4 << Self::TOP) - 4,
            };
            sums[i].words = l.sub(l.add(self.0[i], l.splat(four)), other.0[i]);
        });
        Self::reduce(l, sums, Sum::of(l.splat(0)), c)
    }

    #[inline(always)]
    fn canonical(&self, l: L, c: Limb) -> Self {
        let mut sums = [Sum::of(l.splat(0)); SUMS];
        unroll!(i < N of 10, sums[i].words = self.0[i]);
        let below = Self::reduce(l, sums, Sum::of(l.splat(0)), c);
        // Plus c it reaches 2^BITS where it reaches the prime, and is less the prime there.
        unroll!(i < N of 10, sums[i].words = below.0[i]);
        sums[0].words = l.add(sums[0].words, l.splat(c));
        let mut less = carry(l, &sums, N);
        let reached = l.sub(l.splat(0), l.shr(less[N - 1], Self::TOP));
        less[N - 1] = l.and(less[N - 1], l.splat((1 << Self::TOP) - 1));
        below.select(l, &Self::lowest(l, &less), reached)
    }

    #[inline(always)]
    fn zeros(&self, l: L) -> L::Vector {
        let mut any = self.0[0];
        unroll!(i < N of 10, any = l.or(any, self.0[i]));
        // Digits are below 2^52: the highest bit is set where one is taken from 0.
        l.sub(l.splat(0), l.shr(l.sub(any, l.splat(1)), 63))
    }

    #[inline(always)]
    fn select(&self, l: L, other: &Self, mask: L::Vector) -> Self {
        let mut chosen = *self;
        unroll!(i < N of 10, {
            let change = l.and(l.xor(self.0[i], other.0[i]), mask);
            chosen.0[i] = l.xor(self.0[i], change);
        });
        chosen
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        fp8::{DIGIT_MASK, ranges::Ranges},
        simd::Range,
    };

    /// From all digits that there may be, every operation leaves digits that there may be; no sum overflows, and no product
    /// is too long for what it is given to.
    fn computed<const N: usize, const BITS: usize>(c: Limb) {
        let l = Ranges;
        let most = |i| match i + 1 == N {
            true => (2 << Digits::<Ranges, N, BITS>::TOP) - 1,
            false => DIGIT_MASK,
        };
        let x = Digits::<Ranges, N, BITS>(core::array::from_fn(|i| Range::up_to(most(i))));
        let zero = Digits::<Ranges, N, BITS>([l.splat(0); N]);
        let results = [
            x.mul(l, &x, c),
            x.sqr(l, c),
            x.mul_word(l, Limb::from(u32::MAX), c),
            x.add(l, &x, c),
            x.sub(l, &x, c),
            x.sub(l, &zero, c),
            zero.sub(l, &x, c),
        ];
        for (k, result) in results.into_iter().enumerate() {
            for (i, digit) in result.0.into_iter().enumerate() {
                let [low, high] = digit.ends();
                assert!(
                    low >= 0 && high <= most(i).into(),
                    "2^{BITS} - {c}, {k}: digit {i} is {digit:?}"
                );
            }
        }
    }

    #[test]
    fn digits_stay_within_bounds() {
        for c in [
            1,
            735,
            (1 << 18) - 1,
            (1 << 18) + 1,
            (1 << 20) - 1,
            (1 << 23) - 1,
        ] {
            computed::<3, 127>(c);
            computed::<3, 128>(c);
            computed::<5, 255>(c);
            computed::<5, 256>(c);
        }
        computed::<3, 128>((1 << 24) - 1);
        computed::<5, 255>((1 << 47) - 1);
        computed::<5, 256>((1 << 48) - 1);
    }
}
