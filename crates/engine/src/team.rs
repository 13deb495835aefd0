//! A team whose threads are kept from one operation to the next: [`Threads`].
//!
//! The only unsafe code of the crate is here: a task borrows from the caller of [`Team::run`], and a thread that
//! outlives the call can take it only as `'static`.

use crate::processors::{Kept, bind_to, processor};
use crate::prompt::{Offer, Promptness};
use crate::sync::{Arc, AtomicUsize, Condvar, Mutex, MutexGuard, ThreadId, current};
use crate::workers::{NO_THREADS, Workers, check, start};
use carrysave_team::{Barrier, MAX_THREADS, Member, Serial, Team};
use core::mem::transmute;
use core::sync::atomic::{AtomicBool, Ordering::*};
use core::time::Duration;
use std::io;
use std::sync::{OnceLock, PoisonError, TryLockError};
use std::time::Instant;

/// A team whose threads sleep between operations, and are joined when it is dropped.
///
/// Concurrent calls of [`Team::run`] run one after the other. A part that calls it on its own team panics; two teams whose
/// parts call each other wait for ever. In a forked process, which has none of the threads, the team is the caller's thread
/// alone.
///
/// On Linux up to 16 threads are kept off the core of the caller when an operation begins, if other cores have a
/// processor for each, and else off its processor, if there is a further one for each. Threads whose affinity was changed
/// from outside are left alone. Threads and processes started by a part inherit this.
///
/// ```
/// use carrysave_arith::{Modulus, Nat};
/// use carrysave_engine::Threads;
/// # fn main() -> std::io::Result<()> {
/// let team = Threads::new(2)?;
/// let n = Modulus::new(&Nat::power_of_two(8192).sub_limb(1).unwrap()).unwrap();
/// let (seven, exponent) = (Nat::from_limb(7).resize(n.width()).unwrap(), Nat::from_limb(1 << 40));
/// assert_eq!(n.pow_on(&team, &seven, &exponent), n.pow(&seven, &exponent));
/// println!("a round trip takes {:?}", team.round_trip());
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Threads {
    shared: Arc<Shared>,
    workers: Workers,
    /// Held while an operation runs.
    turn: Mutex<()>,
    /// Empty until it is measured.
    round_trip: OnceLock<Duration>,
    promptness: Promptness,
}

/// Options of a team of [`Threads`].
#[derive(Clone, Debug, Default)]
pub struct ThreadsOptions {
    /// The processors, by the system's numbers, to which the started threads are bound, in turn. If empty, the system
    /// places them, off the caller's core. The caller's own thread is left alone.
    pub processors: Vec<usize>,
}

/// The part of the operation of the member with this rank.
type Part<'a> = dyn Fn(usize) + Sync + 'a;

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    /// The number of operations begun.
    operations: AtomicUsize,
    /// The workers, kept off the core that the caller was on when the last operation began.
    kept: Kept,
    /// Notified when there is work.
    wake: Condvar,
    /// Workers that have not left the operation, or may still begin it.
    inside: AtomicUsize,
    /// Notified when no worker is inside.
    left: Condvar,
}

#[derive(Default)]
struct State {
    task: Option<&'static Part<'static>>,
    /// Workers that have taken the task.
    begun: usize,
    /// The members' threads while an operation runs, to detect a member that would wait for itself.
    members: Vec<ThreadId>,
    stop: bool,
}

impl Threads {
    /// A team of `threads`: the caller's, and others that are started here.
    ///
    /// # Errors
    /// The system's, if it starts no more threads; 0 and more than [`MAX_THREADS`] are refused.
    pub fn new(threads: usize) -> io::Result<Threads> {
        Threads::with_options(threads, &ThreadsOptions::default())
    }

    /// A team of at most `threads` threads: as many as the system starts, and no more than [`MAX_THREADS`].
    ///
    /// ```
    /// use carrysave_team::Team;
    /// use carrysave_engine::Threads;
    /// let team = Threads::up_to(2);
    /// assert!((1..=2).contains(&team.size()));
    /// ```
    ///
    /// # Panics
    /// If `threads` is 0.
    pub fn up_to(threads: usize) -> Threads {
        let team = Threads::unmeasured(threads);
        team.measured();
        team
    }

    /// A team whose round trip is not measured, which would take some milliseconds. It suits operations in which no
    /// member waits for one that has not begun.
    ///
    /// ```
    /// use carrysave_team::Team;
    /// use carrysave_engine::Threads;
    /// let team = Threads::unmeasured(2);
    /// assert!((1..=2).contains(&team.size()) && team.round_trip().is_zero());
    /// ```
    ///
    /// # Panics
    /// If `threads` is 0.
    pub fn unmeasured(threads: usize) -> Threads {
        assert_ne!(threads, 0, "{NO_THREADS}");
        let mut team = Threads::of_caller();
        let _ = team.start(threads.min(MAX_THREADS));
        team
    }

