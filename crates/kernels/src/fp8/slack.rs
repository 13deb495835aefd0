//! Residues modulo `2^w - c` in vectors of whole numbers, in digits that leave room in 52 bits.
//!
//! Digit i stands at 2^ceil(i w / n): three of 42 or 43 bits, or five of 51 or 52. Digits of results are a little longer
//! than that (the lowest is not), which products of 52 bits bear, so carries go one place up, all at once, and not along a
//! chain. A product of digits i and j stands where digit i + j does, or twice as high; its high half likewise, some bits
//! above digit i + j + 1, which is one more doubling where it is one bit. So halves are summed by the digits where they
//! stand and by their doublings apart, and shifted once, as sums.
//!
//! Digits n to 2n - 1 of a product go below times c, by the first way that there is room for:
//! - where c times a digit has no more than 52 bits, it takes the place of the digit in products that belong there;
//! - where c has no more than eight bits, sums of columns are multiplied as they are;
//! - otherwise they are carried first, and both halves of their products with c join the sums.

use super::{DIGIT_BITS, ROWS, Residues, Whole};
use crate::{Limb, simd::unroll};

/// [`Residues`] modulo `2^BITS - c` in N digits with slack: below 2^width, the lowest, and 2^width + 2^20, the others.
#[derive(Clone, Copy)]
pub struct Slack<L: Whole, const N: usize, const BITS: usize>([L::Vector; N]);

/// The most digits of a product.
const COLUMNS: usize = 10;
/// Halves of products count once, twice, four or eight times.
const COUNTS: usize = 4;

/// Sums at the digits of products.
#[derive(Clone, Copy)]
pub struct Columns<L: Whole, const N: usize, const BITS: usize> {
    near: [L::Vector; COLUMNS],
    /// High halves that stand more than one bit above the digit.
    far: [L::Vector; COLUMNS],
}

impl<L: Whole, const N: usize, const BITS: usize> Columns<L, N, BITS> {
    #[inline(always)]
    fn zero(l: L) -> Self {
        let (near, far) = ([l.splat(0); COLUMNS], [l.splat(0); COLUMNS]);
        Columns { near, far }
    }

    #[inline(always)]
    fn double(&mut self, l: L) {
        unroll!(k < COLUMNS of 10, {
            self.near[k] = l.add(self.near[k], self.near[k]);
            self.far[k] = l.add(self.far[k], self.far[k]);
        });
    }

    /// Adds those halves of a product, 2^doublings times, in column k, that count as much as is due: 2^due times.
    #[inline(always)]
    fn mac(&mut self, l: L, due: usize, k: usize, doublings: usize, a: L::Vector, b: L::Vector) {
        if doublings == due {
            self.near[k] = l.mac_low_half(self.near[k], a, b);
        }
        let above = Slack::<L, N, BITS>::above(k);
        if above > 1 && doublings == due {
            self.far[k + 1] = l.mac_high_half(self.far[k + 1], a, b);
        }
        if above <= 1 && doublings + above == due {
            self.near[k + 1] = l.mac_high_half(self.near[k + 1], a, b);
        }
    }

    /// The whole sum at digit k.
    #[inline(always)]
    fn at(&self, l: L, k: usize) -> L::Vector {
        match k {
            0 => self.near[0],
            _ => l.add(
                self.near[k],
                l.shl(self.far[k], Slack::<L, N, BITS>::above(k - 1)),
            ),
        }
    }
}

/// The bit where digit i of n stands in a residue of `bits` bits.
pub const fn place(n: usize, bits: usize, i: usize) -> usize {
    (i * bits).div_ceil(n)
}

impl<L: Whole, const N: usize, const BITS: usize> Slack<L, N, BITS> {
    #[inline(always)]
    fn of(digits: [L::Vector; N]) -> Self {
        Slack(digits)
    }

    /// The bits of a digit.
    #[inline(always)]
    fn width(i: usize) -> usize {
        place(N, BITS, i + 1) - place(N, BITS, i)
    }

    /// How far above digit k + 1 the high halves of column k stand.
    #[inline(always)]
    fn above(k: usize) -> usize {
        DIGIT_BITS - Self::width(k)
    }

