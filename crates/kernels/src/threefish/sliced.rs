//! Many blocks at once: a vector holds the same word of as many blocks as it has lanes, and several are in flight.
//!
//! Everything is always inlined into functions that enable what the vectors need: one that enabled it itself would be
//! called where it is used more than once, its vectors in memory. The rounds are a function of their own ([`Vector`]).

mod vectors;

use super::{
    MAX_WORDS, ctr,
    rounds::{self, Word},
};
use crate::{Limb, wipe};
use core::{ptr, slice};
use vectors::{MAX_LANES, NOTHING, Vector, Ymm, Zmm};

/// One word of K vectors of blocks.
#[derive(Clone, Copy)]
struct Words<V, const K: usize>([V; K]);

impl<V: Word, const K: usize> Word for Words<V, K> {
    #[inline(always)]
    fn splat(limb: Limb) -> Self {
        Words([V::splat(limb); K])
    }
    #[inline(always)]
    fn plus(mut self, other: Self) -> Self {
        for k in 0..K {
            self.0[k] = self.0[k].plus(other.0[k]);
        }
        self
    }
    #[inline(always)]
    fn minus(mut self, other: Self) -> Self {
        for k in 0..K {
            self.0[k] = self.0[k].minus(other.0[k]);
        }
        self
    }
    #[inline(always)]
    fn xor(mut self, other: Self) -> Self {
        for k in 0..K {
            self.0[k] = self.0[k].xor(other.0[k]);
        }
        self
    }
    #[inline(always)]
    fn rotated_left(mut self, bits: u32) -> Self {
        for k in 0..K {
            self.0[k] = self.0[k].rotated_left(bits);
        }
        self
    }
}

impl<V: Vector, const K: usize> Words<V, K> {
    /// `first`, and so much more from block to block.
    #[inline(always)]
    fn counting(first: Limb, step: Limb) -> Self {
        let lanes = V::multiples(step);
        let mut words = Self::splat(first);
        for k in 0..K {
            let skipped = step.wrapping_mul((k * V::LANES) as Limb);
            words.0[k] = lanes.plus(V::splat(first.wrapping_add(skipped)));
        }
        words
    }

    /// The words of the blocks that `block` gives the addresses of.
    ///
    /// # Safety
    /// There are W words of bytes at each.
    #[inline(always)]
    unsafe fn load<const W: usize>(block: &impl Fn(usize) -> *const Limb) -> [Self; W] {
        let mut words = [Self::splat(0); W];
        for k in 0..K {
            for i in 0..W / 4 {
                // SAFETY: as the caller says.
                let four = unsafe { V::load(|l| block(k * V::LANES + l).add(4 * i)) };
                for (j, four) in four.into_iter().enumerate() {
                    words[4 * i + j].0[k] = four;
                }
            }
        }
        words
    }

    /// Writes the words of blocks, likewise, xored with those of others if there are any.
    ///
    /// # Safety
    /// There is room for W words of bytes at each, and W words at each of the others.
    #[inline(always)]
    unsafe fn store<const W: usize>(
        words: &[Self; W],
        block: &impl Fn(usize) -> *mut Limb,
        with: Option<&impl Fn(usize) -> *const Limb>,
    ) {
        for k in 0..K {
            for i in 0..W / 4 {
                let w = &words[4 * i..][..4];
                let four = [w[0].0[k], w[1].0[k], w[2].0[k], w[3].0[k]];
                let at = |l| k * V::LANES + l;
                // SAFETY: as the caller says.
                unsafe {
                    let with = with.map(|with| move |l| with(at(l)).add(4 * i));
                    V::store(four, |l| block(at(l)).add(4 * i), with);
                }
            }
        }
    }
}

/// A key, its parity, and the key again, so that no index of a subkey's has to be reduced.
#[derive(Clone, Copy)]
#[repr(C)]
struct Table<T, const W: usize> {
    key: [T; W],
    parity: T,
    again: [T; W],
}

impl<T: Word, const W: usize> Table<T, W> {
    #[inline(always)]
    fn new(key: [T; W], parity: T) -> Self {
        Table {
            key,
            parity,
            again: key,
        }
    }

    /// A key that all blocks share.
    ///
    /// # Safety
    /// There are W + 1 words at `key`; the processor has what T needs.
    #[inline(always)]
    unsafe fn shared(key: *const Limb) -> Self {
        let mut words = [T::splat(0); W];
        // SAFETY: as the caller says.
        unsafe {
            for (i, word) in words.iter_mut().enumerate() {
                *word = T::splat(*key.add(i));
            }
            Table::new(words, T::splat(*key.add(W)))
        }
    }

