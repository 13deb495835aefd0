//! Counter mode in windows of 256 blocks, each of which shares its first two rounds with the others.
//!
//! Within a window blocks differ only in the last byte. The first round turns that byte into the first column, and the
//! other bytes of a counter into the other columns, except for byte 10, which changes only once in 2^40 blocks.
//! The second round replaces bytes one by one, and is linear from there on. So a block after two rounds is the
//! xor of two parts: one depends on its last byte, the other on the bytes above. It is made from the block with the
//! same last byte in another window and the difference of the windows.
//!
//! Source: D. J. Bernstein and P. Schwabe, "New AES software speed records", INDOCRYPT 2008, section 4 (counter-mode
//! caching).

use super::{
    Block,
    lanes::{CTR, Call, Counters, FLIGHT, Keys, group},
};
use crate::{
    simd::{Blocks, at_line},
    wipe,
};
use core::{hint::black_box, mem::MaybeUninit, slice};

/// The rounds that are saved.
pub(super) const ROUNDS: usize = 2;

/// The blocks of a window.
const WINDOW: usize = 256;

/// The blocks from which on it takes longer to do the rounds than to save them.
const ENOUGH: usize = 512;

/// The blocks of a window after the rounds.
#[repr(align(64))]
struct Saved(MaybeUninit<[Block; WINDOW]>);

/// Ones for as many blocks as a flight has at most, then zeros for as many.
#[repr(align(64))]
struct Edge([[Block; 4 * FLIGHT]; 2]);
static EDGE: Edge = Edge([[[0xff; 16]; 4 * FLIGHT], [[0; 16]; 4 * FLIGHT]]);

/// Whether this is the way for a call of n blocks.
#[inline(always)]
pub(super) fn pay(call: &Call, n: usize) -> bool {
    n >= ENOUGH && (call.counter(0) ^ call.counter(n - 1)) >> 40 == 0
}

/// Counter mode of whole flights, from the last of n blocks on; gives the number of blocks that are left.
///
/// # Safety
/// As `lanes::run` in R rounds, which are more than `ROUNDS`; `pay` says that this is the way.
#[inline(always)]
pub(super) unsafe fn run<V: Blocks, const R: usize>(call: &Call, n: usize) -> usize {
    let blocks = FLIGHT * V::COUNT;
    // So many blocks of each flight are before one whose counter is a multiple of a flight's blocks, the edge.
    let before = call.counter(n).wrapping_neg() as usize % blocks;
    let edge = |flight: usize| call.counter(flight + before);
    let below = |window: u64| window.wrapping_sub(WINDOW as u64);
    // SAFETY: as the caller says; places of flights are within a window, and there are ones and zeros for a flight on both
    // sides of the edge.
    unsafe {
        // Read from memory where they are used: registers are for what the loops below have more use for.
        let few = Keys::<V, 0>::new(call);
        let counters = Counters::new(call, few.first(), n);
        let rounds = |s: V| s.round(few.get(1)).round(few.get(2));
        // What the bytes above the last decide, and something that is the same in all windows.
        let upper = |window: u64| rounds(counters.all(window));
        // Ones for the blocks before the edge.
        let ones = |k: usize| {
            let ones = EDGE.0.as_flattened().as_ptr().add(4 * FLIGHT - before);
            V::load(ones.add(k * V::COUNT).cast())
        };
        let mut saved = Saved(MaybeUninit::uninit());
        // As if it could be anywhere, where keys are too: they are not read before the loops, and left on the stack.
        let saved: *mut Block = black_box(saved.0.as_mut_ptr()).cast();

        // The window of the last flight. Where an edge begins it, the blocks before are of the window below, and are saved as
        // if they were not.
        let last = edge(n - blocks) / WINDOW as u64 * WINDOW as u64;
        let this = upper(last);
        let other = this.xor(upper(below(last)));
        for place in (0..WINDOW).step_by(blocks) {
            let mut s =
                counters.flight(last.wrapping_add(place as u64).wrapping_sub(before as u64));
            for s in &mut s {
                *s = rounds(*s);
            }
            for (k, s) in s.into_iter().enumerate() {
                s.store(saved.add(place + k * V::COUNT).cast());
            }
        }
        for k in 0..FLIGHT {
            let at = saved.add(k * V::COUNT);
            V::load(at.cast()).xor(ones(k).and(other)).store(at.cast());
        }

        let keys = Keys::<V, R>::new(call);
        // How a window differs from the last one, and the one below it: known one window ahead, so that nothing waits.
        let (mut change, mut next) = (this.xor(this), other);
        let mut end = n;
        while end >= blocks {
            at_line();
            end -= blocks;
            let edge = edge(end);
            let at = saved.add(edge as usize % WINDOW);
            let mut s = [change; FLIGHT];
            for (k, s) in s.iter_mut().enumerate() {
                *s = s.xor(V::load(at.add(k * V::COUNT).cast()));
            }
            if at == saved {
                let other = change.xor(next);
                for (k, s) in s.iter_mut().enumerate() {
                    *s = s.xor(ones(k).and(other));
                }
                (change, next) = (next, this.xor(upper(below(below(edge)))));
            }
            if end < WINDOW {
                // Nothing more is made of these.
                let zero = V::numbers(|_| 0);
                wipe(slice::from_raw_parts_mut(at.cast::<V>(), FLIGHT), zero);
            }
            group::<V, FLIGHT, CTR, R>(call, &keys, end, ROUNDS, s);
        }
        end
    }
}
