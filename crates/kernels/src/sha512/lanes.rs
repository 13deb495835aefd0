//! Several hashes at once: a vector holds the same word of as many as it has lanes.

use super::{BLOCK, K, ROUNDS, WORDS};
use crate::{
    Limb,
    simd::{Transposed, unroll},
};

/// The kernel: on vectors `Four` for four hashes, and on vectors `Eight` for eight.
///
/// # Safety
/// The contract of `sha512_compress`; the processor has what the vectors need, and the caller enables it.
#[inline(always)]
pub(super) unsafe fn compress<Four: Transposed, Eight: Transposed>(
    h: *mut Limb,
    x: *const Limb,
    n: usize,
    m: usize,
) {
    // SAFETY: the same contract, of as many hashes as are named.
    unsafe {
        match m {
            4 => all::<Four, 4>(h, x, n),
            _ => all::<Eight, 8>(h, x, n),
        }
    }
}

/// `M` hashes, as many at a time as a vector has lanes.
///
/// # Safety
/// As for [`compress`], of `M` hashes.
#[inline(always)]
unsafe fn all<V: Transposed, const M: usize>(h: *mut Limb, x: *const Limb, n: usize) {
    for first in (0..M).step_by(V::LANES) {
        // SAFETY: the lanes from the first one on have their chaining values and blocks there.
        unsafe { group::<V, M>(h.add(WORDS * first), x.add(BLOCK * first), n) };
    }
}

/// As many hashes as a vector has lanes.
///
/// # Safety
/// Their chaining values are at h, and of each group of `M` blocks theirs from x on; as for [`compress`].
#[inline(always)]
unsafe fn group<V: Transposed, const M: usize>(h: *mut Limb, x: *const Limb, n: usize) {
    // SAFETY: four words of each are at any multiple of four.
    unsafe {
        let value = |at: usize| V::load_blocks(|lane| h.add(WORDS * lane + at));
        let ([a, b, c, d], [e, f, g, i]) = (value(0), value(4));
        let mut value = [a, b, c, d, e, f, g, i];
        for i in 0..n {
            let x = x.add(BLOCK * M * i);
            let mut w = [V::zero(); BLOCK];
            unroll!(j < 4 of 5, {
                let four = V::load_blocks(|lane| x.add(BLOCK * lane + 4 * j));
                unroll!(k < 4 of 5, w[4 * j + k] = four[k].swapped());
            });
            block(&mut value, &mut w);
        }
        V::store_blocks(&value, h, None);
    }
}

/// Compresses a block of each.
///
/// # Safety
/// As for [`compress`].
#[inline(always)]
unsafe fn block<V: Transposed>(value: &mut [V; WORDS], w: &mut [V; BLOCK]) {
    let mut s = *value;
    // SAFETY: the caller's.
    unsafe {
        for t in (0..ROUNDS).step_by(BLOCK) {
            unroll!(j < 16 of 20, {
                if t > 0 {
                    w[j] = next(w, j);
                }
                round(&mut s, j, w[j].add(V::splat(K[t + j])));
            });
        }
        unroll!(i < 8 of 10, value[i] = value[i].add(s[i]));
    }
}

/// The word of the message schedule in the place of word j of the last sixteen.
///
/// # Safety
/// As for [`compress`].
#[inline(always)]
unsafe fn next<V: Transposed>(w: &[V; BLOCK], j: usize) -> V {
    let at = |i: usize| w[(j + i) % BLOCK];
    // SAFETY: the caller's.
    unsafe {
        let x = rotated(at(1), 1).xor(rotated(at(1), 8)).xor(at(1).shr(7));
        let y = rotated(at(14), 19)
            .xor(rotated(at(14), 61))
            .xor(at(14).shr(6));
        at(0).add(x).add(at(9)).add(y)
    }
}

/// Round j of sixteen, with a word of the schedule and the round's constant in one sum. Words stay where they are, and the
/// rounds name them anew.
///
/// # Safety
/// As for [`compress`].
#[inline(always)]
unsafe fn round<V: Transposed>(s: &mut [V; WORDS], j: usize, wk: V) {
    let at = |i: usize| (i + ROUNDS - j) % WORDS;
    let [a, b, c, d] = [0, 1, 2, 3].map(at);
    let [e, f, g, h] = [4, 5, 6, 7].map(at);
    // SAFETY: the caller's.
    unsafe {
        let sum = rotated(s[e], 14)
            .xor(rotated(s[e], 18))
            .xor(rotated(s[e], 41));
        let choice = s[g].xor(s[e].and(s[f].xor(s[g])));
        let one = s[h].add(wk).add(choice).add(sum);
        let sum = rotated(s[a], 28)
            .xor(rotated(s[a], 34))
            .xor(rotated(s[a], 39));
        let majority = s[a].and(s[b]).or(s[c].and(s[a].or(s[b])));
        s[d] = s[d].add(one);
        s[h] = one.add(sum.add(majority));
    }
}

/// Words rotated to the right.
///
/// # Safety
/// As for [`compress`].
#[inline(always)]
unsafe fn rotated<V: Transposed>(x: V, bits: u32) -> V {
    // SAFETY: the caller's.
    unsafe { x.rotl(64 - bits) }
}
