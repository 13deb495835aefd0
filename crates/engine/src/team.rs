//! A team of threads that are kept from one operation to the next: [`Threads`].
//!
//! The only unsafe code of the crate: what a thread is to do is borrowed from whoever calls [`Team::run`], and a thread
//! that outlives the call can take it only as something that lives for ever.

use crate::processors::{Kept, bind_to, processor};
use crate::sync::{
    Arc, AtomicUsize, Builder, Condvar, JoinHandle, Mutex, MutexGuard, ThreadId, current,
};
use carrysave_team::{Barrier, MAX_THREADS, Member, Serial, Team};
use core::mem::transmute;
use core::num::NonZeroUsize;
use core::sync::atomic::{AtomicBool, Ordering::*};
use core::time::Duration;
use std::io;
use std::sync::{PoisonError, TryLockError};
use std::time::Instant;

/// A team whose threads live as long as it does: they sleep between operations, and are joined when it is dropped.
///
/// Callers of [`Team::run`] take turns. A part must not call it again on its own team, which panics. In a process that was
/// forked off, which has the team and none of its threads, it is the caller's thread alone.
///
/// On Linux up to 16 threads are kept off the processor that the caller is on when an operation begins, if there is one
/// for each of them beside it and nobody has bound them. What a part starts on such a thread, a thread or a process,
/// inherits that.
///
/// ```
/// use carrysave_arith::{Modulus, Nat};
/// use carrysave_engine::Threads;
/// # fn main() -> std::io::Result<()> {
/// let team = Threads::new(2.try_into().unwrap())?;
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
    /// Whose turn it is.
    turn: Mutex<()>,
    round_trip: Duration,
}

/// How a team of [`Threads`] is made.
#[derive(Clone, Debug, Default)]
pub struct ThreadsOptions {
    /// The processors, by the system's numbers, to which the threads that are started are bound, in turn; if there are
    /// none, the system places them, off the caller's. The caller's own thread is left alone.
    pub processors: Vec<usize>,
}

/// What a thread of the team does, for the member of that rank.
type Part<'a> = dyn Fn(usize) + Sync + 'a;

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    /// Operations that have begun.
    operations: AtomicUsize,
    /// The workers, off the processor that the caller was on when the last of them began.
    kept: Kept,
    /// There is something to do.
    wake: Condvar,
    /// Workers that have not left the operation, or may still begin it.
    inside: AtomicUsize,
    /// None is inside.
    left: Condvar,
}

#[derive(Default)]
struct State {
    task: Option<&'static Part<'static>>,
    /// Workers that have taken it.
    begun: usize,
    /// The members' threads while an operation runs, so that none of them waits for itself.
    members: Vec<ThreadId>,
    stop: bool,
}

impl Threads {
    /// A team of `threads`, one of which is the caller's, the others started here.
    ///
    /// # Errors
    /// The system's, if it starts no more threads; more than [`MAX_THREADS`] are refused.
    pub fn new(threads: NonZeroUsize) -> io::Result<Threads> {
        Threads::with_options(threads, &ThreadsOptions::default())
    }

    /// A team of at most `threads`: of as many of them as the system starts, and of no more than [`MAX_THREADS`].
    ///
    /// ```
    /// use carrysave_team::Team;
    /// use carrysave_engine::Threads;
    /// let team = Threads::up_to(2.try_into().unwrap());
    /// assert!((1..=2).contains(&team.size()));
    /// ```
    pub fn up_to(threads: NonZeroUsize) -> Threads {
        let mut team = Threads::unmeasured(threads);
        team.round_trip = team.measure();
        team
    }

    /// A team whose round trip is not measured, which would take some milliseconds: for operations whose members wait for
    /// no member that has not begun.
    ///
    /// ```
    /// use carrysave_team::Team;
    /// use carrysave_engine::Threads;
    /// let team = Threads::unmeasured(2.try_into().unwrap());
    /// assert!((1..=2).contains(&team.size()) && team.round_trip().is_zero());
    /// ```
    pub fn unmeasured(threads: NonZeroUsize) -> Threads {
        let mut team = Threads::of_caller();
        let _ = team.start(threads);
        team
    }

