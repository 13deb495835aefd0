//! What rows and columns are made of: digits, rows of products, quotient digits, carries, and selections from a table.

use super::{
    super::{DIGIT_MASK, LANES},
    Call,
};
use crate::{
    Limb,
    simd::{Madd52, opaque, rolled, unroll},
};
use core::ops::Range;

/// Digit i of each lane.
#[inline(always)]
pub(super) unsafe fn digit<V: Madd52>(x: *const Limb, i: usize) -> V {
    // SAFETY: the caller's.
    unsafe { V::load(x.add(LANES * i)) }
}

#[inline(always)]
pub(super) unsafe fn set<V: Madd52>(x: *mut Limb, i: usize, v: V) {
    // SAFETY: the caller's.
    unsafe { v.store(x.add(LANES * i)) }
}

/// t += x y_j 2^(52 (i + j)) for a range of digits j.
#[inline(always)]
pub(super) unsafe fn row<V: Madd52, const T: usize>(
    t: &mut [V; T],
    i: usize,
    x: V,
    y: *const Limb,
    range: Range<usize>,
) {
    let y = opaque(y);
    for j in range.start..rolled::<V>(range.end) {
        // SAFETY: y has those digits; the processor has what the vectors need.
        unsafe {
            let y = digit(y, j);
            t[i + j] = t[i + j].lo(x, y);
            t[i + j + 1] = t[i + j + 1].hi(x, y);
        }
    }
}

/// The products of the blocks x_i and y_(c-i) for `range`.
#[inline(always)]
pub(super) unsafe fn products<V: Madd52, const B: usize, const T: usize>(
    t: &mut [V; T],
    x: *const Limb,
    y: *const Limb,
    c: usize,
    range: Range<usize>,
) {
    for i in range {
        // SAFETY: the blocks of the range are there, as the caller says.
        unsafe {
            let (x, y) = (x.add(LANES * B * i), y.add(LANES * B * (c - i)));
            unroll!(V, i < B of 20, row::<V, T>(t, i, digit(x, i), y, 0..B));
        }
    }
}

/// The quotient digit that makes t disappear, in the 52 bits that products take.
#[inline(always)]
pub(super) unsafe fn quotient<V: Madd52>(t: V, k0: V) -> V {
    // SAFETY: the processor has what the vectors need.
    unsafe { V::zero().lo(t, k0) }
}

/// t += q n for a block of n and the quotient digit q that clears t_i; the carry out of t_i moves on. q
/// becomes the quotient digit of t_(i+1), so all other terms of t_(i+1) must be there already.
///
/// t_i plus the low half of q n_0 is 0 mod 2^52, and so a carry more unless t_i was. What comes to t_(i+1) is
/// made of two sums that do not wait for each other, and goes before the rest: processors take what is
/// ready in the order in which it is written, and the next row waits for its quotient digit.
#[inline(always)]
pub(super) unsafe fn reduce<V: Madd52, const B: usize, const T: usize>(
    t: &mut [V; T],
    i: usize,
    q: &mut V,
    n: *const Limb,
    k0: V,
) {
    // SAFETY: n has B digits; the processor has what the vectors need.
    unsafe {
        let (n, x) = (opaque(n), *q);
        let mut carry = t[i].add(V::splat(DIGIT_MASK)).sar(52);
        t[i + 1] = t[i + 1].hi(x, digit(n, 0));
        if B > 1 {
            carry = carry.lo(x, digit(n, 1));
        }
        t[i + 1] = t[i + 1].add(carry);
        *q = quotient(t[i + 1], k0);
        if B > 1 {
            t[i + 2] = t[i + 2].hi(x, digit(n, 1));
        }
        row::<V, T>(t, i, x, n, 2..B);
    }
}

/// A sum as digit i of the result: `owed` is what the digits before have above theirs.
#[inline(always)]
pub(super) unsafe fn pay_digit<V: Madd52>(t: V, r: *mut Limb, i: usize, owed: V) -> V {
    // SAFETY: r has the digit; the processor has what the vectors need.
    unsafe {
        let sum = t.add(owed);
        set(r, i, sum.and(V::splat(DIGIT_MASK)));
        sum.sar(52)
    }
}

/// The lowest B sums as digits of the result.
#[inline(always)]
pub(super) unsafe fn pay<V: Madd52, const B: usize, const T: usize>(
    t: &[V; T],
    r: *mut Limb,
    mut owed: V,
) -> V {
    for i in 0..B {
        // SAFETY: r has B digits; the processor has what the vectors need.
        owed = unsafe { pay_digit(t[i], r, i, owed) };
    }
    owed
}

/// A table, and the entry of it that each lane takes.
#[derive(Clone, Copy)]
pub(super) struct Table<V: Madd52> {
    at: *const Limb,
    /// 16 or 32. No constant: to ask for each digit takes no time beside the digit's row, and halves the code.
    entries: usize,
    /// The bits of the indices, a mask of lanes each.
    bits: [V::Mask; 5],
}

impl<V: Madd52> Table<V> {
    /// The table of a call.
    #[inline(always)]
    pub(super) unsafe fn of(call: &Call) -> Self {
        // SAFETY: the index is an octet; the processor has what the vectors need.
        unsafe {
            let index = digit::<V>(call.index, 0);
            Table {
                at: call.table,
                entries: call.entries,
                bits: [
                    index.test(V::splat(1)),
                    index.test(V::splat(2)),
                    index.test(V::splat(4)),
                    index.test(V::splat(8)),
                    index.test(V::splat(16)),
                ],
            }
        }
    }

