//! Products of longer numbers in strips, as few as there can be of one length: a row is one of all pairs of strips that
//! meet in a column.

use super::{super::LANES, Call, sums::*};
use crate::{
    Limb,
    simd::{Body, Madd52, at_line},
};
use core::ops::Range;

/// Row i of the products of the strips x_j and y_(c-j) for `range`.
#[inline(always)]
pub(super) unsafe fn rows_of_strips<V: Madd52, const B: usize, const W: usize>(
    t: &mut [V; W],
    i: usize,
    x: *const Limb,
    y: *const Limb,
    c: usize,
    range: Range<usize>,
) {
    for j in range {
        // SAFETY: the strips of the range are there, as the caller says.
        unsafe { row::<V, W>(t, 0, digit(x, B * j + i), y.add(LANES * B * (c - j)), 0..B) };
    }
}

/// Multiplication by `b`, or by entries of a table that become b digit by digit.
///
/// A row is of all pairs of strips that meet in a column, so that there is much to do for each digit of a table
/// that the first cache cannot hold, and while a quotient digit is found.
pub(super) struct MultiplyStrips<'a, const B: usize, const W: usize, const SELECT: bool>(
    pub &'a Call,
);

impl<V: Madd52, const B: usize, const W: usize, const SELECT: bool> Body<V>
    for MultiplyStrips<'_, B, W, SELECT>
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
            parts: strips,
            ..
        } = *self.0;
        // SAFETY: the shapes of the contract. Where a digit of r is written, its strips of a and b are done with.
        unsafe {
            at_line();
            let mut t = [V::zero(); W];
            let (k0, table) = (digit(k0, 0), Table::<V>::of(self.0));
            for c in 0..strips {
                for i in 0..B {
                    let x = factor::<V, SELECT>(b, B * c + i, &table);
                    rows_of_strips::<V, B, W>(&mut t, i, b, a, c, 0..c);
                    rows_of_strips::<V, B, W>(&mut t, i, q, n, c, 0..c);
                    row::<V, W>(&mut t, 0, x, a, 0..B);
                    let mut next = quotient(t[0], k0);
                    set(q, B * c + i, next);
                    reduce::<V, B, W>(&mut t, 0, &mut next, n, k0);
                    t = next_digit(&t);
                }
            }
            let mut owed = V::zero();
            for c in strips..2 * strips - 1 {
                for i in 0..B {
                    rows_of_strips::<V, B, W>(&mut t, i, b, a, c, c + 1 - strips..strips);
                    rows_of_strips::<V, B, W>(&mut t, i, q, n, c, c + 1 - strips..strips);
                    owed = pay_digit(t[0], r, B * (c - strips) + i, owed);
                    t = next_digit(&t);
                }
            }
            pay::<V, B, W>(&t, r.add(LANES * B * (strips - 1)), owed);
        }
    }
}
