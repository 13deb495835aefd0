//! A loop that a team runs together, in which no member waits for a straggler: [`SharedLoop`].
//!
//! The loop goes from state to state. A step has one phase or several, and each phase has a part for every member. All
//! members hold the state. In each phase a member computes its part from the state and from the parts of the phase
//! before, publishes it, and reads the parts of the others. The parts of the last phase make the next state.
//!
//! - *Spin, then time out.* A member spins for another's part for a bounded time. Then it computes that part itself.
//! - *Straggler.* The member that was late is a straggler. No member waits for it until its epoch advances. A member
//!   whose peers are all stragglers takes whole steps alone, which is less work than all parts one by one.
//! - *Catch up.* A straggler that comes back finds the others ahead, copies their state, and goes on from there.
//!
//! So a team is at worst about as slow as one member that does everything.
//!
//! A loop without phases is a relay: each member takes whole steps alone, and one that comes later goes on from the state of
//! the one furthest ahead, so that the end does not wait for a member that is not scheduled.
//!
//! What a member publishes is guarded by a seqlock (Boehm, Can Seqlocks Get Along With Programming Language Memory Models?,
//! MSPC 2012). Its sequence number gives the epoch: the step, and how much of it is published. Only the owner writes. A
//! reader detects whether the words changed while it read them, so a sleeping thread blocks no other.

use crate::sync::{AtomicUsize, fence, spin_loop};
use crate::{Member, Overhead, SharedWords};
use carrysave_kernels::{Limb, mpn::CopyShared};
use core::sync::atomic::Ordering::*;
use core::time::Duration;
use std::time::Instant;
use zeroize::Zeroizing;

/// Timeout, as a multiple of the time that this member needs for its own parts of a step.
const TIMEOUT: u32 = 2;

/// One step in this many is timed.
const TIMED: usize = 17;

/// A computation in steps. Each member of a team has one, and all go through the same states.
pub trait Steps {
    /// How many there are.
    fn count(&self) -> usize;
    /// Computes a part of a step from `state`. Not called in a loop without phases.
    fn part(&mut self, _asked: &Asked<'_>, _state: &[Limb], _part: &mut [Limb]) {}
    /// Makes the next state from the concatenated parts of the last phase. Not called in a loop without phases.
    fn join(&mut self, _step: usize, _state: &mut [Limb], _parts: &[Limb]) {}
    /// Takes this step, or several, without parts; returns how many.
    fn alone(&mut self, step: usize, state: &mut [Limb]) -> usize;
    /// Called when the state of another member was copied: `step` is the next step.
    fn skip_to(&mut self, step: usize);
}

/// A place in a computation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct At {
    /// The step.
    pub step: usize,
    /// The phase of the step.
    pub phase: usize,
}

/// Which part of a step is to be computed.
#[derive(Clone, Copy)]
pub struct Asked<'a> {
    /// The place in the computation.
    pub at: At,
    /// The member whose part it is.
    pub rank: usize,
    /// All parts of the phase before.
    pub before: &'a [Limb],
}

/// The published states and parts of a team: one seqlock a member.
pub struct SharedLoop {
    shown: Vec<Shown>,
    /// Words of a part in each phase.
    parts: Vec<usize>,
    copy: CopyShared,
}

/// What one member publishes: the state before a step, and its parts of that step.
#[repr(align(128))] // two cache lines, as processors fetch them in pairs
struct Shown {
    /// Twice the number of [`Epoch`]s so far, plus 1 if the state is there; 0 at first.
    sequence: AtomicUsize,
    /// The state. The others read it only if they are behind.
    state: SharedWords,
    /// The part of each phase, of even and of odd steps: a reader is at most one step behind.
    parts: Vec<[SharedWords; 2]>,
}

/// How much of a step a member has published.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Epoch {
    /// The state is being written.
    Writing,
    /// The state is there, and the first part is being written.
    State,
    /// The part of this phase is there, and the next one is being written.
    Part(usize),
}
use Epoch::{Part, State, Writing};

