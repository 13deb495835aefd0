//! Row by row by floating-point numbers, on AVX-512 without IFMA: `fma512`.
//!
//! Rows are those of [`rows`](super::rows), one digit a row. A half of a product brings an exponent along, as [`Fma52`]
//! says. Every word gets the same ones, also those that move in from above: so a word is too large by a number that depends
//! on the rows alone, and that is taken away where the word is used.
//!
//! A product takes a dozen cycles or more until its halves are there, and a processor looks ahead no more than one or two
//! rows. So the lowest digit after a row is worked out in scalar registers as well, from what the vectors have without the
//! quotient digit, and of two numbers each one ends its row where the other has begun one.

use super::{
    rows::{doubled, high52, low52, pay},
    word::MASK,
};
use crate::{
    Limb,
    simd::{Across, Body, Fma52, scalar, unroll},
    wipe,
};

/// The most blocks that there is code for; longer numbers go to `portable`, and no plan sends them here.
#[cfg(target_arch = "x86_64")]
const MOST: usize = 10;
/// The most vectors of a number that are in registers, and in memory only if they are put there to be wiped.
const IN_REGISTERS: usize = 5;
/// The most blocks for which two numbers are worked on in turn.
const MOST_IN_TURN: usize = 3;

// SAFETY, of every method of a vector below: the caller's, as the trait says.

/// Digits as numbers.
type Numbers<V, const Z: usize> = [<V as Fma52>::Number; Z];

/// # Safety
/// There are Z vectors of digits; the processor has what the vectors need.
#[inline(always)]
unsafe fn numbers<V: Fma52, const Z: usize>(digits: *const Limb) -> Numbers<V, Z> {
    // SAFETY: see above.
    unsafe {
        let mut numbers = [V::zero().number(); Z];
        for (z, number) in numbers.iter_mut().enumerate() {
            *number = V::load(digits.add(V::LANES * z)).number();
        }
        numbers
    }
}

/// Digit i in every lane.
///
/// # Safety
/// i is below the digits of Z vectors; the processor has what the vectors need.
#[inline(always)]
unsafe fn spread<V: Fma52, const Z: usize>(numbers: &Numbers<V, Z>, i: usize) -> V::Number {
    // SAFETY: see above.
    unsafe { V::spread_number(numbers.as_ptr().cast::<Limb>().add(i)) }
}

/// What the digits of b multiply: the vectors of a, but only those of a step and what is above it, doubled, where a is
/// squared.
struct Factor<V: Fma52, const Z: usize> {
    a: Numbers<V, Z>,
    /// As `doubled` leaves it.
    twice: [Numbers<V, Z>; 2],
    lowest: Limb,
}

impl<V: Fma52 + Across, const Z: usize> Factor<V, Z> {
    /// # Safety
    /// `a` has Z vectors of digits; the processor has what the vectors need.
    #[inline(always)]
    unsafe fn new<const SQUARE: bool>(a: *const Limb) -> Self {
        // SAFETY: see above.
        unsafe {
            let numbers = numbers::<V, Z>(a);
            let mut factor = Factor {
                a: numbers,
                twice: [numbers; 2],
                lowest: *a,
            };
            if SQUARE {
                let mut digits = doubled::<V, Z>(a);
                for (twice, digits) in factor.twice.iter_mut().zip(&digits) {
                    for (number, digits) in twice.iter_mut().zip(digits) {
                        *number = digits.number();
                    }
                }
                if Z > IN_REGISTERS {
                    wipe(digits.as_flattened_mut(), V::zero());
                }
            }
            factor
        }
    }

    /// Vector z where those below `until` are as they are.
    #[inline(always)]
    fn vector(&self, z: usize, until: usize) -> V::Number {
        match z {
            _ if z < until => self.a[z],
            // The lowest bit of the first came from a digit that is not doubled.
            _ if z == until => self.twice[1][z],
            _ => self.twice[0][z],
        }
    }

