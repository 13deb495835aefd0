//! AES instructions on one, two or four blocks a vector, eight vectors in flight.
//!
//! Everything is always inlined into functions that enable what the vectors need.

use super::Block;
use crate::Limb;
use core::arch::x86_64::*;

/// Vectors in flight: as many as hide the latency of an instruction.
const FLIGHT: usize = 8;

/// A vector of blocks.
pub(super) trait Blocks: Copy {
    const COUNT: usize;
    unsafe fn load(x: *const Block) -> Self;
    unsafe fn store(self, r: *mut Block);
    /// A block in every lane.
    unsafe fn splat(x: *const Block) -> Self;
    /// A block of each row, of which there are four.
    unsafe fn gather(rows: [*const Block; 4]) -> Self;
    /// The last eight bytes of each block in reverse: the counter that they are becomes a word.
    unsafe fn reverse(self) -> Self;
    /// Each lane's number added to that word.
    unsafe fn plus(self, number: impl Fn(u64) -> u64) -> Self;
    unsafe fn xor(self, other: Self) -> Self;
    unsafe fn round(self, key: Self) -> Self;
    unsafe fn last_round(self, key: Self) -> Self;
    unsafe fn inverse_round(self, key: Self) -> Self;
    unsafe fn inverse_last_round(self, key: Self) -> Self;
}

macro_rules! blocks {
    (
        $V:ident, $vector:ty, $count:literal, $load:ident, $store:ident, |$block:ident| $splat:expr, |$rows:ident| $gather:expr,
        $shuffle:ident, |$number:ident| $numbers:expr, $add:ident, $xor:ident, $round:ident, $last:ident, $inverse:ident, $inverse_last:ident
    ) => {
        #[derive(Clone, Copy)]
        pub(super) struct $V($vector);

        impl Blocks for $V {
            const COUNT: usize = $count;

            #[inline(always)]
            unsafe fn load(x: *const Block) -> $V {
                // SAFETY: the caller's, as everywhere below.
                unsafe { $V($load(x.cast())) }
            }
            #[inline(always)]
            unsafe fn store(self, r: *mut Block) {
                // SAFETY: see above.
                unsafe { $store(r.cast(), self.0) }
            }
            #[inline(always)]
            unsafe fn splat(x: *const Block) -> $V {
                // SAFETY: see above.
                unsafe {
                    let $block = _mm_loadu_si128(x.cast());
                    $V($splat)
                }
            }
            #[inline(always)]
            unsafe fn gather($rows: [*const Block; 4]) -> $V {
                // SAFETY: see above.
                unsafe { $V($gather) }
            }
            #[inline(always)]
            unsafe fn reverse(self) -> $V {
                // SAFETY: see above.
                unsafe {
                    let $block = _mm_set_epi64x(0x0809_0a0b_0c0d_0e0f, 0x0706_0504_0302_0100);
                    $V($shuffle(self.0, $splat))
                }
            }
            #[inline(always)]
            unsafe fn plus(self, number: impl Fn(u64) -> u64) -> $V {
                let $number = |lane| number(lane) as i64;
                // SAFETY: see above.
                unsafe { $V($add(self.0, $numbers)) }
            }
            #[inline(always)]
            unsafe fn xor(self, other: $V) -> $V {
                // SAFETY: see above.
                unsafe { $V($xor(self.0, other.0)) }
            }
            #[inline(always)]
            unsafe fn round(self, key: $V) -> $V {
                // SAFETY: see above.
                unsafe { $V($round(self.0, key.0)) }
            }
            #[inline(always)]
            unsafe fn last_round(self, key: $V) -> $V {
                // SAFETY: see above.
                unsafe { $V($last(self.0, key.0)) }
            }
            #[inline(always)]
            unsafe fn inverse_round(self, key: $V) -> $V {
                // SAFETY: see above.
                unsafe { $V($inverse(self.0, key.0)) }
            }
            #[inline(always)]
            unsafe fn inverse_last_round(self, key: $V) -> $V {
                // SAFETY: see above.
                unsafe { $V($inverse_last(self.0, key.0)) }
            }
        }
    };
}

