//! Steps that a team takes together, and that no member waits for long.
//!
//! A computation goes from state to state, and each step has a part for every member. All members have the state. Each
//! shows it, computes its part and shows that, takes the parts of the others, and joins them to the next state. A part
//! that is not there after a bounded wait is computed by whoever needs it, and its member counts as absent: it is not
//! waited for until it is seen to move again. Who finds nobody else present takes whole steps alone, one or several,
//! which is less work than all parts one by one. Who was away finds the others ahead, takes over their state, and goes
//! on from there. So the slowest that a team can be is about one member that does everything.
//!
//! What a member shows is guarded by a sequence number, odd while it is being written (a seqlock: Boehm, Can Seqlocks
//! Get Along With Programming Language Memory Models?, MSPC 2012). Only its own member writes it, and whoever reads it
//! finds out whether it has changed meanwhile: nobody is blocked by a thread that sleeps.

use super::sync::{AtomicUsize, fence, spin_loop};
use super::{Board, Member};
use carrysave_kernels::Limb;
use core::sync::atomic::Ordering::*;
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
    /// The state after this step or more, without parts; how many.
    fn alone(&mut self, step: usize, state: &mut [Limb]) -> usize;
    /// Another member was there before: `step` is the next one.
    fn skip_to(&mut self, step: usize);
}

/// What the members of a team show each other.
pub(crate) struct Relay {
    shown: Vec<Shown>,
    /// Words of a part.
    part: usize,
}

/// What one member shows: the state before a step, and its part of it.
#[repr(align(128))] // two cache lines, as processors fetch them in pairs
struct Shown {
    /// A [`Moment`]; 0 for nothing.
    sequence: AtomicUsize,
    /// The state. The others read it only if they are behind.
    state: Board,
    part: Board,
}

/// What is shown of a step.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Moment {
    /// Nothing: the state is being written.
    Writing(usize),
    /// The state; the part is being written.
    State(usize),
    /// The part, too.
    Part(usize),
}
use Moment::{Part, State, Writing};

impl Moment {
    fn sequence(self) -> usize {
        match self {
            Writing(step) => 4 * step + 1,
            State(step) => 4 * step + 2,
            Part(step) => 4 * step + 4,
        }
    }

    /// The step before which there is a state to read.
    fn step(sequence: usize) -> Option<usize> {
        match sequence % 4 {
            2 => Some(sequence / 4),
            0 => (sequence / 4).checked_sub(1),
            _ => None,
        }
    }
}

impl Relay {
    /// For so many members, a state and parts of so many words.
    pub(crate) fn new(members: usize, state: usize, part: usize) -> Relay {
        let shown = || Shown {
            sequence: AtomicUsize::new(0),
            state: Board::new(state),
            part: Board::new(part),
        };
        Relay {
            shown: (0..members).map(|_| shown()).collect(),
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
        let others = || (0..self.shown.len()).filter(|&other| other != me);
        let mut state = Zeroizing::new(first.to_vec());
        let mut parts = Zeroizing::new(vec![0; self.part * self.shown.len()]);
        // What each showed when it was last found absent, and whether it is in step.
        let mut seen = vec![0; self.shown.len()];
        let mut present = vec![false; self.shown.len()];
        let mut quickest = Duration::MAX;
        let mut step = 0;
        'steps: while step < count {
            member.check();
            if let Some((_, ahead)) = self.catch_up(step, &mut state) {
                step = ahead;
                steps.skip_to(step);
                continue;
            }
            self.show_state(me, step, &state);
            for other in others() {
                present[other] |= self.shown[other].sequence.load(Relaxed) != seen[other];
            }
            if !others().any(|other| present[other]) {
                step += steps.alone(step, &mut state);
                continue;
            }
            let start = Instant::now();
            let mine = &mut parts[me * self.part..][..self.part];
            steps.part(step, &state, me, mine);
            quickest = quickest.min(start.elapsed());
            self.show_part(me, step, mine);
            for other in others() {
                let part = &mut parts[other * self.part..][..self.part];
                let patience = if present[other] {
                    PATIENCE * quickest
                } else {
                    Duration::ZERO
                };
                present[other] = self.take(other, step, part, patience);
                if !present[other] {
                    if let Some((leader, ahead)) = self.catch_up(step, &mut state) {
                        present[leader] = true;
                        step = ahead;
                        steps.skip_to(step);
                        continue 'steps;
                    }
                    seen[other] = self.shown[other].sequence.load(Relaxed);
                    steps.part(step, &state, other, part);
                }
            }
            steps.join(step, &mut state, &parts);
            step += 1;
        }
        self.show_state(me, count, &state);
        state
    }

    fn show_state(&self, me: usize, step: usize, words: &[Limb]) {
        let Shown {
            sequence, state, ..
        } = &self.shown[me];
        sequence.store(Writing(step).sequence(), Relaxed);
        // Who reads a word of this step finds at least that it is being written.
        fence(Release);
        state.write(0, words);
        sequence.store(State(step).sequence(), Release);
    }

    /// After the state of the same step: that the state is shown says that the part is not.
    fn show_part(&self, me: usize, step: usize, words: &[Limb]) {
        let Shown { sequence, part, .. } = &self.shown[me];
        part.write(0, words);
        sequence.store(Part(step).sequence(), Release);
    }