    /// How often the product of digits i and j is to be doubled.
    #[inline(always)]
    fn doublings(i: usize, j: usize) -> usize {
        place(N, BITS, i) + place(N, BITS, j) - place(N, BITS, i + j)
    }

    #[inline(always)]
    fn low_bits(l: L, x: L::Vector, i: usize) -> L::Vector {
        l.and(x, l.splat((1 << Self::width(i)) - 1))
    }

    /// Whether c goes into the factors: the digits that it multiplies leave it room.
    #[inline(always)]
    fn fits_factors(c: Limb) -> bool {
        N == 3 && c >> (DIGIT_BITS - Self::width(1)) == 0
    }

    /// Columns of a product or a square.
    #[inline(always)]
    fn columns(
        l: L,
        a: &[L::Vector; N],
        b: Option<&[L::Vector; N]>,
        c: Limb,
    ) -> Columns<L, N, BITS> {
        let mut columns = Columns::zero(l);
        let (factors, folds) = (b.unwrap_or(a), Self::fits_factors(c));
        let mut by_c = *factors;
        if folds && c > 1 {
            // No product with digit 0 stands above the digits.
            unroll!(j < N of 10, if j > 0 {
                by_c[j] = l.mac_low(l.splat(0), by_c[j], l.splat(c));
            });
        }
        // Halves that count most come first. The sum is doubled, and the next ones are added to it.
        unroll!(step < COUNTS of 5, {
            let due = COUNTS - 1 - step;
            columns.double(l);
            unroll!(i < N of 5, unroll!(j < N of 5, if b.is_some() || i <= j {
                let twice = usize::from(b.is_none() && i < j);
                let doublings = Self::doublings(i, j) + twice;
                if folds {
                    // Digits have room for doublings.
                    let digit = l.shl(a[i], doublings);
                    let factor = if i + j < N { factors[j] } else { by_c[j] };
                    columns.mac(l, due, (i + j) % N, 0, digit, factor);
                } else {
                    columns.mac(l, due, i + j, doublings, a[i], factors[j]);
                }
            }));
        });
        columns
    }

    /// The residue of columns.
    #[inline(always)]
    fn reduce(l: L, columns: Columns<L, N, BITS>, c: Limb) -> Self {
        let by = l.splat(c);
        let mut digits = [l.splat(0); N];
        unroll!(k < N of 5, digits[k] = columns.at(l, k));
        if Self::fits_factors(c) || c >> 8 == 0 {
            // Sums are below 13 times 2^52, so that 255 of them and one more are below 2^64. Where c went into the factors,
            // only high halves of column N - 1 stand above.
            unroll!(k < N of 5, digits[k] = l.add(digits[k], l.mul(columns.at(l, N + k), by)));
            return Self::carried(l, digits, l.splat(0), c);
        }
        let (mut above, mut high) = (l.splat(0), [l.splat(0); N]);
        unroll!(k < N of 5, high[k] = columns.at(l, N + k));
        unroll!(k < N of 5, {
            let mut digit = high[k];
            if k + 1 < N {
                digit = Self::low_bits(l, digit, k);
            }
            if k > 0 {
                digit = l.add(digit, l.shr(high[k - 1], Self::width(k - 1)));
            }
            digits[k] = l.mac_low_half(l.add(digits[k], above), digit, by);
            above = l.shl(l.mac_high_half(l.splat(0), digit, by), Self::above(k));
        });
        Self::carried(l, digits, above, c)
    }

