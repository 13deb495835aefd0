//! Calls of many threads, one job each, in groups.
//!
//! No thread is started. A caller that finds fewer than [`ServiceOptions::threads`] others computing leads: it runs its
//! own job at once. While as many lead, callers queue up and sleep. A leader that is done takes the oldest in the
//! queue, with up to seven of its class where they are faster side by side, until one that it woke leads in its place.

use crate::job::{Class, Error, Job, Output, run_group};
use crate::metrics::{Meters, Metrics};
use carrysave_arith::lanes::LANES;
use carrysave_schemes::{dl, rsa};
use core::fmt;
use core::num::NonZeroUsize;
use core::sync::atomic::{AtomicUsize, Ordering};
use core::time::Duration;
use rand_core::CryptoRng;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread;
use std::time::Instant;

/// How many groups a leader runs, while there are some, before it wakes another to lead: its own caller waits.
const ROUNDS: usize = 2;

/// Jobs of which the leader's caller, which has its result already, may wait for more.
fn no_longer(next: &Call, own: &Call) -> bool {
    next.job.cost() <= own.job.cost()
}

/// How a [`Service`] behaves.
#[derive(Clone, Copy, Debug)]
pub struct ServiceOptions {
    /// How many callers compute at the same time, each on its own thread; as many as there are processors unless
    /// said otherwise.
    pub threads: NonZeroUsize,
    /// How long a caller waits at most for others to come, if there were more than `threads` lately; 50 microseconds
    /// unless said otherwise. A caller that comes when nobody is there never waits.
    pub wait: Duration,
}

impl Default for ServiceOptions {
    fn default() -> ServiceOptions {
        ServiceOptions {
            threads: thread::available_parallelism().unwrap_or(NonZeroUsize::MIN),
            wait: Duration::from_micros(50),
        }
    }
}

/// A call of a [`Service`] failed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ServiceError {
    /// The operation did, as it would have done alone: one with a key of RSA, or a power.
    Rsa(rsa::Error),
    /// The same with a key of [`dl`].
    Dl(dl::Error),
    /// The service takes no more calls.
    ShutDown,
    /// Something panicked in the group of this call: a generator of randomness, or a bug.
    Panicked,
}

impl fmt::Display for ServiceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ServiceError::Rsa(e) => e.fmt(f),
            ServiceError::Dl(e) => e.fmt(f),
            ServiceError::ShutDown => {
                f.write_str("the service was shut down: make another, or call before that")
            }
            ServiceError::Panicked => f.write_str(
                "the group of this call panicked: call again, and look for the panic's message",
            ),
        }
    }
}

impl std::error::Error for ServiceError {}

impl From<Error> for ServiceError {
    fn from(error: Error) -> ServiceError {
        match error {
            Error::Rsa(error) => ServiceError::Rsa(error),
            Error::Dl(error) => ServiceError::Dl(error),
        }
    }
}

/// Runs the jobs of calls that come at the same time side by side; each call blocks until its result is there.
///
/// ```
/// use carrysave_arith::Nat;
/// use carrysave_engine::{Job, Output, Service, ServiceOptions};
/// use carrysave_schemes::rsa::{KeygenOptions, PrivateKey};
/// use getrandom::SysRng;
/// use rand_core::UnwrapErr;
/// use std::thread;
///
/// # let options = KeygenOptions { allow_small: true, ..Default::default() };
/// # let key = PrivateKey::generate(|| UnwrapErr(SysRng), 1024, &options, &|_| ()).unwrap();
/// let service = Service::new(ServiceOptions::default(), || UnwrapErr(SysRng));
/// thread::scope(|scope| {
///     for x in 0..20 {
///         let job = Job::RawPrivate { key: key.clone(), x: Nat::from_limb(x) };
///         let (service, key) = (&service, &key);
///         scope.spawn(move || {
///             let Output::Number(s) = service.run(job).unwrap() else { unreachable!() };
///             assert_eq!(key.public().rsavp1(&s).unwrap(), Nat::from_limb(x));
///         });
///     }
/// });
/// assert_eq!(service.metrics().jobs, 20);
/// ```
pub struct Service {
    options: ServiceOptions,
    rng: Box<dyn Fn() -> Box<dyn CryptoRng> + Send + Sync>,
    state: Mutex<State>,
    /// Told when the last call has left a service that was shut down.
    empty: Condvar,
    /// The length of the queue, to be looked at without the lock.
    queued: AtomicUsize,
    meters: Meters,
}

