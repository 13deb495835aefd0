//! The rounds, over anything that is a word: one of a block, or a vector of that of many.

use super::{FINAL, FIRST, MAX_WORDS};
use crate::{
    Limb,
    simd::{U64s, scalar, unseen},
    stack::overwrite,
    wipe,
};
use core::{ptr, slice};

/// A word of one block, or a vector of the same word of several: the operations of which rounds consist.
///
/// Methods are always inlined, into a function that enables what a vector needs.
pub(super) trait Word: Copy {
    fn splat(limb: Limb) -> Self;
    fn plus(self, other: Self) -> Self;
    fn minus(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;
    fn rotated_left(self, bits: u32) -> Self;
}

/// Words are hidden from the compiler, which would gather those of one block into short vectors: that takes three times
/// as long.
impl Word for Limb {
    #[inline(always)]
    fn splat(limb: Limb) -> Limb {
        limb
    }
    #[inline(always)]
    fn plus(self, other: Limb) -> Limb {
        scalar(self.wrapping_add(other))
    }
    #[inline(always)]
    fn minus(self, other: Limb) -> Limb {
        scalar(self.wrapping_sub(other))
    }
    #[inline(always)]
    fn xor(self, other: Limb) -> Limb {
        scalar(self ^ other)
    }
    #[inline(always)]
    fn rotated_left(self, bits: u32) -> Limb {
        self.rotate_left(bits)
    }
}

impl<V: U64s> Word for V {
    #[inline(always)]
    fn splat(limb: Limb) -> V {
        // SAFETY: loops over vectors run where the processor has what they need, as in all of these.
        unsafe { U64s::splat(limb) }
    }
    #[inline(always)]
    fn plus(self, other: V) -> V {
        // SAFETY: see above.
        unsafe { self.add(other) }
    }
    #[inline(always)]
    fn minus(self, other: V) -> V {
        // SAFETY: see above.
        unsafe { self.sub(other) }
    }
    #[inline(always)]
    fn xor(self, other: V) -> V {
        // SAFETY: see above.
        unsafe { U64s::xor(self, other) }
    }
    #[inline(always)]
    fn rotated_left(self, bits: u32) -> V {
        // SAFETY: see above.
        unsafe { self.rotl(bits) }
    }
}

/// The rounds of a cipher with blocks of `words` words; a subkey is added after every four.
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

/// The places of the words of pair j before round d of eight.
const fn pair<const W: usize>(d: usize, j: usize) -> [usize; 2] {
    let place = &Tables::<W>::PLACE[d];
    [place[2 * j], place[2 * j + 1]]
}

/// One round. Sums do not wait for each other, and exclusive ors wait for them, so they come behind all of them. All
/// indices are constants once the loops are written out.
#[inline(always)]
fn round<const W: usize, V: Word>(x: &mut [V; W], d: usize) {
    for j in 0..W / 2 {
        let [a, b] = pair::<W>(d, j);
        x[a] = x[a].plus(x[b]);
        x[b] = x[b].rotated_left(Tables::<W>::ROTATION[d][j]);
    }
    for j in 0..W / 2 {
        let [a, b] = pair::<W>(d, j);
        x[b] = x[b].xor(x[a]);
    }
}

/// Its inverse.
#[inline(always)]
fn round_back<const W: usize, V: Word>(x: &mut [V; W], d: usize) {
    for j in 0..W / 2 {
        let [a, b] = pair::<W>(d, j);
        x[b] = x[b]
            .xor(x[a])
            .rotated_left(64 - Tables::<W>::ROTATION[d][j]);
    }
    for j in 0..W / 2 {
        let [a, b] = pair::<W>(d, j);
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

/// Where subkeys come from.
pub(super) trait Source<V, const W: usize> {
    /// The words of subkey s.
    fn subkey(&self, s: usize) -> [V; W];
}

/// A key and its parity.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct Key<const W: usize> {
    pub words: [Limb; W],
    pub parity: Limb,
}

impl<const W: usize> Key<W> {
    /// The key whose words, and whose parity, xor to `constant`.
    #[inline(always)]
    pub fn new(words: [Limb; W], constant: Limb) -> Self {
        let parity = words.iter().fold(constant, |sum, word| sum ^ word);
        Key { words, parity }
    }

    /// The xor of all words.
    #[inline(always)]
    pub fn constant(&self) -> Limb {
        Key::new(self.words, self.parity).parity
    }

    /// Word i mod (W + 1).
    #[inline(always)]
    pub fn word(&self, i: usize) -> Limb {
        match i % (W + 1) {
            i if i < W => self.words[i],
            _ => self.parity,
        }
    }

    #[inline(always)]
    pub fn wipe(&mut self) {
        wipe(&mut self.words, 0);
        wipe(slice::from_mut(&mut self.parity), 0);
    }
}

/// The key and the tweak of one block; each subkey is made where it is added.
struct One<'a, const W: usize>(&'a Key<W>, [Limb; 2]);

impl<const W: usize> Source<Limb, W> for One<'_, W> {
    #[inline(always)]
    fn subkey(&self, s: usize) -> [Limb; W] {
        let One(key, [a, b]) = *self;
        let tweak = [a, b, a ^ b];
        // Few words are a chain that waits for each instruction: what is added is a sum before it is needed. Where there
        // are sixteen, instructions do not wait, and fewer are better.
        let made = |word| if W < 16 { scalar(word) } else { word };
        let mut words = [0; W];
        for (i, word) in words.iter_mut().enumerate() {
            *word = key.word(s + i);
        }
        words[W - 3] = made(words[W - 3].wrapping_add(tweak[s % 3]));
        words[W - 2] = made(words[W - 2].wrapping_add(tweak[(s + 1) % 3]));
        words[W - 1] = made(words[W - 1].wrapping_add(s as Limb));
        words
    }
}

