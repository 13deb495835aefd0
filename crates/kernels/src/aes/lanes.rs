//! AES instructions on one, two or four blocks a vector, eight vectors in flight.
//!
//! Everything is always inlined into functions that enable what the vectors need.

use super::{Block, MAX_ROUNDS, windows};
use crate::{
    Limb,
    simd::{Blocks, U64s, at_line, unroll, unseen},
};

pub(super) mod streams;

/// Vectors in flight: as many as hide the latency of an instruction.
pub(super) const FLIGHT: usize = 8;

/// The tasks on blocks that do not wait for each other.
pub(super) const ENCRYPT: u8 = 0;
pub(super) const DECRYPT: u8 = 1;
pub(super) const CTR: u8 = 2;
pub(super) const CBC_DECRYPT: u8 = 3;
/// CBC decryption of the flight that begins with block 0, which has no block of ciphertext before it.
const CBC_BEGIN: u8 = 4;

/// Where the blocks of a call are.
#[derive(Clone, Copy)]
pub(super) struct Call {
    r: *mut Block,
    x: *const Block,
    keys: *const Block,
    rounds: usize,
    /// The counter, or the block before the first, where there is one: in words, since a caller writes a counter in words,
    /// and a vector that is read where words were written waits until they are in the cache.
    first: [Limb; 2],
}

/// The number that a word's eight bytes are, the highest first.
#[inline(always)]
fn number(word: Limb) -> u64 {
    Limb::from_le(word).swap_bytes()
}

/// The words of a block.
///
/// # Safety
/// There is one at `block`, at any address.
#[inline(always)]
pub(super) unsafe fn words(block: *const Limb) -> [Limb; 2] {
    // SAFETY: as the caller says.
    unsafe { [block.read_unaligned(), block.add(1).read_unaligned()] }
}

/// The most round keys.
const KEYS: usize = MAX_ROUNDS + 1;

impl Call {
    /// The number of counter block i.
    #[inline(always)]
    pub fn counter(&self, i: usize) -> u64 {
        number(self.first[1]).wrapping_add(i as u64)
    }

    /// The counter block but for these.
    #[inline(always)]
    fn nonce(&self) -> [Limb; 2] {
        [self.first[0], 0]
    }

    #[inline(always)]
    pub fn new(
        r: *mut Limb,
        x: *const Limb,
        keys: *const Limb,
        rounds: usize,
        first: [Limb; 2],
    ) -> Call {
        Call {
            r: r.cast(),
            x: x.cast(),
            keys: keys.cast(),
            rounds,
            first,
        }
    }
}

/// Round keys in every lane: of R rounds, or of as many as the call has where R is 0. They are in registers where R is not
/// 0 and there are enough of these, and elsewhere read where the caller has them, so that none is left on the stack.
pub(super) struct Keys<V, const R: usize> {
    ready: [V; KEYS],
    memory: *const Block,
    rounds: usize,
}

impl<V: Blocks, const R: usize> Keys<V, R> {
    /// # Safety
    /// There are the keys of the call, of R rounds if R is not 0; the processor has what V needs.
    #[inline(always)]
    pub unsafe fn new(call: &Call) -> Self {
        // SAFETY: as the caller says.
        unsafe {
            let mut ready = [V::splat_block(call.keys.cast()); KEYS];
            unroll!(V, i < KEYS of 20,
                if i <= R && V::HOLDS_KEYS {
                    ready[i] = V::splat_block(call.keys.add(i).cast())
                }
            );
            Keys {
                ready,
                memory: call.keys,
                rounds: if R == 0 { call.rounds } else { R },
            }
        }
    }

    /// # Safety
    /// There are more than i keys; the processor has what V needs.
    #[inline(always)]
    pub unsafe fn get(&self, i: usize) -> V {
        match R != 0 && V::HOLDS_KEYS {
            true => self.ready[i],
            // SAFETY: as the caller says.
            false => unsafe { V::splat_block(self.memory.add(i).cast()) },
        }
    }

    #[inline(always)]
    pub fn first(&self) -> V {
        self.ready[0]
    }

