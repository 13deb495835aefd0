//! Many blocks at once: a vector holds the same word of as many blocks as it has lanes, and several are in flight.
//!
//! Everything is always inlined into functions that enable what the vectors need: one that enabled it itself would be
//! called where it is used more than once, its vectors in memory.

use super::{
    MAX_WORDS, ctr,
    rounds::{self, Schedule, Source, Word},
};
use crate::{
    Limb,
    simd::{Body, Transposed, prefetch},
    wipe,
};
use core::{array::from_fn, ptr, slice};

/// The most lanes.
const MAX_LANES: usize = 8;

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

impl<V: Transposed, const K: usize> Words<V, K> {
    /// `first`, and so much more from block to block.
    #[inline(always)]
    fn counting(first: Limb, step: Limb) -> Self {
        let multiples: [Limb; MAX_LANES] = from_fn(|i| step.wrapping_mul(i as Limb));
        // SAFETY: as many words as a vector has at most; the processor has what V needs.
        let lanes = unsafe { V::load(multiples.as_ptr()) };
        let mut words = Self::splat(first);
        for k in 0..K {
            let skipped = step.wrapping_mul((k * V::LANES) as Limb);
            words.0[k] = lanes.plus(<V as Word>::splat(first.wrapping_add(skipped)));
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
                let four = unsafe { V::load_blocks(|l| block(k * V::LANES + l).add(4 * i)) };
                for (j, four) in four.into_iter().enumerate() {
                    words[4 * i + j].0[k] = four;
                }
            }
        }
        words
    }

    /// Writes the words of blocks, one block behind the other, xored with those of others if there are any.
    ///
    /// # Safety
    /// There is room for W words of bytes of each, and there are as many others.
    #[inline(always)]
    unsafe fn store<const W: usize>(words: &[Self; W], r: *mut Limb, with: Option<*const Limb>) {
        for k in 0..K {
            let mut one = [<V as Word>::splat(0); W];
            for (one, words) in one.iter_mut().zip(words) {
                *one = words.0[k];
            }
            let at = W * V::LANES * k;
            // SAFETY: as the caller says.
            unsafe { V::store_blocks(&one, r.add(at), with.map(|with| with.add(at))) };
        }
    }
}

/// A schedule without tweaks, and the tweaks of the blocks of a group.
struct Tweaked<'a, V, const W: usize> {
    schedule: &'a Schedule<W>,
    tweak: [V; 3],
}

impl<V: Word, const W: usize> Source<V, W> for Tweaked<'_, V, W> {
    #[inline(always)]
    fn subkey(&self, s: usize) -> [V; W] {
        let mut words: [V; W] = self.schedule.subkey(s);
        words[W - 3] = words[W - 3].plus(self.tweak[s % 3]);
        words[W - 2] = words[W - 2].plus(self.tweak[(s + 1) % 3]);
        words
    }
}

/// Keys of blocks that each have their own, the parity of each, and the keys again, so that no index of a word has to be
/// reduced; and their tweaks.
#[derive(Clone, Copy)]
#[repr(C)]
struct Chain<V, const W: usize> {
    key: [V; W],
    parity: V,
    again: [V; W],
    tweak: [V; 3],
}

impl<V: Word, const W: usize> Chain<V, W> {
    /// With the key whose words, and whose parity, xor to `constant`.
    #[inline(always)]
    fn new(key: [V; W], constant: V, [a, b]: [V; 2]) -> Self {
        let mut parity = constant;
        for word in key {
            parity = parity.xor(word);
        }
        Chain {
            key,
            parity,
            again: key,
            tweak: [a, b, a.xor(b)],
        }
    }

    #[inline(always)]
    fn wipe(&mut self) {
        let zero = V::splat(0);
        wipe(
            slice::from_mut(self),
            Chain::new([zero; W], zero, [zero; 2]),
        );
    }
}

