//! Numbers of one window, two digits a row: each digit that is loaded serves four products. Intel's cores wait for loads in
//! the rows of a [`window`](super::window).

use super::{super::DIGIT_MASK, Call, sums::*};
use crate::{
    Limb,
    simd::{Body, Madd52, at_line, opaque, rolled, unroll},
};
use core::{array::from_fn, ops::Range};

/// t += (x_0 + 2^52 x_1) y_j 2^(52j) for a range of digits j.
#[inline(always)]
unsafe fn rows<V: Madd52, const W: usize>(
    t: &mut [V; W],
    x: [V; 2],
    y: *const Limb,
    range: Range<usize>,
) {
    let y = opaque(y);
    for j in range.start..rolled::<V>(range.end) {
        // SAFETY: y has those digits; the processor has what the vectors need.
        unsafe {
            let y = digit(y, j);
            t[j] = t[j].lo(x[0], y);
            t[j + 1] = t[j + 1].hi(x[0], y);
            t[j + 1] = t[j + 1].lo(x[1], y);
            t[j + 2] = t[j + 2].hi(x[1], y);
        }
    }
}

/// The quotient digits that clear t_0 and t_1, and the carry out of these.
struct Quotients<V>([V; 2], V);

impl<V: Madd52> Quotients<V> {
    /// Of sums that are complete in t_0 and t_1. They wait for one product after the other, and so begin before the
    /// rest of the rows.
    #[inline(always)]
    unsafe fn of<const W: usize>(t: &mut [V; W], n: *const Limb, k0: *const Limb) -> Self {
        // SAFETY: n has two digits; the processor has what the vectors need.
        unsafe {
            let n = opaque(n);
            let q0 = quotient(t[0], digit(opaque(k0), 0));
            // A sum plus the low half of its quotient digit times n_0 is 0 mod 2^52, and so a carry more unless it was.
            let carry = t[0].add(V::splat(DIGIT_MASK)).sar(52);
            t[1] = t[1].hi(q0, digit(n, 0));
            t[1] = t[1].add(carry.lo(q0, digit(n, 1)));
            let q1 = quotient(t[1], digit(opaque(k0), 0));
            Quotients([q0, q1], t[1].add(V::splat(DIGIT_MASK)).sar(52))
        }
    }

    /// Adds the products with n, and moves the window two digits up.
    #[inline(always)]
    unsafe fn clear<const W: usize>(self, t: &[V; W], n: *const Limb, digits: usize) -> [V; W] {
        let (Quotients(q, carry), mut t) = (self, *t);
        // SAFETY: n has so many digits; the processor has what the vectors need.
        unsafe {
            let m = opaque(n);
            let n1 = digit(m, 1);
            t[2] = t[2].hi(q[0], n1);
            t[2] = t[2].hi(q[1], digit(m, 0));
            t[2] = t[2].add(carry.lo(q[1], n1));
            t[3] = t[3].hi(q[1], n1);
            rows(&mut t, q, n, 2..digits);
            from_fn(|j| if j + 2 < W { t[j + 2] } else { V::zero() })
        }
    }
}

/// Multiplication of numbers of B digits, by `b` or by entries of a table. The loop stays one, as unrolled it
/// leaves sums on the stack.
pub(super) struct MultiplyPairs<'a, const B: usize, const W: usize, const SELECT: bool>(
    pub &'a Call,
);

impl<V: Madd52, const B: usize, const W: usize, const SELECT: bool> Body<V>
    for MultiplyPairs<'_, B, W, SELECT>
{
    #[inline(always)]
    unsafe fn run(self) {
        let Call { r, a, b, n, k0, .. } = *self.0;
        // SAFETY: the shapes of the contract; all is read before r is written.
        unsafe {
            at_line();
            let table = Table::<V>::of(self.0);
            let mut t = [V::zero(); W];
            for i in 0..B / 2 {
                let b = opaque(b);
                let x = [
                    taken::<V, SELECT>(b, 2 * i, &table),
                    taken::<V, SELECT>(b, 2 * i + 1, &table),
                ];
                rows(&mut t, x, a, 0..2);
                let quotients = Quotients::of(&mut t, n, k0);
                rows(&mut t, x, a, 2..B);
                t = quotients.clear(&t, n, B);
            }
            pay::<V, B, W>(&t, r, V::zero());
        }
    }
}

/// Squaring of numbers of B digits: pair by pair the square, and the product with twice what is below.
pub(super) struct SquarePairs<'a, const B: usize, const W: usize>(pub &'a Call);

impl<V: Madd52, const B: usize, const W: usize> Body<V> for SquarePairs<'_, B, W> {
    #[inline(always)]
    unsafe fn run(self) {
        let Call {
            r, a, n, k0, t: d, ..
        } = *self.0;
        // SAFETY: the shapes of the contract; all is read before r is written.
        unsafe {
            at_line();
            let mut t = [V::zero(); W];
            let pairs = B / 2;
            unroll!(V, h < pairs of 10, {
                let i = 2 * h;
                let a = opaque(a);
                let x = [digit(a, i), digit(a, i + 1)];
                rows(&mut t, x, d, 0..i.min(2));
                if i == 0 {
                    square_pair::<V, W>(&mut t, x, V::zero(), d, i);
                }
                let quotients = Quotients::of(&mut t, n, k0);
                rows(&mut t, x, d, 2..i.max(2));
                if i > 0 {
                    square_pair::<V, W>(&mut t, x, digit(a, i - 1), d, i);
                }
                t = quotients.clear(&t, n, B);
            });
            pay::<V, B, W>(&t, r, V::zero());
        }
    }
}

/// The square of the digits i and i + 1, and what twice the digits below has above its own, one or nothing; twice the
/// digits into d, in the 52 bits that products take.
#[inline(always)]
unsafe fn square_pair<V: Madd52, const W: usize>(
    t: &mut [V; W],
    x: [V; 2],
    below: V,
    d: *mut Limb,
    i: usize,
) {
    // SAFETY: d has the digits; the processor has what the vectors need.
    unsafe {
        let carries = [below.sar(51), x[0].sar(51)];
        let twice = [
            x[0].add(x[0]).add(carries[0]),
            x[1].add(x[1]).add(carries[1]),
        ];
        t[i] = t[i].lo(x[0], x[0]);
        t[i] = t[i].lo(x[0], carries[0]);
        t[i + 1] = t[i + 1].hi(x[0], x[0]);
        t[i + 1] = t[i + 1].lo(x[1], twice[0]);
        t[i + 2] = t[i + 2].hi(x[1], twice[0]);
        t[i + 2] = t[i + 2].lo(x[1], x[1]);
        t[i + 2] = t[i + 2].lo(x[1], carries[1]);
        t[i + 3] = t[i + 3].hi(x[1], x[1]);
        set(d, i, twice[0]);
        set(d, i + 1, twice[1]);
    }
}