    #[inline(always)]
    unsafe fn last(&self) -> V {
        // SAFETY: there are as many rounds.
        unsafe { self.get(self.rounds) }
    }

    /// A round with key i.
    ///
    /// # Safety
    /// There are more than i keys; the processor has what V needs.
    #[inline(always)]
    unsafe fn round<const K: usize, const INVERSE: bool>(&self, s: &mut [V; K], i: usize) {
        // SAFETY: as the caller says.
        unsafe {
            let key = self.get(i);
            for s in s {
                *s = match INVERSE {
                    true => s.inverse_round(key),
                    false => s.round(key),
                };
            }
        }
    }

    /// The remaining rounds of blocks that were xored with the first key and are through `done` rounds. The last round
    /// xors vector k with `last(k)`.
    ///
    /// # Safety
    /// The processor has what V needs.
    #[inline(always)]
    unsafe fn rounds<const K: usize, const INVERSE: bool>(
        &self,
        s: &mut [V; K],
        done: usize,
        last: impl Fn(usize) -> V,
    ) {
        // SAFETY: as the caller says; there are more keys.
        unsafe {
            match R {
                0 => {
                    for i in done + 1..self.rounds {
                        self.round::<K, INVERSE>(s, i);
                    }
                }
                _ => unroll!(V, i < KEYS of 20,
                    if i > done && i < R {
                        self.round::<K, INVERSE>(s, i)
                    }
                ),
            }
        }
        for (k, s) in s.iter_mut().enumerate() {
            // SAFETY: as the caller says.
            *s = unsafe {
                match INVERSE {
                    true => s.inverse_last_round(last(k)),
                    false => s.last_round(last(k)),
                }
            };
        }
    }
}

/// The counters of whole flights. All flights begin equally far behind a multiple of their length in blocks. So the low
/// bits at one place are the same in every flight, and the bits above them are one number or, from a certain place on,
/// the next one.
pub(super) struct Counters<V> {
    /// Low bits, and above them ones from the place on where the bits above are the next number.
    low: [V; FLIGHT],
    /// The xor of the first eight bytes of each counter block and of the first key.
    base: V,
    /// The number that the last eight bytes of the first key are.
    key: u64,
}

impl<V: Blocks> Counters<V> {
    /// The blocks of a flight.
    const BLOCKS: u64 = (FLIGHT * V::COUNT) as u64;

    /// For flights that end with block `end`, or any number of flights from there.
    ///
    /// # Safety
    /// There are the keys of the call; the processor has what V needs.
    #[inline(always)]
    pub unsafe fn new(call: &Call, first_key: V, end: usize) -> Self {
        // SAFETY: as the caller says.
        let (base, key) = unsafe {
            let nonce = V::splat_block(call.nonce().as_ptr().cast());
            (first_key.xor(nonce), number(words(call.keys.cast())[1]))
        };
        let first = call.counter(end);
        let below = Self::BLOCKS - 1;
        let mut low = [base; FLIGHT];
        for (k, low) in low.iter_mut().enumerate() {
            // SAFETY: as the caller says.
            *low = unsafe {
                V::numbers(|lane| {
                    let number = (first & below) + (k * V::COUNT) as u64 + lane;
                    let carry = (number / Self::BLOCKS).wrapping_neg();
                    number & below | carry & !below
                })
            };
        }
        Counters { low, base, key }
    }

    /// The counter in every lane, xored with the first key.
    ///
    /// # Safety
    /// The processor has what V needs.
    #[inline(always)]
    pub unsafe fn all(&self, counter: u64) -> V {
        // SAFETY: as the caller says.
        unsafe { self.base.numbered(counter ^ self.key) }
    }

