//! Residues modulo any odd prime p in Montgomery form, in digits of 52 bits.
//!
//! R is 2^(52n), at least 16 times p. Digits of residues are below 2^52, as products take no more; so a sum that becomes a
//! factor is carried along a chain, by signed shifts. Sums of residues and of reduced products are not carried before
//! that: a digit of a [`Sums`] is a signed word.
//!
//! Reduction is by columns (Montgomery 1985): the lowest digit of a product, times -p^-1 modulo 2^52, is a quotient
//! digit, and that many p make the lowest digit vanish. What is known of p when the program is compiled saves most of
//! it. Its digits may be balanced, between -2^51 and 2^51, where more of them vanish then: p of P-256 is -1 + 2^44 X +
//! 2^36 X^3 + (2^48 - 2^16) X^4 for X = 2^52, that of P-384 is 2^32 - 1 - 2^44 X - 2^24 X^2 + 2^20 X^7, that of P-521
//! is -1 + 2 X^10, and that of secp256k1 -(2^32 + 977) + 2^48 X^4. Where the lowest is -1, a quotient digit is the low part
//! of a sum as it is. Multiples of negative digits have sums of their own, which are subtracted once.
//!
//! Reduction, products, sums and conversions share these bounds, and so a file.
//!
//! # Bounds
//!
//! In multiples of p, and where R is no more than 16 p, as with 256 bits:
//! - residues are below 2; factors below 16, so that their digits are below 2^52;
//! - a product of a and b is below a b / 16 + 1: of residues it is below 1.25, and needs nothing but its carries;
//! - what is subtracted is below 4, less a little; 4 p are added. So sums are never negative;
//! - a sum below 64 becomes a residue by multiples of c = 2^BITS - p, as many as its highest digit says there are of
//!   2^BITS; what carries add to that digit later is below 2^8 of its units, and where it has less than 16 bits, or would
//!   be negative without carries, they are added before. Carries may be negative: p is added where c is shorter than they
//!   are, and residues are a little above 2.
//!   Where c is too long for that, a product with 1 reduces instead; as a factor such a sum is below 16.
//!
//! Words of sums are below 2^60: three products have 3n halves in a column, each counted no more than four times.

use super::{DIGIT_BITS, DIGIT_MASK, Lanes, Part, ROWS, Residues};
use crate::{Limb, fp::Residue, mpn::word::neg_inverse, simd::unroll};
use core::marker::PhantomData;

/// [`Residues`] of R in N digits, whose [`form`](Residue::form) is 2^FORM times the number.
pub struct Redc<L: Lanes, R, const N: usize, const FORM: usize>([L::Vector; N], PhantomData<R>);

impl<L: Lanes, R, const N: usize, const FORM: usize> Clone for Redc<L, R, N, FORM> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<L: Lanes, R, const N: usize, const FORM: usize> Copy for Redc<L, R, N, FORM> {}

/// Sums whose digits are signed words.
#[derive(Clone, Copy)]
pub struct Sums<L: Lanes, const N: usize>([L::Vector; N]);

/// The most columns of a product.
const COLUMNS: usize = 2 * super::MAX_DIGITS;

/// Sums of halves of products, by columns.
#[derive(Clone, Copy)]
pub struct Columns<L: Lanes>([L::Vector; COLUMNS]);

impl<L: Lanes> Columns<L> {
    #[inline(always)]
    fn zero(l: L) -> Self {
        Columns([l.splat(0); COLUMNS])
    }

    /// Adds a product in column k.
    #[inline(always)]
    fn mac(&mut self, l: L, k: usize, a: L::Factor, b: L::Factor) {
        [self.0[k], self.0[k + 1]] = l.mac_whole([self.0[k], self.0[k + 1]], a, b);
    }
}

/// The prime itself, as a power of two of it.
const ONE: u32 = 0;
/// The multiple of the prime that is added to what a residue is subtracted from, as a power of two.
const FOUR: u32 = 2;
/// The one that a sum is subtracted from.
const EIGHT: u32 = 3;

impl<L: Lanes, R: Residue, const N: usize, const FORM: usize> Redc<L, R, N, FORM> {
    /// The bits of the prime in its highest digit.
    const TOP: usize = {
        assert!(N <= super::MAX_DIGITS && DIGIT_BITS * N >= R::BITS + 4);
        assert!(R::BITS > DIGIT_BITS * (N - 1));
        R::BITS - DIGIT_BITS * (N - 1)
    };

