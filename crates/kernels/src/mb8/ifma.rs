//! The loops that the `ifma512` and `ifma256` kernels are made of: the same source for eight lanes and for four.
//!
//! Up to 20 digits, a window of sums moves up the columns digit by digit, all of it in registers: a row of products
//! and a quotient digit that makes the lowest sum disappear, then the next.
//!
//! Above, numbers are cut into strips for that, as few as there can be of one length: a row is one of all pairs of
//! strips that meet in a column.
//!
//! Squares above, and halves by Karatsuba's method, are made of blocks instead: a column of them is what is summed at a
//! time, twice as many digits as a block has. It takes the products of all pairs of blocks that meet there, then the
//! quotient digits that make its lower half disappear, or gives its lower half away as digits of the result; its upper
//! half is the next column's lower half.
//!
//! Every word stays below (4n + 2) 2^52 < 2^63: a place gets 2n low and 2n high halves of products, and carries.
//! Carries are signed, for what Karatsuba's method subtracts.
//!
//! The file is long because it is one macro: all of it is compiled for both widths, and inlined into functions that
//! enable what the vectors need.

use super::{DIGIT_MASK, LANES, MAX_DIGITS, blocks};
use crate::{Limb, at_line, radix52::ifma::opaque};
use core::arch::x86_64::*;

/// The rows of a block, one after the other in the code: sums must not be indexed by anything but constants.
macro_rules! rows {
    ($i:ident < $B:ident, $body:expr) => {
        rows!(@ $i $B $body; 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19)
    };
    (@ $i:ident $B:ident $body:expr; $($row:literal)*) => {
        $(if $row < $B { let $i: usize = $row; $body; })*
    };
}

/// Calls `$f::<B, T, ..>`, for all digits of numbers of one window, T = B + 1; for the digits of a strip, likewise; for
/// the digits of a block where there are three and more, T = 2B.
macro_rules! by_size {
    (window $digits:expr, $f:ident $flag:tt $args:tt) => {
        by_size!(@ $digits, $f $flag $args 1 2, 2 3, 3 4, 4 5, 5 6, 6 7, 7 8, 8 9, 9 10, 10 11, 12 13, 14 15, 16 17, 18 19, 20 21)
    };
    (strip $digits:expr, $f:ident $flag:tt $args:tt) => {
        by_size!(@ $digits, $f $flag $args 7 8, 8 9, 9 10, 10 11, 11 12, 12 13, 13 14, 14 15, 15 16, 16 17, 17 18, 18 19, 19 20, 20 21)
    };
    (block $digits:expr, $f:ident $flag:tt $args:tt) => {
        by_size!(@ $digits, $f $flag $args 7 14, 8 16, 9 18, 10 20)
    };
    (@ $digits:expr, $f:ident $flag:tt $args:tt $($B:literal $T:literal),*) => {
        match $digits {
            $($B => by_size!(! $f $B $T $flag $args),)*
            _ => unreachable!("checked in the fence"),
        }
    };
    (! $f:ident $B:literal $T:literal [$($flag:literal)?] ($($arg:expr),*)) => { $f::<$B, $T, $($flag)?>($($arg),*) };
}

