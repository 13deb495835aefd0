//! CBC encryption of streams: a block waits for the one before it, so those of as many streams as there are lanes go side
//! by side.

use super::{Block, Call, FLIGHT, Keys};
use crate::{Limb, simd::Blocks};

/// CBC encryption of streams: `(r, x, keys, c, n, m, s)` as in the contract.
///
/// # Safety
/// The contract of `aes_cbc_encrypt`; the caller enables what the vectors need.
#[inline(always)]
pub(in crate::aes) unsafe fn cbc_encrypt<V: Blocks>(
    r: *mut Limb,
    x: *const Limb,
    keys: *const Limb,
    c: *const Limb,
    n: usize,
    m: usize,
    s: usize,
) {
    // SAFETY: the same contract.
    unsafe {
        let call = &Call::new(r, x, keys, m, [0; 2]);
        let (ivs, streams) = (c.cast(), n / s);
        match m {
            10 => chains::<V, 10>(call, ivs, streams, s),
            12 => chains::<V, 12>(call, ivs, streams, s),
            14 => chains::<V, 14>(call, ivs, streams, s),
            _ => chains::<V, 0>(call, ivs, streams, s),
        }
    }
}

/// CBC encryption of streams with R rounds; R = 0 stands for any number.
///
/// # Safety
/// There are `streams` times s blocks at r and x, `streams` blocks at `ivs`, and the keys as in `run`.
#[inline(always)]
unsafe fn chains<V: Blocks, const R: usize>(
    call: &Call,
    ivs: *const Block,
    streams: usize,
    s: usize,
) {
    let mut i = 0;
    // SAFETY: as the caller says.
    unsafe {
        if streams == 1 {
            return stream_group::<V::One, 1, R>(call, ivs, 0, 1, s);
        }
        while i < streams {
            let count = (FLIGHT * V::COUNT).min(streams - i);
            // Few take as long as one, but to read and write lanes that nobody needs takes longer.
            match count.div_ceil(V::COUNT) {
                1 => side_by_side::<V, 1, R>(call, ivs, i, count, s),
                2 => side_by_side::<V, 2, R>(call, ivs, i, count, s),
                3 | 4 => side_by_side::<V, 4, R>(call, ivs, i, count, s),
                _ => side_by_side::<V, FLIGHT, R>(call, ivs, i, count, s),
            }
            i += count;
        }
    }
}

/// The streams from i on, `count` of them, in K vectors.
///
/// # Safety
/// As `cbc_encrypt`; K vectors have lanes for all.
#[inline(always)]
unsafe fn side_by_side<V: Blocks, const K: usize, const R: usize>(
    call: &Call,
    ivs: *const Block,
    i: usize,
    count: usize,
    s: usize,
) {
    // SAFETY: as the caller says.
    unsafe {
        if V::COUNT > 1 && s.is_multiple_of(CROWDED) {
            crowded_group::<V, K, R>(call, ivs, i, count, s);
        } else {
            stream_group::<V, K, R>(call, ivs, i, count, s);
        }
    }
}

/// The streams from i on, `count` of them; lanes beyond repeat the last one.
///
/// The last round xors the state with what the first of the next block would, so nothing else is in the chain.
///
/// # Safety
/// As `cbc_encrypt`.
#[inline(always)]
unsafe fn stream_group<V: Blocks, const K: usize, const R: usize>(
    call: &Call,
    ivs: *const Block,
    i: usize,
    count: usize,
    s: usize,
) {
    // SAFETY: as the caller says; a lane's stream is below i + count.
    unsafe {
        let keys = Keys::<V, R>::new(call);
        let stream = |k: usize, l: usize| i + (k * V::COUNT + l).min(count - 1);
        let mut state: [V; K] = gathered(&keys, stream, call.x, s, 0);
        for (k, state) in state.iter_mut().enumerate() {
            let row = |l| ivs.add(stream(k, l));
            *state = state.xor(V::gather(
                [row(0), row(1), row(2), row(3)].map(|row| row.cast()),
            ));
        }
        for j in 0..s {
            // Behind the last block any will do.
            let next: [V; K] = gathered(&keys, stream, call.x, s, (j + 1).min(s - 1));
            keys.rounds::<K, false>(&mut state, 0, |k| keys.last().xor(next[k]));
            for (k, state) in state.iter().enumerate() {
                let mut blocks = [[0; 16]; 4];
                state.xor(next[k]).store(blocks.as_mut_ptr().cast());
                for (l, block) in blocks[..V::COUNT].iter().enumerate() {
                    call.r.add(s * stream(k, l) + j).write(*block);
                }
            }
        }
    }
}