    /// The digits of the prime.
    const P: [Limb; N] = digits(&R::MODULUS);

    /// The digits that reduction uses.
    const RECODED: [i64; N] = recoded(Self::P);

    /// Whether a quotient digit is the low part of a sum: the prime is -1 modulo 2^52.
    const MINUS_ONE: bool = Self::RECODED[0] == -1;

    /// `-p^-1 mod 2^52`
    const N0: Limb = neg_inverse(R::MODULUS[0]) & DIGIT_MASK;

    /// The digits of `c = 2^BITS - p`.
    const C: [i64; N] = {
        let (mut c, mut i) = ([0; N], 0);
        while i < N {
            c[i] = -Self::RECODED[i];
            i += 1;
        }
        c[N - 1] += 1 << Self::TOP;
        c
    };

    /// Whether 64 c are so much less than the prime that sums can be reduced by c.
    const BY_C: bool = {
        let from = R::BITS - 10;
        let ones = R::MODULUS[from / 64] >> (from % 64)
            | if from / 64 + 1 < R::MODULUS.len() && from % 64 > 0 {
                R::MODULUS[from / 64 + 1] << (64 - from % 64)
            } else {
                0
            };
        ones & 0x3ff == 0x3ff
    };

    /// Whether digits of the prime are as they are: then those of a sum may add up to less than 0 from below.
    const PLAIN: bool = {
        let (mut plain, mut i) = (true, 0);
        while i < N {
            plain &= Self::RECODED[i] >= 0;
            i += 1;
        }
        plain
    };

    /// Whether the highest digit of a sum may be negative before carries come from below: that of eight primes, less that of
    /// a number below them.
    const LATE: bool = {
        // Where the highest digit has a carry of its own, eight of it are more than what is subtracted has there.
        let carried = Self::RECODED[N - 1] != Self::P[N - 1] as i64;
        Self::TOP < 16 || Self::PLAIN || !carried && Self::P[N - 2] >= (1 << 49) - 1
    };

    /// Whether c is so short that carries from below, where they are negative, may take more than it gives.
    const SHORT_C: bool = Self::C[N - 1] < 1 << 9;

    /// `R^2 / 2^FORM mod p`, by which forms become residues.
    const OF_FORM: [Limb; N] = digits(&power_of_two(&R::MODULUS, 2 * DIGIT_BITS * N - FORM));

    /// `2^FORM mod p`, by which residues become forms.
    const TO_FORM: [Limb; N] = digits(&power_of_two(&R::MODULUS, FORM));

    /// `R^2 mod p`
    const SQUARE: [Limb; N] = digits(&power_of_two(&R::MODULUS, 2 * DIGIT_BITS * N));

    /// `R mod p`
    const ONE: [Limb; N] = digits(&power_of_two(&R::MODULUS, DIGIT_BITS * N));

    #[inline(always)]
    fn of(digits: [L::Vector; N]) -> Self {
        Redc(digits, PhantomData)
    }

    /// One residue, given by its digits, in every lane.
    #[inline(always)]
    fn splat(l: L, digits: &[Limb]) -> Self {
        let mut all = [l.splat(0); N];
        unroll!(i < N of 20, all[i] = l.splat(digits[i]));
        Self::of(all)
    }

    #[inline(always)]
    fn factors(&self, l: L) -> [L::Factor; N] {
        let mut factors = [l.factor(l.splat(0)); N];
        unroll!(i < N of 20, factors[i] = l.factor(self.0[i]));
        factors
    }

    /// The columns of the products.
    #[inline(always)]
    fn products(&self, l: L, other: &Self) -> Columns<L> {
        let mut columns = Columns::zero(l);
        self.accumulate(l, &mut columns, other);
        columns
    }

    /// Adds the products to columns.
    #[inline(always)]
    fn accumulate(&self, l: L, columns: &mut Columns<L>, other: &Self) {
        let (a, b) = (self.factors(l), other.factors(l));
        unroll!(i < N of 20, unroll!(j < N of 20, columns.mac(l, i + j, a[j], b[i])));
    }

