//! Squares of longer numbers in blocks, column by column, twice as many digits as a block has: the products of all pairs
//! of blocks that meet there, then the quotient digits that clear its lower half, or its lower half as digits of the
//! result. Its upper half is the next column's lower half.

use super::{super::LANES, Call, sums::*};
use crate::{
    Limb,
    simd::{Body, Madd52, at_line, bounded, unroll},
};
use core::array::from_fn;

/// Column c of the square of x, what came from the column before among it: products of different digits once
/// and doubled.
#[inline(always)]
pub(super) unsafe fn square_column<V: Madd52, const B: usize, const T: usize>(
    x: *const Limb,
    c: usize,
    blocks: usize,
    above: &[V; B],
) -> [V; T] {
    // SAFETY: B digits a block; the processor has what the vectors need.
    unsafe {
        let mut t = [V::zero(); T];
        products::<V, B, T>(
            &mut t,
            x,
            x,
            c,
            (c + 1).saturating_sub(blocks)..c.div_ceil(2),
        );
        let middle = x.add(LANES * B * (c / 2));
        if c.is_multiple_of(2) {
            unroll!(V, i < B of 20, row::<V, T>(&mut t, i, digit(middle, i), middle, i + 1..B));
        }
        for (i, t) in t.iter_mut().enumerate() {
            // Products of different digits: n / 2 low halves and n / 2 high ones at most, below n 2^52 < 2^61.
            *t = bounded(*t, 61).add(*t);
            if i < B {
                *t = t.add(above[i]);
            }
        }
        if c.is_multiple_of(2) {
            for i in 0..B {
                let x = digit(middle, i);
                t[2 * i] = t[2 * i].lo(x, x);
                t[2 * i + 1] = t[2 * i + 1].hi(x, x);
            }
        }
        t
    }
}

/// Squaring.
pub(super) struct SquareBlocks<'a, const B: usize, const T: usize>(pub &'a Call);

impl<V: Madd52, const B: usize, const T: usize> Body<V> for SquareBlocks<'_, B, T> {
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
        let at = LANES * B;
        // SAFETY: the shapes of the contract. Where a block of r is written, that of a is done with.
        unsafe {
            at_line();
            let mut above = [V::zero(); B];
            let mut owed = V::zero();
            for c in 0..2 * blocks {
                let mut t = square_column::<V, B, T>(a, c, blocks, &above);
                products::<V, B, T>(
                    &mut t,
                    q,
                    n,
                    c,
                    (c + 1).saturating_sub(blocks)..c.min(blocks),
                );
                if c < blocks {
                    reduce_block::<V, B, T>(&mut t, q.add(at * c), n, digit(k0, 0));
                } else {
                    owed = pay::<V, B, T>(&t, r.add(at * (c - blocks)), owed);
                }
                above = from_fn(|i| t[i + B]);
            }
        }
    }
}