    /// The table of the digits from i on.
    #[inline(always)]
    pub(super) unsafe fn from(mut self, i: usize) -> Self {
        // SAFETY: the table has those digits.
        self.at = unsafe { self.at.add(LANES * self.entries * i) };
        self
    }

    /// Digit i of the entry that each lane's index selects. Reads those of all entries (constant time).
    #[inline(always)]
    unsafe fn digit(&self, i: usize) -> V {
        // SAFETY: so many entries; the processor has what the vectors need.
        unsafe {
            let bits = &self.bits;
            let at = self.at.add(LANES * self.entries * i);
            let mut x = V::select(bits[3], pick8(at.add(8 * LANES), bits), pick8(at, bits));
            if self.entries > 16 {
                let y = pick8(at.add(16 * LANES), bits);
                let y = V::select(bits[3], pick8(at.add(24 * LANES), bits), y);
                x = V::select(bits[4], y, x);
            }
            x
        }
    }
}

/// Per lane, selects one of the eight entries at `table` by the low three bits of that lane's index. Reads
/// all eight (constant time).
#[inline(always)]
pub(super) unsafe fn pick8<V: Madd52>(table: *const Limb, bits: &[V::Mask; 5]) -> V {
    // SAFETY: eight entries; the processor has what the vectors need.
    unsafe {
        let (x0, x1) = (digit(table, 0), digit(table, 2));
        let (x2, x3) = (digit(table, 4), digit(table, 6));
        let (x0, x1) = (
            V::select(bits[0], digit(table, 1), x0),
            V::select(bits[0], digit(table, 3), x1),
        );
        let (x2, x3) = (
            V::select(bits[0], digit(table, 5), x2),
            V::select(bits[0], digit(table, 7), x3),
        );
        V::select(
            bits[2],
            V::select(bits[1], x3, x2),
            V::select(bits[1], x1, x0),
        )
    }
}

/// Digit i of b or, if `SELECT`, of the entry of the table that each lane's index selects.
#[inline(always)]
pub(super) unsafe fn taken<V: Madd52, const SELECT: bool>(
    b: *const Limb,
    i: usize,
    table: &Table<V>,
) -> V {
    // SAFETY: b has digit i, or the table; the processor has what the vectors need.
    unsafe {
        match SELECT {
            true => table.digit(i),
            false => digit(b, i),
        }
    }
}

/// Digit i of b. If `SELECT`, b is a table entry: selects the digit, stores it to b and returns it.
#[inline(always)]
pub(super) unsafe fn factor<V: Madd52, const SELECT: bool>(
    b: *mut Limb,
    i: usize,
    table: &Table<V>,
) -> V {
    // SAFETY: b has digit i, and the table; the processor has what the vectors need.
    unsafe {
        let x = taken::<V, SELECT>(b, i, table);
        if SELECT {
            set(b, i, x);
        }
        x
    }
}

/// The quotient digits that make the lower half of column c disappear: t += q_c n_0.
#[inline(always)]
pub(super) unsafe fn reduce_block<V: Madd52, const B: usize, const T: usize>(
    t: &mut [V; T],
    q: *mut Limb,
    n: *const Limb,
    k0: V,
) {
    // SAFETY: B digits each; the processor has what the vectors need.
    unsafe {
        let mut next = quotient(t[0], k0);
        unroll!(V, i < B of 20, {
            set(q, i, next);
            reduce::<V, B, T>(t, i, &mut next, n, k0);
        });
    }
}

/// The upper half in the place of the lower.
#[inline(always)]
pub(super) unsafe fn next_column<V: Madd52, const B: usize, const T: usize>(t: &[V; T]) -> [V; T] {
    // SAFETY: the processor has what the vectors need.
    let mut next = unsafe { [V::zero(); T] };
    next[..B].copy_from_slice(&t[B..]);
    next
}

/// The window one digit up.
#[inline(always)]
pub(super) unsafe fn next_digit<V: Madd52, const W: usize>(t: &[V; W]) -> [V; W] {
    // SAFETY: the processor has what the vectors need.
    let zero = unsafe { V::zero() };
    core::array::from_fn(|j| if j + 1 < W { t[j + 1] } else { zero })
}

/// t_0 += x y_0, the low half: what a quotient digit needs of the first row. That digit.
#[inline(always)]
pub(super) unsafe fn begin_row<V: Madd52, const W: usize>(
    t: &mut [V; W],
    x: V,
    y: *const Limb,
    k0: V,
) -> V {
    // SAFETY: y has a digit; the processor has what the vectors need.
    unsafe {
        t[0] = t[0].lo(x, digit(y, 0));
        quotient(t[0], k0)
    }
}

/// The rest of the row.
#[inline(always)]
pub(super) unsafe fn end_row<V: Madd52, const W: usize>(
    t: &mut [V; W],
    x: V,
    y: *const Limb,
    len: usize,
) {
    // SAFETY: y has so many digits; the processor has what the vectors need.
    unsafe {
        let y = opaque(y);
        t[1] = t[1].hi(x, digit(y, 0));
        row::<V, W>(t, 0, x, y, 1..len);
    }
}