    /// A residue from sums, and what stands at 2^BITS: every digit gives its carry to the next, and the highest its own
    /// times c to the lowest, before that one does.
    #[inline(always)]
    fn carried(l: L, mut sums: [L::Vector; N], above: L::Vector, c: Limb) -> Self {
        let top = N - 1;
        let quotient = l.add(l.shr(sums[top], Self::width(top)), above);
        sums[top] = Self::low_bits(l, sums[top], top);
        if c >> 10 == 0 {
            // The quotient has no more than 34 bits.
            sums[0] = l.mac_low(sums[0], quotient, l.splat(c));
        } else {
            sums[0] = l.mac_low_half(sums[0], quotient, l.splat(c));
            let high = l.mac_high_half(l.splat(0), quotient, l.splat(c));
            sums[1] = l.add(sums[1], l.shl(high, Self::above(0)));
        }
        let mut digits = sums;
        unroll!(k < top of 5, digits[k] = Self::low_bits(l, sums[k], k));
        unroll!(k < top of 5, {
            let carry = l.shr(sums[k], Self::width(k));
            digits[k + 1] = l.add(digits[k + 1], carry);
        });
        Slack(digits)
    }

    /// A chain of carries, and before it what stands at 2^BITS goes below.
    #[inline(always)]
    fn ripple(mut self, l: L, c: Limb) -> Self {
        let top = N - 1;
        let above = l.shr(self.0[top], Self::width(top));
        self.0[top] = Self::low_bits(l, self.0[top], top);
        self.0[0] = l.mac_low(self.0[0], above, l.splat(c));
        self.chain(l)
    }

    /// A chain of carries.
    #[inline(always)]
    fn chain(mut self, l: L) -> Self {
        unroll!(k < (N - 1) of 5, {
            self.0[k + 1] = l.add(self.0[k + 1], l.shr(self.0[k], Self::width(k)));
            self.0[k] = Self::low_bits(l, self.0[k], k);
        });
        self
    }
}

impl<L: Whole, const N: usize, const BITS: usize> Residues<L> for Slack<L, N, BITS> {
    type Parameter = Limb;
    type Product = Columns<L, N, BITS>;

    super::eager_sums!();

    #[inline(always)]
    fn place(i: usize) -> usize {
        place(N, BITS, i)
    }

    #[inline(always)]
    fn load(l: L, from: &[[Limb; 8]], part: usize) -> Self {
        let mut digits = [l.splat(0); N];
        unroll!(i < N of 5, digits[i] = l.load(&from[i], part));
        Slack(digits)
    }

    #[inline(always)]
    fn store(&self, l: L, to: &mut [[Limb; 8]], part: usize) {
        unroll!(i < N of 5, l.store(self.0[i], &mut to[i], part));
    }

    #[inline(always)]
    fn product(&self, l: L, other: &Self, c: Limb) -> Self::Product {
        Self::columns(l, &self.0, Some(&other.0), c)
    }

    #[inline(always)]
    fn square(&self, l: L, c: Limb) -> Self::Product {
        Self::columns(l, &self.0, None, c)
    }

    #[inline(always)]
    fn reduced(l: L, product: Self::Product, c: Limb) -> Self {
        Self::reduce(l, product, c)
    }

    #[inline(always)]
    fn mul_word(&self, l: L, word: Limb, c: Limb) -> Self {
        let mut sums = [l.splat(0); N];
        let mut high = l.splat(0);
        unroll!(k < N of 5, {
            [sums[k], high] = l.mac([high, l.splat(0)], self.0[k], l.splat(word));
            high = l.shl(high, Self::above(k));
        });
        Self::carried(l, sums, high, c)
    }

    #[inline(always)]
    fn add(&self, l: L, other: &Self, c: Limb) -> Self {
        let mut sums = self.0;
        unroll!(i < N of 5, sums[i] = l.add(sums[i], other.0[i]));
        Self::carried(l, sums, l.splat(0), c)
    }

    /// By way of four times the prime in digits from which nothing is borrowed.
    #[inline(always)]
    fn sub(&self, l: L, other: &Self, c: Limb) -> Self {
        let mut sums = self.0;
        unroll!(i < N of 5, {
            let less = if i == 0 { 4 * c } else { 4 };
            let four = (4 << Self::width(i)) - less;
            sums[i] = l.sub(l.add(sums[i], l.splat(four)), other.0[i]);
        });
        Self::carried(l, sums, l.splat(0), c)
    }