    /// The columns of the squares: products of different digits once, and doubled.
    #[inline(always)]
    fn squares(&self, l: L) -> Columns<L> {
        let (a, mut columns) = (self.factors(l), Columns::zero(l));
        unroll!(i < N of 20, unroll!(j < N of 20, if i < j {
            columns.mac(l, i + j, a[i], a[j])
        }));
        unroll!(k < (2 * N - 1) of 22, if k > 0 {
            columns.0[k] = l.add(columns.0[k], columns.0[k])
        });
        unroll!(i < N of 20, columns.mac(l, 2 * i, a[i], a[i]));
        columns
    }

    /// Columns divided by R modulo p.
    #[inline(always)]
    fn reduce(l: L, mut columns: Columns<L>) -> Sums<L, N> {
        let mut negative = Columns::zero(l);
        unroll!(k < N of 20, {
            let mut lowest = columns.0[k];
            if k > 0 {
                lowest = l.sub(lowest, negative.0[k]);
            }
            let mut quotient = l.low_factor(lowest);
            if !Self::MINUS_ONE {
                let n0 = l.factor(l.splat(Self::N0));
                let [low, _] = l.mac_whole([l.splat(0); 2], quotient, n0);
                quotient = l.low_factor(low);
                let p0 = l.factor(l.splat(Self::RECODED[0].unsigned_abs()));
                if Self::RECODED[0] > 0 {
                    [lowest, columns.0[k + 1]] =
                        l.mac_whole([lowest, columns.0[k + 1]], quotient, p0);
                } else {
                    let halves = [l.splat(0), negative.0[k + 1]];
                    let [less, high] = l.mac_whole(halves, quotient, p0);
                    lowest = l.sub(lowest, less);
                    negative.0[k + 1] = high;
                }
            }
            columns.0[k + 1] = l.add(columns.0[k + 1], l.sar(lowest, DIGIT_BITS));
            unroll!(j < N of 20, if j > 0 {
                let digit = l.factor(l.splat(Self::RECODED[j].unsigned_abs()));
                if Self::RECODED[j] > 0 {
                    columns.mac(l, k + j, quotient, digit);
                } else if Self::RECODED[j] < 0 {
                    negative.mac(l, k + j, quotient, digit);
                }
            });
        });
        let mut digits = [l.splat(0); N];
        unroll!(i < N of 20, digits[i] = l.sub(columns.0[N + i], negative.0[N + i]));
        Sums(digits)
    }

    /// Adds as many times c as the words say, which are below 2^7.
    #[inline(always)]
    fn add_multiple_of_c(l: L, mut digits: [L::Vector; N], times: L::Vector) -> [L::Vector; N] {
        unroll!(i < N of 20, {
            let (c, magnitude) = (Self::C[i], Self::C[i].unsigned_abs());
            let put = |sum, multiple| match c > 0 {
                true => l.add(sum, multiple),
                false => l.sub(sum, multiple),
            };
            if c != 0 && magnitude.is_power_of_two() {
                let shift = magnitude.trailing_zeros() as usize;
                let multiple = if shift > 0 { l.shl(times, shift) } else { times };
                digits[i] = put(digits[i], multiple);
            } else if c != 0 {
                let [times, by] = [l.factor(times), l.factor(l.splat(magnitude))];
                let [low, high] = l.mac_whole([l.splat(0); 2], times, by);
                digits[i] = put(digits[i], low);
                if magnitude >> (DIGIT_BITS - 7) != 0 {
                    digits[i + 1] = put(digits[i + 1], high);
                }
            }
        });
        digits
    }

    /// The digits with c in place of each 2^BITS above.
    #[inline(always)]
    fn fold(l: L, mut digits: [L::Vector; N]) -> [L::Vector; N] {
        let times = l.shr(digits[N - 1], Self::TOP);
        digits[N - 1] = l.and(digits[N - 1], l.splat((1 << Self::TOP) - 1));
        Self::add_multiple_of_c(l, digits, times)
    }

    /// A chain of carries.
    #[inline(always)]
    fn chain(l: L, mut digits: [L::Vector; N]) -> [L::Vector; N] {
        unroll!(i < (N - 1) of 20, {
            digits[i + 1] = l.add(digits[i + 1], l.sar(digits[i], DIGIT_BITS));
            digits[i] = l.and(digits[i], l.splat(DIGIT_MASK));
        });
        digits
    }

    /// Digit i of a power of two of the prime.
    #[inline(always)]
    fn multiple(l: L, power: u32, i: usize) -> L::Vector {
        l.splat((Self::RECODED[i] << power).cast_unsigned())
    }
}