    /// The part that a member shows of a step; false if it shows none, or another one meanwhile.
    fn read_part(&self, other: usize, step: usize, words: &mut [Limb]) -> bool {
        let Shown { sequence, part, .. } = &self.shown[other];
        let expected = Part(step).sequence();
        if sequence.load(Acquire) != expected {
            return false;
        }
        part.read(0, words);
        fence(Acquire);
        sequence.load(Relaxed) == expected
    }

    /// The state before a step that a member shows; false if it shows none, or another one meanwhile.
    fn read_state(&self, other: usize, step: usize, words: &mut [Limb]) -> bool {
        let Shown {
            sequence, state, ..
        } = &self.shown[other];
        if Moment::step(sequence.load(Acquire)) != Some(step) {
            return false;
        }
        state.read(0, words);
        fence(Acquire);
        Moment::step(sequence.load(Relaxed)) == Some(step)
    }

    /// The part of another member, if it comes in time.
    fn take(&self, other: usize, step: usize, part: &mut [Limb], patience: Duration) -> bool {
        /// Looks between looks at the clock.
        const LOOKS: usize = if cfg!(loom) { 1 } else { 32 };
        let mut start = None;
        loop {
            for _ in 0..LOOKS {
                if self.shown[other].sequence.load(Relaxed) >= Part(step).sequence() {
                    return self.read_part(other, step, part);
                }
                if patience.is_zero() {
                    return false;
                }
                spin_loop();
            }
            if cfg!(loom) || start.get_or_insert_with(Instant::now).elapsed() >= patience {
                return false;
            }
        }
    }

    /// The member that has begun the furthest step after `step`, and that step, with its state; `None` if there is
    /// none, or if it cannot be read just now.
    fn catch_up(&self, step: usize, state: &mut [Limb]) -> Option<(usize, usize)> {
        let begun = self.shown.iter().enumerate().filter_map(|(other, shown)| {
            Moment::step(shown.sequence.load(Relaxed)).map(|step| (step, other))
        });
        let (ahead, other) = begun.max().filter(|(ahead, _)| *ahead > step)?;
        let mut theirs = Zeroizing::new(vec![0; state.len()]);
        self.read_state(other, ahead, &mut theirs).then(|| {
            state.copy_from_slice(&theirs);
            (other, ahead)
        })
    }
}

#[cfg(all(test, loom))]
mod model {
    use super::*;
    use crate::team::Meeting;
    use std::panic::resume_unwind;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize as Count, Ordering::Relaxed as Counted};

    /// Parts that say of which step and state they are.
    struct Traces {
        count: usize,
        /// The step in which it fails.
        fails_at: Option<usize>,
    }

    fn trace(step: usize, state: Limb, rank: usize) -> Limb {
        100 * state + 10 * step as Limb + rank as Limb + 1
    }

    impl Steps for Traces {
        fn count(&self) -> usize {
            self.count
        }

        fn part(&mut self, step: usize, state: &[Limb], rank: usize, part: &mut [Limb]) {
            if self.fails_at == Some(step) {
                resume_unwind(Box::new("it fails")); // without a message
            }
            part[0] = trace(step, state[0], rank);
        }

        fn join(&mut self, step: usize, state: &mut [Limb], parts: &[Limb]) {
            assert_eq!(parts, [0, 1].map(|rank| trace(step, state[0], rank)));
            state[0] = parts[0] + parts[1];
        }

        /// Two steps from each even one, if there are.
        fn alone(&mut self, step: usize, state: &mut [Limb]) -> usize {
            let steps = (self.count - step).min(2 - step % 2);
            for step in step..step + steps {
                state[0] = (0..2).map(|rank| trace(step, state[0], rank)).sum();
            }
            steps
        }

        fn skip_to(&mut self, _: usize) {}
    }

    /// Two members, of whom one may fail in its last step; how many interleavings there were, or at most `most`.
    fn check(count: usize, fails: bool, most: usize) -> usize {
        let result = (0..count).fold(1, |state, step| {
            trace(step, state, 0) + trace(step, state, 1)
        });
        let runs = Arc::new(Count::new(0));
        let counted = runs.clone();
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(3);
        model.max_permutations = Some(most);
        model.check(move || {
            counted.fetch_add(1, Counted);
            let shared = Arc::new((Meeting::new(2), Relay::new(2, 1, 1)));
            let attend = move |rank: usize, shared: &(Meeting, Relay)| {
                let (meeting, relay) = shared;
                meeting.attend(rank, &|member| {
                    let fails_at = (fails && rank == 1).then_some(count - 1);
                    let state = relay.run(member, &[1], &mut Traces { count, fails_at });
                    assert_eq!(state[..], [result]);
                });
            };
            let worker = loom::thread::spawn({
                let shared = shared.clone();
                move || attend(1, &shared)
            });
            attend(0, &shared);
            worker.join().unwrap();
            let said = shared.0.said();
            let fine = said.is_empty() || fails && said.contains(&"it fails");
            assert!(fine, "{said:?}");
        });
        let runs = runs.load(Counted);
        println!("{count} steps: {runs} interleavings");
        runs
    }

    #[test]
    fn members_in_any_order_come_to_the_same_state() {
        for count in [1, 2, 3] {
            assert!(check(count, false, 20_000) > 1000);
        }
    }

    #[test]
    fn a_member_that_fails_stops_the_others_or_nobody() {
        for count in [2, 3] {
            assert!(check(count, true, 10_000) > 1000);
        }
    }
}