    #[inline(always)]
    fn canonical(&self, l: L, c: Limb) -> Self {
        // What is left above 2^BITS after the first is small.
        let mut below = self.ripple(l, c).ripple(l, c);
        // Plus c it reaches 2^BITS where it reaches the prime, and is less the prime there.
        let mut less = below;
        less.0[0] = l.add(less.0[0], l.splat(c));
        less = less.chain(l);
        let top = N - 1;
        let reached = l.sub(l.splat(0), l.shr(less.0[top], Self::width(top)));
        less.0[top] = Self::low_bits(l, less.0[top], top);
        below = below.select(l, &less, reached);
        below
    }

    #[inline(always)]
    fn zeros(&self, l: L) -> L::Vector {
        let mut any = self.0[0];
        unroll!(i < N of 5, any = l.or(any, self.0[i]));
        // Digits are below 2^52: the highest bit is set where one is taken from 0.
        l.sub(l.splat(0), l.shr(l.sub(any, l.splat(1)), 63))
    }

    #[inline(always)]
    fn select(&self, l: L, other: &Self, mask: L::Vector) -> Self {
        let mut chosen = *self;
        unroll!(i < N of 5, {
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
        fp8::{Words, ranges::Ranges},
        simd::Range,
    };

    /// The largest digit i that there may be.
    fn most<const N: usize, const BITS: usize>(i: usize) -> Limb {
        (1 << Slack::<Words, N, BITS>::width(i)) - 1 + if i > 0 { 1 << 20 } else { 0 }
    }

    /// What every operation makes of x, of x with itself and of x with 0.
    fn results<L: Whole, const N: usize, const BITS: usize>(
        l: L,
        x: &Slack<L, N, BITS>,
        c: Limb,
    ) -> [Slack<L, N, BITS>; 7] {
        let zero = Slack([l.splat(0); N]);
        [
            x.mul(l, x, c),
            x.sqr(l, c),
            x.mul_word(l, Limb::from(u32::MAX), c),
            x.add(l, x, c),
            x.sub(l, x, c),
            x.sub(l, &zero, c),
            zero.sub(l, x, c),
        ]
    }

    /// From all digits that there may be, every operation leaves digits that there may be, and no sum overflows.
    fn computed<const N: usize, const BITS: usize>(c: Limb) {
        let l = Ranges;
        let x =
            Slack::<Ranges, N, BITS>(core::array::from_fn(|i| Range::up_to(most::<N, BITS>(i))));
        for (k, result) in results(l, &x, c).into_iter().enumerate() {
            for (i, digit) in result.0.into_iter().enumerate() {
                let [low, high] = digit.ends();
                assert!(
                    low >= 0 && high <= most::<N, BITS>(i).into(),
                    "2^{BITS} - {c}, {k}: digit {i} is {digit:?}"
                );
            }
        }
    }

    /// From the largest digits that there may be, every operation leaves digits within the bounds.
    fn stays_within_bounds<const N: usize, const BITS: usize>(c: Limb) {
        let most = most::<N, BITS>;
        let x = Slack::<Words, N, BITS>(core::array::from_fn(most));
        let l = Words;
        for result in results(l, &x, c) {
            assert!(
                (0..N).all(|i| result.0[i] <= most(i)),
                "{BITS} {c} {:?}",
                result.0
            );
        }
        // With the next digits up this is the number: no sum lost anything.
        let number = |x: &Slack<Words, N, BITS>| x.canonical(l, c).0;
        assert_eq!(number(&x.mul(l, &x, c)), number(&x.sqr(l, c)));
    }

    fn both<const N: usize, const BITS: usize>(c: Limb) {
        stays_within_bounds::<N, BITS>(c);
        computed::<N, BITS>(c);
    }

    #[test]
    fn digits_stay_within_bounds() {
        for c in [1, 735, 1023, 1025, (1 << 23) - 1] {
            both::<3, 127>(c);
        }
        for c in [1, 159, 511, 513, (1 << 24) - 1] {
            both::<3, 128>(c);
        }
        for c in [1, 19, 255, 257, (1 << 32) + 977, (1 << 47) - 1] {
            both::<5, 255>(c);
            both::<5, 256>(c);
        }
        both::<5, 256>((1 << 48) - 1);
    }
}