/// The digits of a number that has no more than N.
const fn digits<const N: usize>(limbs: &[Limb]) -> [Limb; N] {
    let (mut digits, mut i) = ([0; N], 0);
    while i < N {
        let (at, shift) = (DIGIT_BITS * i / 64, DIGIT_BITS * i % 64);
        if at < limbs.len() {
            digits[i] = limbs[at] >> shift;
        }
        if at + 1 < limbs.len() && shift > 0 {
            digits[i] |= limbs[at + 1] << (64 - shift);
        }
        digits[i] &= DIGIT_MASK;
        i += 1;
    }
    digits
}

/// The digits of a prime, or balanced ones where more of them vanish, or the lowest becomes -1.
const fn recoded<const N: usize>(digits: [Limb; N]) -> [i64; N] {
    let (mut plain, mut balanced, mut carry, mut gain, mut i) = ([0; N], [0; N], 0, 0, 0);
    while i < N {
        plain[i] = digits[i].cast_signed();
        let digit = plain[i] + carry;
        let upper = digit >= 1 << (DIGIT_BITS - 1);
        carry = (upper && i + 1 < N) as i64;
        balanced[i] = digit - (carry << DIGIT_BITS);
        gain += (balanced[i] == 0) as i32 - (plain[i] == 0) as i32;
        gain += (i == 0 && balanced[i] == -1) as i32;
        i += 1;
    }
    if gain > 0 { balanced } else { plain }
}

/// `2^exponent mod p`, by doublings of 1.
const fn power_of_two<const N: usize>(p: &[Limb; N], exponent: usize) -> [Limb; N] {
    let (mut x, mut i) = ([0 as Limb; N], 0);
    x[0] = 1;
    while i < exponent {
        let (mut twice, mut less) = ([0 as Limb; N], [0; N]);
        let (mut carry, mut borrow, mut j) = (0, false, 0);
        while j < N {
            (twice[j], carry) = (x[j] << 1 | carry, x[j] >> 63);
            let due = p[j] as u128 + borrow as u128;
            less[j] = twice[j].wrapping_sub(due as Limb);
            borrow = (twice[j] as u128) < due;
            j += 1;
        }
        x = if carry == 1 || !borrow { less } else { twice };
        i += 1;
    }
    x
}

impl<L: Lanes, R: Residue, const N: usize, const FORM: usize> Residues<L> for Redc<L, R, N, FORM> {
    type Parameter = ();
    type Product = Sums<L, N>;
    type Sum = Sums<L, N>;

    #[inline(always)]
    fn place(i: usize) -> usize {
        DIGIT_BITS * i
    }

    #[inline(always)]
    fn load(l: L, from: &[[Limb; 8]], part: usize) -> Self {
        let mut digits = [l.splat(0); N];
        unroll!(i < N of 20, digits[i] = l.load(&from[i], part));
        Self::of(digits)
    }

    #[inline(always)]
    fn store(&self, l: L, to: &mut [[Limb; 8]], part: usize) {
        unroll!(i < N of 20, l.store(self.0[i], &mut to[i], part));
    }

    #[inline(always)]
    fn pick(l: L, columns: &[[Limb; ROWS]], index: &L::Index) -> Self {
        let mut all = [l.splat(0); N];
        unroll!(i < N of 20, all[i] = l.pick(&columns[i], index));
        Self::of(all)
    }

    #[inline(always)]
    fn number(l: L, number: Limb, p: ()) -> Self {
        match number {
            0 => Self::splat(l, &[0; N]),
            1 => Self::splat(l, &Self::ONE),
            _ => {
                let mut digits = [0; N];
                digits[0] = number;
                Self::splat(l, &digits).mul(l, &Self::splat(l, &Self::SQUARE), p)
            }
        }
    }

    #[inline(always)]
    fn of_form(&self, l: L, p: ()) -> Self {
        self.mul(l, &Self::splat(l, &Self::OF_FORM), p)
    }

    #[inline(always)]
    fn form(&self, l: L, p: ()) -> Self {
        self.mul(l, &Self::splat(l, &Self::TO_FORM), p)
            .canonical(l, p)
    }

    #[inline(always)]
    fn product(&self, l: L, other: &Self, p: ()) -> Sums<L, N> {
        self.mul_sum(l, other, p)
    }

    #[inline(always)]
    fn square(&self, l: L, p: ()) -> Sums<L, N> {
        self.sqr_sum(l, p)
    }