impl<V: Word, const W: usize> Source<V, W> for Chain<V, W> {
    #[inline(always)]
    fn subkey(&self, s: usize) -> [V; W] {
        let first = ptr::from_ref(self).cast::<V>();
        let mut words = [<V as Word>::splat(0); W];
        for (i, word) in words.iter_mut().enumerate() {
            // SAFETY: key, parity and key are 2 W + 1 words.
            *word = unsafe { *first.add(s % (W + 1) + i) };
        }
        words[W - 3] = words[W - 3].plus(self.tweak[s % 3]);
        words[W - 2] = words[W - 2].plus(self.tweak[(s + 1) % 3]);
        words[W - 1] = words[W - 1].plus(V::splat(s as Limb));
        words
    }
}

/// A task on blocks: encryption, decryption or counter mode.
pub(super) trait Task<const W: usize> {
    /// Writes to r what becomes of the blocks at x, as many as `Words` has, block `i` of the call and those after it.
    ///
    /// # Safety
    /// They are there; the processor has what V needs.
    unsafe fn group<V: Transposed, const K: usize>(
        &self,
        r: *mut Limb,
        x: *const Limb,
        i: usize,
        schedule: &Schedule<W>,
    );
    /// The tweak that all blocks share: zeros if each has its own.
    fn tweak(&self) -> [Limb; 2];
    /// Writes to r what becomes of the one block at x, block `i` of the call; `key` is followed by its parity.
    ///
    /// # Safety
    /// It is there, and the key.
    unsafe fn one(&self, r: *mut Limb, x: *const Limb, i: usize, key: *const Limb);
}

/// Encryption or decryption; the tweak's lower word grows by `step` from block to block, if it counts.
struct Code<const DECRYPT: bool, const COUNTING: bool> {
    t: [Limb; 2],
    step: Limb,
}

impl<const DECRYPT: bool, const COUNTING: bool> Code<DECRYPT, COUNTING> {
    /// The lower word of the tweak of block i.
    #[inline(always)]
    fn lower(&self, i: usize) -> Limb {
        self.t[0].wrapping_add(self.step.wrapping_mul(i as Limb))
    }
}

impl<const W: usize, const DECRYPT: bool, const COUNTING: bool> Task<W>
    for Code<DECRYPT, COUNTING>
{
    #[inline(always)]
    unsafe fn group<V: Transposed, const K: usize>(
        &self,
        r: *mut Limb,
        x: *const Limb,
        i: usize,
        schedule: &Schedule<W>,
    ) {
        // SAFETY: as the caller says.
        unsafe {
            let mut words = Words::<V, K>::load::<W>(&|l| x.add(W * l));
            if COUNTING {
                let (lower, upper) = (
                    Words::counting(self.lower(i), self.step),
                    Words::splat(self.t[1]),
                );
                let tweak = [lower, upper, lower.xor(upper)];
                all_rounds::<_, W, DECRYPT>(&mut words, &Tweaked { schedule, tweak });
            } else {
                all_rounds::<_, W, DECRYPT>(&mut words, schedule);
            }
            Words::store(&words, r, None);
        }
    }

    #[inline(always)]
    fn tweak(&self) -> [Limb; 2] {
        if COUNTING { [0; 2] } else { self.t }
    }

    #[inline(always)]
    unsafe fn one(&self, r: *mut Limb, x: *const Limb, i: usize, key: *const Limb) {
        let t = [self.lower(i), self.t[1]];
        // SAFETY: as the caller says.
        unsafe { rounds::code::<DECRYPT>(r, x, key, t.as_ptr(), 1, W, 0) }
    }
}

/// Encrypts or decrypts.
#[inline(always)]
fn all_rounds<V: Word, const W: usize, const DECRYPT: bool>(
    x: &mut [V; W],
    from: &impl Source<V, W>,
) {
    match DECRYPT {
        true => rounds::decrypt(x, from),
        false => rounds::encrypt(x, from),
    }
}

/// Counter mode: blocks are xored with the encrypted counter, whose lowest word grows by one from block to block.
struct Counter<const W: usize> {
    t: [Limb; 2],
    first: [Limb; W],
}

impl<const W: usize> Task<W> for Counter<W> {
    #[inline(always)]
    unsafe fn group<V: Transposed, const K: usize>(
        &self,
        r: *mut Limb,
        x: *const Limb,
        i: usize,
        schedule: &Schedule<W>,
    ) {
        let mut words = [Words::<V, K>::splat(0); W];
        for (word, first) in words.iter_mut().zip(self.first) {
            *word = Words::splat(first);
        }
        words[0] = Words::counting(self.first[0].wrapping_add(i as Limb), 1);
        // SAFETY: as the caller says.
        unsafe {
            rounds::encrypt(&mut words, schedule);
            Words::store(&words, r, Some(x));
        }
    }

