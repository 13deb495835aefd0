//! Numbers in halves, by Karatsuba's method: sums may be negative on the way.

use super::{
    super::{DIGIT_MASK, LANES},
    Call,
    blocks::square_column,
    sums::*,
};
use crate::{
    Limb,
    simd::{Body, Madd52, unroll},
};
use core::array::from_fn;

/// x - y as h digits modulo 2^(52h), and the lanes in which it is negative.
#[inline(always)]
unsafe fn difference<V: Madd52>(d: *mut Limb, x: *const Limb, y: *const Limb, h: usize) -> V::Mask {
    // SAFETY: h digits each; the processor has what the vectors need.
    unsafe {
        let mut owed = V::zero();
        for i in 0..h {
            let sum = digit::<V>(x, i).sub(digit(y, i)).add(owed);
            owed = sum.sar(52);
            set(d, i, sum.and(V::splat(DIGIT_MASK)));
        }
        owed.test(owed)
    }
}

/// The sums p of products of the digits of a and b, carries owed at every place; b as for `multiply`.
#[inline(always)]
unsafe fn product<V: Madd52, const B: usize, const T: usize, const SELECT: bool>(
    p: *mut Limb,
    a: *const Limb,
    b: *mut Limb,
    blocks: usize,
    table: &Table<V>,
) {
    // SAFETY: p has twice as many blocks of B digits; the processor has what the vectors need.
    unsafe {
        let mut t = [V::zero(); T];
        for c in 0..2 * blocks {
            products::<V, B, T>(
                &mut t,
                b,
                a,
                c,
                (c + 1).saturating_sub(blocks)..c.min(blocks),
            );
            if c < blocks {
                unroll!(V, i < B of 20, row::<V, T>(&mut t, i, factor::<V, SELECT>(b, B * c + i, table), a, 0..B));
            }
            for i in 0..B {
                set(p, B * c + i, t[i]);
            }
            t = next_column::<V, B, T>(&t);
        }
    }
}

/// The sums p of products of the digits of x with each other (its square), carries owed at every place.
#[inline(always)]
unsafe fn square_product<V: Madd52, const B: usize, const T: usize>(
    p: *mut Limb,
    x: *const Limb,
    blocks: usize,
) {
    // SAFETY: p has twice as many blocks of B digits; the processor has what the vectors need.
    unsafe {
        let mut above = [V::zero(); B];
        for c in 0..2 * blocks {
            let t = square_column::<V, B, T>(x, c, blocks, &above);
            for i in 0..B {
                set(p, B * c + i, t[i]);
            }
            above = from_fn(|i| t[i + B]);
        }
    }
}

/// The Montgomery reduction of such sums.
#[inline(always)]
unsafe fn reduction<V: Madd52, const B: usize, const T: usize>(
    r: *mut Limb,
    p: *const Limb,
    n: *const Limb,
    k0: *const Limb,
    q: *mut Limb,
    blocks: usize,
) {
    // SAFETY: B digits a block; the processor has what the vectors need.
    unsafe {
        let mut t = [V::zero(); T];
        let mut owed = V::zero();
        for c in 0..2 * blocks {
            for i in 0..B {
                t[i] = t[i].add(digit(p, B * c + i));
            }
            products::<V, B, T>(
                &mut t,
                q,
                n,
                c,
                (c + 1).saturating_sub(blocks)..c.min(blocks),
            );
            if c < blocks {
                reduce_block::<V, B, T>(&mut t, q.add(LANES * B * c), n, digit(k0, 0));
            } else {
                owed = pay::<V, B, T>(&t, r.add(LANES * B * (c - blocks)), owed);
            }
            t = next_column::<V, B, T>(&t);
        }
    }
}

/// Multiplication by Karatsuba's method: a_0 b_1 + a_1 b_0 = a_0 b_0 + a_1 b_1 + (a_0 - a_1) (b_1 - b_0). Sums may
/// be negative on the way.
pub(super) struct MultiplyHalves<'a, const B: usize, const T: usize, const SELECT: bool>(
    pub &'a Call,
);