    /// A team with options.
    ///
    /// # Errors
    /// As [`Threads::new`]; the system's, if it does not bind a thread to its processor.
    pub fn with_options(threads: usize, options: &ThreadsOptions) -> io::Result<Threads> {
        let mut team = Threads::of_caller();
        // If one is refused, dropping the team joins those before it.
        team.start(threads)?;
        if !options.processors.is_empty() {
            team.bind(&options.processors)?;
        }
        team.measured();
        Ok(team)
    }

    /// The caller's thread alone.
    fn of_caller() -> Threads {
        Threads {
            shared: Arc::default(),
            workers: Workers::default(),
            turn: Mutex::new(()),
            round_trip: OnceLock::new(),
            promptness: Promptness::new(),
        }
    }

    /// Starts the others of `threads`, up to the first that the system refuses.
    fn start(&mut self, threads: usize) -> io::Result<()> {
        check(threads)?;
        for rank in 1..threads {
            let shared = self.shared.clone();
            let worker = start(format!("team {rank}"), move || shared.work(rank))?;
            self.workers.push(worker);
        }
        Ok(())
    }

    /// The team, whose round trip is measured if it was not: after the operation that runs.
    pub(crate) fn measured(&self) -> &Threads {
        // A forked process has no others to measure, and a thread of its parent may have been at it.
        if !self.workers.gone() {
            self.round_trip.get_or_init(|| self.measure());
        }
        self
    }

    /// The time of a cache-line round trip between two members, measured when the team was made: the shortest, as on an
    /// idle machine.
    pub fn round_trip(&self) -> Duration {
        self.round_trip.get().copied().unwrap_or_default()
    }