    #[inline(always)]
    fn tweak(&self) -> [Limb; 2] {
        self.t
    }

    #[inline(always)]
    unsafe fn one(&self, r: *mut Limb, x: *const Limb, i: usize, key: *const Limb) {
        let (mut c, t) = (self.first, self.t.as_ptr());
        c[0] = c[0].wrapping_add(i as Limb);
        // SAFETY: as the caller says.
        unsafe { ctr::portable::kernel(r, x, key, t, c.as_ptr(), 1, W) };
    }
}

/// The task for n blocks: K vectors of them at a time, then L, then one. The last vector may be part
/// filled. A single block that is left is done by itself.
///
/// # Safety
/// There are n blocks at r and x, which are the same or apart, and W + 1 words at `key`; the processor has what V
/// needs.
#[inline(always)]
unsafe fn run<T: Task<W>, V: Transposed, const W: usize, const K: usize, const L: usize>(
    task: &T,
    r: *mut Limb,
    x: *const Limb,
    key: *const Limb,
    n: usize,
) {
    // SAFETY: as the caller says; groups take no more blocks than there are.
    unsafe {
        let mut schedule = Schedule::<W>::new(key, task.tweak());
        let mut i = 0;
        while K > 1 && n - i >= K * V::LANES {
            task.group::<V, K>(r.add(W * i), x.add(W * i), i, &schedule);
            i += K * V::LANES;
        }
        if L > 1 && n - i >= L * V::LANES {
            task.group::<V, L>(r.add(W * i), x.add(W * i), i, &schedule);
            i += L * V::LANES;
        }
        while n - i > 1 {
            let (r, x, count) = (r.add(W * i), x.add(W * i), V::LANES.min(n - i));
            if count == V::LANES {
                task.group::<V, 1>(r, x, i, &schedule);
            } else {
                let mut blocks = [0; MAX_LANES * MAX_WORDS];
                let (b, bytes) = (blocks.as_mut_ptr(), 8 * W * count);
                b.cast::<u8>().copy_from_nonoverlapping(x.cast(), bytes);
                task.group::<V, 1>(b, b, i, &schedule);
                r.cast::<u8>().copy_from_nonoverlapping(b.cast(), bytes);
                wipe(&mut blocks, 0);
            }
            i += count;
        }
        schedule.wipe::<V>();
        if i < n {
            task.one(r.add(W * i), x.add(W * i), i, key);
        }
    }
}

/// The contract of `threefish_ubi`: K vectors of leaves at a time, then L, then one. The last vector may be part
/// filled. A single leaf that is left is done by itself.
///
/// # Safety
/// That contract, for blocks of W words; the processor has what V needs.
#[inline(always)]
unsafe fn ubi<V: Transposed, const W: usize, const K: usize, const L: usize>(
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
        while L > 1 && leaves - i >= L * V::LANES {
            leaf_group::<V, W, L>(r, g, x, t, i, L * V::LANES, s);
            i += L * V::LANES;
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

/// How many blocks before its use a message is asked for.
const AHEAD: usize = 2;

/// The leaves from i on, `count` of them; lanes beyond repeat the last one.
///
/// # Safety
/// As `ubi`.
#[inline(always)]
unsafe fn leaf_group<V: Transposed, const W: usize, const K: usize>(
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
        let first = rounds::key::<W>(g);
        let constant = Words::splat(first.constant());
        let mut key = [constant; W];
        for (word, first) in key.iter_mut().zip(first.words) {
            *word = Words::<V, K>::splat(first);
        }
        let mut chain = Chain::new(key, constant, [constant; 2]);
        let (r, x) = (r.add(W * i), x.add(W * s * i));
        for j in 0..s {
            let [lower, upper] = rounds::chain_tweak::<W>(t, s * i, j, s);
            let lower = Words::counting(lower, (8 * W * s) as Limb);
            chain = Chain::new(key, constant, [lower, Words::splat(upper)]);
            let block = |l: usize| x.add(W * (s * l.min(count - 1) + j));
            let message = Words::<V, K>::load::<W>(&block);
            // So many streams are more than the processor foresees by itself.
            let ahead = match j + AHEAD {
                next if next < s => next,
                next => next + (K * V::LANES - 1) * s,
            };
            for l in 0..K * V::LANES {
                let next = x.wrapping_add(W * (s * l + ahead));
                for line in (0..W).step_by(8) {
                    prefetch(next.wrapping_add(line));
                }
            }
            key = message;
            rounds::encrypt(&mut key, &chain);
            for (word, message) in key.iter_mut().zip(message) {
                *word = word.xor(message);
            }
        }
        chain.wipe();
        if K > 1 || count == V::LANES {
            Words::store(&key, r, None);
        } else {
            let mut blocks = [0; MAX_LANES * MAX_WORDS];
            let b = blocks.as_mut_ptr();
            Words::store(&key, b, None);
            r.cast::<u8>()
                .copy_from_nonoverlapping(b.cast(), 8 * W * count);
            wipe(&mut blocks, 0);
        }
    }
}

/// Calls of the blocks, K vectors of them in flight, then L, then one.
struct Blocks<'a, T, const W: usize, const K: usize, const L: usize> {
    task: &'a T,
    r: *mut Limb,
    x: *const Limb,
    key: *const Limb,
    n: usize,
}