impl SharedLoop {
    /// A loop for `members` members, with `state` words of state and `parts[k]` words for each part of phase k; without
    /// phases, a relay.
    ///
    /// # Panics
    /// If the state or a part has no words.
    pub fn new(members: usize, state: usize, parts: &[usize], copy: CopyShared) -> SharedLoop {
        let empty = state == 0 || parts.contains(&0);
        assert!(!empty, "state and parts have words");
        let shown = || Shown {
            sequence: AtomicUsize::new(0),
            state: SharedWords::new(state),
            parts: (parts.iter())
                .map(|&words| [SharedWords::new(words), SharedWords::new(words)])
                .collect(),
        };
        SharedLoop {
            shown: (0..members).map(|_| shown()).collect(),
            parts: parts.to_vec(),
            copy,
        }
    }

    /// Takes all steps from `first`, the state before them; the one after them is the result. `me` is the member's number
    /// in the loop, which no other has.
    ///
    /// # Panics
    /// If another member has, `me` is not below the number of members, or `first` has another length than the state.
    pub fn run(
        &self,
        member: &Member<'_>,
        me: usize,
        first: &[Limb],
        steps: &mut dyn Steps,
    ) -> Zeroizing<Vec<Limb>> {
        let (members, count) = (self.shown.len(), steps.count());
        let others = || (0..members).filter(|&other| other != me);
        let mut state = Zeroizing::new(first.to_vec());
        let largest = self.parts.iter().max().copied().unwrap_or_default();
        let [mut before, mut parts] = [(); 2].map(|()| Zeroizing::new(vec![0; members * largest]));
        // For each member, its sequence number when it was last found to be a straggler, and whether it is in step.
        let mut seen = vec![0; members];
        let mut present = vec![false; members];
        let mut quickest = vec![None::<Duration>; self.parts.len()];
        let mut step = 0;
        // Whether all members took the last step together, so that all are at this one.
        let mut together = false;
        'steps: while step < count {
            member.check();
            if !together {
                if let Some((_, ahead)) = self.catch_up(step, &mut state) {
                    step = ahead;
                    steps.skip_to(step);
                    continue;
                }
                self.show_state(me, step, &state);
                for other in others() {
                    present[other] |= self.shown[other].sequence.load(Relaxed) != seen[other];
                }
                if self.parts.is_empty() || !others().any(|other| present[other]) {
                    step += steps.alone(step, &mut state);
                    continue;
                }
            }
            let shows = !together;
            together = true;
            for (phase, &words) in self.parts.iter().enumerate() {
                let at = At { step, phase };
                core::mem::swap(&mut before, &mut parts);
                let before = match phase.checked_sub(1) {
                    Some(last) => &before[..members * self.parts[last]],
                    None => &[],
                };
                // Not every time: reading the clock takes as long as some products.
                let unknown = quickest[phase].is_none();
                let start = (unknown || step.is_multiple_of(TIMED)).then(Instant::now);
                // A member that has read the old words did so when it took the last step.
                self.part_of(me, at).expect_write(self.copy);
                let mine = &mut parts[me * words..][..words];
                let mut asked = Asked {
                    at,
                    rank: me,
                    before,
                };
                steps.part(&asked, &state, mine);
                if let Some(took) = start.map(|start| start.elapsed()) {
                    quickest[phase] = Some(quickest[phase].map_or(took, |least| least.min(took)));
                }
                self.show_part(me, at, mine, shows);
                for other in others() {
                    let part = &mut parts[other * words..][..words];
                    let timeout = match present[other] {
                        true => TIMEOUT * quickest.iter().flatten().sum::<Duration>(),
                        false => Duration::ZERO,
                    };
                    present[other] = self.take(member, other, at, part, timeout);
                    if !present[other] {
                        together = false;
                        if let Some((leader, ahead)) = self.catch_up(step, &mut state) {
                            present[leader] = true;
                            step = ahead;
                            steps.skip_to(step);
                            continue 'steps;
                        }
                        seen[other] = self.shown[other].sequence.load(Relaxed);
                        asked.rank = other;
                        steps.part(&asked, &state, part);
                    }
                }
            }
            let last = members * self.parts.last().expect("a phase");
            steps.join(step, &mut state, &parts[..last]);
            step += 1;
        }
        self.show_state(me, count, &state);
        state
    }

    /// The sequence number of an epoch of a step, without the state.
    fn sequence(&self, step: usize, epoch: Epoch) -> usize {
        let epochs = match epoch {
            Writing => 1,
            State => 2,
            Part(phase) => 3 + phase,
        };
        2 * ((self.parts.len() + 2) * step + epochs)
    }

    /// The step before which there is a state to read.
    fn step(&self, sequence: usize) -> Option<usize> {
        let epochs = self.parts.len() + 2;
        (sequence % 2 == 1).then(|| (sequence / 2 - 1) / epochs)
    }

    fn show_state(&self, me: usize, step: usize, words: &[Limb]) {
        let Shown {
            sequence, state, ..
        } = &self.shown[me];
        sequence.store(self.sequence(step, Writing), Relaxed);
        // A reader of a word of this step finds at least that it is being written.
        fence(Release);
        state.write_by(self.copy, 0, words);
        sequence.store(self.sequence(step, State) + 1, Release);
    }

    /// Publishes a part, after the earlier parts of this step, and after the state if it `shows` that.
    fn show_part(&self, me: usize, at: At, words: &[Limb], shows: bool) {
        // A reader of one of these words finds at least the last published epoch.
        fence(Release);
        self.part_of(me, at).write_by(self.copy, 0, words);
        let sequence = self.sequence(at.step, Part(at.phase)) + usize::from(shows);
        self.shown[me].sequence.store(sequence, Release);
    }

    fn part_of(&self, member: usize, at: At) -> &SharedWords {
        &self.shown[member].parts[at.phase][at.step % 2]
    }

    /// Reads the part that a member has published of a step; false if there is none, or the member is too far ahead.
    fn read_part(&self, other: usize, at: At, words: &mut [Limb]) -> bool {
        let sequence = &self.shown[other].sequence;
        let shown = self.sequence(at.step, Part(at.phase));
        // A member at another step may have reached it without this part.
        if !(shown..self.sequence(at.step + 1, Writing)).contains(&sequence.load(Acquire)) {
            return false;
        }
        self.part_of(other, at).read_by(self.copy, 0, words);
        fence(Acquire);
        // The next write to this place comes after this part of the next step.
        sequence.load(Relaxed) < self.sequence(at.step + 1, Part(at.phase))
    }

    /// Reads the state before a step that a member has published; false if there is none, or another one by now.
    fn read_state(&self, other: usize, step: usize, words: &mut [Limb]) -> bool {
        let Shown {
            sequence, state, ..
        } = &self.shown[other];
        if self.step(sequence.load(Acquire)) != Some(step) {
            return false;
        }
        state.read_by(self.copy, 0, words);
        fence(Acquire);
        self.step(sequence.load(Relaxed)) == Some(step)
    }

    /// Waits for the part of another member; false if it times out.
    fn take(
        &self,
        member: &Member<'_>,
        other: usize,
        at: At,
        part: &mut [Limb],
        timeout: Duration,
    ) -> bool {
        let shown = self.sequence(at.step, Part(at.phase));
        let is_shown = || self.shown[other].sequence.load(Relaxed) >= shown;
        if !is_shown() {
            if timeout.is_zero() {
                return false;
            }
            let mut came = false;
            member.overhead(Overhead::Waiting, &mut || came = comes(is_shown, timeout));
            if !came {
                return false;
            }
        }
        self.read_part(other, at, part)
    }

    /// Copies the state of the member furthest ahead of `step`, and returns its step and rank; `None` if no member is
    /// ahead, or if the state cannot be read just now.
    fn catch_up(&self, step: usize, state: &mut [Limb]) -> Option<(usize, usize)> {
        let begun = self.shown.iter().enumerate().filter_map(|(other, shown)| {
            self.step(shown.sequence.load(Relaxed))
                .map(|step| (step, other))
        });
        let (ahead, other) = begun.max().filter(|(ahead, _)| *ahead > step)?;
        let mut theirs = Zeroizing::new(vec![0; state.len()]);
        self.read_state(other, ahead, &mut theirs).then(|| {
            state.copy_from_slice(&theirs);
            (other, ahead)
        })
    }
}