blocks!(
    Xmm,
    __m128i,
    1,
    _mm_loadu_si128,
    _mm_storeu_si128,
    |block| block,
    |rows| _mm_loadu_si128(rows[0].cast()),
    _mm_shuffle_epi8,
    |number| _mm_set_epi64x(number(0), 0),
    _mm_add_epi64,
    _mm_xor_si128,
    _mm_aesenc_si128,
    _mm_aesenclast_si128,
    _mm_aesdec_si128,
    _mm_aesdeclast_si128
);

blocks!(
    Ymm,
    __m256i,
    2,
    _mm256_loadu_si256,
    _mm256_storeu_si256,
    |block| _mm256_broadcastsi128_si256(block),
    |rows| _mm256_inserti128_si256::<1>(
        _mm256_castsi128_si256(_mm_loadu_si128(rows[0].cast())),
        _mm_loadu_si128(rows[1].cast()),
    ),
    _mm256_shuffle_epi8,
    |number| _mm256_set_epi64x(number(1), 0, number(0), 0),
    _mm256_add_epi64,
    _mm256_xor_si256,
    _mm256_aesenc_epi128,
    _mm256_aesenclast_epi128,
    _mm256_aesdec_epi128,
    _mm256_aesdeclast_epi128
);

blocks!(
    Zmm,
    __m512i,
    4,
    _mm512_loadu_si512,
    _mm512_storeu_si512,
    |block| _mm512_broadcast_i32x4(block),
    |rows| {
        let low = _mm512_castsi128_si512(_mm_loadu_si128(rows[0].cast()));
        let low = _mm512_inserti32x4::<1>(low, _mm_loadu_si128(rows[1].cast()));
        let low = _mm512_inserti32x4::<2>(low, _mm_loadu_si128(rows[2].cast()));
        _mm512_inserti32x4::<3>(low, _mm_loadu_si128(rows[3].cast()))
    },
    _mm512_shuffle_epi8,
    |number| _mm512_set_epi64(number(3), 0, number(2), 0, number(1), 0, number(0), 0),
    _mm512_add_epi64,
    _mm512_xor_si512,
    _mm512_aesenc_epi128,
    _mm512_aesenclast_epi128,
    _mm512_aesdec_epi128,
    _mm512_aesdeclast_epi128
);

/// What is done with blocks that do not wait for each other.
pub(super) const ENCRYPT: u8 = 0;
pub(super) const DECRYPT: u8 = 1;
pub(super) const CTR: u8 = 2;
pub(super) const CBC_DECRYPT: u8 = 3;

/// Where the blocks of a call are.
#[derive(Clone, Copy)]
pub(super) struct Call {
    r: *mut Block,
    x: *const Block,
    keys: *const Block,
    rounds: usize,
    /// The counter, or the block before the first, where there is one.
    first: Block,
}

