//! Transforms of length n, a power of two: a polynomial modulo `x^n - 1`, cut into residues modulo ever shorter ones.
//!
//! Block j of a level holds a polynomial modulo `x^(2h) - w^2`, w being entry j of the table. Its halves a and b
//! become `a + w b` and `a - w b`, modulo `x^h - w` and `x^h + w`: blocks 2j and 2j + 1 of the next level. Blocks are
//! cut into four at a time, and on the way back put together likewise, with the inverses of the roots; where the
//! number of levels is odd, one of its own comes first. Before the last two levels every 16 words are transposed, which
//! leaves them in an order of their own; the way back undoes it.
//!
//! Bounds, by p. Forwards: at most 2 after the first levels, and 2.2 after any. With B before, the first products are
//! at most `1/2 + B/8 < 0.78`, sums with them below 2.98, the products of these below 0.88, and `1/2 + 0.78 + 0.88 <
//! 2.2`. Backwards: with at most 1 before, differences are below 2, their products below 0.75, sums below 4; these
//! are reduced, or multiplied, so that they are below 1 again.

use super::{
    LEAST, PRIMES, balanced,
    lanes::{Lanes, load, roots, store},
};
use crate::Limb;

/// Words that stay in the first cache: longer blocks are cut before anything is done to their parts.
const BLOCK: usize = 1 << 12;
/// Vectors that the last levels take at a time: one loop after the other, as the chain of products through both is
/// longer than a processor looks ahead.
const LATE: usize = 1 << 6;

/// Transforms m words and zeros behind them, n together.
///
/// The groups of a vector are parts of one block after the first levels: with eight lanes n is 128 at least.
///
/// # Safety
/// The contract of `ntt_forward`; the processor has what the vectors execute.
#[inline(always)]
pub(super) unsafe fn forward<L: Lanes>(
    x: *mut Limb,
    w: *const Limb,
    n: usize,
    m: usize,
    prime: usize,
) {
    let half = m <= n / 2 && n > LEAST;
    let parts = match n.trailing_zeros() % 2 {
        1 => 2,
        _ if half => 4,
        _ => 1,
    };
    let h = n / parts;
    // SAFETY: the contract; what is read and written are vectors of the n words, and of the table for n.
    unsafe {
        let l = L::new(prime);
        for i in m..if half { n / 2 } else { n } {
            *x.add(i) = 0;
        }
        // The first levels, whose roots are 1 and the fourth root of unity.
        if half {
            let i4 = l.splat(w.add(1));
            for x in (0..h).step_by(L::STEP).map(|i| x.add(i)) {
                let a = l.load(x);
                if parts == 2 {
                    l.store(a, x.add(h));
                    continue;
                }
                let b = l.load(x.add(h));
                let ib = l.mul(b, i4);
                l.store(l.add(a, b), x);
                l.store(l.sub(a, b), x.add(h));
                l.store(l.add(a, ib), x.add(2 * h));
                l.store(l.sub(a, ib), x.add(3 * h));
            }
        } else if parts == 2 {
            for x in (0..h).step_by(L::STEP).map(|i| x.add(i)) {
                let (a, b) = (l.load(x), l.load(x.add(h)));
                l.store(l.add(a, b), x);
                l.store(l.sub(a, b), x.add(h));
            }
        }
        for j in 0..parts {
            cut(l, x.add(j * h), h, j, w);
        }
    }
}

/// Transforms a polynomial of n words modulo `x^n + 1`: block 1 of a level of those modulo `x^n - 1` and `x^n + 1`.
///
/// # Safety
/// The contract of `ntt_negacyclic_forward`; the processor has what the vectors execute.
#[inline(always)]
pub(super) unsafe fn negacyclic_forward<L: Lanes>(
    x: *mut Limb,
    w: *const Limb,
    n: usize,
    prime: usize,
) {
    let parts = 1 << (n.trailing_zeros() % 2);
    let h = n / parts;
    // SAFETY: the contract; what is read and written are vectors of the n words, and of the table for 2n.
    unsafe {
        let l = L::new(prime);
        if parts == 2 {
            let i4 = l.splat(w.add(1));
            for x in (0..h).step_by(L::STEP).map(|i| x.add(i)) {
                let (a, b) = (l.load(x), l.mul(l.load(x.add(h)), i4));
                l.store(l.add(a, b), x);
                l.store(l.sub(a, b), x.add(h));
            }
        }
        for j in 0..parts {
            cut(l, x.add(j * h), h, parts + j, w);
        }
    }
}