    #[inline(always)]
    fn wipe(&mut self) {
        let zero = T::splat(0);
        wipe(slice::from_mut(self), Table::new([zero; W], zero));
    }
}

/// A tweak's words so often that no index has to be reduced.
#[inline(always)]
fn tweaks<T: Word>([a, b]: [T; 2]) -> [T; 5] {
    let sum = a.xor(b);
    [a, b, sum, a, b]
}

/// A key and tweaks in tables.
struct Tables<'a, V, const W: usize>(&'a Table<V, W>, &'a [V; 5]);

impl<V: Word, const W: usize> rounds::Source<V> for Tables<'_, V, W> {
    #[inline(always)]
    fn key(&self, i: usize) -> V {
        // SAFETY: rounds ask up to index 2W, and the table is 2W + 1 words.
        unsafe { *ptr::from_ref(self.0).cast::<V>().add(i) }
    }
    #[inline(always)]
    fn tweak(&self, i: usize) -> V {
        // SAFETY: rounds ask up to index 4.
        unsafe { *self.1.as_ptr().add(i) }
    }
}

/// What is done with each block.
trait Task<const W: usize> {
    /// Writes to r what becomes of the blocks at x, as many as `Words` has, block `i` of the call and those after it.
    ///
    /// # Safety
    /// They are there; the processor has what V needs.
    unsafe fn group<V: Vector, const K: usize>(
        &self,
        r: *mut Limb,
        x: *const Limb,
        i: usize,
        key: &Table<Words<V, K>, W>,
    );
    /// The same with block `i` alone; `key` is followed by its parity.
    ///
    /// # Safety
    /// It is there, and the key.
    unsafe fn one(&self, r: *mut Limb, x: *const Limb, i: usize, key: *const Limb);
}

/// Encryption or decryption; the tweak's lower word grows by `step` from block to block.
struct Code<const DECRYPT: bool> {
    t: [Limb; 2],
    step: Limb,
}

impl<const DECRYPT: bool> Code<DECRYPT> {
    /// The lower word of the tweak of block i.
    #[inline(always)]
    fn lower(&self, i: usize) -> Limb {
        self.t[0].wrapping_add(self.step.wrapping_mul(i as Limb))
    }
}

impl<const W: usize, const DECRYPT: bool> Task<W> for Code<DECRYPT> {
    #[inline(always)]
    unsafe fn group<V: Vector, const K: usize>(
        &self,
        r: *mut Limb,
        x: *const Limb,
        i: usize,
        key: &Table<Words<V, K>, W>,
    ) {
        let lower = Words::<V, K>::counting(self.lower(i), self.step);
        let tweak = tweaks([lower, Words::splat(self.t[1])]);
        // SAFETY: as the caller says.
        unsafe {
            let mut words = Words::<V, K>::load::<W>(&|l| x.add(W * l));
            V::cipher::<W, K, DECRYPT>(&mut words, key, &tweak);
            Words::store(&words, &|l| r.add(W * l), NOTHING);
        }
    }

    #[inline(always)]
    unsafe fn one(&self, r: *mut Limb, x: *const Limb, i: usize, key: *const Limb) {
        let t = [self.lower(i), self.t[1]];
        // SAFETY: as the caller says.
        unsafe { rounds::code::<DECRYPT>(r, x, key, t.as_ptr(), 1, W, 0) }
    }
}

/// Counter mode: blocks are xored with the encrypted counter, whose lowest word grows by one from block to block.
struct Counter<const W: usize> {
    t: [Limb; 2],
    first: [Limb; W],
}

impl<const W: usize> Task<W> for Counter<W> {
    #[inline(always)]
    unsafe fn group<V: Vector, const K: usize>(
        &self,
        r: *mut Limb,
        x: *const Limb,
        i: usize,
        key: &Table<Words<V, K>, W>,
    ) {
        let tweak = tweaks([Words::<V, K>::splat(self.t[0]), Words::splat(self.t[1])]);
        let mut words = [Words::splat(0); W];
        for (word, first) in words.iter_mut().zip(self.first) {
            *word = Words::splat(first);
        }
        words[0] = Words::counting(self.first[0].wrapping_add(i as Limb), 1);
        // SAFETY: as the caller says.
        unsafe {
            V::cipher::<W, K, false>(&mut words, key, &tweak);
            Words::store(&words, &|l| r.add(W * l), Some(&|l| x.add(W * l)));
        }
    }

    #[inline(always)]
    unsafe fn one(&self, r: *mut Limb, x: *const Limb, i: usize, key: *const Limb) {
        let (mut c, t) = (self.first, self.t.as_ptr());
        c[0] = c[0].wrapping_add(i as Limb);
        // SAFETY: as the caller says.
        unsafe { ctr::portable::kernel(r, x, key, t, c.as_ptr(), 1, W) };
    }
}

