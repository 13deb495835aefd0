//! Products and squares of few words, by the methods that compete, and how they are folded: plain Rust, for words of
//! any width. What is returned has 2N words that count; the rest is zero.

use super::Word;

/// The most words of a residue.
const MOST: usize = 4;
/// A product.
type Wide<W> = [W; 2 * MOST];

/// Operand scanning: all of a by one word of b after the other (HAC 14.12).
#[inline(always)]
pub(super) fn schoolbook<W: Word, const N: usize>(a: &[W; N], b: &[W; N]) -> Wide<W> {
    const { assert!(N <= MOST) };
    let mut t = [W::ZERO; 2 * MOST];
    for i in 0..N {
        let mut carry = W::ZERO;
        for j in 0..N {
            (t[i + j], carry) = W::mac(a[j], b[i], t[i + j], carry);
        }
        t[i + N] = carry;
    }
    t
}

/// Product scanning: column by column, with a sum of three words.
#[inline(always)]
pub(super) fn product_scanning<W: Word, const N: usize>(a: &[W; N], b: &[W; N]) -> Wide<W> {
    let mut t = [W::ZERO; 2 * MOST];
    let mut sum = [W::ZERO; 3];
    for k in 0..2 * N - 1 {
        for i in (k + 1).saturating_sub(N)..=k.min(N - 1) {
            let (low, high) = W::mac(a[i], b[k - i], sum[0], W::ZERO);
            sum[0] = low;
            let carry;
            (sum[1], carry) = W::adc(sum[1], high, false);
            (sum[2], _) = W::adc(sum[2], W::ZERO, carry);
        }
        t[k] = sum[0];
        sum = [sum[1], sum[2], W::ZERO];
    }
    t[2 * N - 1] = sum[0];
    t
}

/// Which products of halves are taken first.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Order {
    /// The products that do not overlap, low by low and high by high, then the two between.
    OuterFirst,
    /// From the low end of the result to the high.
    Ascending,
}

/// One level of halves by the schoolbook method, which for four words is repeated for the halves: the recursive
/// schoolbook method of Şanal's library.
#[inline(always)]
pub(super) fn recursive<W: Word, const N: usize>(a: &[W; N], b: &[W; N], order: Order) -> Wide<W> {
    let outer = [
        half_product(a, b, (0, 0), order),
        half_product(a, b, (1, 1), order),
    ];
    let middle = [
        half_product(a, b, (1, 0), order),
        half_product(a, b, (0, 1), order),
    ];
    halves(N / 2, order, outer, middle)
}

/// The product of half i of a and half j of b.
#[inline(always)]
fn half_product<W: Word, const N: usize>(
    a: &[W; N],
    b: &[W; N],
    (i, j): (usize, usize),
    order: Order,
) -> Wide<W> {
    const { assert!(N == 2 || N == 4) };
    match N {
        2 => one(a[i], b[j]),
        _ => {
            let ([a0, a1], [b0, b1]) = ([a[2 * i], a[2 * i + 1]], [b[2 * j], b[2 * j + 1]]);
            halves(
                1,
                order,
                [one(a0, b0), one(a1, b1)],
                [one(a1, b0), one(a0, b1)],
            )
        }
    }
}

/// The product of two words.
#[inline(always)]
fn one<W: Word>(a: W, b: W) -> Wide<W> {
    let mut t = [W::ZERO; 2 * MOST];
    (t[0], t[1]) = W::mac(a, b, W::ZERO, W::ZERO);
    t
}

/// The product whose halves of h words have these products: low by low and high by high, and the two between. No closure
/// makes them: where several kernels share one, it is not inlined, and products pass through memory.
#[inline(always)]
fn halves<W: Word>(
    h: usize,
    order: Order,
    [low, high]: [Wide<W>; 2],
    middle: [Wide<W>; 2],
) -> Wide<W> {
    let mut t = low;
    if order == Order::OuterFirst {
        t[2 * h..4 * h].copy_from_slice(&high[..2 * h]);
    }
    for product in &middle {
        add_at(&mut t, h, product, 2 * h, 4 * h);
    }
    if order == Order::Ascending {
        add_at(&mut t, 2 * h, &high, 2 * h, 4 * h);
    }
    t
}

/// `t += b * 2^(BITS at)` for the lowest `len` words of b, where t has `end`.
#[inline(always)]
fn add_at<W: Word>(t: &mut Wide<W>, at: usize, b: &Wide<W>, len: usize, end: usize) {
    let mut carry = false;
    for k in at..end {
        let addend = if k - at < len { b[k - at] } else { W::ZERO };
        (t[k], carry) = W::adc(t[k], addend, carry);
    }
}