/// The most subkeys.
const MAX_SUBKEYS: usize = count(MAX_WORDS) / 4 + 1;

/// All subkeys of a key that blocks share. They have the tweak in them unless it counts from block to block. They are whole
/// vectors.
#[repr(C, align(64))]
pub(super) struct Schedule<const W: usize> {
    /// The key with its parity over and over: from word s on, the words of subkey s but the last three.
    key: [Limb; MAX_WORDS + MAX_SUBKEYS],
    /// The last three words of each.
    last: [[Limb; 3]; MAX_SUBKEYS],
}

impl<const W: usize> Schedule<W> {
    const SUBKEYS: usize = count(W) / 4 + 1;

    /// # Safety
    /// There are W + 1 words at `key`.
    #[inline(always)]
    pub unsafe fn new(key: *const Limb, [a, b]: [Limb; 2]) -> Self {
        let mut schedule = Schedule {
            key: [0; MAX_WORDS + MAX_SUBKEYS],
            last: [[0; 3]; MAX_SUBKEYS],
        };
        let words = &mut schedule.key;
        for i in 0..W + Self::SUBKEYS {
            words[i] = match i.checked_sub(W + 1) {
                Some(before) => words[before],
                // SAFETY: as the caller says.
                None => unsafe { *key.add(i) },
            };
        }
        let mut tweak = [a, b, a ^ b];
        for (s, last) in schedule.last[..Self::SUBKEYS].iter_mut().enumerate() {
            *last = [
                words[s + W - 3].wrapping_add(tweak[0]),
                words[s + W - 2].wrapping_add(tweak[1]),
                words[s + W - 1].wrapping_add(s as Limb),
            ];
            // By name: a rotation of the array would be in memory, of pieces that are read before they are there.
            let [a, b, c] = tweak;
            tweak = [b, c, a];
        }
        schedule
    }