    /// The flight that begins with the counter `first`, xored with the first key.
    ///
    /// # Safety
    /// The processor has what V needs.
    #[inline(always)]
    pub unsafe fn flight(&self, first: u64) -> [V; FLIGHT] {
        let below = Self::BLOCKS - 1;
        let upper = first & !below;
        // SAFETY: as the caller says.
        unsafe {
            let change = upper ^ upper.wrapping_add(Self::BLOCKS) | below;
            let (upper, change) = (
                self.base.numbered(upper ^ self.key),
                V::numbers(|_| 0).numbered(change),
            );
            // The compiler would mask words of general registers and move each to a vector: it must find vectors.
            let mut s = match V::HOLDS_KEYS {
                true => self.low,
                false => *unseen(&self.low),
            };
            for s in &mut s {
                *s = s.and(change).xor(upper);
            }
            s
        }
    }
}

/// K vectors of blocks from block i on, which come as they are after `done` rounds. In CBC there is a block before.
///
/// # Safety
/// They are there; the processor has what V needs.
#[inline(always)]
pub(super) unsafe fn group<V: Blocks, const K: usize, const TASK: u8, const R: usize>(
    call: &Call,
    keys: &Keys<V, R>,
    i: usize,
    done: usize,
    mut s: [V; K],
) {
    // SAFETY: as the caller says.
    unsafe {
        let (r, x) = (call.r.add(i), call.x.add(i));
        let last = |k: usize| {
            let x = x.add(k * V::COUNT);
            match TASK {
                CTR => keys.last().xor(V::load(x.cast())),
                CBC_BEGIN if k == 0 => {
                    let first = call.first.as_ptr().cast();
                    keys.last().xor(V::gather(
                        [first, x, x.add(1), x.add(2)].map(|row| row.cast()),
                    ))
                }
                CBC_DECRYPT | CBC_BEGIN => keys.last().xor(V::load(x.sub(1).cast())),
                _ => keys.last(),
            }
        };
        match TASK {
            DECRYPT | CBC_DECRYPT | CBC_BEGIN => keys.rounds::<K, true>(&mut s, done, last),
            _ => keys.rounds::<K, false>(&mut s, done, last),
        }
        for (k, s) in s.into_iter().enumerate() {
            s.store(r.add(k * V::COUNT).cast());
        }
    }
}

/// K vectors of blocks from block i on, as they enter the first round: blocks or counters, xored with the first key.
///
/// # Safety
/// They are there; the processor has what V needs.
#[inline(always)]
unsafe fn begin<V: Blocks, const K: usize, const TASK: u8, const R: usize>(
    call: &Call,
    keys: &Keys<V, R>,
    i: usize,
) -> [V; K] {
    // SAFETY: as the caller says.
    unsafe {
        let mut s = [keys.first(); K];
        for (k, s) in s.iter_mut().enumerate() {
            let i = i + k * V::COUNT;
            *s = s.xor(match TASK {
                CTR => V::numbers(|lane| call.counter(i).wrapping_add(lane))
                    .xor(V::splat_block(call.nonce().as_ptr().cast())),
                _ => V::load(call.x.add(i).cast()),
            });
        }
        s
    }
}

/// The task for n blocks, from the last to the first: so that the block before is still there in place.
///
/// # Safety
/// There are n blocks at r and x, which are the same or apart, and `rounds` + 1 keys, two of them at least; the processor
/// has what V needs.
#[inline(always)]
pub(super) unsafe fn run<V: Blocks, const TASK: u8>(call: &Call, n: usize) {
    // SAFETY: as the caller says.
    unsafe {
        match call.rounds {
            10 => flights::<V, TASK, 10>(call, n),
            12 => flights::<V, TASK, 12>(call, n),
            14 => flights::<V, TASK, 14>(call, n),
            _ => flights::<V, TASK, 0>(call, n),
        }
    }
}

/// ECB encryption: `(r, x, keys, n, m)` as in the contract.
///
/// # Safety
/// The contract of `aes_encrypt`; the caller enables what the vectors need.
#[inline(always)]
pub(super) unsafe fn encrypt<V: Blocks>(
    r: *mut Limb,
    x: *const Limb,
    keys: *const Limb,
    n: usize,
    m: usize,
) {
    // SAFETY: the same contract.
    unsafe { run::<V, ENCRYPT>(&Call::new(r, x, keys, m, [0; 2]), n) }
}