impl<V: Madd52, const B: usize, const T: usize, const SELECT: bool> Body<V>
    for MultiplyHalves<'_, B, T, SELECT>
{
    #[inline(always)]
    unsafe fn run(self) {
        let Call {
            r,
            a,
            b,
            n,
            k0,
            t: q,
            parts: blocks,
            ..
        } = *self.0;
        let (half, h) = (blocks / 2, B * blocks / 2);
        // SAFETY: the shapes of the contract; all is read before r is written.
        unsafe {
            let table = Table::<V>::of(self.0);
            let room = |i: usize| q.add(LANES * h * i);
            // Where m is, q comes after it: so that all stays in the first cache, beside a table.
            let (p, m, d, e) = (room(2), room(0), room(6), room(7));
            let (a_1, b_1) = (a.add(LANES * h), b.add(LANES * h));
            for i in 0..2 {
                let (p, a, b) = (room(2 + 2 * i), a.add(LANES * h * i), b.add(LANES * h * i));
                product::<V, B, T, SELECT>(p, a, b, half, &table.from(h * i));
            }
            let d_negative = difference::<V>(d, a, a_1, h);
            let e_negative = difference::<V>(e, b_1, b, h);
            product::<V, B, T, false>(m, d, e, half, &table);
            for i in 0..h {
                let middle = digit::<V>(p, h + i).add(digit(p, 2 * h + i));
                let low = middle.add(digit(p, i)).add(digit(m, i));
                let high = middle.add(digit(p, 3 * h + i)).add(digit(m, h + i));
                // A negative difference is its digits less 2^(52h).
                let high = high.sub_where(d_negative, digit(e, i));
                let high = high.sub_where(e_negative, digit(d, i));
                set(p, h + i, low);
                set(p, 2 * h + i, high);
            }
            let top = digit::<V>(p, 3 * h);
            set(
                p,
                3 * h,
                top.add_where(d_negative & e_negative, V::splat(1)),
            );
            reduction::<V, B, T>(r, p, n, k0, q, blocks);
        }
    }
}

/// Squaring by Karatsuba's method: 2 a_0 a_1 = a_0^2 + a_1^2 - (a_0 - a_1)^2.
pub(super) struct SquareHalves<'a, const B: usize, const T: usize>(pub &'a Call);

impl<V: Madd52, const B: usize, const T: usize> Body<V> for SquareHalves<'_, B, T> {
    #[inline(always)]
    unsafe fn run(self) {
        let Call {
            r,
            a,
            n,
            k0,
            t: q,
            parts: blocks,
            ..
        } = *self.0;
        let (half, h) = (blocks / 2, B * blocks / 2);
        // SAFETY: the shapes of the contract; all is read before r is written.
        unsafe {
            let room = |i: usize| q.add(LANES * h * i);
            // Where m is, q comes after it.
            let (p, m, d) = (room(2), room(0), room(6));
            let a_1 = a.add(LANES * h);
            for i in 0..2 {
                square_product::<V, B, T>(room(2 + 2 * i), a.add(LANES * h * i), half);
            }
            let negative = difference::<V>(d, a, a_1, h);
            square_product::<V, B, T>(m, d, half);
            for i in 0..h {
                let middle = digit::<V>(p, h + i).add(digit(p, 2 * h + i));
                let low = middle.add(digit(p, i)).sub(digit(m, i));
                let high = middle.add(digit(p, 3 * h + i)).sub(digit(m, h + i));
                // A negative difference is its digits less 2^(52h).
                let twice = digit::<V>(d, i).add(digit(d, i));
                set(p, h + i, low);
                set(p, 2 * h + i, high.add_where(negative, twice));
            }
            let top = digit::<V>(p, 3 * h);
            set(p, 3 * h, top.sub_where(negative, V::splat(1)));
            reduction::<V, B, T>(r, p, n, k0, q, blocks);
        }
    }
}