    /// A team with options.
    ///
    /// # Errors
    /// As [`Threads::new`]; the system's, if it does not bind one to its processor.
    pub fn with_options(threads: NonZeroUsize, options: &ThreadsOptions) -> io::Result<Threads> {
        let mut team = Threads::of_caller();
        // If one is refused, the team is dropped, which joins those before it.
        team.start(threads)?;
        if !options.processors.is_empty() {
            team.bind(&options.processors)?;
        }
        team.round_trip = team.measure();
        Ok(team)
    }

    /// The caller's thread alone.
    fn of_caller() -> Threads {
        Threads {
            shared: Arc::default(),
            workers: Workers::default(),
            turn: Mutex::new(()),
            round_trip: Duration::ZERO,
        }
    }

    /// Starts the others of so many, up to the first that the system refuses.
    fn start(&mut self, threads: NonZeroUsize) -> io::Result<()> {
        for rank in 1..threads.get() {
            let shared = self.shared.clone();
            let worker = start(format!("team {rank}"), rank, move || shared.work(rank))?;
            self.workers.push(worker);
        }
        Ok(())
    }

    /// The time that a word takes from one member to the others and an answer back, measured when the team was made:
    /// the shortest, as when nothing else runs.
    pub fn round_trip(&self) -> Duration {
        self.round_trip
    }

