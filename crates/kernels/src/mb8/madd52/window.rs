//! Numbers of one window, up to 20 digits: all sums are in registers, and move up the columns digit by digit.

use super::{Call, sums::*};
use crate::simd::{Body, Madd52, at_line, unroll};

/// Multiplication of numbers of one window, by `b` or by entries of a table.
pub(super) struct MultiplyWindow<'a, const B: usize, const W: usize, const SELECT: bool>(
    pub &'a Call,
);

impl<V: Madd52, const B: usize, const W: usize, const SELECT: bool> Body<V>
    for MultiplyWindow<'_, B, W, SELECT>
{
    #[inline(always)]
    unsafe fn run(self) {
        let Call { r, a, b, n, k0, .. } = *self.0;
        // SAFETY: the shapes of the contract; all is read before r is written.
        unsafe {
            at_line();
            let mut t = [V::zero(); W];
            let (k0, table) = (digit(k0, 0), Table::<V>::of(self.0));
            let mut x = taken::<V, SELECT>(b, 0, &table);
            let mut q = begin_row::<V, W>(&mut t, x, a, k0);
            for i in 1..B {
                end_row::<V, W>(&mut t, x, a, B);
                x = taken::<V, SELECT>(b, i, &table);
                t[1] = t[1].lo(x, digit(a, 0));
                reduce::<V, B, W>(&mut t, 0, &mut q, n, k0);
                t = next_digit(&t);
            }
            end_row::<V, W>(&mut t, x, a, B);
            reduce::<V, B, W>(&mut t, 0, &mut q, n, k0);
            pay::<V, B, W>(&next_digit(&t), r, V::zero());
        }
    }
}

/// Squaring of numbers of one window: digit by digit the square, and the product with twice what is below.
///
/// So the first rows need the lowest digits only, which an operation before has long paid when it pays the
/// highest: the one begins while the other ends.
pub(super) struct SquareWindow<'a, const B: usize, const W: usize>(pub &'a Call);

impl<V: Madd52, const B: usize, const W: usize> Body<V> for SquareWindow<'_, B, W> {
    #[inline(always)]
    unsafe fn run(self) {
        let Call {
            r, a, n, k0, t: d, ..
        } = *self.0;
        // SAFETY: the shapes of the contract; all is read before r is written.
        unsafe {
            at_line();
            let mut t = [V::zero(); W];
            let k0 = digit(k0, 0);
            let mut x = digit(a, 0);
            let mut q = begin_row::<V, W>(&mut t, x, a, k0);
            unroll!(V, i < B of 20, {
                let mut twice = x.add(x);
                if i > 0 {
                    end_row::<V, W>(&mut t, x, d, i);
                    t[i] = t[i].lo(x, x);
                    // What twice the digits below have above theirs: one or nothing.
                    let below = digit::<V>(a, i - 1);
                    t[i] = t[i].add_where(below.test(V::splat(1 << 51)), x);
                    twice = twice.add(below.sar(51));
                }
                t[i + 1] = t[i + 1].hi(x, x);
                // In the 52 bits that products take.
                set(d, i, twice);
                if i + 1 < B {
                    x = digit(a, i + 1);
                    t[1] = t[1].lo(x, digit(d, 0));
                }
                reduce::<V, B, W>(&mut t, 0, &mut q, n, k0);
                t = next_digit(&t);
            });
            pay::<V, B, W>(&t, r, V::zero());
        }
    }
}