/// `t -= b * 2^(BITS at)`, likewise.
#[inline(always)]
fn sub_at<W: Word>(t: &mut Wide<W>, at: usize, b: &Wide<W>, len: usize, end: usize) {
    let mut borrow = false;
    for k in at..end {
        let subtrahend = if k - at < len { b[k - at] } else { W::ZERO };
        (t[k], borrow) = W::sbb(t[k], subtrahend, borrow);
    }
}

/// One level of Karatsuba's method (Karatsuba, Ofman 1962): what the halves' sums carry is taken as two masks.
#[inline(always)]
pub(super) fn karatsuba<W: Word, const N: usize>(a: &[W; N], b: &[W; N]) -> Wide<W> {
    karatsuba_by(a, b, W::only_if)
}

/// One level of Karatsuba's method, where a word is kept on a carry by this function.
#[inline(always)]
pub(super) fn karatsuba_by<W: Word, const N: usize>(
    a: &[W; N],
    b: &[W; N],
    only_if: impl Fn(W, bool) -> W,
) -> Wide<W> {
    let h = N / 2;
    let order = Order::Ascending;
    let low = half_product(a, b, (0, 0), order);
    let high = half_product(a, b, (1, 1), order);
    let ((sa, ca), (sb, cb)) = (sum_of_halves(a), sum_of_halves(b));
    // (a0 + a1)(b0 + b1) in 2h words and one more.
    let mut middle = half_product(&sa, &sb, (0, 0), order);
    for (other, carry) in [(sb, ca), (sa, cb)] {
        let mut addend = [W::ZERO; 2 * MOST];
        for i in 0..h {
            addend[i] = only_if(other[i], carry);
        }
        add_at(&mut middle, h, &addend, h, 2 * h + 1);
    }
    (middle[2 * h], _) = W::adc(middle[2 * h], W::ZERO, ca & cb);
    sub_at(&mut middle, 0, &low, 2 * h, 2 * h + 1);
    sub_at(&mut middle, 0, &high, 2 * h, 2 * h + 1);
    let mut t = low;
    t[2 * h..4 * h].copy_from_slice(&high[..2 * h]);
    add_at(&mut t, h, &middle, 2 * h + 1, 4 * h);
    t
}

/// The sum of the halves, and what it carries.
#[inline(always)]
fn sum_of_halves<W: Word, const N: usize>(x: &[W; N]) -> ([W; N], bool) {
    let (mut sum, mut carry) = ([W::ZERO; N], false);
    for i in 0..N / 2 {
        (sum[i], carry) = W::adc(x[i], x[N / 2 + i], carry);
    }
    (sum, carry)
}

/// The square: products of different words once, doubled, and then the squares of words (HAC 14.16).
#[inline(always)]
pub(super) fn square<W: Word, const N: usize>(a: &[W; N]) -> Wide<W> {
    const { assert!(N <= MOST) };
    let mut t = [W::ZERO; 2 * MOST];
    for i in 0..N {
        let mut carry = W::ZERO;
        for j in i + 1..N {
            (t[i + j], carry) = W::mac(a[i], a[j], t[i + j], carry);
        }
        t[i + N] = carry;
    }
    let (mut doubled, mut carry) = (false, false);
    for i in 0..N {
        let (low, high) = W::mac(a[i], a[i], W::ZERO, W::ZERO);
        for (k, half) in [(2 * i, low), (2 * i + 1, high)] {
            let twice;
            (twice, doubled) = W::adc(t[k], t[k], doubled);
            (t[k], carry) = W::adc(twice, half, carry);
        }
    }
    t
}

/// t modulo R, folded at R = 2^(BITS N) until nothing is above: what is, goes below times d, as R is d modulo R - d.
#[inline(always)]
pub(super) fn fold<W: Word, const N: usize>(t: &Wide<W>, d: W) -> [W; N] {
    let (mut r, mut carry) = ([W::ZERO; N], W::ZERO);
    for i in 0..N {
        (r[i], carry) = W::mac(t[N + i], d, t[i], carry);
    }
    fold_word(r, carry, d)
}

/// `r + top R` modulo R - d.
#[inline(always)]
pub(super) fn fold_word<W: Word, const N: usize>(mut r: [W; N], top: W, d: W) -> [W; N] {
    let (low, high) = W::mac(top, d, r[0], W::ZERO);
    r[0] = low;
    let mut carry;
    (r[1], carry) = W::adc(r[1], high, false);
    for word in &mut r[2..] {
        (*word, carry) = W::adc(*word, W::ZERO, carry);
    }
    // If that carried, what is left is below top d, at most (2^BITS - 1)^2: one more d stays within two words.
    let last = d.only_if(carry);
    (r[0], carry) = W::adc(r[0], last, false);
    (r[1], _) = W::adc(r[1], W::ZERO, carry);
    r
}