/// The loops for one vector width.
///
/// Helpers are always inlined, into functions that enable what the vectors need: one that enabled it itself would be
/// called where it is used more than once, its sums in memory.
macro_rules! lanes {
    (
        $module:ident, $vector:ty, $lanes:literal, $mask:ty, $features:literal,
        lo: $lo:ident, hi: $hi:ident, load: $load:ident, store: $store:ident, splat: $splat:ident, zero: $zero:ident,
        add: $add:ident, sub: $sub:ident, add_lanes: $add_lanes:ident, sub_lanes: $sub_lanes:ident, and: $and:ident, srai: $srai:ident, test: $test:ident, blend: $blend:ident $(,)?
    ) => {
        pub(super) mod $module {
            use super::*;

            /// Digit i of each lane.
            #[inline(always)]
            unsafe fn digit(x: *const Limb, i: usize) -> $vector {
                // SAFETY: the caller's.
                unsafe { $load(x.add(LANES * i).cast()) }
            }

            #[inline(always)]
            unsafe fn set(x: *mut Limb, i: usize, v: $vector) {
                // SAFETY: the caller's.
                unsafe { $store(x.add(LANES * i).cast(), v) }
            }

            /// t += x y_j 2^(52 (i + j)) for a range of digits j.
            #[inline(always)]
            unsafe fn row<const T: usize>(
                t: &mut [$vector; T], i: usize, x: $vector, y: *const Limb, range: core::ops::Range<usize>,
            ) {
                let y = opaque(y);
                for j in range {
                    // SAFETY: y has those digits; the processor has what the vectors need.
                    unsafe {
                        let y = digit(y, j);
                        t[i + j] = $lo(t[i + j], x, y);
                        t[i + j + 1] = $hi(t[i + j + 1], x, y);
                    }
                }
            }

            /// The products of the blocks x_i and y_(c-i) for `range`.
            #[inline(always)]
            unsafe fn products<const B: usize, const T: usize>(
                t: &mut [$vector; T], x: *const Limb, y: *const Limb, c: usize, range: core::ops::Range<usize>,
            ) {
                for i in range {
                    // SAFETY: the blocks of the range are there, as the caller says.
                    unsafe {
                        let (x, y) = (x.add(LANES * B * i), y.add(LANES * B * (c - i)));
                        rows!(i < B, row::<T>(t, i, digit(x, i), y, 0..B));
                    }
                }
            }

            /// The quotient digit that makes t disappear, in the 52 bits that products take.
            #[inline(always)]
            unsafe fn quotient(t: $vector, k0: $vector) -> $vector {
                // SAFETY: the processor has what the vectors need.
                unsafe { $lo($zero(), t, k0) }
            }

            /// t += q n for a block of n and the quotient digit q that clears t_i; the carry out of t_i moves on. q
            /// becomes the quotient digit of t_(i+1), so all other terms of t_(i+1) must be there already.
            ///
            /// t_i plus the low half of q n_0 is 0 mod 2^52, and so a carry more unless t_i was. What comes to t_(i+1) is
            /// made of two sums that do not wait for each other, and goes before the rest: processors take what is
            /// ready in the order in which it is written, and the next row waits for its quotient digit.
            #[inline(always)]
            unsafe fn reduce<const B: usize, const T: usize>(
                t: &mut [$vector; T], i: usize, q: &mut $vector, n: *const Limb, k0: $vector,
            ) {
                // SAFETY: n has B digits; the processor has what the vectors need.
                unsafe {
                    let (n, x) = (opaque(n), *q);
                    let mut carry = $srai::<52>($add(t[i], $splat(DIGIT_MASK as i64)));
                    t[i + 1] = $hi(t[i + 1], x, digit(n, 0));
                    if B > 1 {
                        carry = $lo(carry, x, digit(n, 1));
                    }
                    t[i + 1] = $add(t[i + 1], carry);
                    *q = quotient(t[i + 1], k0);
                    if B > 1 {
                        t[i + 2] = $hi(t[i + 2], x, digit(n, 1));
                    }
                    row::<T>(t, i, x, n, 2..B);
                }
            }

            /// A sum as digit i of the result: `owed` is what the digits before have above theirs.
            #[inline(always)]
            unsafe fn pay_digit(t: $vector, r: *mut Limb, i: usize, owed: $vector) -> $vector {
                // SAFETY: r has the digit; the processor has what the vectors need.
                unsafe {
                    let sum = $add(t, owed);
                    set(r, i, $and(sum, $splat(DIGIT_MASK as i64)));
                    $srai::<52>(sum)
                }
            }

            /// The lowest B sums as digits of the result.
            #[inline(always)]
            unsafe fn pay<const B: usize, const T: usize>(t: &[$vector; T], r: *mut Limb, mut owed: $vector) -> $vector {
                for i in 0..B {
                    // SAFETY: r has B digits; the processor has what the vectors need.
                    owed = unsafe { pay_digit(t[i], r, i, owed) };
                }
                owed
            }

            /// The bits of indices, a mask of lanes each.
            #[inline(always)]
            unsafe fn bits(index: *const Limb) -> [$mask; 5] {
                // SAFETY: an octet; the processor has what the vectors need.
                unsafe {
                    let index = digit(index, 0);
                    [
                        $test(index, $splat(1)),
                        $test(index, $splat(2)),
                        $test(index, $splat(4)),
                        $test(index, $splat(8)),
                        $test(index, $splat(16)),
                    ]
                }
            }

            /// Per lane, selects one of the eight entries at `table` by the low three bits of that lane's index. Reads
            /// all eight (constant time).
            #[inline(always)]
            unsafe fn pick8(table: *const Limb, bits: &[$mask; 5]) -> $vector {
                // SAFETY: eight entries; the processor has what the vectors need.
                unsafe {
                    let (x0, x1) = (digit(table, 0), digit(table, 2));
                    let (x2, x3) = (digit(table, 4), digit(table, 6));
                    let (x0, x1) = ($blend(bits[0], x0, digit(table, 1)), $blend(bits[0], x1, digit(table, 3)));
                    let (x2, x3) = ($blend(bits[0], x2, digit(table, 5)), $blend(bits[0], x3, digit(table, 7)));
                    $blend(bits[2], $blend(bits[1], x0, x1), $blend(bits[1], x2, x3))
                }
            }

            /// Per lane, selects one of the M entries at `table`, 16 or 32, by the low four or five bits of that lane's
            /// index. Reads all of them (constant time).
            #[inline(always)]
            unsafe fn pick<const M: usize>(table: *const Limb, bits: &[$mask; 5]) -> $vector {
                // SAFETY: M entries; the processor has what the vectors need.
                unsafe {
                    let mut x = $blend(bits[3], pick8(table, bits), pick8(table.add(8 * LANES), bits));
                    if M > 16 {
                        let y = pick8(table.add(16 * LANES), bits);
                        let y = $blend(bits[3], y, pick8(table.add(24 * LANES), bits));
                        x = $blend(bits[4], x, y);
                    }
                    x
                }
            }

            /// Digit i of b. If M > 0, b is a table entry: selects the digit, stores it to b and returns it.
            #[inline(always)]
            unsafe fn factor<const M: usize>(b: *mut Limb, i: usize, table: *const Limb, bits: &[$mask; 5]) -> $vector {
                // SAFETY: b has digit i, and the table M entries for it; the processor has what the vectors need.
                unsafe {
                    if M == 0 {
                        return digit(b, i);
                    }
                    let x = pick::<M>(table.add(LANES * M * i), bits);
                    set(b, i, x);
                    x
                }
            }

            /// The quotient digits that make the lower half of column c disappear: t += q_c n_0.
            #[inline(always)]
            unsafe fn reduce_block<const B: usize, const T: usize>(
                t: &mut [$vector; T], q: *mut Limb, n: *const Limb, k0: $vector,
            ) {
                // SAFETY: B digits each; the processor has what the vectors need.
                unsafe {
                    let mut next = quotient(t[0], k0);
                    rows!(i < B, {
                        set(q, i, next);
                        reduce::<B, T>(t, i, &mut next, n, k0);
                    });
                }
            }

            /// The upper half in the place of the lower.
            #[inline(always)]
            unsafe fn next_column<const B: usize, const T: usize>(t: &[$vector; T]) -> [$vector; T] {
                // SAFETY: the processor has what the vectors need.
                let mut next = unsafe { [$zero(); T] };
                next[..B].copy_from_slice(&t[B..]);
                next
            }

            /// The window one digit up.
            #[inline(always)]
            unsafe fn next_digit<const W: usize>(t: &[$vector; W]) -> [$vector; W] {
                // SAFETY: the processor has what the vectors need.
                let zero = unsafe { $zero() };
                core::array::from_fn(|j| if j + 1 < W { t[j + 1] } else { zero })
            }

            /// t_0 += x y_0, the low half: what a quotient digit needs of the first row. That digit.
            #[inline(always)]
            unsafe fn begin_row<const W: usize>(t: &mut [$vector; W], x: $vector, y: *const Limb, k0: $vector) -> $vector {
                // SAFETY: y has a digit; the processor has what the vectors need.
                unsafe {
                    t[0] = $lo(t[0], x, digit(y, 0));
                    quotient(t[0], k0)
                }
            }

            /// The rest of the row.
            #[inline(always)]
            unsafe fn end_row<const W: usize>(t: &mut [$vector; W], x: $vector, y: *const Limb, len: usize) {
                // SAFETY: y has so many digits; the processor has what the vectors need.
                unsafe {
                    let y = opaque(y);
                    t[1] = $hi(t[1], x, digit(y, 0));
                    row::<W>(t, 0, x, y, 1..len);
                }
            }

            /// Multiplication of numbers of one window, by `b` or by entries of a table.
            ///
            /// # Safety
            /// The contract of `mb8_amm` or, if `M`, of `mb8_amm_select`, for as many lanes as a vector has; B digits,
            /// W = B + 1; the processor has what the vectors need.
            #[target_feature(enable = $features)]
            unsafe fn multiply_window<const B: usize, const W: usize, const M: usize>(
                r: *mut Limb, a: *const Limb, b: *const Limb, n: *const Limb, k0: *const Limb, table: *const Limb,
                index: *const Limb,
            ) {
                // SAFETY: the shapes of the contract; all is read before r is written.
                unsafe {
                    at_line();
                    let mut t = [$zero(); W];
                    let (k0, bits) = (digit(k0, 0), bits(index));
                    let b = |i: usize| if M == 0 { digit(b, i) } else { pick::<M>(table.add(LANES * M * i), &bits) };
                    let mut x = b(0);
                    let mut q = begin_row::<W>(&mut t, x, a, k0);
                    for i in 1..B {
                        end_row::<W>(&mut t, x, a, B);
                        x = b(i);
                        t[1] = $lo(t[1], x, digit(a, 0));
                        reduce::<B, W>(&mut t, 0, &mut q, n, k0);
                        t = next_digit(&t);
                    }
                    end_row::<W>(&mut t, x, a, B);
                    reduce::<B, W>(&mut t, 0, &mut q, n, k0);
                    pay::<B, W>(&next_digit(&t), r, $zero());
                }
            }

            /// Squaring of numbers of one window: digit by digit the square, and the product with twice what is below.
            ///
            /// So the first rows need the lowest digits only, which an operation before has long paid when it pays the
            /// highest: the one begins while the other ends.
            ///
            /// # Safety
            /// The contract of `mb8_ams` for as many lanes as a vector has; B digits, W = B + 1; the processor has what
            /// the vectors need.
            #[target_feature(enable = $features)]
            unsafe fn square_window<const B: usize, const W: usize>(
                r: *mut Limb, a: *const Limb, n: *const Limb, k0: *const Limb, d: *mut Limb,
            ) {
                // SAFETY: the shapes of the contract; all is read before r is written.
                unsafe {
                    at_line();
                    let mut t = [$zero(); W];
                    let k0 = digit(k0, 0);
                    let mut x = digit(a, 0);
                    let mut q = begin_row::<W>(&mut t, x, a, k0);
                    rows!(i < B, {
                        let mut twice = $add(x, x);
                        if i > 0 {
                            end_row::<W>(&mut t, x, d, i);
                            t[i] = $lo(t[i], x, x);
                            // What twice the digits below have above theirs: one or nothing.
                            let below = digit(a, i - 1);
                            t[i] = $add_lanes(t[i], $test(below, $splat(1 << 51)), t[i], x);
                            twice = $add(twice, $srai::<51>(below));
                        }
                        t[i + 1] = $hi(t[i + 1], x, x);
                        // In the 52 bits that products take.
                        set(d, i, twice);
                        if i + 1 < B {
                            x = digit(a, i + 1);
                            t[1] = $lo(t[1], x, digit(d, 0));
                        }
                        reduce::<B, W>(&mut t, 0, &mut q, n, k0);
                        t = next_digit(&t);
                    });
                    pay::<B, W>(&t, r, $zero());
                }
            }

            /// Row i of the products of the strips x_j and y_(c-j) for `range`.
            #[inline(always)]
            unsafe fn rows_of_strips<const B: usize, const W: usize>(
                t: &mut [$vector; W], i: usize, x: *const Limb, y: *const Limb, c: usize, range: core::ops::Range<usize>,
            ) {
                for j in range {
                    // SAFETY: the strips of the range are there, as the caller says.
                    unsafe { row::<W>(t, 0, digit(x, B * j + i), y.add(LANES * B * (c - j)), 0..B) };
                }
            }

            /// Multiplication by `b`, or by entries of a table that become b digit by digit.
            ///
            /// A row is of all pairs of strips that meet in a column, so that there is much to do for each digit of a table
            /// that the first cache cannot hold, and while a quotient digit is found.
            ///
            /// # Safety
            /// The contract of `mb8_amm` or, if `M`, of `mb8_amm_select` with b apart from all else, for as many lanes as a
            /// vector has; B digits a strip, W = B + 1; the processor has what the vectors need.
            #[target_feature(enable = $features)]
            #[allow(clippy::too_many_arguments)]
            unsafe fn multiply<const B: usize, const W: usize, const M: usize>(
                r: *mut Limb, a: *const Limb, b: *mut Limb, n: *const Limb, k0: *const Limb, q: *mut Limb, strips: usize,
                table: *const Limb, index: *const Limb,
            ) {
                // SAFETY: the shapes of the contract. Where a digit of r is written, its strips of a and b are done with.
                unsafe {
                    at_line();
                    let mut t = [$zero(); W];
                    let (k0, bits) = (digit(k0, 0), bits(index));
                    for c in 0..strips {
                        for i in 0..B {
                            let x = factor::<M>(b, B * c + i, table, &bits);
                            rows_of_strips::<B, W>(&mut t, i, b, a, c, 0..c);
                            rows_of_strips::<B, W>(&mut t, i, q, n, c, 0..c);
                            row::<W>(&mut t, 0, x, a, 0..B);
                            let mut next = quotient(t[0], k0);
                            set(q, B * c + i, next);
                            reduce::<B, W>(&mut t, 0, &mut next, n, k0);
                            t = next_digit(&t);
                        }
                    }
                    let mut owed = $zero();
                    for c in strips..2 * strips - 1 {
                        for i in 0..B {
                            rows_of_strips::<B, W>(&mut t, i, b, a, c, c + 1 - strips..strips);
                            rows_of_strips::<B, W>(&mut t, i, q, n, c, c + 1 - strips..strips);
                            owed = pay_digit(t[0], r, B * (c - strips) + i, owed);
                            t = next_digit(&t);
                        }
                    }
                    pay::<B, W>(&t, r.add(LANES * B * (strips - 1)), owed);
                }
            }

            /// Column c of the square of x, what came from the column before among it: products of different digits once
            /// and doubled.
            #[inline(always)]
            unsafe fn square_column<const B: usize, const T: usize>(
                x: *const Limb, c: usize, blocks: usize, above: &[$vector; B],
            ) -> [$vector; T] {
                // SAFETY: B digits a block; the processor has what the vectors need.
                unsafe {
                    let mut t = [$zero(); T];
                    products::<B, T>(&mut t, x, x, c, (c + 1).saturating_sub(blocks)..c.div_ceil(2));
                    let middle = x.add(LANES * B * (c / 2));
                    if c % 2 == 0 {
                        rows!(i < B, row::<T>(&mut t, i, digit(middle, i), middle, i + 1..B));
                    }
                    for (i, t) in t.iter_mut().enumerate() {
                        *t = $add(*t, *t);
                        if i < B {
                            *t = $add(*t, above[i]);
                        }
                    }
                    if c % 2 == 0 {
                        for i in 0..B {
                            let x = digit(middle, i);
                            t[2 * i] = $lo(t[2 * i], x, x);
                            t[2 * i + 1] = $hi(t[2 * i + 1], x, x);
                        }
                    }
                    t
                }
            }

            /// Squaring.
            ///
            /// # Safety
            /// The contract of `mb8_ams` for as many lanes as a vector has; B digits a block; the processor has what
            /// the vectors need.
            #[target_feature(enable = $features)]
            unsafe fn square<const B: usize, const T: usize>(
                r: *mut Limb, a: *const Limb, n: *const Limb, k0: *const Limb, q: *mut Limb, blocks: usize,
            ) {
                let at = LANES * B;
                // SAFETY: the shapes of the contract. Where a block of r is written, that of a is done with.
                unsafe {
                    at_line();
                    let mut above = [$zero(); B];
                    let mut owed = $zero();
                    for c in 0..2 * blocks {
                        let mut t = square_column::<B, T>(a, c, blocks, &above);
                        products::<B, T>(&mut t, q, n, c, (c + 1).saturating_sub(blocks)..c.min(blocks));
                        if c < blocks {
                            reduce_block::<B, T>(&mut t, q.add(at * c), n, digit(k0, 0));
                        } else {
                            owed = pay::<B, T>(&t, r.add(at * (c - blocks)), owed);
                        }
                        above = core::array::from_fn(|i| t[i + B]);
                    }
                }
            }

            /// x - y as h digits modulo 2^(52h), and the lanes in which it is negative.
            #[inline(always)]
            unsafe fn difference(d: *mut Limb, x: *const Limb, y: *const Limb, h: usize) -> $mask {
                // SAFETY: h digits each; the processor has what the vectors need.
                unsafe {
                    let mut owed = $zero();
                    for i in 0..h {
                        let sum = $add($sub(digit(x, i), digit(y, i)), owed);
                        owed = $srai::<52>(sum);
                        set(d, i, $and(sum, $splat(DIGIT_MASK as i64)));
                    }
                    $test(owed, owed)
                }
            }

            /// The sums p of products of the digits of a and b, carries owed at every place; b as for `multiply`.
            #[inline(always)]
            unsafe fn product<const B: usize, const T: usize, const M: usize>(
                p: *mut Limb, a: *const Limb, b: *mut Limb, blocks: usize, table: *const Limb, bits: &[$mask; 5],
            ) {
                // SAFETY: p has twice as many blocks of B digits; the processor has what the vectors need.
                unsafe {
                    let mut t = [$zero(); T];
                    for c in 0..2 * blocks {
                        products::<B, T>(&mut t, b, a, c, (c + 1).saturating_sub(blocks)..c.min(blocks));
                        if c < blocks {
                            rows!(i < B, row::<T>(&mut t, i, factor::<M>(b, B * c + i, table, bits), a, 0..B));
                        }
                        for i in 0..B {
                            set(p, B * c + i, t[i]);
                        }
                        t = next_column::<B, T>(&t);
                    }
                }
            }

            /// The sums p of products of the digits of x with each other (its square), carries owed at every place.
            #[inline(always)]
            unsafe fn square_product<const B: usize, const T: usize>(p: *mut Limb, x: *const Limb, blocks: usize) {
                // SAFETY: p has twice as many blocks of B digits; the processor has what the vectors need.
                unsafe {
                    let mut above = [$zero(); B];
                    for c in 0..2 * blocks {
                        let t = square_column::<B, T>(x, c, blocks, &above);
                        for i in 0..B {
                            set(p, B * c + i, t[i]);
                        }
                        above = core::array::from_fn(|i| t[i + B]);
                    }
                }
            }

            /// The Montgomery reduction of such sums.
            #[inline(always)]
            unsafe fn reduction<const B: usize, const T: usize>(
                r: *mut Limb, p: *const Limb, n: *const Limb, k0: *const Limb, q: *mut Limb, blocks: usize,
            ) {
                // SAFETY: B digits a block; the processor has what the vectors need.
                unsafe {
                    let mut t = [$zero(); T];
                    let mut owed = $zero();
                    for c in 0..2 * blocks {
                        for i in 0..B {
                            t[i] = $add(t[i], digit(p, B * c + i));
                        }
                        products::<B, T>(&mut t, q, n, c, (c + 1).saturating_sub(blocks)..c.min(blocks));
                        if c < blocks {
                            reduce_block::<B, T>(&mut t, q.add(LANES * B * c), n, digit(k0, 0));
                        } else {
                            owed = pay::<B, T>(&t, r.add(LANES * B * (c - blocks)), owed);
                        }
                        t = next_column::<B, T>(&t);
                    }
                }
            }

            /// Multiplication by Karatsuba's method: a_0 b_1 + a_1 b_0 = a_0 b_0 + a_1 b_1 + (a_0 - a_1) (b_1 - b_0). Sums may
            /// be negative on the way.
            ///
            /// # Safety
            /// As for `multiply`; an even number of blocks; q has room for four times as many digits.
            #[target_feature(enable = $features)]
            #[allow(clippy::too_many_arguments)]
            unsafe fn multiply_halves<const B: usize, const T: usize, const M: usize>(
                r: *mut Limb, a: *const Limb, b: *mut Limb, n: *const Limb, k0: *const Limb, q: *mut Limb, blocks: usize,
                table: *const Limb, index: *const Limb,
            ) {
                let (half, h) = (blocks / 2, B * blocks / 2);
                // SAFETY: the shapes of the contract; all is read before r is written.
                unsafe {
                    let bits = bits(index);
                    let room = |i: usize| q.add(LANES * h * i);
                    // Where m is, q comes after it: so that all stays in the first cache, beside a table.
                    let (p, m, d, e) = (room(2), room(0), room(6), room(7));
                    let (a_1, b_1) = (a.add(LANES * h), b.add(LANES * h));
                    product::<B, T, M>(p, a, b, half, table, &bits);
                    product::<B, T, M>(p.add(LANES * 2 * h), a_1, b_1, half, table.add(LANES * M * h), &bits);
                    let d_negative = difference(d, a, a_1, h);
                    let e_negative = difference(e, b_1, b, h);
                    product::<B, T, 0>(m, d, e, half, e, &bits);
                    for i in 0..h {
                        let middle = $add(digit(p, h + i), digit(p, 2 * h + i));
                        let low = $add($add(middle, digit(p, i)), digit(m, i));
                        let high = $add($add(middle, digit(p, 3 * h + i)), digit(m, h + i));
                        // A negative difference is its digits less 2^(52h).
                        let high = $sub_lanes(high, d_negative, high, digit(e, i));
                        let high = $sub_lanes(high, e_negative, high, digit(d, i));
                        set(p, h + i, low);
                        set(p, 2 * h + i, high);
                    }
                    let top = digit(p, 3 * h);
                    set(p, 3 * h, $add_lanes(top, d_negative & e_negative, top, $splat(1)));
                    reduction::<B, T>(r, p, n, k0, q, blocks);
                }
            }

            /// Squaring by Karatsuba's method: 2 a_0 a_1 = a_0^2 + a_1^2 - (a_0 - a_1)^2.
            ///
            /// # Safety
            /// As for `square`; an even number of blocks; q has room for four times as many digits.
            #[target_feature(enable = $features)]
            unsafe fn square_halves<const B: usize, const T: usize>(
                r: *mut Limb, a: *const Limb, n: *const Limb, k0: *const Limb, q: *mut Limb, blocks: usize,
            ) {
                let (half, h) = (blocks / 2, B * blocks / 2);
                // SAFETY: the shapes of the contract; all is read before r is written.
                unsafe {
                    let room = |i: usize| q.add(LANES * h * i);
                    // Where m is, q comes after it.
                    let (p, m, d) = (room(2), room(0), room(6));
                    let a_1 = a.add(LANES * h);
                    square_product::<B, T>(p, a, half);
                    square_product::<B, T>(p.add(LANES * 2 * h), a_1, half);
                    let negative = difference(d, a, a_1, h);
                    square_product::<B, T>(m, d, half);
                    for i in 0..h {
                        let middle = $add(digit(p, h + i), digit(p, 2 * h + i));
                        let low = $sub($add(middle, digit(p, i)), digit(m, i));
                        let high = $sub($add(middle, digit(p, 3 * h + i)), digit(m, h + i));
                        // A negative difference is its digits less 2^(52h).
                        let twice = $add(digit(d, i), digit(d, i));
                        set(p, h + i, low);
                        set(p, 2 * h + i, $add_lanes(high, negative, high, twice));
                    }
                    let top = digit(p, 3 * h);
                    set(p, 3 * h, $sub_lanes(top, negative, top, $splat(1)));
                    reduction::<B, T>(r, p, n, k0, q, blocks);
                }
            }

            /// `KARATSUBA`: by halves, where blocks are even in number and few enough for sums to fit.
            ///
            /// # Safety
            /// The contract of `mb8_amm`; the processor has what the vectors need.
            pub(in crate::mb8) unsafe fn amm<const KARATSUBA: bool>(
                r: *mut Limb, a: *const Limb, b: *const Limb, n: *const Limb, k0: *const Limb, t: *mut Limb, digits: usize,
            ) {
                let (block, blocks) = blocks(digits).expect("checked in the fence");
                for l in (0..LANES).step_by($lanes) {
                    // SAFETY: the same contract, for the lanes from l on; b is only read.
                    unsafe {
                        let (r, a, b, n, k0, t) = (r.add(l), a.add(l), b.add(l).cast_mut(), n.add(l), k0.add(l), t.add(l));
                        if digits <= WINDOW {
                            by_size!(window digits, multiply_window[0](r, a, b, n, k0, b, b))
                        } else if KARATSUBA && has_halves(digits, blocks) {
                            by_size!(block block, multiply_halves[0](r, a, b, n, k0, t, blocks, b, b))
                        } else {
                            let (strip, strips) = strips(digits);
                            by_size!(strip strip, multiply[0](r, a, b, n, k0, t, strips, b, b))
                        }
                    }
                }
            }

            /// `KARATSUBA` as for `amm`.
            ///
            /// # Safety
            /// The contract of `mb8_amm_select`; the processor has what the vectors need.
            #[allow(clippy::too_many_arguments)]
            pub(in crate::mb8) unsafe fn amm_select<const KARATSUBA: bool>(
                r: *mut Limb, a: *const Limb, table: *const Limb, index: *const Limb, n: *const Limb, k0: *const Limb,
                t: *mut Limb, digits: usize, m: usize,
            ) {
                let (block, blocks) = blocks(digits).expect("checked in the fence");
                for l in (0..LANES).step_by($lanes) {
                    // SAFETY: the same contract, for the lanes from l on; b is behind the four times n that halves need.
                    unsafe {
                        let (r, a, n, k0, t) = (r.add(l), a.add(l), n.add(l), k0.add(l), t.add(l));
                        let (table, index, b) = (table.add(l), index.add(l), t.add(LANES * 4 * digits));
                        let (strip, strips) = strips(digits);
                        match (KARATSUBA && has_halves(digits, blocks), m) {
                            (_, 16) if digits <= WINDOW => by_size!(window digits, multiply_window[16](r, a, b, n, k0, table, index)),
                            _ if digits <= WINDOW => by_size!(window digits, multiply_window[32](r, a, b, n, k0, table, index)),
                            (false, 16) => by_size!(strip strip, multiply[16](r, a, b, n, k0, t, strips, table, index)),
                            (false, _) => by_size!(strip strip, multiply[32](r, a, b, n, k0, t, strips, table, index)),
                            (true, 16) => by_size!(block block, multiply_halves[16](r, a, b, n, k0, t, blocks, table, index)),
                            (true, _) => by_size!(block block, multiply_halves[32](r, a, b, n, k0, t, blocks, table, index)),
                        }
                    }
                }
            }

            /// `KARATSUBA` as for `amm`.
            ///
            /// # Safety
            /// The contract of `mb8_ams`; the processor has what the vectors need.
            pub(in crate::mb8) unsafe fn ams<const KARATSUBA: bool>(
                r: *mut Limb, a: *const Limb, n: *const Limb, k0: *const Limb, t: *mut Limb, digits: usize,
            ) {
                let (block, blocks) = blocks(digits).expect("checked in the fence");
                for l in (0..LANES).step_by($lanes) {
                    // SAFETY: the same contract, for the lanes from l on.
                    unsafe {
                        let (r, a, n, k0, t) = (r.add(l), a.add(l), n.add(l), k0.add(l), t.add(l));
                        if digits <= WINDOW {
                            by_size!(window digits, square_window[](r, a, n, k0, t))
                        } else if KARATSUBA && has_halves(digits, blocks) {
                            by_size!(block block, square_halves[](r, a, n, k0, t, blocks))
                        } else {
                            by_size!(block block, square[](r, a, n, k0, t, blocks))
                        }
                    }
                }
            }
        }
    };
}

