//! Steps that a team takes together, and that no member waits for long.
//!
//! A computation goes from state to state, and each step has a part for every member. All members have the state. Each
//! computes its part, shows it, takes the parts of the others, and joins them to the next state. A part that is
//! not there after a bounded wait is computed by whoever needs it, and its member counts as absent: it is not waited
//! for until it has been in step again. Who was away finds the others ahead, takes over their state, and goes on from
//! there. So the slowest that a team can be is one member that does everything.
//!
//! What a member shows is guarded by a sequence number, odd while it is being written (a seqlock: Boehm, Can Seqlocks
//! Get Along With Programming Language Memory Models?, MSPC 2012). Only its own member writes it, and whoever reads it
//! finds out whether it has changed meanwhile: nobody is blocked by a thread that sleeps.

use super::{Board, Member};
use carrysave_kernels::Limb;
use core::hint::spin_loop;
use core::sync::atomic::{AtomicUsize, Ordering::*, fence};
use core::time::Duration;
use std::time::Instant;
use zeroize::Zeroizing;

/// A member waits as often as long as its own part took.
const PATIENCE: u32 = 2;

/// A computation in steps: each member of a team has one. All go through the same states.
pub(crate) trait Steps {
    /// How many there are.
    fn count(&self) -> usize;
    /// The part of the member `rank` in a step from `state`.
    fn part(&mut self, step: usize, state: &[Limb], rank: usize, part: &mut [Limb]);
    /// The next state, of all parts one after the other.
    fn join(&mut self, step: usize, state: &mut [Limb], parts: &[Limb]);
    /// Another member was there before: `step` is the next one.
    fn skip_to(&mut self, step: usize);
}

/// What the members of a team show each other.
pub(crate) struct Relay {
    shown: Vec<Shown>,
    state: usize,
    part: usize,
}

/// What one member shows: the state before a step, and its part of it.
#[repr(align(128))] // two cache lines, as processors fetch them in pairs
struct Shown {
    /// 2s + 2 for step s, 2s + 1 while it is written; 0 for nothing.
    sequence: AtomicUsize,
    words: Board,
}

impl Relay {
    /// For so many members, a state and parts of so many words.
    pub(crate) fn new(members: usize, state: usize, part: usize) -> Relay {
        let shown = || Shown {
            sequence: AtomicUsize::new(0),
            words: Board::new(state + part),
        };
        Relay {
            shown: (0..members).map(|_| shown()).collect(),
            state,
            part,
        }
    }

    /// Takes all steps from `first`, the state before them; the one after them is the result.
    ///
    /// # Panics
    /// If another member has.
    pub(crate) fn run(
        &self,
        member: &Member<'_>,
        first: &[Limb],
        steps: &mut dyn Steps,
    ) -> Zeroizing<Vec<Limb>> {
        let (me, count) = (member.rank(), steps.count());
        let mut state = Zeroizing::new(first.to_vec());
        let mut parts = Zeroizing::new(vec![0; self.part * self.shown.len()]);
        let mut present = vec![false; self.shown.len()];
        let mut quickest = Duration::MAX;
        let mut step = 0;
        'steps: while step < count {
            member.check();
            if let Some(ahead) = self.catch_up(step, &mut state) {
                step = ahead;
                steps.skip_to(step);
                continue;
            }
            let start = Instant::now();
            let mine = &mut parts[me * self.part..][..self.part];
            steps.part(step, &state, me, mine);
            quickest = quickest.min(start.elapsed());
            self.show(me, step, &state, mine);
            for other in (0..self.shown.len()).filter(|&other| other != me) {
                let part = &mut parts[other * self.part..][..self.part];
                let patience = if present[other] {
                    PATIENCE * quickest
                } else {
                    Duration::ZERO
                };
                present[other] = self.take(other, step, part, patience);
                if !present[other] {
                    if let Some(ahead) = self.catch_up(step, &mut state) {
                        step = ahead;
                        steps.skip_to(step);
                        continue 'steps;
                    }
                    steps.part(step, &state, other, part);
                }
            }
            steps.join(step, &mut state, &parts);
            step += 1;
        }
        parts.fill(0);
        self.show(me, count, &state, &parts[..self.part]);
        state
    }

    fn show(&self, me: usize, step: usize, state: &[Limb], part: &[Limb]) {
        let Shown { sequence, words } = &self.shown[me];
        sequence.store(2 * step + 1, Relaxed);
        // Who reads a word of this step finds at least that it is being written.
        fence(Release);
        words.write(0, state);
        words.write(self.state, part);
        sequence.store(2 * step + 2, Release);
    }

    /// Words that a member shows for a step; false if it shows another one, or another one meanwhile.
    fn read(&self, other: usize, step: usize, at: usize, words: &mut [Limb]) -> bool {
        let shown = &self.shown[other];
        let expected = 2 * step + 2;
        if shown.sequence.load(Acquire) != expected {
            return false;
        }
        shown.words.read(at, words);
        fence(Acquire);
        shown.sequence.load(Relaxed) == expected
    }

    /// The part of another member, if it comes in time.
    fn take(&self, other: usize, step: usize, part: &mut [Limb], patience: Duration) -> bool {
        /// Looks between looks at the clock.
        const LOOKS: usize = 32;
        let mut start = None;
        loop {
            for _ in 0..LOOKS {
                if self.shown[other].sequence.load(Relaxed) > 2 * step + 1 {
                    return self.read(other, step, self.state, part);
                }
                if patience.is_zero() {
                    return false;
                }
                spin_loop();
            }
            if start.get_or_insert_with(Instant::now).elapsed() >= patience {
                return false;
            }
        }
    }

    /// The furthest step after `step` that another member has begun, and its state; `None` if there is none, or if it
    /// cannot be read just now.
    fn catch_up(&self, step: usize, state: &mut [Limb]) -> Option<usize> {
        let furthest = self.shown.iter().enumerate();
        let (sequence, other) = furthest
            .map(|(other, shown)| (shown.sequence.load(Relaxed), other))
            .max()?;
        let ahead = (sequence / 2).checked_sub(1)?;
        if ahead <= step {
            return None;
        }
        let mut theirs = Zeroizing::new(vec![0; self.state]);
        self.read(other, ahead, 0, &mut theirs).then(|| {
            state.copy_from_slice(&theirs);
            ahead
        })
    }
}