impl<V: Transposed, T: Task<W>, const W: usize, const K: usize, const L: usize> Body<V>
    for Blocks<'_, T, W, K, L>
{
    #[inline(always)]
    unsafe fn run(self) {
        // SAFETY: as the caller says.
        unsafe { run::<T, V, W, K, L>(self.task, self.r, self.x, self.key, self.n) }
    }
}

/// Chains of leaves, K vectors of them in flight, then L, then one.
struct Leaves<const W: usize, const K: usize, const L: usize> {
    r: *mut Limb,
    g: *const Limb,
    x: *const Limb,
    t: [Limb; 2],
    n: usize,
    s: usize,
}

impl<V: Transposed, const W: usize, const K: usize, const L: usize> Body<V> for Leaves<W, K, L> {
    #[inline(always)]
    unsafe fn run(self) {
        // SAFETY: as the caller says.
        unsafe { ubi::<V, W, K, L>(self.r, self.g, self.x, self.t, self.n, self.s) }
    }
}

/// How many vectors are in flight.
pub(super) trait Flights: Transposed {
    /// A task on blocks of W words.
    ///
    /// # Safety
    /// As [`run`].
    unsafe fn blocks<T: Task<W>, const W: usize>(
        task: &T,
        r: *mut Limb,
        x: *const Limb,
        key: *const Limb,
        n: usize,
    );
    /// Leaves of blocks of W words.
    ///
    /// # Safety
    /// As [`ubi`].
    unsafe fn leaves<const W: usize>(
        r: *mut Limb,
        g: *const Limb,
        x: *const Limb,
        t: [Limb; 2],
        n: usize,
        s: usize,
    );
}