/// The factors of the pointwise products on the way back: the transform of y, and another pair whose product is added.
#[derive(Clone, Copy)]
pub(super) struct Points {
    pub(super) y: *const Limb,
    /// The factors of the product that is added.
    pub(super) sum: Option<[*const Limb; 2]>,
}

impl Points {
    /// These pointers, moved on by i words.
    ///
    /// # Safety
    /// There are i words at each.
    #[inline(always)]
    unsafe fn from(self, i: usize) -> Points {
        // SAFETY: the caller's word.
        unsafe {
            Points {
                y: self.y.add(i),
                sum: self.sum.map(|factors| factors.map(|words| words.add(i))),
            }
        }
    }
}

/// How many blocks the last levels of the way back put together.
#[inline(always)]
fn last_parts(n: usize) -> usize {
    match n.trailing_zeros() % 2 {
        1 => 2,
        _ if n > LEAST => 4,
        _ => 1,
    }
}

/// 1 / n, as p is 1 modulo n.
#[inline(always)]
fn scale(n: usize, prime: usize) -> Limb {
    let p = PRIMES[prime];
    balanced(p - (p - 1) / n as Limb, p)
}

/// Multiplies two transforms modulo `x^n + 1` point by point, transforms back, and adds half of p to each word.
///
/// # Safety
/// The contract of `ntt_negacyclic_inverse`; the processor has what the vectors execute.
#[inline(always)]
pub(super) unsafe fn negacyclic_inverse<L: Lanes>(
    x: *mut Limb,
    y: *const Limb,
    w: *const Limb,
    n: usize,
    prime: usize,
) {
    let scale = scale(n, prime);
    let half = ((PRIMES[prime] / 2) as f64).to_bits();
    let parts = last_parts(n);
    let h = n / parts;
    let points = Points { y, sum: None };
    // SAFETY: the contract; what is read and written are vectors of the n words, and of the table for 2n.
    unsafe {
        let l = L::new(prime);
        let scale = l.splat(&raw const scale);
        let half = l.splat(&raw const half);
        for j in 0..parts {
            join(l, x.add(j * h), points.from(j * h), scale, h, parts + j, w);
        }
        for x in (0..h).step_by(L::STEP).map(|i| x.add(i)) {
            match parts {
                1 => l.store(settled(l, l.add(l.load(x), half)), x),
                2 => {
                    let (a, b) = (l.load(x), l.load(x.add(h)));
                    let (a, b) = (l.add(a, b), l.mul(l.sub(a, b), l.splat(w.add(1))));
                    l.store(settled(l, l.add(a, half)), x);
                    l.store(settled(l, l.add(b, half)), x.add(h));
                }
                _ => {
                    let [a, b, c, d] = join_four(l, load(l, x, h), roots(l, w, 1));
                    l.store(settled(l, l.add(a, half)), x);
                    l.store(settled(l, l.add(b, half)), x.add(h));
                    l.store(settled(l, l.add(c, half)), x.add(2 * h));
                    l.store(settled(l, l.add(d, half)), x.add(3 * h));
                }
            }
        }
    }
}