    /// Wipes it, a V at a time.
    #[inline(always)]
    pub fn wipe<V: Word>(&mut self) {
        let vectors = size_of::<Self>() / size_of::<V>();
        // SAFETY: that is how many there are, and any bits are words and vectors.
        let all = unsafe { slice::from_raw_parts_mut(ptr::from_mut(self).cast::<V>(), vectors) };
        wipe(all, V::splat(0));
    }
}

impl<V: Word, const W: usize> Source<V, W> for Schedule<W> {
    #[inline(always)]
    fn subkey(&self, s: usize) -> [V; W] {
        let mut words = [V::splat(0); W];
        // SAFETY: there are as many subkeys as rounds ask for.
        unsafe {
            for (i, word) in words[..W - 3].iter_mut().enumerate() {
                *word = V::splat(*self.key.get_unchecked(s + i));
            }
            let last = self.last.get_unchecked(s);
            for (word, last) in words[W - 3..].iter_mut().zip(last) {
                *word = V::splat(*last);
            }
        }
        words
    }
}

/// Adds a subkey to the words as they stand before round d of eight.
#[inline(always)]
fn add<const W: usize, V: Word>(x: &mut [V; W], d: usize, subkey: [V; W]) {
    for (i, word) in subkey.into_iter().enumerate() {
        let place = Tables::<W>::PLACE[d][i];
        x[place] = x[place].plus(word);
    }
}

/// Takes it away.
#[inline(always)]
fn subtract<const W: usize, V: Word>(x: &mut [V; W], d: usize, subkey: [V; W]) {
    for (i, word) in subkey.into_iter().enumerate() {
        let place = Tables::<W>::PLACE[d][i];
        x[place] = x[place].minus(word);
    }
}

/// Eight rounds behind subkey s, with the two subkeys that follow.
#[inline(always)]
fn eight_rounds<const W: usize, V: Word>(x: &mut [V; W], s: usize, from: &impl Source<V, W>) {
    four_rounds(x, 0);
    add(x, 4, from.subkey(s + 1));
    four_rounds(x, 4);
    add(x, 0, from.subkey(s + 2));
}

/// Their inverse.
#[inline(always)]
fn eight_rounds_back<const W: usize, V: Word>(x: &mut [V; W], s: usize, from: &impl Source<V, W>) {
    subtract(x, 0, from.subkey(s + 2));
    four_rounds_back(x, 4);
    subtract(x, 4, from.subkey(s + 1));
    four_rounds_back(x, 0);
}

/// Encrypts, by a loop over eight rounds.
#[cfg(any(target_arch = "x86_64", feature = "checked"))]
#[inline(always)]
pub(super) fn encrypt<const W: usize, V: Word>(x: &mut [V; W], from: &impl Source<V, W>) {
    add(x, 0, from.subkey(0));
    for s in (0..count(W) / 4).step_by(2) {
        eight_rounds(x, s, from);
    }
}

/// Decrypts, by a loop over eight rounds.
#[cfg(any(target_arch = "x86_64", feature = "checked"))]
#[inline(always)]
pub(super) fn decrypt<const W: usize, V: Word>(x: &mut [V; W], from: &impl Source<V, W>) {
    for s in (0..count(W) / 4).step_by(2).rev() {
        eight_rounds_back(x, s, from);
    }
    subtract(x, 0, from.subkey(0));
}

/// Steps one after the other in the code, so that the numbers in each are constants.
macro_rules! in_turn {
    ($s:ident < $steps:expr, $body:expr) => { in_turn!(@ $s $steps, $body; 0 1 2 3 4 5 6 7 8 9) };
    ($s:ident > $steps:expr, $body:expr) => { in_turn!(@ $s $steps, $body; 9 8 7 6 5 4 3 2 1 0) };
    (@ $s:ident $steps:expr, $body:expr; $($step:literal)*) => {
        $(if $step < $steps { const $s: usize = 2 * $step; $body; })*
    };
}
pub(super) use in_turn;