    /// # Safety
    /// The processor has what the vectors need.
    #[inline(always)]
    unsafe fn wipe<const SQUARE: bool>(&mut self) {
        // SAFETY: see above.
        unsafe {
            wipe(&mut self.a, V::zero().number());
            if SQUARE {
                wipe(self.twice.as_flattened_mut(), V::zero().number());
            }
        }
    }
}

/// One multiplication under way: t = (a * b_{<i} + q n) / 2^(52 i), and `surplus` in each word.
struct Rows<V: Fma52, const Z: usize> {
    t: [V; Z],
    /// The high halves of a row, which move up by a digit.
    above: [V; Z],
    n: Numbers<V, Z>,
    /// The quotient digit of a row.
    q: V::Number,
    k0: Limb,
    /// The two lowest digits of n.
    lowest: [Limb; 2],
    /// The lowest word of t, without the surplus.
    head: Limb,
    /// Owed there.
    carry: Limb,
    surplus: Limb,
}

impl<V: Fma52 + Across, const Z: usize> Rows<V, Z> {
    /// # Safety
    /// `n` has Z vectors of digits; the processor has what the vectors need.
    #[inline(always)]
    unsafe fn new(n: *const Limb, k0: Limb) -> Self {
        // SAFETY: see above.
        unsafe {
            Rows {
                t: [V::zero(); Z],
                above: [V::zero(); Z],
                n: numbers::<V, Z>(n),
                q: V::zero().number(),
                k0,
                lowest: [*n, *n.add(1)],
                head: 0,
                carry: 0,
                surplus: 0,
            }
        }
    }

    /// Begins the row of the digit b: adds its products, and finds the quotient digit. If `SQUARE`, it is of step `AT`:
    /// vectors below that are left out.
    ///
    /// # Safety
    /// The processor has what the vectors need.
    #[inline(always)]
    unsafe fn begin<const AT: usize, const SQUARE: bool>(
        &mut self,
        a: &Factor<V, Z>,
        b: V::Number,
        digit: Limb,
    ) {
        let (from, until) = if SQUARE { (AT, AT + 1) } else { (0, Z) };
        let [low, high] = V::SURPLUS;
        // SAFETY: see above.
        unsafe {
            for z in 0..Z {
                let [l, h] = match z < from {
                    true => [V::splat(low), V::splat(high)],
                    false => V::halves(a.vector(z, until), b),
                };
                (self.t[z], self.above[z]) = (self.t[z].add(l), h);
            }
            // The lowest digit after this row, but for what q n adds.
            let next = V::align::<1>(self.t[0], self.t[0]).add(self.above[0]);
            let mut first = self.head + self.carry;
            if from == 0 {
                first += low52(a.lowest, digit);
            }
            let first = scalar(first);
            let q = scalar(low52(first, self.k0));
            let [n0, n1] = self.lowest;
            self.carry = (first + MASK) >> 52;
            self.head = scalar(next.lowest())
                .wrapping_sub(self.surplus.wrapping_add(low).wrapping_add(high))
                .wrapping_add(high52(n0, q) + low52(n1, q));
            self.q = V::number_of(q);
        }
    }

    /// Ends a row: adds q n, and moves down by a digit.
    ///
    /// # Safety
    /// The processor has what the vectors need.
    #[inline(always)]
    unsafe fn end(&mut self) {
        let [low, high] = V::SURPLUS;
        // SAFETY: see above.
        unsafe {
            for z in 0..Z {
                let [l, h] = V::halves(self.n[z], self.q);
                (self.t[z], self.above[z]) = (self.t[z].add(l), self.above[z].add(h));
            }
            let top = V::splat(self.surplus.wrapping_add(low.wrapping_mul(2)));
            for z in 0..Z {
                let next = if z + 1 < Z { self.t[z + 1] } else { top };
                self.t[z] = V::align::<1>(next, self.t[z]).add(self.above[z]);
            }
            let both = low.wrapping_add(high).wrapping_mul(2);
            self.surplus = self.surplus.wrapping_add(both);
        }
    }