/// The task for n blocks: K vectors of them at a time, then one, the last of which may be part filled, or a single block.
///
/// # Safety
/// There are n blocks at r and x, which are the same or apart, and W + 1 words at `key`; the processor has what V
/// needs.
#[inline(always)]
unsafe fn run<T: Task<W>, V: Vector, const W: usize, const K: usize>(
    task: &T,
    r: *mut Limb,
    x: *const Limb,
    key: *const Limb,
    n: usize,
) {
    let mut i = 0;
    // SAFETY: as the caller says; groups take no more blocks than there are.
    unsafe {
        if K > 1 && n >= K * V::LANES {
            let mut table = Table::<Words<V, K>, W>::shared(key);
            while n - i >= K * V::LANES {
                task.group::<V, K>(r.add(W * i), x.add(W * i), i, &table);
                i += K * V::LANES;
            }
            table.wipe();
        }
        if n - i > 1 {
            let mut table = Table::<Words<V, 1>, W>::shared(key);
            while n - i > 1 {
                let (count, r, x) = (V::LANES.min(n - i), r.add(W * i), x.add(W * i));
                if count == V::LANES {
                    task.group::<V, 1>(r, x, i, &table);
                } else {
                    let mut blocks = [0; MAX_LANES * MAX_WORDS];
                    let (b, bytes) = (blocks.as_mut_ptr(), 8 * W * count);
                    b.cast::<u8>().copy_from_nonoverlapping(x.cast(), bytes);
                    task.group::<V, 1>(b, b, i, &table);
                    r.cast::<u8>().copy_from_nonoverlapping(b.cast(), bytes);
                    wipe(&mut blocks, 0);
                }
                i += count;
            }
            table.wipe();
        }
        if i < n {
            task.one(r.add(W * i), x.add(W * i), i, key);
        }
    }
}

/// The contract of `threefish_ubi`: K vectors of leaves at a time, then one, the last of which may be part filled, or a
/// single leaf.
///
/// # Safety
/// That contract, for blocks of W words; the processor has what V needs.
#[inline(always)]
unsafe fn ubi<V: Vector, const W: usize, const K: usize>(
    r: *mut Limb,
    g: *const Limb,
    x: *const Limb,
    t: [Limb; 2],
    n: usize,
    s: usize,
) {
    let leaves = n / s;
    let mut i = 0;
    // SAFETY: the contract; groups take no more leaves than there are.
    unsafe {
        while K > 1 && leaves - i >= K * V::LANES {
            leaf_group::<V, W, K>(r, g, x, t, i, K * V::LANES, s);
            i += K * V::LANES;
        }
        while leaves - i > 1 {
            let count = V::LANES.min(leaves - i);
            leaf_group::<V, W, 1>(r, g, x, t, i, count, s);
            i += count;
        }
        if i < leaves {
            rounds::leaf::<W>(r.add(W * i), g, x.add(W * s * i), t, s * i, s);
        }
    }
}

/// All words xored.
#[inline(always)]
fn sum<T: Word, const W: usize>(words: &[T; W], mut sum: T) -> T {
    for word in words {
        sum = sum.xor(*word);
    }
    sum
}

/// The leaves from i on, `count` of them; lanes beyond repeat the last one.
///
/// # Safety
/// As `ubi`.
#[inline(always)]
unsafe fn leaf_group<V: Vector, const W: usize, const K: usize>(
    r: *mut Limb,
    g: *const Limb,
    x: *const Limb,
    t: [Limb; 2],
    i: usize,
    count: usize,
    s: usize,
) {
    // SAFETY: as the caller says.
    unsafe {
        let mut table = Table::<Words<V, K>, W>::shared(g);
        let constant = sum(&table.key, table.parity);
        let (r, x) = (r.add(W * i), x.add(W * s * i));
        for j in 0..s {
            let [lower, upper] = rounds::chain_tweak::<W>(t, s * i, j, s);
            let lower = Words::counting(lower, (8 * W * s) as Limb);
            let tweak = tweaks([lower, Words::splat(upper)]);
            let block = |l: usize| x.add(W * (s * l.min(count - 1) + j));
            let message = Words::<V, K>::load::<W>(&block);
            let mut words = message;
            V::cipher::<W, K, false>(&mut words, &table, &tweak);
            for i in 0..W {
                words[i] = words[i].xor(message[i]);
            }
            table = Table::new(words, sum(&words, constant));
        }
        if K > 1 || count == V::LANES {
            Words::store(&table.key, &|l| r.add(W * l), NOTHING);
        } else {
            let mut blocks = [0; MAX_LANES * MAX_WORDS];
            let b = blocks.as_mut_ptr();
            Words::store(&table.key, &|l| b.add(W * l), NOTHING);
            r.cast::<u8>()
                .copy_from_nonoverlapping(b.cast(), 8 * W * count);
            wipe(&mut blocks, 0);
        }
        table.wipe();
    }
}