    #[inline(always)]
    fn reduced(l: L, product: Sums<L, N>, p: ()) -> Self {
        Self::factor(l, product, p)
    }

    #[inline(always)]
    fn mul_word(&self, l: L, word: Limb, p: ()) -> Self {
        self.mul(l, &Self::number(l, word, p), p)
    }

    #[inline(always)]
    fn add(&self, l: L, other: &Self, p: ()) -> Self {
        Self::carried(l, Self::plus(l, self.sum(), other, p), p)
    }

    #[inline(always)]
    fn sub(&self, l: L, other: &Self, p: ()) -> Self {
        Self::carried(l, Self::minus(l, self.sum(), other, p), p)
    }

    #[inline(always)]
    fn canonical(&self, l: L, _: ()) -> Self {
        let mut below = self.0;
        if Self::BY_C {
            below = Self::chain(l, Self::fold(l, below));
        }
        // Twice, as a residue is below twice the prime: less the prime where nothing is borrowed.
        let mut less = below;
        unroll!(i < N of 20, less[i] = l.sub(less[i], l.splat(Self::P[i])));
        less = Self::chain(l, less);
        let borrowed = l.sar(less[N - 1], 63);
        Self::of(less).select(l, &Self::of(below), borrowed)
    }

    #[inline(always)]
    fn zeros(&self, l: L) -> L::Vector {
        let mut any = self.0[0];
        unroll!(i < N of 20, any = l.or(any, self.0[i]));
        l.equal(any, l.splat(0))
    }

    #[inline(always)]
    fn select(&self, l: L, other: &Self, mask: L::Vector) -> Self {
        let mut chosen = *self;
        unroll!(i < N of 20, {
            let change = l.and(l.xor(self.0[i], other.0[i]), mask);
            chosen.0[i] = l.xor(self.0[i], change);
        });
        chosen
    }

    #[inline(always)]
    fn or_where(&self, l: L, other: &Self, mask: L::Vector) -> Self {
        let mut sum = *self;
        unroll!(i < N of 20, sum.0[i] = l.or(self.0[i], l.and(other.0[i], mask)));
        sum
    }

    #[inline(always)]
    fn sum(&self) -> Sums<L, N> {
        Sums(self.0)
    }

    #[inline(always)]
    fn mul_sum(&self, l: L, other: &Self, _: ()) -> Sums<L, N> {
        l.call(Multiplication(self, other))
    }

    #[inline(always)]
    fn sqr_sum(&self, l: L, _: ()) -> Sums<L, N> {
        l.call(Square(self))
    }

    #[inline(always)]
    fn two_products(l: L, ab: [&Self; 2], cd: [&Self; 2], _: ()) -> Sums<L, N> {
        l.call(TwoProducts(ab, cd))
    }

    #[inline(always)]
    fn product_and_squares(l: L, ab: [&Self; 2], c: &Self, _: ()) -> Sums<L, N> {
        l.call(ProductAndSquares(ab, c))
    }

    #[inline(always)]
    fn plus(l: L, mut sum: Sums<L, N>, other: &Self, _: ()) -> Sums<L, N> {
        unroll!(i < N of 20, sum.0[i] = l.add(sum.0[i], other.0[i]));
        sum
    }

    #[inline(always)]
    fn minus(l: L, mut sum: Sums<L, N>, other: &Self, _: ()) -> Sums<L, N> {
        unroll!(i < N of 20, {
            let less = l.sub(sum.0[i], other.0[i]);
            sum.0[i] = l.add(less, Self::multiple(l, FOUR, i));
        });
        sum
    }

    #[inline(always)]
    fn negated(l: L, mut sum: Sums<L, N>, _: ()) -> Sums<L, N> {
        unroll!(i < N of 20, sum.0[i] = l.sub(Self::multiple(l, EIGHT, i), sum.0[i]));
        sum
    }

    #[inline(always)]
    fn doubled(l: L, mut sum: Sums<L, N>, _: ()) -> Sums<L, N> {
        unroll!(i < N of 20, sum.0[i] = l.add(sum.0[i], sum.0[i]));
        sum
    }

    #[inline(always)]
    fn tripled(l: L, mut sum: Sums<L, N>, _: ()) -> Sums<L, N> {
        unroll!(i < N of 20, sum.0[i] = l.add(l.add(sum.0[i], sum.0[i]), sum.0[i]));
        sum
    }