    /// Pays the carries, stores the result, and wipes what is kept in memory.
    ///
    /// # Safety
    /// `r` has Z vectors of digits; the processor has what the vectors need.
    #[inline(always)]
    unsafe fn finish(&mut self, r: *mut Limb) {
        // SAFETY: see above.
        unsafe {
            for t in &mut self.t {
                *t = t.sub(V::splat(self.surplus));
            }
            self.t[0] = self.t[0].add_where(1, V::splat(self.carry));
            pay::<V>(self.t.as_ptr().cast(), Z, r);
            if Z > IN_REGISTERS {
                wipe(&mut self.t, V::zero());
                wipe(&mut self.above, V::zero());
                wipe(&mut self.n, V::zero().number());
            }
        }
    }
}

/// Operands for Z vectors of digits, of which m count; those of a second number are d digits above.
#[derive(Clone, Copy)]
struct Operands {
    r: *mut Limb,
    a: *const Limb,
    b: *const Limb,
    n: *const Limb,
    k0: *const Limb,
    d: usize,
    m: usize,
}

impl Operands {
    /// Those of the second number.
    ///
    /// # Safety
    /// There is one.
    unsafe fn second(self) -> Self {
        let Operands {
            r,
            a,
            b,
            n,
            k0,
            d,
            m,
        } = self;
        // SAFETY: as the caller says.
        unsafe {
            let (r, a, b, n, k0) = (r.add(d), a.add(d), b.add(d), n.add(d), k0.add(1));
            Operands {
                r,
                a,
                b,
                n,
                k0,
                d,
                m,
            }
        }
    }
}

/// The digits of b whose rows are of a step: of squares, those that a vector holds.
#[inline(always)]
fn step<V: Fma52>(step: usize, square: bool, m: usize) -> core::ops::Range<usize> {
    match square {
        true => V::LANES * step..(V::LANES * (step + 1)).min(m),
        false => 0..if step == 0 { m } else { 0 },
    }
}

/// One multiplication, or a square: there products of digits in different steps are taken once, with the upper digit
/// doubled.
struct One<const Z: usize, const SQUARE: bool>(Operands);

impl<V: Fma52 + Across, const Z: usize, const SQUARE: bool> Body<V> for One<Z, SQUARE> {
    #[inline(always)]
    unsafe fn run(self) {
        let One(x) = self;
        // SAFETY: see above; i < m, at most the length of b.
        unsafe {
            let mut factor = Factor::<V, Z>::new::<SQUARE>(x.a);
            let mut digits = numbers::<V, Z>(x.b);
            let mut rows = Rows::<V, Z>::new(x.n, *x.k0);
            unroll!(const STEP < 10, {
                if STEP < Z {
                    for i in step::<V>(STEP, SQUARE, x.m) {
                        let b = spread::<V, Z>(&digits, i);
                        rows.begin::<STEP, SQUARE>(&factor, b, *x.b.add(i));
                        rows.end();
                    }
                }
            });
            rows.finish(x.r);
            factor.wipe::<SQUARE>();
            wipe(&mut digits, V::zero().number());
        }
    }
}

/// Two multiplications, or two squares.
struct Pair<const Z: usize, const SQUARE: bool>(Operands);

impl<V: Fma52 + Across, const Z: usize, const SQUARE: bool> Body<V> for Pair<Z, SQUARE> {
    #[inline(always)]
    unsafe fn run(self) {
        let Pair(x) = self;
        // SAFETY: see above; i < m, at most the length of each b.
        unsafe {
            let y = x.second();
            let mut factors = [
                Factor::<V, Z>::new::<SQUARE>(x.a),
                Factor::<V, Z>::new::<SQUARE>(y.a),
            ];
            let mut digits = [numbers::<V, Z>(x.b), numbers::<V, Z>(y.b)];
            let mut first = Rows::<V, Z>::new(x.n, *x.k0);
            let mut second = Rows::<V, Z>::new(y.n, *y.k0);
            unroll!(const STEP < 10, {
                if STEP < Z {
                    for i in step::<V>(STEP, SQUARE, x.m) {
                        if i > 0 {
                            first.end();
                        }
                        let b = spread::<V, Z>(&digits[0], i);
                        first.begin::<STEP, SQUARE>(&factors[0], b, *x.b.add(i));
                        if i > 0 {
                            second.end();
                        }
                        let b = spread::<V, Z>(&digits[1], i);
                        second.begin::<STEP, SQUARE>(&factors[1], b, *y.b.add(i));
                    }
                }
            });
            first.end();
            second.end();
            first.finish(x.r);
            second.finish(y.r);
            factors[0].wipe::<SQUARE>();
            factors[1].wipe::<SQUARE>();
            wipe(digits.as_flattened_mut(), V::zero().number());
        }
    }
}