    /// The turn to carry out an operation, unless another one runs.
    pub(crate) fn try_turn(&self) -> Option<MutexGuard<'_, ()>> {
        match self.turn.try_lock() {
            Ok(turn) => Some(turn),
            // A panic of a part was passed on by its operation.
            Err(TryLockError::Poisoned(turn)) => Some(turn.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    /// Offers work to `workers` members, as [`Team::offer`] does to all; to none without a turn.
    pub(crate) fn offer_to(
        &self,
        turn: Option<MutexGuard<'_, ()>>,
        workers: usize,
        part: &(dyn Fn(&Member<'_>) + Sync),
    ) {
        match turn {
            Some(_turn) if workers > 0 => self.operate(part, workers, Until::Offered),
            turn => {
                // Others may have it meanwhile.
                drop(turn);
                Serial.run(part)
            }
        }
    }

    /// Waits for the caller's turn.
    fn turn(&self) -> MutexGuard<'_, ()> {
        let nested = lock(&self.shared.state).members.contains(&current().id());
        assert!(!nested, "a part of an operation runs none on its own team");
        lock(&self.turn)
    }

    /// Carries out an operation, whose turn it is, and wakes so many workers for it.
    fn operate(&self, part: &(dyn Fn(&Member<'_>) + Sync), workers: usize, until: Until) {
        let shared = &*self.shared;
        let barrier = Barrier::new(self.size());
        let attend = |rank| barrier.enter(rank, part);
        let task: &Part<'_> = &attend;
        // SAFETY: only the lifetime changes. A worker takes the task from `state`, where it is from the next lines on
        // until `Finish` is dropped, and counts as inside from before it is there until it has called it for the last
        // time, or can no longer take it; `Finish` does not return while one is inside, and takes the task away. It is
        // dropped before `attend` and `barrier`, which were made before it, on return as well as on unwinding; so the
        // task is neither called nor reachable once what it borrows is gone.
        let task = unsafe { transmute::<&Part<'_>, &'static Part<'static>>(task) };
        {
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
            if workers < self.workers.len() {
                (0..workers).for_each(|_| shared.wake.notify_one());
            } else {
                shared.wake.notify_all();
            }
            barrier.enter(0, part);
            drop(finish);
        }
        barrier.finish();
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

    /// The shortest time of a barrier over a few batches. Threads that share a processor at first, or with others, get
    /// some more milliseconds until they have met on two.
    fn measure(&self) -> Duration {
        const BARRIERS: u32 = 16;
        const BATCHES: usize = 64;
        const TIMEOUT: Duration = Duration::from_millis(2);
        const LONGER: Duration = Duration::from_millis(50);
        /// What no two processors take, however far apart they are.
        const DISTURBED: Duration = Duration::from_micros(5);
        if self.size() == 1 || cfg!(loom) {
            return Duration::ZERO;
        }
        let best = std::sync::Mutex::new(Duration::MAX);
        let go_on = AtomicBool::new(true);
        self.run(&|member| {
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
        });
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

    fn round_trip(&self) -> Duration {
        self.round_trip
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

/// Threads that were started, by the process that started them: one that it forks off has what is in memory, locks that
/// others held included, and none of the threads.
#[derive(Debug)]
pub(crate) struct Workers {
    threads: Vec<JoinHandle<()>>,
    process: u32,
}

impl Default for Workers {
    fn default() -> Workers {
        Workers {
            threads: Vec::new(),
            process: std::process::id(),
        }
    }
}

impl Workers {
    /// One more.
    pub(crate) fn push(&mut self, thread: JoinHandle<()>) {
        self.threads.push(thread);
    }

    /// How many there are in this process.
    fn len(&self) -> usize {
        if self.gone() { 0 } else { self.threads.len() }
    }

    /// Whether this is another process, so that what they share may be locked for ever.
    pub(crate) fn gone(&self) -> bool {
        std::process::id() != self.process
    }

    /// Waits for them to end, which `tell` tells them to do.
    pub(crate) fn end(&mut self, tell: impl FnOnce()) {
        let threads = core::mem::take(&mut self.threads);
        if self.gone() {
            return core::mem::forget(threads);
        }
        tell();
        for thread in threads {
            // A panic of what it did was passed on.
            let _ = thread.join();
        }
    }
}

impl Shared {
    /// The life of a worker: one operation after the other.
    fn work(&self, rank: usize) {
        /// Looks for the next operation before it sleeps, for about as long as it takes to be woken.
        const SPINS: usize = if cfg!(loom) { 0 } else { 1 << 12 };
        let me = current().id();
        self.kept.join();
        let mut seen = 0;
        loop {
            // On the caller's own processor they would only keep the caller from beginning it.
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
            // Under the lock, so that the caller either sees it or is asleep already.
            let _state = lock(&self.0.state);
            self.0.left.notify_one();
        }
    }
}

/// Which workers an operation waits for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Until {
    /// For every one.
    All,
    /// For those that have begun when the caller is done.
    Offered,
}

/// An operation, until it is dropped, which waits for the workers inside.
struct Finish<'a> {
    team: &'a Threads,
    until: Until,
}

impl Drop for Finish<'_> {
    fn drop(&mut self) {
        /// Looks before it sleeps: the workers end at nearly the same time.
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

/// Starts one more thread than so many.
///
/// # Errors
/// The system's, if it starts no more threads; more than [`MAX_THREADS`] are refused.
pub(crate) fn start(
    name: String,
    than: usize,
    work: impl FnOnce() + Send + 'static,
) -> io::Result<JoinHandle<()>> {
    if than >= MAX_THREADS {
        let message = format!("no more than {MAX_THREADS} threads are started");
        return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
    }
    Builder::new().name(name).spawn(work)
}

/// Nothing is left half done under these locks, so a panic elsewhere does not matter.
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

    /// Tries what a team of so many threads does; how many interleavings there were.
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
            what(&Threads::new(NonZeroUsize::new(threads).unwrap()).unwrap());
        });
        runs.load(Relaxed)
    }

    #[test]
    fn a_team_wakes_runs_finishes_and_ends() {
        let runs = check(2, 3, |team| {
            for _ in 0..2 {
                // Of the caller's: a worker that comes too late finds it gone.
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

    /// Each member at most once, and the caller; nobody is inside when the caller goes on.
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