/// Multiplies transforms point by point and transforms back; n as for [`forward`].
///
/// # Safety
/// The contract of `ntt_inverse` or `ntt_inverse_sum`; the processor has what the vectors execute.
#[inline(always)]
pub(super) unsafe fn inverse<L: Lanes>(
    x: *mut Limb,
    points: Points,
    w: *const Limb,
    n: usize,
    prime: usize,
) {
    let scale = scale(n, prime);
    let parts = last_parts(n);
    let h = n / parts;
    // SAFETY: the contract; what is read and written are vectors of the n words, and of the table for n.
    unsafe {
        let l = L::new(prime);
        let scale = l.splat(&raw const scale);
        for j in 0..parts {
            join(l, x.add(j * h), points.from(j * h), scale, h, j, w);
        }
        // The last levels, whose roots are 1 and the fourth root of unity.
        let i4 = l.splat(w.add(1));
        for x in (0..h).step_by(L::STEP).map(|i| x.add(i)) {
            let a = l.load(x);
            if parts == 1 {
                l.store(settled(l, a), x);
                continue;
            }
            let b = l.load(x.add(h));
            let (a, b) = (l.add(a, b), l.sub(a, b));
            if parts == 2 {
                l.store(settled(l, a), x);
                l.store(settled(l, b), x.add(h));
                continue;
            }
            let (c, d) = (l.load(x.add(2 * h)), l.load(x.add(3 * h)));
            let (c, d) = (l.add(c, d), l.mul(l.sub(c, d), i4));
            l.store(settled(l, l.add(a, c)), x);
            l.store(settled(l, l.add(b, d)), x.add(h));
            l.store(settled(l, l.sub(a, c)), x.add(2 * h));
            l.store(settled(l, l.sub(b, d)), x.add(3 * h));
        }
    }
}

/// All levels of block j of `len` words, from the longest blocks on.
///
/// # Safety
/// As for [`forward`], for a part of its words.
#[inline(always)]
unsafe fn cut<L: Lanes>(l: L, x: *mut Limb, len: usize, j: usize, w: *const Limb) {
    let short = short(len);
    for at in (0..len).step_by(short) {
        // A block that is longer than these is cut when the first part of it comes.
        let mut block = len;
        while block > LEAST {
            let begins = |from: &usize| from & (block - 1) == 0;
            for from in (at..at + short).step_by(block).filter(begins) {
                let j = j * (len / block) + from / block;
                // SAFETY: the block is a part of the words.
                unsafe { four::<L, false>(l, x.add(from), block, j, w) };
            }
            block /= 4;
        }
        let late = short.min(LATE * L::STEP);
        for from in (at..at + short).step_by(late) {
            let j = j * (len / LEAST) + from / LEAST;
            for i in (0..late / LEAST).step_by(L::STEP / 4) {
                // SAFETY: the words are a part of these.
                unsafe {
                    let x = x.add(from + LEAST * i);
                    let blocks = cut_four(l, l.load_groups(x), l.group_roots(w, j + i));
                    store(l, l.outward(blocks), x, L::STEP);
                }
            }
            for i in (0..late / LEAST).step_by(L::STEP / 4) {
                // SAFETY: likewise, and the table is as long as that of their last level.
                unsafe {
                    let x = x.add(from + LEAST * i);
                    let [a, b, c, d] = cut_four(l, load(l, x, L::STEP), l.block_roots(w, j + i));
                    let words = [settled(l, a), settled(l, b), settled(l, c), settled(l, d)];
                    l.store_groups(words, x);
                }
            }
        }
    }
}