/// The most digits of numbers whose sums fit the registers.
const WINDOW: usize = 20;

/// The digits of a strip, and how many strips cover `digits` digits: as few as there can be of one length.
fn strips(digits: usize) -> (usize, usize) {
    /// The answers in a table, because a division takes as long as a row of products.
    static STRIPS: [(u8, u8); MAX_DIGITS + 1] = {
        let mut table = [(0, 0); MAX_DIGITS + 1];
        let mut digits = 1;
        while digits <= MAX_DIGITS {
            let mut strips = digits.div_ceil(WINDOW);
            while !digits.is_multiple_of(strips) {
                strips += 1;
            }
            table[digits] = ((digits / strips) as u8, strips as u8);
            digits += 1;
        }
        table
    };
    let (strip, strips) = STRIPS[digits];
    (strip.into(), strips.into())
}

/// Whether Karatsuba's method takes numbers of `digits` digits: in halves of whole blocks, and with sums of at most
/// 8h + 4h products of digits below 2^63 in size, h half of the digits.
fn has_halves(digits: usize, blocks: usize) -> bool {
    blocks.is_multiple_of(2) && digits <= 320
}

lanes! {
    zmm, __m512i, 8, __mmask8, "avx512f,avx512vl,avx512ifma,bmi2",
    lo: _mm512_madd52lo_epu64, hi: _mm512_madd52hi_epu64, load: _mm512_loadu_epi64, store: _mm512_storeu_epi64,
    splat: _mm512_set1_epi64, zero: _mm512_setzero_si512, add: _mm512_add_epi64, sub: _mm512_sub_epi64,
    add_lanes: _mm512_mask_add_epi64, sub_lanes: _mm512_mask_sub_epi64, and: _mm512_and_si512,
    srai: _mm512_srai_epi64, test: _mm512_test_epi64_mask, blend: _mm512_mask_blend_epi64,
}

lanes! {
    ymm, __m256i, 4, __mmask8, "avx512f,avx512vl,avx512ifma,bmi2",
    lo: _mm256_madd52lo_epu64, hi: _mm256_madd52hi_epu64, load: _mm256_loadu_epi64, store: _mm256_storeu_epi64,
    splat: _mm256_set1_epi64x, zero: _mm256_setzero_si256, add: _mm256_add_epi64, sub: _mm256_sub_epi64,
    add_lanes: _mm256_mask_add_epi64, sub_lanes: _mm256_mask_sub_epi64, and: _mm256_and_si256,
    srai: _mm256_srai_epi64, test: _mm256_test_epi64_mask, blend: _mm256_mask_blend_epi64,
}