/// Spins until a condition holds; false if it times out.
fn comes(holds: impl Fn() -> bool, timeout: Duration) -> bool {
    /// Spins between two reads of the clock.
    const SPINS: usize = if cfg!(loom) { 1 } else { 32 };
    let mut start = None;
    loop {
        for _ in 0..SPINS {
            spin_loop();
            if holds() {
                return true;
            }
        }
        if cfg!(loom) || start.get_or_insert_with(Instant::now).elapsed() >= timeout {
            return false;
        }
    }
}

#[cfg(all(test, loom))]
mod model {
    use super::*;
    use crate::Barrier;
    use carrysave_kernels::Cpu;
    use std::panic::resume_unwind;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize as Count, Ordering::Relaxed as Counted};

    /// Parts that record the step, the state and the parts that they were made from.
    struct Traces {
        count: usize,
        /// The step in which the member fails.
        fails_at: Option<usize>,
    }

    fn trace(step: usize, phase: usize, from: Limb, rank: usize) -> Limb {
        100 * from + 10 * (PHASES * step + phase) as Limb + rank as Limb + 1
    }

    const PHASES: usize = 2;

    /// The state after a step.
    fn after(step: usize, state: Limb) -> Limb {
        (0..PHASES).fold(state, |from, phase| {
            (0..2).map(|rank| trace(step, phase, from, rank)).sum()
        })
    }

    impl Steps for Traces {
        fn count(&self) -> usize {
            self.count
        }

        fn part(&mut self, asked: &Asked<'_>, state: &[Limb], part: &mut [Limb]) {
            let At { step, phase } = asked.at;
            if self.fails_at == Some(step) {
                resume_unwind(Box::new("it fails")); // without a message
            }
            let from = match phase {
                0 => state[0],
                _ => asked.before.iter().sum(),
            };
            part[0] = trace(step, phase, from, asked.rank);
        }

        fn join(&mut self, step: usize, state: &mut [Limb], parts: &[Limb]) {
            let joined = parts.iter().sum();
            assert_eq!(joined, after(step, state[0]));
            state[0] = joined;
        }

        /// Two steps at once from each even step, if there are two.
        fn alone(&mut self, step: usize, state: &mut [Limb]) -> usize {
            let steps = (self.count - step).min(2 - step % 2);
            for step in step..step + steps {
                state[0] = after(step, state[0]);
            }
            steps
        }

        fn skip_to(&mut self, _: usize) {}
    }

    /// Models two members, one of which may fail in its last step; returns the number of interleavings, at most `most`.
    fn check(phases: &'static [usize], count: usize, fails: bool, most: usize) -> usize {
        let result = (0..count).fold(1, |state, step| after(step, state));
        let runs = Arc::new(Count::new(0));
        let counted = runs.clone();
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(3);
        model.max_permutations = Some(most);
        model.check(move || {
            counted.fetch_add(1, Counted);
            let shared = Arc::new((
                Barrier::new(2),
                SharedLoop::new(2, 1, phases, CopyShared::best(Cpu::native())),
            ));
            let attend = move |rank: usize, shared: &(Barrier, SharedLoop)| {
                let (barrier, steps_of) = shared;
                barrier.enter(rank, &|member| {
                    let fails_at = (fails && rank == 1).then_some(count - 1);
                    let state = steps_of.run(member, rank, &[1], &mut Traces { count, fails_at });
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
            assert!(check(&[1; PHASES], count, false, 20_000) > 1000);
        }
    }

    #[test]
    fn members_of_a_relay_come_to_the_same_state() {
        for count in [2, 3, 5] {
            assert!(check(&[], count, false, 20_000) > 100);
        }
    }

    #[test]
    fn a_member_that_fails_stops_the_others_or_none() {
        for count in [2, 3] {
            assert!(check(&[1; PHASES], count, true, 10_000) > 1000);
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::Barrier;
    use carrysave_kernels::Cpu;
    use std::sync::atomic::AtomicBool;
    use std::thread;

    const PHASES: usize = 2;
    const COUNT: usize = 2000;

    /// Parts that any member can compute; one member stops.
    struct Sums<F> {
        members: usize,
        me: usize,
        stop: F,
    }

    fn part(at: At, from: Limb, rank: usize) -> Limb {
        let which = (PHASES * at.step + at.phase) * 100 + rank;
        from.wrapping_mul(3).wrapping_add(which as Limb)
    }

    fn sum(parts: &[Limb]) -> Limb {
        parts.iter().fold(0, |sum, x| sum.wrapping_add(*x))
    }

    fn after(step: usize, state: Limb, members: usize) -> Limb {
        (0..PHASES).fold(state, |from, phase| {
            let parts: Vec<_> = (0..members)
                .map(|rank| part(At { step, phase }, from, rank))
                .collect();
            sum(&parts)
        })
    }

    impl<F: Fn(usize, At)> Steps for Sums<F> {
        fn count(&self) -> usize {
            COUNT
        }

        fn part(&mut self, asked: &Asked<'_>, state: &[Limb], words: &mut [Limb]) {
            let from = match asked.at.phase {
                0 => state[0],
                _ => sum(asked.before),
            };
            (self.stop)(self.me, asked.at);
            words[0] = part(asked.at, from, asked.rank);
        }

        fn join(&mut self, _: usize, state: &mut [Limb], parts: &[Limb]) {
            state[0] = sum(parts);
        }

        fn alone(&mut self, step: usize, state: &mut [Limb]) -> usize {
            (self.stop)(self.me, At { step, phase: 0 });
            state[0] = after(step, state[0], self.members);
            1
        }

        fn skip_to(&mut self, _: usize) {}
    }

    #[test]
    #[should_panic = "state and parts have words"]
    fn a_loop_without_words_is_refused() {
        SharedLoop::new(2, 1, &[3, 0], CopyShared::best(Cpu::native()));
    }

    /// All members reach the same state, in a shared loop and in a relay, wherever they call `stop`; a member that has finished
    /// calls `done`.
    fn run(
        phases: &[usize],
        members: usize,
        stop: impl Fn(usize, At) + Sync,
        done: impl Fn(usize) + Sync,
    ) {
        let expected = (0..COUNT).fold(1, |state, step| after(step, state, members));
        let (barrier, steps_of) = (
            Barrier::new(members),
            SharedLoop::new(members, 1, phases, CopyShared::best(Cpu::native())),
        );
        let attend = |rank| {
            barrier.enter(rank, &|member| {
                let mut steps = Sums {
                    members,
                    me: rank,
                    stop: &stop,
                };
                assert_eq!(steps_of.run(member, rank, &[1], &mut steps)[..], [expected]);
                done(rank);
            });
        };
        thread::scope(|scope| {
            let attend = &attend;
            (1..members).for_each(|rank| drop(scope.spawn(move || attend(rank))));
            attend(0);
        });
        barrier.finish();
    }

    const SHARED: &[usize] = &[1; PHASES];
    const RELAY: &[usize] = &[];

    /// Each member in turn must go on while all others stop amid a step until it has finished.
    #[test]
    fn no_member_waits_for_members_that_stop() {
        for members in 2..=8 {
            for (runner, phases) in (0..members).flat_map(|me| [(me, SHARED), (me, RELAY)]) {
                let ended = AtomicBool::new(false);
                let stop = |me: usize, at: At| {
                    while me != runner && at.step >= 10 * me && !ended.load(Acquire) {
                        thread::sleep(Duration::from_micros(100));
                    }
                };
                run(phases, members, stop, |me| {
                    ended.store(me == runner || ended.load(Acquire), Release)
                });
            }
        }
    }

    /// More members than processors, each stopping again and again for longer than the timeout of the others.
    #[test]
    fn members_that_stop_now_and_then_go_on_with_the_others() {
        for (members, phases) in (2..=8).flat_map(|members| [(members, SHARED), (members, RELAY)]) {
            let stop = |me: usize, at: At| {
                if (at.step + 37 * me).is_multiple_of(200) {
                    thread::sleep(Duration::from_millis(1));
                }
            };
            run(phases, members, stop, |_| {});
        }
    }
}