/// ECB decryption: `(r, x, keys, n, m)` as in the contract.
///
/// # Safety
/// The contract of `aes_decrypt`; the caller enables what the vectors need.
#[inline(always)]
pub(super) unsafe fn decrypt<V: Blocks>(
    r: *mut Limb,
    x: *const Limb,
    keys: *const Limb,
    n: usize,
    m: usize,
) {
    // SAFETY: the same contract.
    unsafe { run::<V, DECRYPT>(&Call::new(r, x, keys, m, [0; 2]), n) }
}

/// Counter mode: `(r, x, keys, c, n, m)` as in the contract.
///
/// # Safety
/// The contract of `aes_ctr`; the caller enables what the vectors need.
#[inline(always)]
pub(super) unsafe fn ctr<V: Blocks>(
    r: *mut Limb,
    x: *const Limb,
    keys: *const Limb,
    c: *const Limb,
    n: usize,
    m: usize,
) {
    // SAFETY: the same contract.
    unsafe { run::<V, CTR>(&Call::new(r, x, keys, m, words(c)), n) }
}

/// CBC decryption: `(r, x, keys, c, n, m)` as in the contract.
///
/// # Safety
/// The contract of `aes_cbc_decrypt`; the caller enables what the vectors need.
#[inline(always)]
pub(super) unsafe fn cbc_decrypt<V: Blocks>(
    r: *mut Limb,
    x: *const Limb,
    keys: *const Limb,
    c: *const Limb,
    n: usize,
    m: usize,
) {
    // SAFETY: the same contract.
    unsafe { run::<V, CBC_DECRYPT>(&Call::new(r, x, keys, m, words(c)), n) }
}

/// Does the task for n blocks, from the last to the first, with R rounds; R = 0 stands for any number.
///
/// # Safety
/// As `run`.
#[inline(always)]
unsafe fn flights<V: Blocks, const TASK: u8, const R: usize>(call: &Call, n: usize) {
    // The first block of CBC has no block before.
    let start = usize::from(TASK == CBC_DECRYPT);
    let mut end = n;
    // SAFETY: as the caller says; groups take no more blocks than there are.
    unsafe {
        if TASK == CTR && R > windows::ROUNDS && windows::pay(call, n) {
            end = windows::run::<V, R>(call, n);
        }
        let keys = Keys::<V, R>::new(call);
        if end - start >= FLIGHT * V::COUNT {
            let counters = Counters::new(call, keys.first(), end);
            while end - start >= FLIGHT * V::COUNT {
                at_line();
                end -= FLIGHT * V::COUNT;
                let s = match TASK {
                    CTR => counters.flight(call.counter(end)),
                    _ => begin::<V, FLIGHT, TASK, R>(call, &keys, end),
                };
                group::<V, FLIGHT, TASK, R>(call, &keys, end, 0, s);
            }
            if TASK == CBC_DECRYPT && end == FLIGHT * V::COUNT {
                let s = begin::<V, FLIGHT, TASK, R>(call, &keys, 0);
                return group::<V, FLIGHT, CBC_BEGIN, R>(call, &keys, 0, 0, s);
            }
        }
        while end - start >= V::COUNT {
            end -= V::COUNT;
            let s = begin::<V, 1, TASK, R>(call, &keys, end);
            group::<V, 1, TASK, R>(call, &keys, end, 0, s);
        }
        let keys = Keys::<V::One, 0>::new(call);
        while V::COUNT > 1 && end > start {
            end -= 1;
            let s = begin::<V::One, 1, TASK, 0>(call, &keys, end);
            group::<V::One, 1, TASK, 0>(call, &keys, end, 0, s);
        }
        if TASK == CBC_DECRYPT {
            let mut s = [keys.first().xor(<V::One as U64s>::load(call.x.cast()))];
            let last = keys
                .last()
                .xor(<V::One as U64s>::load(call.first.as_ptr().cast()));
            keys.rounds::<1, true>(&mut s, 0, |_| last);
            s[0].store(call.r.cast());
        }
    }
}