/// Runs a body for as many vectors as there are blocks.
macro_rules! by_blocks {
    ($V:ident, $blocks:expr, $Body:ident<$square:literal> $operands:tt; $($z:literal)*) => {
        match $blocks {
            $($z => $V::run_fma52($Body::<$z, $square> $operands),)*
            _ => unreachable!("more blocks go elsewhere"),
        }
    };
}

/// # Safety
/// The contract of `radix52_amm`; the processor has what the vectors, of eight words, need.
#[cfg(target_arch = "x86_64")]
pub(super) unsafe fn amm<V: Fma52 + Across>(
    r: *mut Limb,
    a: *const Limb,
    b: *const Limb,
    n: *const Limb,
    blocks: usize,
    m: usize,
    k0: Limb,
) {
    // SAFETY: the same contract.
    unsafe {
        if blocks > MOST {
            return super::amm::portable::kernel(r, a, b, n, blocks, m, k0);
        }
        let k0 = &raw const k0;
        let operands = Operands {
            r,
            a,
            b,
            n,
            k0,
            d: 0,
            m,
        };
        by_blocks!(V, blocks, One<false>(operands); 1 2 3 4 5 6 7 8 9 10)
    }
}

/// # Safety
/// The contract of `radix52_ams`; the processor has what the vectors, of eight words, need.
#[cfg(target_arch = "x86_64")]
pub(super) unsafe fn ams<V: Fma52 + Across>(
    r: *mut Limb,
    a: *const Limb,
    n: *const Limb,
    blocks: usize,
    m: usize,
    k0: Limb,
) {
    // SAFETY: the same contract.
    unsafe {
        if blocks > MOST {
            return super::amm::portable::kernel(r, a, a, n, blocks, m, k0);
        }
        let k0 = &raw const k0;
        let operands = Operands {
            r,
            a,
            b: a,
            n,
            k0,
            d: 0,
            m,
        };
        by_blocks!(V, blocks, One<true>(operands); 1 2 3 4 5 6 7 8 9 10)
    }
}

/// # Safety
/// The contract of `radix52_amm_x2`; the processor has what the vectors, of eight words, need.
pub(super) unsafe fn amm_x2<V: Fma52 + Across>(
    r: *mut Limb,
    a: *const Limb,
    b: *const Limb,
    n: *const Limb,
    k0: *const Limb,
    blocks: usize,
    m: usize,
) {
    // SAFETY: the same contract.
    unsafe {
        let operands = Operands {
            r,
            a,
            b,
            n,
            k0,
            d: V::LANES * blocks,
            m,
        };
        if blocks <= MOST_IN_TURN {
            return by_blocks!(V, blocks, Pair<false>(operands); 1 2 3);
        }
        for operands in [operands, operands.second()] {
            by_blocks!(V, blocks, One<false>(operands); 4 5);
        }
    }
}

/// # Safety
/// The contract of `radix52_ams_x2`; the processor has what the vectors, of eight words, need.
pub(super) unsafe fn ams_x2<V: Fma52 + Across>(
    r: *mut Limb,
    a: *const Limb,
    n: *const Limb,
    k0: *const Limb,
    blocks: usize,
    m: usize,
) {
    // SAFETY: the same contract.
    unsafe {
        let operands = Operands {
            r,
            a,
            b: a,
            n,
            k0,
            d: V::LANES * blocks,
            m,
        };
        if blocks <= MOST_IN_TURN {
            return by_blocks!(V, blocks, Pair<true>(operands); 1 2 3);
        }
        for operands in [operands, operands.second()] {
            by_blocks!(V, blocks, One<true>(operands); 4 5);
        }
    }
}