/// The kernels for a vector: what it needs of the processor, and how many vectors of blocks of four, eight and sixteen
/// words are in flight.
macro_rules! kernels {
    ($name:ident: $V:ident, $features:literal, $four:literal, $eight:literal, $sixteen:literal) => {
        pub(super) mod $name {
            use super::{Code, Counter, Limb, run, ubi, $V};

            /// Encryption or decryption.
            ///
            /// # Safety
            /// The contract of `threefish_encrypt` or `threefish_decrypt`; the processor has what the vector needs.
            pub unsafe fn code<const DECRYPT: bool>(
                r: *mut Limb,
                x: *const Limb,
                key: *const Limb,
                t: *const Limb,
                n: usize,
                m: usize,
                s: Limb,
            ) {
                #[target_feature(enable = $features)]
                unsafe fn blocks<const W: usize, const K: usize, const DECRYPT: bool>(
                    code: &Code<DECRYPT>,
                    r: *mut Limb,
                    x: *const Limb,
                    key: *const Limb,
                    n: usize,
                ) {
                    // SAFETY: as below.
                    unsafe { run::<_, $V, W, K>(code, r, x, key, n) }
                }
                // SAFETY: the same contract; two words of the tweak.
                unsafe {
                    let code = Code {
                        t: [*t, *t.add(1)],
                        step: s,
                    };
                    match m {
                        4 => blocks::<4, $four, DECRYPT>(&code, r, x, key, n),
                        8 => blocks::<8, $eight, DECRYPT>(&code, r, x, key, n),
                        _ => blocks::<16, $sixteen, DECRYPT>(&code, r, x, key, n),
                    }
                }
            }

            /// Counter mode.
            ///
            /// # Safety
            /// The contract of `threefish_ctr`; the processor has what the vector needs.
            pub unsafe fn counter(
                r: *mut Limb,
                x: *const Limb,
                key: *const Limb,
                t: *const Limb,
                c: *const Limb,
                n: usize,
                m: usize,
            ) {
                #[target_feature(enable = $features)]
                unsafe fn blocks<const W: usize, const K: usize>(
                    r: *mut Limb,
                    x: *const Limb,
                    key: *const Limb,
                    t: [Limb; 2],
                    c: *const Limb,
                    n: usize,
                ) {
                    // SAFETY: as below; W words of the counter.
                    unsafe {
                        let first = core::array::from_fn(|i| *c.add(i));
                        run::<_, $V, W, K>(&Counter { t, first }, r, x, key, n)
                    }
                }
                // SAFETY: the same contract; two words of the tweak.
                unsafe {
                    let t = [*t, *t.add(1)];
                    match m {
                        4 => blocks::<4, $four>(r, x, key, t, c, n),
                        8 => blocks::<8, $eight>(r, x, key, t, c, n),
                        _ => blocks::<16, $sixteen>(r, x, key, t, c, n),
                    }
                }
            }

            /// Chains of leaves.
            ///
            /// # Safety
            /// The contract of `threefish_ubi`; the processor has what the vector needs.
            pub unsafe fn leaves(
                r: *mut Limb,
                g: *const Limb,
                x: *const Limb,
                t: *const Limb,
                n: usize,
                m: usize,
                s: usize,
            ) {
                #[target_feature(enable = $features)]
                unsafe fn blocks<const W: usize, const K: usize>(
                    r: *mut Limb,
                    g: *const Limb,
                    x: *const Limb,
                    t: [Limb; 2],
                    n: usize,
                    s: usize,
                ) {
                    // SAFETY: as below.
                    unsafe { ubi::<$V, W, K>(r, g, x, t, n, s) }
                }
                // SAFETY: the same contract; two words of the tweak.
                unsafe {
                    let t = [*t, *t.add(1)];
                    match m {
                        4 => blocks::<4, $four>(r, g, x, t, n, s),
                        8 => blocks::<8, $eight>(r, g, x, t, n, s),
                        _ => blocks::<16, $sixteen>(r, g, x, t, n, s),
                    }
                }
            }
        }
    };
}

kernels!(ymm: Ymm, "avx2", 2, 1, 1);
kernels!(zmm: Zmm, "avx512f", 6, 3, 1);