/// Block j of each stream of `length` blocks, xored with the first key; lane l of vector k has stream `stream(k, l)`.
///
/// # Safety
/// They are there; the processor has what V needs.
#[inline(always)]
unsafe fn gathered<V: Blocks, const K: usize, const R: usize>(
    keys: &Keys<V, R>,
    stream: impl Fn(usize, usize) -> usize,
    x: *const Block,
    length: usize,
    j: usize,
) -> [V; K] {
    let mut blocks = [keys.first(); K];
    for (k, block) in blocks.iter_mut().enumerate() {
        // SAFETY: as the caller says.
        unsafe {
            let row = |l| x.add(length * stream(k, l) + j);
            *block = block.xor(V::gather(
                [row(0), row(1), row(2), row(3)].map(|row| row.cast()),
            ));
        }
    }
    blocks
}

/// Blocks in 2 KiB. Streams whose length is a multiple of it have their lines in one or two sets of the first-level
/// cache: more lines than a set has ways.
const CROWDED: usize = 128;
/// Vectors of a stream that are read, and written, one after the other.
const DEPTH: usize = 16;
/// Block after block of each stream, as many as these vectors have at most, and one more.
type Rows<V, const K: usize> = [[V; K]; 4 * DEPTH + 1];

/// The streams from i on, `count` of them, whose length is a multiple of `CROWDED` blocks.
///
/// Several lines of a stream are read at a time, and written, so that the lines of all streams do not evict each other
/// from the cache again and again.
///
/// # Safety
/// As `cbc_encrypt`.
#[inline(always)]
unsafe fn crowded_group<V: Blocks, const K: usize, const R: usize>(
    call: &Call,
    ivs: *const Block,
    i: usize,
    count: usize,
    s: usize,
) {
    let stream = |k: usize, l: usize| i + (k * V::COUNT + l).min(count - 1);
    let depth = DEPTH * V::COUNT;
    // SAFETY: as the caller says; a lane's stream is below i + count, and s is a multiple of `depth`.
    unsafe {
        let zero = [V::numbers(|_| 0); K];
        let mut rows: Rows<V, K> = [zero; _];
        let mut before = zero;
        for (k, before) in before.iter_mut().enumerate() {
            let row = |l| ivs.add(stream(k, l));
            *before = V::gather([row(0), row(1), row(2), row(3)].map(|row| row.cast()));
        }
        for j in (0..s).step_by(depth) {
            for k in 0..K {
                for (d, rows) in rows[..depth].chunks_mut(V::COUNT).enumerate() {
                    let row = |l| {
                        V::load(
                            call.x
                                .add(s * stream(k, l % V::COUNT) + j + d * V::COUNT)
                                .cast(),
                        )
                    };
                    let vectors = V::transposed([row(0), row(1), row(2), row(3)]);
                    for (row, vector) in rows.iter_mut().zip(vectors) {
                        row[k] = vector;
                    }
                }
            }
            // Nothing follows the last one here.
            rows[depth] = zero;
            encrypt_rows::<V, K, R>(call, &mut rows[..=depth], &before);
            before = rows[depth - 1];
            for k in 0..K {
                for (d, rows) in rows[..depth].chunks(V::COUNT).enumerate() {
                    let row = |l: usize| rows[l % V::COUNT][k];
                    let vectors = V::transposed([row(0), row(1), row(2), row(3)]);
                    for (l, vector) in vectors.into_iter().enumerate().take(V::COUNT) {
                        vector.store(call.r.add(s * stream(k, l) + j + d * V::COUNT).cast());
                    }
                }
            }
        }
    }
}

/// Encrypts rows of blocks but for the last one, behind the row `before`.
///
/// # Safety
/// There are the keys of the call; the processor has what V needs.
#[inline(always)]
unsafe fn encrypt_rows<V: Blocks, const K: usize, const R: usize>(
    call: &Call,
    rows: &mut [[V; K]],
    before: &[V; K],
) {
    // SAFETY: as the caller says.
    unsafe {
        let keys = Keys::<V, R>::new(call);
        let mut state = [keys.first(); K];
        for (k, state) in state.iter_mut().enumerate() {
            *state = state.xor(before[k]).xor(rows[0][k]);
        }
        for j in 1..rows.len() {
            let mut next = [keys.first(); K];
            for (k, next) in next.iter_mut().enumerate() {
                *next = next.xor(rows[j][k]);
            }
            keys.rounds::<K, false>(&mut state, 0, |k| keys.last().xor(next[k]));
            for k in 0..K {
                rows[j - 1][k] = state[k].xor(next[k]);
            }
        }
    }
}