/// The vectors in flight, and then of those that are left, of blocks of four, eight and sixteen words.
macro_rules! flights {
    ($V:ty: $four:literal $four_rest:literal, $eight:literal $eight_rest:literal, $sixteen:literal) => {
        impl Flights for $V {
            #[inline(always)]
            unsafe fn blocks<T: Task<W>, const W: usize>(
                task: &T,
                r: *mut Limb,
                x: *const Limb,
                key: *const Limb,
                n: usize,
            ) {
                use crate::simd::U64s;
                // SAFETY: as the caller says.
                unsafe {
                    match W {
                        4 => Self::run(Blocks::<T, W, $four, $four_rest> { task, r, x, key, n }),
                        8 => Self::run(Blocks::<T, W, $eight, $eight_rest> { task, r, x, key, n }),
                        _ => Self::run(Blocks::<T, W, $sixteen, 1> { task, r, x, key, n }),
                    }
                }
            }

            #[inline(always)]
            unsafe fn leaves<const W: usize>(
                r: *mut Limb,
                g: *const Limb,
                x: *const Limb,
                t: [Limb; 2],
                n: usize,
                s: usize,
            ) {
                use crate::simd::U64s;
                // SAFETY: as the caller says.
                unsafe {
                    match W {
                        4 => Self::run(Leaves::<W, $four, $four_rest> { r, g, x, t, n, s }),
                        8 => Self::run(Leaves::<W, $eight, $eight_rest> { r, g, x, t, n, s }),
                        _ => Self::run(Leaves::<W, $sixteen, 1> { r, g, x, t, n, s }),
                    }
                }
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
flights!(crate::simd::Ymm: 2 1, 1 1, 1);
#[cfg(target_arch = "x86_64")]
flights!(crate::simd::Zmm: 6 4, 3 2, 1);
#[cfg(feature = "checked")]
flights!(crate::simd::Words<4>: 2 1, 1 1, 1);

/// Encryption or decryption.
///
/// # Safety
/// The contract of `threefish_encrypt` or `threefish_decrypt`; the processor has what the vector needs.
pub(super) unsafe fn code<V: Flights, const DECRYPT: bool>(
    r: *mut Limb,
    x: *const Limb,
    key: *const Limb,
    t: *const Limb,
    n: usize,
    m: usize,
    step: Limb,
) {
    /// # Safety
    /// As [`run`].
    unsafe fn blocks<V: Flights, const W: usize, const DECRYPT: bool>(
        r: *mut Limb,
        x: *const Limb,
        key: *const Limb,
        t: [Limb; 2],
        n: usize,
        step: Limb,
    ) {
        // SAFETY: as the caller says.
        unsafe {
            match step {
                0 => V::blocks::<_, W>(&Code::<DECRYPT, false> { t, step }, r, x, key, n),
                _ => V::blocks::<_, W>(&Code::<DECRYPT, true> { t, step }, r, x, key, n),
            }
        }
    }
    // SAFETY: the same contract; two words of the tweak.
    unsafe {
        if n == 1 {
            return rounds::code::<DECRYPT>(r, x, key, t, n, m, step);
        }
        let t = [*t, *t.add(1)];
        match m {
            4 => blocks::<V, 4, DECRYPT>(r, x, key, t, n, step),
            8 => blocks::<V, 8, DECRYPT>(r, x, key, t, n, step),
            _ => blocks::<V, 16, DECRYPT>(r, x, key, t, n, step),
        }
    }
}

/// Counter mode.
///
/// # Safety
/// The contract of `threefish_ctr`; the processor has what the vector needs.
pub(super) unsafe fn counter<V: Flights>(
    r: *mut Limb,
    x: *const Limb,
    key: *const Limb,
    t: *const Limb,
    c: *const Limb,
    n: usize,
    m: usize,
) {
    /// The task.
    ///
    /// # Safety
    /// W words of the counter, two of the tweak.
    unsafe fn task<const W: usize>(t: *const Limb, c: *const Limb) -> Counter<W> {
        // SAFETY: as the caller says.
        unsafe {
            Counter {
                t: [*t, *t.add(1)],
                first: from_fn(|i| *c.add(i)),
            }
        }
    }
    // SAFETY: the same contract.
    unsafe {
        match m {
            _ if n == 1 => ctr::portable::kernel(r, x, key, t, c, n, m),
            4 => V::blocks::<_, 4>(&task::<4>(t, c), r, x, key, n),
            8 => V::blocks::<_, 8>(&task::<8>(t, c), r, x, key, n),
            _ => V::blocks::<_, 16>(&task::<16>(t, c), r, x, key, n),
        }
    }
}

/// Chains of leaves.
///
/// # Safety
/// The contract of `threefish_ubi`; the processor has what the vector needs.
pub(super) unsafe fn leaves<V: Flights>(
    r: *mut Limb,
    g: *const Limb,
    x: *const Limb,
    t: *const Limb,
    n: usize,
    m: usize,
    s: usize,
) {
    // SAFETY: the same contract; two words of the tweak.
    unsafe {
        let t = [*t, *t.add(1)];
        match m {
            4 => V::leaves::<4>(r, g, x, t, n, s),
            8 => V::leaves::<8>(r, g, x, t, n, s),
            _ => V::leaves::<16>(r, g, x, t, n, s),
        }
    }
}