    #[inline(always)]
    fn factor(l: L, sum: Sums<L, N>, _: ()) -> Self {
        Self::of(Self::chain(l, sum.0))
    }

    #[inline(always)]
    fn carried(l: L, sum: Sums<L, N>, p: ()) -> Self {
        if !Self::BY_C {
            return Self::factor(l, sum, p).mul(l, &Self::splat(l, &Self::ONE), p);
        }
        let mut digits = sum.0;
        if Self::LATE {
            digits = Self::chain(l, digits);
        }
        digits = Self::fold(l, digits);
        if Self::TOP >= 16 && Self::SHORT_C {
            unroll!(i < N of 20, digits[i] = l.add(digits[i], Self::multiple(l, ONE, i)));
        }
        Self::of(Self::chain(l, digits))
    }
}

/// Sums that are [called](Lanes::call): a calculation of many products would take minutes to compile if all of them were
/// inlined.
macro_rules! parts {
    ($($name:ident($($operand:ident: $Type:ty),*) |$l:ident| $columns:expr;)*) => {$(
        struct $name<'a, L: Lanes, R, const N: usize, const FORM: usize>($($Type),*);

        impl<L: Lanes, R: Residue, const N: usize, const FORM: usize> Part<L>
            for $name<'_, L, R, N, FORM>
        {
            type Output = Sums<L, N>;

            #[inline(always)]
            fn run(self, $l: L) -> Sums<L, N> {
                let $name($($operand),*) = self;
                Redc::<L, R, N, FORM>::reduce($l, $columns)
            }
        }
    )*};
}

