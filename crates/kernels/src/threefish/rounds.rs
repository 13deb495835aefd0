//! The rounds, over anything that is a word: one of a block, or a vector of that of many.

use super::{FINAL, FIRST, MAX_WORDS};
use crate::{Limb, wipe};

/// What rounds are made of.
///
/// Methods are always inlined, into a function that enables what a vector needs.
pub(super) trait Word: Copy {
    fn splat(limb: Limb) -> Self;
    fn plus(self, other: Self) -> Self;
    fn minus(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;
    fn rotated_left(self, bits: u32) -> Self;
}

impl Word for Limb {
    #[inline(always)]
    fn splat(limb: Limb) -> Limb {
        limb
    }
    #[inline(always)]
    fn plus(self, other: Limb) -> Limb {
        self.wrapping_add(other)
    }
    #[inline(always)]
    fn minus(self, other: Limb) -> Limb {
        self.wrapping_sub(other)
    }
    #[inline(always)]
    fn xor(self, other: Limb) -> Limb {
        opaque(self ^ other)
    }
    #[inline(always)]
    fn rotated_left(self, bits: u32) -> Limb {
        self.rotate_left(bits)
    }
}

/// The same word, of which the compiler knows nothing: so that it does not gather words of one block into short vectors,
/// which takes three times as long.
#[inline(always)]
fn opaque(word: Limb) -> Limb {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    {
        let mut word = word;
        // SAFETY: no instruction at all.
        unsafe {
            core::arch::asm!("/* {0} */", inout(reg) word, options(pure, nomem, nostack, preserves_flags));
        }
        word
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    word
}

/// The rounds of a cipher with blocks of so many words: after every four a subkey is added.
pub(super) const fn count(words: usize) -> usize {
    if words == 16 { 80 } else { 72 }
}

/// The rotations and permutations of blocks of W words.
pub(super) struct Tables<const W: usize>;

impl<const W: usize> Tables<W> {
    /// The rotation of pair j in round d modulo 8 (table 4).
    pub(super) const ROTATION: [[u32; MAX_WORDS / 2]; 8] = match W {
        4 => [
            [14, 16, 0, 0, 0, 0, 0, 0],
            [52, 57, 0, 0, 0, 0, 0, 0],
            [23, 40, 0, 0, 0, 0, 0, 0],
            [5, 37, 0, 0, 0, 0, 0, 0],
            [25, 33, 0, 0, 0, 0, 0, 0],
            [46, 12, 0, 0, 0, 0, 0, 0],
            [58, 22, 0, 0, 0, 0, 0, 0],
            [32, 32, 0, 0, 0, 0, 0, 0],
        ],
        8 => [
            [46, 36, 19, 37, 0, 0, 0, 0],
            [33, 27, 14, 42, 0, 0, 0, 0],
            [17, 49, 36, 39, 0, 0, 0, 0],
            [44, 9, 54, 56, 0, 0, 0, 0],
            [39, 30, 34, 24, 0, 0, 0, 0],
            [13, 50, 10, 17, 0, 0, 0, 0],
            [25, 29, 39, 43, 0, 0, 0, 0],
            [8, 35, 56, 22, 0, 0, 0, 0],
        ],
        _ => [
            [24, 13, 8, 47, 8, 17, 22, 37],
            [38, 19, 10, 55, 49, 18, 23, 52],
            [33, 4, 51, 13, 34, 41, 59, 17],
            [5, 20, 48, 41, 47, 28, 16, 25],
            [41, 9, 37, 31, 12, 47, 44, 30],
            [16, 34, 56, 51, 4, 53, 42, 41],
            [31, 44, 47, 46, 19, 42, 44, 25],
            [9, 48, 35, 52, 23, 31, 37, 20],
        ],
    };

    /// Which word moves to place i after a round (table 3).
    pub(super) const SOURCE: [usize; MAX_WORDS] = match W {
        4 => [0, 3, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        8 => [2, 1, 4, 7, 6, 5, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0],
        _ => [0, 9, 2, 13, 6, 11, 4, 15, 10, 7, 12, 3, 14, 5, 8, 1],
    };

    /// Where word i stands before round d of eight: words stay where they are, and the rounds name them anew, so that a
    /// permutation is no instruction. After eight rounds each has its first name again.
    const PLACE: [[usize; MAX_WORDS]; 8] = {
        let mut place = [[0; MAX_WORDS]; 8];
        let (mut d, mut i) = (0, 0);
        while d < 8 {
            while i < W {
                place[d][i] = if d == 0 {
                    i
                } else {
                    place[d - 1][Self::SOURCE[i]]
                };
                i += 1;
            }
            (d, i) = (d + 1, 0);
        }
        place
    };
}

/// One round. All indices are constants once the loop is written out.
#[inline(always)]
fn round<const W: usize, V: Word>(x: &mut [V; W], d: usize) {
    for j in 0..W / 2 {
        let (a, b) = (
            Tables::<W>::PLACE[d][2 * j],
            Tables::<W>::PLACE[d][2 * j + 1],
        );
        x[a] = x[a].plus(x[b]);
        x[b] = x[b].rotated_left(Tables::<W>::ROTATION[d][j]).xor(x[a]);
    }
}

/// Its inverse.
#[inline(always)]
fn round_back<const W: usize, V: Word>(x: &mut [V; W], d: usize) {
    for j in 0..W / 2 {
        let (a, b) = (
            Tables::<W>::PLACE[d][2 * j],
            Tables::<W>::PLACE[d][2 * j + 1],
        );
        x[b] = x[b]
            .xor(x[a])
            .rotated_left(64 - Tables::<W>::ROTATION[d][j]);
        x[a] = x[a].minus(x[b]);
    }
}

/// Four rounds from d on.
#[inline(always)]
fn four_rounds<const W: usize, V: Word>(x: &mut [V; W], d: usize) {
    round(x, d);
    round(x, d + 1);
    round(x, d + 2);
    round(x, d + 3);
}

/// Their inverse.
#[inline(always)]
fn four_rounds_back<const W: usize, V: Word>(x: &mut [V; W], d: usize) {
    round_back(x, d + 3);
    round_back(x, d + 2);
    round_back(x, d + 1);
    round_back(x, d);
}

/// Where the words of a key and a tweak come from.
pub(super) trait Source<V> {
    /// Word i mod (W + 1) of the key.
    fn key(&self, i: usize) -> V;
    /// Word i mod 3 of the tweak.
    fn tweak(&self, i: usize) -> V;
}

/// The last three words of subkey s, to which tweak and number are added; key and tweak are read from `at` on, which is
/// s modulo W + 1 and 3.
#[inline(always)]
fn last_three<const W: usize, V: Word>(s: usize, from: &impl Source<V>, at: [usize; 2]) -> [V; 3] {
    let [k, t] = [at[0] + W - 3, at[1]];
    [
        from.key(k).plus(from.tweak(t)),
        from.key(k + 1).plus(from.tweak(t + 1)),
        from.key(k + 2).plus(V::splat(s as Limb)),
    ]
}

/// Adds subkey s to the words as they stand before round d of eight.
#[inline(always)]
fn add<const W: usize, V: Word>(
    x: &mut [V; W],
    d: usize,
    s: usize,
    from: &impl Source<V>,
    at: [usize; 2],
) {
    let place = &Tables::<W>::PLACE[d];
    for i in 0..W - 3 {
        x[place[i]] = x[place[i]].plus(from.key(at[0] + i));
    }
    for (i, word) in last_three::<W, V>(s, from, at).into_iter().enumerate() {
        x[place[W - 3 + i]] = x[place[W - 3 + i]].plus(word);
    }
}

/// Takes it away.
#[inline(always)]
fn subtract<const W: usize, V: Word>(
    x: &mut [V; W],
    d: usize,
    s: usize,
    from: &impl Source<V>,
    at: [usize; 2],
) {
    let place = &Tables::<W>::PLACE[d];
    for i in 0..W - 3 {
        x[place[i]] = x[place[i]].minus(from.key(at[0] + i));
    }
    for (i, word) in last_three::<W, V>(s, from, at).into_iter().enumerate() {
        x[place[W - 3 + i]] = x[place[W - 3 + i]].minus(word);
    }
}

/// Subkeys s and s + 1 and eight rounds.
#[inline(always)]
fn eight_rounds<const W: usize, V: Word>(
    x: &mut [V; W],
    s: usize,
    from: &impl Source<V>,
    at: [usize; 2],
) {
    add(x, 0, s, from, at);
    four_rounds(x, 0);
    add(x, 4, s + 1, from, at.map(|i| i + 1));
    four_rounds(x, 4);
}

/// Their inverse.
#[inline(always)]
fn eight_rounds_back<const W: usize, V: Word>(
    x: &mut [V; W],
    s: usize,
    from: &impl Source<V>,
    at: [usize; 2],
) {
    four_rounds_back(x, 4);
    subtract(x, 4, s + 1, from, at.map(|i| i + 1));
    four_rounds_back(x, 0);
    subtract(x, 0, s, from, at);
}

/// Encrypts; the code is a loop over eight rounds. The key is asked for at indices up to 2W, the tweak up to 4.
#[inline(always)]
pub(super) fn encrypt<const W: usize, V: Word>(x: &mut [V; W], from: &impl Source<V>) {
    let mut at = [0, 0];
    for s in (0..count(W) / 4).step_by(2) {
        eight_rounds(x, s, from, at);
        let next = [at[0] + 2, at[1] + 2];
        at[0] = if next[0] > W {
            next[0] - W - 1
        } else {
            next[0]
        };
        at[1] = if next[1] > 2 { next[1] - 3 } else { next[1] };
    }
    add(x, 0, count(W) / 4, from, at);
}

/// Decrypts; otherwise like [`encrypt`].
#[inline(always)]
pub(super) fn decrypt<const W: usize, V: Word>(x: &mut [V; W], from: &impl Source<V>) {
    let last = count(W) / 4;
    let mut at = [last % (W + 1), last % 3];
    subtract(x, 0, last, from, at);
    for s in (0..last).step_by(2).rev() {
        at[0] = if at[0] < 2 { at[0] + W - 1 } else { at[0] - 2 };
        at[1] = if at[1] < 2 { at[1] + 1 } else { at[1] - 2 };
        eight_rounds_back(x, s, from, at);
    }
}

/// Steps one after the other in the code, so that the indices of each are constants.
macro_rules! in_turn {
    ($s:ident < $steps:expr, $body:expr) => { in_turn!(@ $s $steps, $body; 0 1 2 3 4 5 6 7 8 9) };
    ($s:ident > $steps:expr, $body:expr) => { in_turn!(@ $s $steps, $body; 9 8 7 6 5 4 3 2 1 0) };
    (@ $s:ident $steps:expr, $body:expr; $($step:literal)*) => {
        $(if $step < $steps { let $s: usize = 2 * $step; $body; })*
    };
}

/// The key and the tweak of one block, both with their parity.
struct One<'a, const W: usize>(&'a [Limb; MAX_WORDS + 1], [Limb; 3]);

impl<const W: usize> Source<Limb> for One<'_, W> {
    #[inline(always)]
    fn key(&self, i: usize) -> Limb {
        self.0[i % (W + 1)]
    }
    #[inline(always)]
    fn tweak(&self, i: usize) -> Limb {
        self.1[i % 3]
    }
}

/// Encrypts one block; all rounds are written out, and the words of its subkeys are those of the key, in memory.
#[inline(never)]
pub(super) fn encrypt_block<const W: usize>(
    mut x: [Limb; W],
    key: &[Limb; MAX_WORDS + 1],
    t: [Limb; 2],
) -> [Limb; W] {
    let from = One::<W>(key, [t[0], t[1], t[0] ^ t[1]]);
    in_turn!(s < count(W) / 8, eight_rounds(&mut x, s, &from, [s, s]));
    let last = count(W) / 4;
    add(&mut x, 0, last, &from, [last, last]);
    x
}

/// Decrypts one block, likewise.
#[inline(never)]
pub(super) fn decrypt_block<const W: usize>(
    mut x: [Limb; W],
    key: &[Limb; MAX_WORDS + 1],
    t: [Limb; 2],
) -> [Limb; W] {
    let from = One::<W>(key, [t[0], t[1], t[0] ^ t[1]]);
    let last = count(W) / 4;
    subtract(&mut x, 0, last, &from, [last, last]);
    in_turn!(
        s > count(W) / 8,
        eight_rounds_back(&mut x, s, &from, [s, s])
    );
    x
}

/// The contract of `threefish_encrypt`, or of `threefish_decrypt`: block by block.
///
/// # Safety
/// That contract.
pub(super) unsafe fn code<const DECRYPT: bool>(
    r: *mut Limb,
    x: *const Limb,
    key: *const Limb,
    t: *const Limb,
    n: usize,
    m: usize,
    s: Limb,
) {
    // SAFETY: the same contract.
    unsafe {
        match m {
            4 => blocks::<4, DECRYPT>(r, x, key, t, n, s),
            8 => blocks::<8, DECRYPT>(r, x, key, t, n, s),
            _ => blocks::<16, DECRYPT>(r, x, key, t, n, s),
        }
    }
}

/// # Safety
/// The contract, for blocks of W words.
unsafe fn blocks<const W: usize, const DECRYPT: bool>(
    r: *mut Limb,
    x: *const Limb,
    key: *const Limb,
    t: *const Limb,
    n: usize,
    s: Limb,
) {
    // SAFETY: i < n; W + 1 words of the key and two of the tweak.
    unsafe {
        let mut key = self::key::<W>(key);
        let mut t = [*t, *t.add(1)];
        for i in 0..n {
            let x = read::<W>(x.add(W * i));
            let y = match DECRYPT {
                true => decrypt_block(x, &key, t),
                false => encrypt_block(x, &key, t),
            };
            write(r.add(W * i), y);
            t[0] = t[0].wrapping_add(s);
        }
        wipe(&mut key, 0);
    }
}

/// The words of a block.
///
/// # Safety
/// There are W words of bytes at `x`, at any address.
#[inline(always)]
pub(super) unsafe fn read<const W: usize>(x: *const Limb) -> [Limb; W] {
    // SAFETY: as the caller says.
    core::array::from_fn(|i| Limb::from_le(unsafe { x.add(i).read_unaligned() }))
}

/// Writes the words of a block.
///
/// # Safety
/// There is room for W words of bytes at `r`, at any address.
#[inline(always)]
pub(super) unsafe fn write<const W: usize>(r: *mut Limb, words: [Limb; W]) {
    for (i, word) in words.into_iter().enumerate() {
        // SAFETY: as the caller says.
        unsafe { r.add(i).write_unaligned(word.to_le()) };
    }
}

/// A key and its parity in a place of fixed size.
///
/// # Safety
/// There are W + 1 words at `key`.
#[inline(always)]
pub(super) unsafe fn key<const W: usize>(key: *const Limb) -> [Limb; MAX_WORDS + 1] {
    let mut copy = [0; MAX_WORDS + 1];
    for (i, word) in copy[..=W].iter_mut().enumerate() {
        // SAFETY: as the caller says.
        *word = unsafe { *key.add(i) };
    }
    copy
}

/// The tweak of block j of a leaf of `s` blocks, of which `before` blocks are before the leaf: the bytes up to the
/// block's end are added to the lower word, and the marks of first and last are where they belong only.
#[inline(always)]
pub(super) fn chain_tweak<const W: usize>(
    t: [Limb; 2],
    before: usize,
    j: usize,
    s: usize,
) -> [Limb; 2] {
    let bytes = (before + j + 1).wrapping_mul(8 * W) as Limb;
    let mut marks = FIRST | FINAL;
    if j == 0 {
        marks &= !FIRST;
    }
    if j + 1 == s {
        marks &= !FINAL;
    }
    [t[0].wrapping_add(bytes), t[1] & !marks]
}

/// The block r of the chain that a leaf's `s` blocks at x make from g, which is followed by its parity.
///
/// # Safety
/// There are W + 1 words at g, s blocks of W at x, and room for one at r.
#[inline(always)]
pub(super) unsafe fn leaf<const W: usize>(
    r: *mut Limb,
    g: *const Limb,
    x: *const Limb,
    t: [Limb; 2],
    before: usize,
    s: usize,
) {
    // SAFETY: as the caller says.
    unsafe {
        let mut chain = key::<W>(g);
        let constant = chain[..=W].iter().fold(0, |sum, word| sum ^ word);
        for j in 0..s {
            let message = read::<W>(x.add(W * j));
            let t = chain_tweak::<W>(t, before, j, s);
            let y = encrypt_block(message, &chain, t);
            chain[W] = constant;
            for i in 0..W {
                chain[i] = y[i] ^ message[i];
                chain[W] ^= chain[i];
            }
        }
        write::<W>(r, core::array::from_fn(|i| chain[i]));
        wipe(&mut chain, 0);
    }
}