#[derive(Default)]
struct State {
    /// Calls that wait, the oldest first. There are none unless as many lead as may.
    queue: VecDeque<Arc<Call>>,
    leaders: usize,
    /// Calls that have not returned.
    inside: usize,
    /// How many those were when last a group was done, and none once all have left: what company a call can expect.
    company: usize,
    closed: bool,
}

struct Call {
    job: Job,
    class: Class,
    /// How many of the class have to be there to run side by side.
    together_from: Option<usize>,
    since: Instant,
    turn: Mutex<Turn>,
    woken: Condvar,
}

/// What a call is told.
enum Turn {
    Wait,
    Lead,
    Done(Result<Output, ServiceError>),
}

impl Service {
    /// A service that nobody has called yet. `rng` makes a generator for each group.
    pub fn new<R: CryptoRng + 'static>(
        options: ServiceOptions,
        rng: impl Fn() -> R + Send + Sync + 'static,
    ) -> Service {
        Service {
            options,
            rng: Box::new(move || Box::new(rng())),
            state: Mutex::default(),
            empty: Condvar::new(),
            queued: AtomicUsize::new(0),
            meters: Meters::default(),
        }
    }

    /// The result of `job`, which runs on this thread or on that of another caller.
    ///
    /// # Errors
    /// [`ServiceError::Rsa`] or [`ServiceError::Dl`] with the error of the same operation alone; [`ServiceError::ShutDown`] after
    /// [`Service::shutdown`]; [`ServiceError::Panicked`] to all calls of a group in which something panicked.
    ///
    /// # Timing
    /// That of the operations, which depends on no secret, and of the company. Beside its own group a call may have to
    /// wait for one more, of jobs that take no longer than its own, which its thread runs for others, and for further
    /// ones until the system lets the thread run that is to do so in its place.
    pub fn run(&self, job: Job) -> Result<Output, ServiceError> {
        let call = Arc::new(Call {
            class: job.class(),
            together_from: job.together_from(),
            job,
            since: Instant::now(),
            turn: Mutex::new(Turn::Wait),
            woken: Condvar::new(),
        });
        let leads = self.enter(&call)?;
        let result = if leads {
            self.lead(call)
        } else {
            match call.wait() {
                Turn::Done(result) => result,
                _ => self.lead(call),
            }
        };
        self.leave();
        result
    }

    /// Refuses new calls from now on, and returns when those that are inside have their results.
    pub fn shutdown(&self) {
        let mut state = self.lock();
        state.closed = true;
        let left = self.empty.wait_while(state, |state| state.inside > 0);
        drop(left.expect(UNPOISONED));
    }

    /// What was done so far.
    pub fn metrics(&self) -> Metrics {
        Metrics {
            queued: self.queued.load(Ordering::Relaxed),
            ..self.meters.read()
        }
    }

    /// Whether the call leads; otherwise it is in the queue.
    fn enter(&self, call: &Arc<Call>) -> Result<bool, ServiceError> {
        let mut state = self.lock();
        if state.closed {
            return Err(ServiceError::ShutDown);
        }
        state.inside += 1;
        let leads = state.leaders < self.options.threads.get();
        if leads {
            state.leaders += 1;
        } else {
            state.queue.push_back(call.clone());
            self.queued.store(state.queue.len(), Ordering::Relaxed);
        }
        Ok(leads)
    }

    fn leave(&self) {
        let mut state = self.lock();
        state.inside -= 1;
        if state.inside == 0 {
            state.company = 0;
            if state.closed {
                self.empty.notify_all();
            }
        }
    }

    /// Runs groups, the first with `own` in it, and gives the result of `own`.
    fn lead(&self, own: Arc<Call>) -> Result<Output, ServiceError> {
        let mut result = None;
        let mut successor: Option<Arc<Call>> = None;
        let mut next = Some(own.clone());
        for round in 1.. {
            let Some(first) = next else { break };
            // Calls that cannot come again before they leave.
            let served = usize::from(round > 1) + usize::from(successor.is_some());
            let group = self.gather(first, served);
            let mut results = self.run_group(&group).into_iter();
            next = match &successor {
                None => self.next(),
                Some(successor) => self.next_until(successor, &own),
            };
            let goes_on = |next: &Arc<Call>| round < ROUNDS && no_longer(next, &own);
            if successor.is_none()
                && let Some(other) = next.take_if(|next| !goes_on(next))
            {
                other.tell(Turn::Lead);
                next = self.next_until(&other, &own);
                successor = Some(other);
            }
            // The first of the first group is the leader itself.
            let others = &group[usize::from(round == 1)..];
            if round == 1 {
                result = results.next();
            }
            for (call, result) in others.iter().zip(results) {
                call.tell(Turn::Done(result));
            }
        }
        result.expect("the first group had a first job")
    }

    /// `first` and others of its class, up to a group, out of the queue, if they are faster side by side; after a short
    /// wait if enough are to be expected, of whom `served` cannot come.
    fn gather(&self, first: Arc<Call>, served: usize) -> Vec<Arc<Call>> {
        let mut group = vec![first];
        if let Some(from) = group[0].together_from {
            self.join(&mut group, from, served);
        }
        self.meters
            .group(group.iter().map(|call| call.since.elapsed()));
        group
    }

    /// Adds calls of the same class, if at least `from` can be together.
    fn join(&self, group: &mut Vec<Arc<Call>>, from: usize, served: usize) {
        let state = self.lock();
        let company = match state.closed {
            true => 0,
            false => state.company.saturating_sub(served),
        };
        drop(state);
        let expected = company.div_ceil(self.options.threads.get()).min(LANES);
        if expected > 1 && expected >= from {
            let start = Instant::now();
            while self.queued.load(Ordering::Relaxed) + 1 < expected
                && start.elapsed() < self.options.wait
            {
                thread::yield_now();
            }
        }
        let mut state = self.lock();
        let class = group[0].class;
        let alike = state.queue.iter().filter(|call| call.class == class);
        if alike.count() + 1 < from {
            return;
        }
        let mut i = 0;
        while i < state.queue.len() && group.len() < LANES {
            if state.queue[i].class == class {
                group.extend(state.queue.remove(i));
            } else {
                i += 1;
            }
        }
        self.queued.store(state.queue.len(), Ordering::Relaxed);
    }

    /// The oldest in the queue after a group, or one leader less.
    fn next(&self) -> Option<Arc<Call>> {
        let mut state = self.lock();
        let next = self.pop(&mut state, |_| true);
        if next.is_none() {
            state.leaders -= 1;
        }
        next
    }

    /// The oldest in the queue for a leader that has woken its successor; none once that one has begun. Until then the
    /// processor would idle, or run the successor, as the system decides.
    fn next_until(&self, successor: &Call, own: &Call) -> Option<Arc<Call>> {
        match successor.begins() {
            true => None,
            false => self.pop(&mut self.lock(), |next| no_longer(next, own)),
        }
    }

    /// The oldest in the queue after a group, if it is `wanted`.
    fn pop(&self, state: &mut State, wanted: impl Fn(&Call) -> bool) -> Option<Arc<Call>> {
        state.company = state.inside;
        let next = state.queue.pop_front_if(|next| wanted(next));
        self.queued.store(state.queue.len(), Ordering::Relaxed);
        next
    }

    fn run_group(&self, group: &[Arc<Call>]) -> Vec<Result<Output, ServiceError>> {
        let jobs: Vec<&Job> = group.iter().map(|call| &call.job).collect();
        // Nothing that a panic could leave half-done outlives the closure.
        match catch_unwind(AssertUnwindSafe(|| run_group(&mut *(self.rng)(), &jobs))) {
            Ok(results) => results
                .into_iter()
                .map(|r| r.map_err(ServiceError::from))
                .collect(),
            Err(_) => jobs.iter().map(|_| Err(ServiceError::Panicked)).collect(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect(UNPOISONED)
    }
}

const UNPOISONED: &str = "nothing panics under this lock";

impl Call {
    /// Sleeps until told something.
    fn wait(&self) -> Turn {
        let turn = self.turn.lock().expect(UNPOISONED);
        let waiting = |turn: &mut Turn| matches!(turn, Turn::Wait);
        let mut turn = self.woken.wait_while(turn, waiting).expect(UNPOISONED);
        core::mem::replace(&mut turn, Turn::Wait)
    }

    /// Whether a call that was told to lead has taken notice.
    fn begins(&self) -> bool {
        !matches!(*self.turn.lock().expect(UNPOISONED), Turn::Lead)
    }

    fn tell(&self, turn: Turn) {
        *self.turn.lock().expect(UNPOISONED) = turn;
        self.woken.notify_one();
    }
}

impl fmt::Debug for Service {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Service")
            .field("options", &self.options)
            .field("metrics", &self.metrics())
            .finish_non_exhaustive()
    }
}