impl Call {
    #[inline(always)]
    pub fn new(
        r: *mut Limb,
        x: *const Limb,
        keys: *const Limb,
        rounds: usize,
        first: Block,
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

/// Blocks through all rounds.
///
/// # Safety
/// There are `rounds` + 1 round keys, and two of them at least; the processor has what V needs.
#[inline(always)]
unsafe fn rounds<V: Blocks, const K: usize, const INVERSE: bool>(
    s: &mut [V; K],
    keys: *const Block,
    rounds: usize,
) {
    // SAFETY: as the caller says.
    unsafe {
        let key = V::splat(keys);
        for s in s.iter_mut() {
            *s = s.xor(key);
        }
        for i in 1..rounds {
            let key = V::splat(keys.add(i));
            for s in s.iter_mut() {
                *s = if INVERSE {
                    s.inverse_round(key)
                } else {
                    s.round(key)
                };
            }
        }
        let key = V::splat(keys.add(rounds));
        for s in s.iter_mut() {
            *s = if INVERSE {
                s.inverse_last_round(key)
            } else {
                s.last_round(key)
            };
        }
    }
}

/// K vectors of blocks from block i on. In CBC there is a block before.
///
/// # Safety
/// They are there; the processor has what V needs.
#[inline(always)]
unsafe fn group<V: Blocks, const K: usize, const TASK: u8>(call: &Call, i: usize) {
    // SAFETY: as the caller says.
    unsafe {
        let (r, x) = (call.r.add(i), call.x.add(i));
        let mut s = [V::splat(call.keys); K];
        let counters = V::splat(&call.first).reverse();
        let counters = counters.plus(|lane| (i as u64).wrapping_add(lane));
        for (k, s) in s.iter_mut().enumerate() {
            *s = match TASK {
                CTR => counters.plus(|_| (k * V::COUNT) as u64).reverse(),
                _ => V::load(x.add(k * V::COUNT)),
            };
        }
        match TASK {
            DECRYPT | CBC_DECRYPT => rounds::<V, K, true>(&mut s, call.keys, call.rounds),
            _ => rounds::<V, K, false>(&mut s, call.keys, call.rounds),
        }
        for (k, s) in s.iter_mut().enumerate() {
            *s = match TASK {
                CTR => s.xor(V::load(x.add(k * V::COUNT))),
                CBC_DECRYPT => s.xor(V::load(x.add(k * V::COUNT).sub(1))),
                _ => *s,
            };
        }
        for (k, s) in s.into_iter().enumerate() {
            s.store(r.add(k * V::COUNT));
        }
    }
}

/// The task for n blocks, from the last to the first: so that the block before is still there in place.
///
/// # Safety
/// There are n blocks at r and x, which are the same or apart, and `rounds` + 1 keys, two of them at least; the processor
/// has what V needs.
#[inline(always)]
pub(super) unsafe fn run<V: Blocks, const TASK: u8>(call: &Call, n: usize) {
    // The first block of CBC has no block before.
    let begin = usize::from(TASK == CBC_DECRYPT);
    let mut end = n;
    // SAFETY: as the caller says; groups take no more blocks than there are.
    unsafe {
        while end - begin >= FLIGHT * V::COUNT {
            end -= FLIGHT * V::COUNT;
            group::<V, FLIGHT, TASK>(call, end);
        }
        while end - begin >= V::COUNT {
            end -= V::COUNT;
            group::<V, 1, TASK>(call, end);
        }
        while V::COUNT > 1 && end > begin {
            end -= 1;
            group::<Xmm, 1, TASK>(call, end);
        }
        if TASK == CBC_DECRYPT {
            let mut s = [Xmm::load(call.x)];
            rounds::<Xmm, 1, true>(&mut s, call.keys, call.rounds);
            s[0].xor(Xmm::load(&call.first)).store(call.r);
        }
    }
}

/// CBC encryption of streams of s blocks each, every one with a first block of its own at `ivs`.
///
/// # Safety
/// There are `streams` times s blocks at r and x, `streams` blocks at `ivs`, and the keys as in `run`.
#[inline(always)]
pub(super) unsafe fn cbc_encrypt<V: Blocks>(
    call: &Call,
    ivs: *const Block,
    streams: usize,
    s: usize,
) {
    let mut i = 0;
    // SAFETY: as the caller says.
    unsafe {
        if streams == 1 {
            return stream_group::<Xmm, 1>(call, ivs, 0, 1, s);
        }
        while i < streams {
            let count = (FLIGHT * V::COUNT).min(streams - i);
            stream_group::<V, FLIGHT>(call, ivs, i, count, s);
            i += count;
        }
    }
}

/// The streams from i on, `count` of them; lanes beyond repeat the last one.
///
/// # Safety
/// As `cbc_encrypt`.
#[inline(always)]
unsafe fn stream_group<V: Blocks, const K: usize>(
    call: &Call,
    ivs: *const Block,
    i: usize,
    count: usize,
    s: usize,
) {
    // SAFETY: as the caller says; a lane's stream is below i + count.
    unsafe {
        let stream = |k: usize, l: usize| i + (k * V::COUNT + l).min(count - 1);
        let mut state = [V::splat(call.keys); K];
        for (k, state) in state.iter_mut().enumerate() {
            let row = |l| ivs.add(stream(k, l));
            *state = V::gather([row(0), row(1), row(2), row(3)]);
        }
        for j in 0..s {
            for (k, state) in state.iter_mut().enumerate() {
                let row = |l| call.x.add(s * stream(k, l) + j);
                *state = state.xor(V::gather([row(0), row(1), row(2), row(3)]));
            }
            rounds::<V, K, false>(&mut state, call.keys, call.rounds);
            for (k, state) in state.iter().enumerate() {
                let mut blocks = [[0; 16]; 4];
                state.store(blocks.as_mut_ptr());
                for (l, block) in blocks[..V::COUNT].iter().enumerate() {
                    call.r.add(s * stream(k, l) + j).write(*block);
                }
            }
        }
    }
}