parts! {
    Multiplication(a: &'a Redc<L, R, N, FORM>, b: &'a Redc<L, R, N, FORM>) |l| a.products(l, b);
    Square(a: &'a Redc<L, R, N, FORM>) |l| a.squares(l);
    TwoProducts(ab: [&'a Redc<L, R, N, FORM>; 2], cd: [&'a Redc<L, R, N, FORM>; 2]) |l| {
        let mut columns = ab[0].products(l, ab[1]);
        cd[0].accumulate(l, &mut columns, cd[1]);
        columns
    };
    ProductAndSquares(ab: [&'a Redc<L, R, N, FORM>; 2], c: &'a Redc<L, R, N, FORM>) |l| {
        let mut columns = c.squares(l);
        unroll!(k < (2 * N) of 22, columns.0[k] = l.add(columns.0[k], columns.0[k]));
        ab[0].accumulate(l, &mut columns, ab[1]);
        columns
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fp::{MAX_LIMBS, Mersenne521, Montgomery, Prime};
    use crate::fp8::{InLanes, Words, ranges::Ranges};
    use crate::simd::Range;

    macro_rules! primes {
        ($($name:ident $n:literal: $($limb:literal)*;)*) => {$(
            #[derive(Clone, Copy, Debug)]
            struct $name;

            impl Prime<$n> for $name {
                const P: [Limb; $n] = [$($limb),*];
            }
        )*};
    }

    primes! {
        P256 4: 0xffffffffffffffff 0xffffffff 0 0xffffffff00000001;
        P256Order 4: 0xf3b9cac2fc632551 0xbce6faada7179e84 0xffffffffffffffff 0xffffffff00000000;
        Secp256k1 4: 0xfffffffefffffc2f 0xffffffffffffffff 0xffffffffffffffff 0xffffffffffffffff;
        P384 6: 0xffffffff 0xffffffff00000000 0xfffffffffffffffe 0xffffffffffffffff 0xffffffffffffffff 0xffffffffffffffff;
        Small 1: 0xffffffffffffffc5;
        // Its digits are as they are, and the second highest is large.
        Plain 4: 0x6848af6dc314c003 0xde9c9c9674ad64b5 0x1584a40aa14a9e5b 0xffffffffffffff65;
        // Eight of it have a higher digit that is three less than that of what is just below them.
        Late 4: 0x006fffffffffffff 0 0xfffffffff0000000 0xffffffffffff7fff;
        // R is hardly more than 16 times this one, and it is not near a power of two: FRP256v1.
        Tight 4: 0xe8fcf353d86e9c03 0x3961adbcabc8ca6d 0x10126de8ce42435b 0xf1fd178c0b3ad58f;
        Odd 3: 0xf9291a63371b32b1 0x24cd0fa587fa5b0c 0x88d8762bf3;
        Largest 9: 0xffffffffffffffff 1 2 3 4 5 6 7 0xfffffffffffffb;
    }

    /// The largest factors and sums that the bounds admit leave digits and values within the bounds, and numbers are
    /// those of the residues one by one.
    fn stays_within_bounds<
        R: InLanes<Parameter = (), In<Words> = Redc<Words, R, N, FORM>>,
        const N: usize,
        const FORM: usize,
    >() {
        type Of<R, const N: usize, const FORM: usize> = Redc<Words, R, N, FORM>;
        let l = Words;
        // Multiples of the prime and what is below it, as digits.
        let times = |multiple: u128, less: u128| -> Of<R, N, FORM> {
            let (mut carry, mut borrow, mut r) = (0, less, [0; N]);
            for (r, digit) in r.iter_mut().zip(Redc::<Words, R, N, FORM>::P) {
                let sum = u128::from(digit) * multiple + carry;
                let digit = (sum & u128::from(DIGIT_MASK)).wrapping_sub(borrow);
                *r = digit as Limb & DIGIT_MASK;
                (carry, borrow) = (sum >> DIGIT_BITS, digit >> 127);
            }
            assert_eq!(carry, 0);
            Redc::of(r)
        };
        let number = |x: &Of<R, N, FORM>| x.canonical(l, ()).0;
        let one_by_one = |x: &Of<R, N, FORM>| {
            let mut limbs = [0; MAX_LIMBS];
            for (i, digit) in x.form(l, ()).0.into_iter().enumerate() {
                let (at, shift) = (DIGIT_BITS * i / 64, DIGIT_BITS * i % 64);
                limbs[at] |= digit << shift;
                if shift > 12 && at + 1 < MAX_LIMBS {
                    limbs[at + 1] |= digit >> (64 - shift);
                }
            }
            R::from_form(&limbs)
        };
        let check = |x: Of<R, N, FORM>, number: R| {
            assert!(x.0.iter().all(|&digit| digit <= DIGIT_MASK), "{:x?}", x.0);
            let [a, b] = [one_by_one(&x), number].map(|x| x.to_limbs());
            assert_eq!(a, b, "{:x?}", x.0);
        };
        let zero = Of::<R, N, FORM>::number(l, 0, ());
        for less in [0, 1, 2, 1 << 51, 1 << 52] {
            // The largest residue, the largest that is subtracted, and the largest factor of two.
            let [two, four, six] = [2, 4, 6].map(|k| times(k, less + 1));
            let [a, b, c] = [two, four, six].map(|x| one_by_one(&x.add(l, &zero, ())));
            check(two, a);
            check(two.mul(l, &two, ()), a.mul(&a));
            check(two.sqr(l, ()), a.sqr());
            check(two.add(l, &two, ()), a.add(&a));
            check(zero.sub(l, &two, ()), R::ZERO.sub(&a));
            check(two.sub(l, &zero, ()), a);
            check(two.mul_word(l, 0xffff_ffff, ()), a.mul_word(0xffff_ffff));
            check(two.mul_word(l, 1, ()), a);
            check(four.mul(l, &six, ()), b.mul(&c));
            // Sums as long as they may be.
            let mut sum = Of::<R, N, FORM>::product_and_squares(l, [&six, &four], &four, ());
            let mut expected = b.mul(&c).add(&b.sqr()).add(&b.sqr());
            check(
                Of::<R, N, FORM>::carried(l, Of::<R, N, FORM>::negated(l, sum, ()), ()),
                R::ZERO.sub(&expected),
            );
            let rounds = if Of::<R, N, FORM>::BY_C { 5 } else { 1 };
            for _ in 0..rounds {
                sum = Of::<R, N, FORM>::minus(l, sum, &four, ());
                sum = Of::<R, N, FORM>::plus(l, sum, &six, ());
                expected = expected.sub(&b).add(&c);
            }
            check(Of::<R, N, FORM>::carried(l, sum, ()), expected);
            let least = Of::<R, N, FORM>::minus(l, zero.sum(), &four, ());
            check(Of::<R, N, FORM>::carried(l, least, ()), R::ZERO.sub(&b));
            check(Of::<R, N, FORM>::factor(l, least, ()), R::ZERO.sub(&b));
            let eight = times(8, less + 1);
            let d = one_by_one(&eight.add(l, &zero, ()));
            let least = Of::<R, N, FORM>::negated(l, eight.sum(), ());
            check(Of::<R, N, FORM>::carried(l, least, ()), R::ZERO.sub(&d));
            let both = Of::<R, N, FORM>::two_products(l, [&four, &six], [&two, &four], ());
            check(
                Of::<R, N, FORM>::carried(l, both, ()),
                b.mul(&c).add(&a.mul(&b)),
            );
            let twice = Of::<R, N, FORM>::doubled(l, four.mul_sum(l, &two, ()), ());
            check(
                Of::<R, N, FORM>::factor(l, twice, ()),
                a.mul(&b).add(&a.mul(&b)),
            );
            let thrice = Of::<R, N, FORM>::tripled(l, two.sqr_sum(l, ()), ());
            check(
                Of::<R, N, FORM>::carried(l, thrice, ()),
                a.sqr().add(&a.sqr()).add(&a.sqr()),
            );
        }
        // 0 has one canonical form.
        for k in 0..2 {
            assert_eq!(number(&times(k, 0)), [0; N]);
            assert_eq!(times(k, 0).canonical(l, ()).zeros(l), Limb::MAX);
            assert_eq!(times(k + 1, 1).canonical(l, ()).zeros(l), 0);
        }
    }

    /// Whatever digits factors have, no word of a sum leaves the bound: neither while products are summed and reduced, nor
    /// when residues are added to them and subtracted from them afterwards.
    fn has_room<R: Residue, const N: usize, const FORM: usize>() {
        let l = Ranges;
        let any = Redc::<Ranges, R, N, FORM>::of([Range::digit(); N]);
        let (least, most) = Range::<false>::reached(|| {
            let mut sum = Redc::product_and_squares(l, [&any, &any], &any, ());
            for _ in 0..16 {
                sum = Redc::minus(l, Redc::plus(l, sum, &any, ()), &any, ());
            }
            let _ = Redc::<Ranges, R, N, FORM>::negated(l, sum, ());
            let two = Redc::two_products(l, [&any, &any], [&any, &any], ());
            let _ = Redc::<Ranges, R, N, FORM>::doubled(l, two, ());
            let square = any.sqr_sum(l, ());
            let _ = Redc::<Ranges, R, N, FORM>::tripled(l, square, ());
        });
        assert!(
            -(1 << 60) < least && most < 1 << 60,
            "{N} digits: {least} to {most}"
        );
        // The sums of products are there.
        assert!(most > 1 << 54, "{N} digits: {most}");
    }

    #[test]
    fn digits_stay_within_bounds() {
        macro_rules! all {
            ($($R:ty, $n:literal, $form:literal;)*) => {$(
                stays_within_bounds::<$R, $n, $form>();
                has_room::<$R, $n, $form>();
            )*};
        }
        all! {
            Montgomery<P256, 4>, 5, 256;
            Montgomery<P256Order, 4>, 5, 256;
            Montgomery<Secp256k1, 4>, 5, 256;
            Montgomery<P384, 6>, 8, 384;
            Montgomery<Small, 1>, 2, 64;
            Montgomery<Tight, 4>, 5, 256;
            Montgomery<Plain, 4>, 5, 256;
            Montgomery<Late, 4>, 5, 256;
            Montgomery<Odd, 3>, 4, 192;
            Montgomery<Largest, 9>, 11, 576;
            Mersenne521, 11, 0;
        }
    }

    #[test]
    fn reduction_uses_the_form_of_the_primes() {
        let p256 = Redc::<Words, Montgomery<P256, 4>, 5, 256>::RECODED;
        assert_eq!(p256, [-1, 1 << 44, 0, 1 << 36, (1 << 48) - (1 << 16)]);
        let secp256k1 = Redc::<Words, Montgomery<Secp256k1, 4>, 5, 256>::RECODED;
        assert_eq!(secp256k1, [-((1 << 32) + 977), 0, 0, 0, 1 << 48]);
        let p384 = Redc::<Words, Montgomery<P384, 6>, 8, 384>::RECODED;
        assert_eq!(
            p384,
            [(1 << 32) - 1, -(1 << 44), -(1 << 24), 0, 0, 0, 0, 1 << 20]
        );
        let p521 = Redc::<Words, Mersenne521, 11, 0>::RECODED;
        assert_eq!(p521, [-1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2]);
    }
}