/// Block j of `len` words on the way back: multiplies it point by point, and by `scale`, or sums two such products, and
/// then puts it together on all levels, from the shortest blocks on.
///
/// # Safety
/// As for [`inverse`], for a part of its words.
#[inline(always)]
unsafe fn join<L: Lanes>(
    l: L,
    x: *mut Limb,
    points: Points,
    scale: L::Vector,
    len: usize,
    j: usize,
    w: *const Limb,
) {
    let short = short(len);
    for at in (0..len).step_by(short) {
        let late = short.min(LATE * L::STEP);
        for from in (at..at + short).step_by(late) {
            let j = j * (len / LEAST) + from / LEAST;
            for i in (from..from + late).step_by(L::STEP) {
                // SAFETY: the words are a part of these.
                unsafe {
                    let Points { y, sum } = points.from(i);
                    let mut point = product(l, x.add(i), y, scale);
                    if let Some([u, v]) = sum {
                        point = l.reduce(l.add(point, product(l, u, v, scale)));
                    }
                    l.store(point, x.add(i));
                }
            }
            for i in (0..late / LEAST).step_by(L::STEP / 4) {
                // SAFETY: likewise, and the table is as long as that of their last level.
                unsafe {
                    let x = x.add(from + LEAST * i);
                    let words = join_four(l, l.load_groups(x), l.block_roots(w, j + i));
                    store(l, words, x, L::STEP);
                }
            }
            for i in (0..late / LEAST).step_by(L::STEP / 4) {
                // SAFETY: the words are a part of these.
                unsafe {
                    let x = x.add(from + LEAST * i);
                    let blocks = l.inward(load(l, x, L::STEP));
                    l.store_groups(join_four(l, blocks, l.group_roots(w, j + i)), x);
                }
            }
        }
        // A block that is longer than these is put together when the last part of it came.
        let mut block = 4 * LEAST;
        while block <= len {
            let ends = |to: &usize| to & (block - 1) == 0;
            let first = at + block.min(short);
            for to in (first..=at + short).step_by(block).filter(ends) {
                let j = j * (len / block) + to / block - 1;
                // SAFETY: the block is a part of the words.
                unsafe { four::<L, true>(l, x.add(to - block), block, j, w) };
            }
            block *= 4;
        }
    }
}

/// `x * y * scale`.
///
/// # Safety
/// A vector can be read at both places.
#[inline(always)]
unsafe fn product<L: Lanes>(l: L, x: *const Limb, y: *const Limb, scale: L::Vector) -> L::Vector {
    // SAFETY: the caller's word.
    unsafe { l.mul(l.load(x), l.mul(l.load(y), scale)) }
}

/// The length of blocks of a level of these that stay in the first cache.
fn short(mut len: usize) -> usize {
    while len > BLOCK {
        len /= 4;
    }
    len
}

/// Cuts block j, of `len` words, into four, or puts the four together.
///
/// # Safety
/// As for [`cut`] and [`join`].
#[inline(always)]
unsafe fn four<L: Lanes, const BACK: bool>(
    l: L,
    x: *mut Limb,
    len: usize,
    j: usize,
    w: *const Limb,
) {
    let h = len / 4;
    // SAFETY: the caller's word.
    unsafe {
        let roots = roots(l, w, j);
        for x in (0..h).step_by(L::STEP).map(|i| x.add(i)) {
            let words = load(l, x, h);
            let words = match BACK {
                true => join_four(l, words, roots),
                false => cut_four(l, words, roots),
            };
            store(l, words, x, h);
        }
    }
}

/// A residue as another operation takes it.
#[inline(always)]
fn settled<L: Lanes>(l: L, word: L::Vector) -> L::Vector {
    l.canonical(l.reduce(word))
}

/// Two levels: by w, and then the halves by v0 and v1.
#[inline(always)]
fn cut_four<L: Lanes>(l: L, x: [L::Vector; 4], [w, v0, v1]: [L::Vector; 3]) -> [L::Vector; 4] {
    let (a, b) = (l.reduce(x[0]), x[1]);
    let (c, d) = (l.mul(x[2], w), l.mul(x[3], w));
    let (a, c) = (l.add(a, c), l.sub(a, c));
    let (b, d) = (l.mul(l.add(b, d), v0), l.mul(l.sub(b, d), v1));
    [l.add(a, b), l.sub(a, b), l.add(c, d), l.sub(c, d)]
}

/// Two levels of the way back: undoes [`cut_four`], given the inverses of its roots. All words come out four times too
/// large.
#[inline(always)]
fn join_four<L: Lanes>(l: L, x: [L::Vector; 4], [w, v0, v1]: [L::Vector; 3]) -> [L::Vector; 4] {
    let (a, b) = (l.add(x[0], x[1]), l.mul(l.sub(x[0], x[1]), v0));
    let (c, d) = (l.add(x[2], x[3]), l.mul(l.sub(x[2], x[3]), v1));
    [
        l.reduce(l.add(a, c)),
        l.reduce(l.add(b, d)),
        l.mul(l.sub(a, c), w),
        l.mul(l.sub(b, d), w),
    ]
}