/// Encrypts one block; all rounds are written out, where it is called for unless words are sixteen, which no registers
/// hold.
#[inline(always)]
pub(super) fn encrypt_block<const W: usize>(x: [Limb; W], key: &Key<W>, t: [Limb; 2]) -> [Limb; W] {
    #[inline(never)]
    fn sixteen<const W: usize>(x: [Limb; W], key: &Key<W>, t: [Limb; 2]) -> [Limb; W] {
        written_out(x, &One(key, t), &One(key, t))
    }
    // Words that no pointer to them is handed on with: these may stay in registers.
    let x = core::array::from_fn(|i| x[i]);
    match W {
        4 => written_out(x, &One(key, t), &One(key, t)),
        // What a chain has just made of its key is still in registers, once.
        8 => written_out(x, &One(key, t), &One(unseen(key), t)),
        _ => sixteen(x, key, t),
    }
}

/// Encrypts one block, all rounds being written out, with the first subkey and the others.
#[inline(always)]
pub(super) fn written_out<const W: usize>(
    mut x: [Limb; W],
    first: &impl Source<Limb, W>,
    from: &impl Source<Limb, W>,
) -> [Limb; W] {
    add(&mut x, 0, first.subkey(0));
    in_turn!(S < count(W) / 8, eight_rounds(&mut x, S, from));
    x
}

/// Decrypts one block, likewise.
#[inline(never)]
pub(super) fn decrypt_block<const W: usize>(
    mut x: [Limb; W],
    key: &Key<W>,
    t: [Limb; 2],
) -> [Limb; W] {
    let from = One(key, t);
    in_turn!(S > count(W) / 8, eight_rounds_back(&mut x, S, &from));
    subtract(&mut x, 0, from.subkey(0));
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
        let key = self::key::<W>(key);
        let mut t = [*t, *t.add(1)];
        for i in 0..n {
            let x = read::<W>(x.add(W * i));
            let y = match DECRYPT {
                true => decrypt_block(x, key, t),
                false => encrypt_block(x, key, t),
            };
            write(r.add(W * i), y);
            t[0] = t[0].wrapping_add(s);
        }
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

/// A key and its parity where they are.
///
/// # Safety
/// There are W + 1 words at `key`, and nothing is written there.
#[inline(always)]
pub(super) unsafe fn key<'a, const W: usize>(key: *const Limb) -> &'a Key<W> {
    // SAFETY: as the caller says; that is what a key is.
    unsafe { &*key.cast() }
}

/// The tweak of block j of a leaf of `s` blocks with `before` blocks before the leaf. The bytes up to the block's end
/// are added to the lower word; only the first and the last block are marked as such.
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

/// The block r of the chain that a leaf's `s` blocks at x make from g, which is followed by its parity. What it leaves on
/// the stack is overwritten.
///
/// # Safety
/// There are W + 1 words at g, s blocks of W at x, and room for one at r.
pub(super) unsafe fn leaf<const W: usize>(
    r: *mut Limb,
    g: *const Limb,
    x: *const Limb,
    t: [Limb; 2],
    before: usize,
    s: usize,
) {
    // SAFETY: as the caller says.
    unsafe { chain::<W>(r, g, x, t, before, s) };
    match W {
        16 => overwrite::<1536>(),
        _ => overwrite::<512>(),
    }
}

/// It is called, as in a function that enables vectors the compiler would put words of one block into short ones.
///
/// # Safety
/// As `leaf`.
#[inline(never)]
unsafe fn chain<const W: usize>(
    r: *mut Limb,
    g: *const Limb,
    x: *const Limb,
    t: [Limb; 2],
    before: usize,
    s: usize,
) {
    // SAFETY: as the caller says.
    unsafe {
        let mut chain = *key::<W>(g);
        let constant = chain.constant();
        for j in 0..s {
            let message = read::<W>(x.add(W * j));
            let t = chain_tweak::<W>(t, before, j, s);
            let y = encrypt_block(message, &chain, t);
            chain = Key::new(core::array::from_fn(|i| y[i] ^ message[i]), constant);
        }
        write::<W>(r, chain.words);
        chain.wipe();
    }
}