    /// The right to run an operation, unless another one runs.
    pub(crate) fn try_turn(&self) -> Option<MutexGuard<'_, ()>> {
        match self.turn.try_lock() {
            Ok(turn) => Some(turn),
            // The operation has passed on the panic of a part.
            Err(TryLockError::Poisoned(turn)) => Some(turn.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    /// Offers work to `workers` members, as [`Team::offer`] does to all; to none while another operation runs.
    pub(crate) fn offer_to(
        &self,
        turn: Option<MutexGuard<'_, ()>>,
        workers: usize,
        part: &(dyn Fn(&Member<'_>) + Sync),
    ) {
        match turn {
            Some(_turn) if workers > 0 => drop(self.operate(part, workers, Until::Offered)),
            turn => {
                // Another operation may run meanwhile.
                drop(turn);
                Serial.run(part)
            }
        }
    }

    /// Waits until no other operation runs.
    fn turn(&self) -> MutexGuard<'_, ()> {
        let nested = lock(&self.shared.state).members.contains(&current().id());
        assert!(!nested, "a part of an operation runs none on its own team");
        lock(&self.turn)
    }

    /// Runs an operation and wakes `workers` workers for it; returns how it went. The caller holds the lock `turn`.
    fn operate(&self, part: &(dyn Fn(&Member<'_>) + Sync), workers: usize, until: Until) -> Offer {
        let shared = &*self.shared;
        let barrier = Barrier::new(self.size());
        let attend = |rank| barrier.enter(rank, part);
        let task: &Part<'_> = &attend;
        // SAFETY: only the lifetime changes. `state` holds the task from the next lines on until `Finish` is dropped,
        // and workers take it from there. A worker counts as inside from before the task is set until it has called it
        // for the last time or can no longer take it. Dropping `Finish` removes the task and returns only when no
        // worker is inside. `Finish` is dropped before `attend` and `barrier`, which were made before it, on return as
        // well as on unwinding. So the task is neither called nor reachable once what it borrows is gone.
        let task = unsafe { transmute::<&Part<'_>, &'static Part<'static>>(task) };
        let offer = {
            let finish = Finish { team: self, until };
            shared.inside.store(self.workers.len(), Relaxed);
            if let Some(here) = processor() {
                shared.kept.keep_off(here);
            }
            let mut state = lock(&shared.state);
            shared.operations.fetch_add(1, Relaxed);
            state.task = Some(task);
            state.members.push(current().id());
            drop(state);
            let begin = Instant::now();
            if workers < self.workers.len() {
                (0..workers).for_each(|_| shared.wake.notify_one());
            } else {
                shared.wake.notify_all();
            }
            barrier.enter(0, part);
            let (own, came) = (begin.elapsed(), lock(&shared.state).begun > 0);
            drop(finish);
            let whole = begin.elapsed();
            Offer { came, own, whole }
        };
        barrier.finish();
        offer
    }

    fn bind(&self, processors: &[usize]) -> io::Result<()> {
        let refused = Mutex::new(None);
        self.run(&|member| {
            let Some(worker) = member.rank().checked_sub(1) else {
                return;
            };
            if let Err(error) = bind_to(processors[worker % processors.len()]) {
                *lock(&refused) = Some(error);
            }
        });
        self.shared.kept.release();
        let refused = refused.into_inner();
        match refused.unwrap_or_else(PoisonError::into_inner) {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }

    /// The shortest time of a barrier of two members over a few batches, however many there are: most operations are shared
    /// by two, and those of more take the time of several meetings. Threads that share a processor at first get some more
    /// milliseconds, until each has its own.
    fn measure(&self) -> Duration {
        const BARRIERS: u32 = 16;
        const BATCHES: usize = 64;
        const TIMEOUT: Duration = Duration::from_millis(2);
        const LONGER: Duration = Duration::from_millis(50);
        /// Longer than the round trip between any two processors.
        const DISTURBED: Duration = Duration::from_micros(5);
        if self.size() == 1 || cfg!(loom) {
            return Duration::ZERO;
        }
        let best = std::sync::Mutex::new(Duration::MAX);
        let go_on = AtomicBool::new(true);
        let pair = Barrier::new(2);
        let meet = |member: &Member<'_>| {
            let begin = Instant::now();
            for batch in 1.. {
                let start = Instant::now();
                for _ in 0..BARRIERS {
                    member.barrier();
                }
                if member.rank() == 0 {
                    let mut best = best.lock().unwrap_or_else(PoisonError::into_inner);
                    *best = (*best).min(start.elapsed() / BARRIERS);
                    let timeout = if *best > DISTURBED { LONGER } else { TIMEOUT };
                    let more = batch < BATCHES || *best > DISTURBED;
                    go_on.store(more && begin.elapsed() < timeout, Relaxed);
                }
                member.barrier();
                if !go_on.load(Relaxed) {
                    break;
                }
            }
        };
        self.run(&|member| {
            if member.rank() < 2 {
                pair.enter(member.rank(), &meet);
            }
        });
        pair.finish();
        best.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Team for Threads {
    fn size(&self) -> usize {
        self.workers.len() + 1
    }

    fn run(&self, part: &(dyn Fn(&Member<'_>) + Sync)) {
        if self.workers.gone() {
            return Serial.run(part);
        }
        let _turn = self.turn();
        self.operate(part, self.workers.len(), Until::All);
    }

    fn offer(&self, part: &(dyn Fn(&Member<'_>) + Sync)) {
        if self.workers.gone() {
            return Serial.run(part);
        }
        let _turn = self.turn();
        self.operate(part, self.workers.len(), Until::Offered);
    }

    fn offer_few(&self, members: usize, part: &(dyn Fn(&Member<'_>) + Sync)) {
        if members < 2 || self.workers.gone() {
            return Serial.run(part);
        }
        let _turn = self.turn();
        let workers = self.workers.len().min(members - 1);
        let offer = self.operate(part, workers, Until::Offered);
        // Who offers work to few has parts of one length.
        if workers > 0 {
            self.promptness.note(&offer);
        }
    }

    fn is_prompt(&self) -> bool {
        self.promptness.is_prompt()
    }

    fn round_trip(&self) -> Duration {
        Threads::round_trip(self)
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        self.workers.end(|| {
            lock(&self.shared.state).stop = true;
            self.shared.wake.notify_all();
        });
    }
}

impl Shared {
    /// The main loop of a worker: one operation after the other.
    fn work(&self, rank: usize) {
        /// Spins for the next operation before it sleeps, for about as long as waking takes.
        const SPINS: usize = if cfg!(loom) { 0 } else { 1 << 12 };
        let me = current().id();
        self.kept.join();
        let mut seen = 0;
        loop {
            // On the caller's own processor a worker would only keep the caller from beginning.
            let beside = processor().is_none_or(|mine| !self.kept.is_off(mine));
            for _ in 0..if beside { SPINS } else { 0 } {
                if seen == 0 || self.operations.load(Relaxed) != seen {
                    break;
                }
                core::hint::spin_loop();
            }
            let task = {
                let mut state = lock(&self.state);
                while self.operations.load(Relaxed) == seen && !state.stop {
                    state = wait(&self.wake, state);
                }
                if state.stop {
                    return;
                }
                seen = self.operations.load(Relaxed);
                let Some(task) = state.task else {
                    continue;
                };
                state.begun += 1;
                state.members.push(me);
                task
            };
            let _leave = Leave(self);
            task(rank);
        }
    }
}

/// A worker within an operation, until it is dropped.
struct Leave<'a>(&'a Shared);

impl Drop for Leave<'_> {
    fn drop(&mut self) {
        if self.0.inside.fetch_sub(1, AcqRel) == 1 {
            // Under the lock, so that the caller either sees the change or sleeps already.
            let _state = lock(&self.0.state);
            self.0.left.notify_one();
        }
    }
}

/// Which workers an operation waits for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Until {
    /// For all workers.
    All,
    /// For those that have begun when the caller is done.
    Offered,
}

/// A running operation; dropping it waits for the workers inside.
struct Finish<'a> {
    team: &'a Threads,
    until: Until,
}

impl Drop for Finish<'_> {
    fn drop(&mut self) {
        /// Spins before it sleeps: the workers end at nearly the same time.
        const SPINS: usize = if cfg!(loom) { 0 } else { 1 << 10 };
        let Shared {
            state,
            inside,
            left,
            ..
        } = &*self.team.shared;
        if self.until == Until::Offered {
            let mut state = lock(state);
            state.task = None;
            inside.fetch_sub(self.team.workers.len() - state.begun, AcqRel);
        }
        for _ in 0..SPINS {
            if inside.load(Acquire) == 0 {
                break;
            }
            core::hint::spin_loop();
        }
        let mut state = lock(state);
        while inside.load(Acquire) > 0 {
            state = wait(left, state);
        }
        state.task = None;
        state.begun = 0;
        state.members.clear();
    }
}

impl core::fmt::Debug for State {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("State")
            .field("begun", &self.begun)
            .finish_non_exhaustive()
    }
}

/// Ignores poisoning: no code leaves state half done under these locks.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn wait<'a, T>(condition: &Condvar, guard: MutexGuard<'a, T>) -> MutexGuard<'a, T> {
    condition
        .wait(guard)
        .unwrap_or_else(PoisonError::into_inner)
}

#[cfg(all(test, loom))]
mod model {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
    use std::sync::atomic::AtomicUsize as Count;

    /// Runs the model with a team of `threads` threads; returns the number of interleavings.
    fn check(
        threads: usize,
        bound: usize,
        what: impl Fn(&Threads) + Sync + Send + 'static,
    ) -> usize {
        let runs = std::sync::Arc::new(Count::new(0));
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(bound);
        model.max_permutations = Some(20_000);
        let counted = runs.clone();
        model.check(move || {
            counted.fetch_add(1, Relaxed);
            what(&Threads::new(threads).unwrap());
        });
        runs.load(Relaxed)
    }

    #[test]
    fn a_team_wakes_runs_finishes_and_ends() {
        let runs = check(2, 3, |team| {
            for _ in 0..2 {
                // Borrowed from the caller: a worker that comes too late finds it gone.
                let seen = [(); 2].map(|()| AtomicUsize::new(0));
                team.run(&|member| {
                    seen[member.rank()].fetch_add(1, Relaxed);
                });
                assert!(seen.iter().all(|seen| seen.load(Relaxed) == 1));
            }
        });
        println!("{runs} interleavings");
        assert!(runs > 50);
    }

    /// Each member runs at most once, and the caller does; no worker is inside when the caller goes on.
    #[test]
    fn who_comes_too_late_is_left_out() {
        let came = std::sync::Arc::new([Count::new(0), Count::new(0)]);
        let counted = came.clone();
        let runs = check(2, 3, move |team| {
            for _ in 0..2 {
                let seen = [(); 2].map(|()| AtomicUsize::new(0));
                team.offer(&|member| {
                    seen[member.rank()].fetch_add(1, Relaxed);
                });
                let [caller, worker] = seen.map(|seen| seen.into_inner());
                assert_eq!(caller, 1);
                counted[worker].fetch_add(1, Relaxed);
            }
        });
        println!("{runs} interleavings");
        assert!(runs > 50);
        assert!(
            came.iter().all(|came| came.load(Relaxed) > 0),
            "both happen"
        );
    }

    #[test]
    fn members_meet_at_a_barrier() {
        let runs = check(2, 3, |team| {
            let arrived = AtomicUsize::new(0);
            team.run(&|member| {
                for turn in 1..=2 {
                    arrived.fetch_add(1, Relaxed);
                    member.barrier();
                    assert!(arrived.load(Relaxed) >= 2 * turn);
                }
            });
        });
        assert!(runs > 100);
    }

    #[test]
    fn a_panic_reaches_the_caller() {
        let runs = check(2, 3, |team| {
            for guilty in 0..2 {
                let run = || {
                    team.run(&|member| {
                        if member.rank() == guilty {
                            resume_unwind(Box::new(())); // without a message
                        }
                        member.barrier();
                    });
                };
                assert!(catch_unwind(AssertUnwindSafe(run)).is_err());
            }
        });
        println!("{runs} interleavings");
        assert!(runs > 50);
    }
}
