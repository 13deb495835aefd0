//! Calls of many threads, one job each, in groups.
//!
//! A caller that finds fewer than [`ServiceOptions::threads`] others computing runs its own job at once. While as many
//! compute, callers queue up and sleep, and threads of the service run their jobs, the oldest first, with up to seven
//! of its class where they are faster side by side.

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
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread::{self, Builder, JoinHandle};
use std::time::Instant;

/// How a [`Service`] behaves.
#[derive(Clone, Copy, Debug)]
pub struct ServiceOptions {
    /// How many threads compute at the same time, callers' and the service's together; as many as there are processors
    /// unless said otherwise.
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
/// It has [`ServiceOptions::threads`] threads, which sleep unless calls queue up, and are joined when it is dropped.
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
/// let service = Service::new(ServiceOptions::default(), || UnwrapErr(SysRng)).unwrap();
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
    shared: Arc<Shared>,
    workers: Vec<JoinHandle<()>>,
}

/// What callers and workers have in common.
struct Shared {
    options: ServiceOptions,
    rng: Box<dyn Fn() -> Box<dyn CryptoRng> + Send + Sync>,
    state: Mutex<State>,
    /// Told when a turn is left to a worker, and when the service is dropped.
    wake: Condvar,
    /// Told when the last call has left a service that was shut down.
    empty: Condvar,
    /// The length of the queue, to be looked at without the lock.
    queued: AtomicUsize,
    meters: Meters,
}

#[derive(Default)]
struct State {
    /// Calls that wait, the oldest first. There are none unless all turns are taken.
    queue: VecDeque<Arc<Call>>,
    /// Turns to compute that are taken, of as many as there are threads: by callers, by workers, or left to a worker.
    turns: usize,
    /// Those that were left to a worker, and that none has taken up yet.
    left: usize,
    /// Calls that have not returned.
    inside: usize,
    /// How many those were when last a group was done, and none once all have left: what company a call can expect.
    company: usize,
    closed: bool,
    dropped: bool,
}

struct Call {
    job: Job,
    class: Class,
    /// How many of the class have to be there to run side by side.
    together_from: Option<usize>,
    since: Instant,
    result: Mutex<Option<Result<Output, ServiceError>>>,
    done: Condvar,
}

impl Service {
    /// A service that nobody has called yet, and its threads. `rng` makes a generator for each group.
    ///
    /// # Errors
    /// The system's, if it starts no more threads.
    pub fn new<R: CryptoRng + 'static>(
        options: ServiceOptions,
        rng: impl Fn() -> R + Send + Sync + 'static,
    ) -> io::Result<Service> {
        let shared = Arc::new(Shared {
            options,
            rng: Box::new(move || Box::new(rng())),
            state: Mutex::default(),
            wake: Condvar::new(),
            empty: Condvar::new(),
            queued: AtomicUsize::new(0),
            meters: Meters::default(),
        });
        let mut service = Service {
            shared,
            workers: Vec::new(),
        };
        for i in 1..=options.threads.get() {
            let shared = service.shared.clone();
            let worker = Builder::new().name(format!("service {i}"));
            // If one is refused, the service is dropped, which joins those before it.
            service.workers.push(worker.spawn(move || shared.work())?);
        }
        Ok(service)
    }

    /// The result of `job`, which runs on this thread, on that of another caller, or on one of the service.
    ///
    /// # Errors
    /// [`ServiceError::Rsa`] or [`ServiceError::Dl`] with the error of the same operation alone;
    /// [`ServiceError::ShutDown`] after
    /// [`Service::shutdown`]; [`ServiceError::Panicked`] to all calls of a group in which something panicked.
    ///
    /// # Timing
    /// That of the operations, which depends on no secret, and of the company: of the calls before it, and of those in
    /// its group.
    pub fn run(&self, job: Job) -> Result<Output, ServiceError> {
        let call = Arc::new(Call {
            class: job.class(),
            together_from: job.together_from(),
            job,
            since: Instant::now(),
            result: Mutex::new(None),
            done: Condvar::new(),
        });
        let shared = &*self.shared;
        let result = if shared.enter(&call)? {
            shared.take_turn(call)
        } else {
            call.wait()
        };
        shared.leave();
        result
    }

    /// Refuses new calls from now on, and returns when those that are inside have their results.
    pub fn shutdown(&self) {
        let mut state = self.shared.lock();
        state.closed = true;
        let left = (self.shared.empty).wait_while(state, |state| state.inside > 0);
        drop(left.expect(UNPOISONED));
    }

    /// What was done so far.
    pub fn metrics(&self) -> Metrics {
        Metrics {
            queued: self.shared.queued.load(Ordering::Relaxed),
            ..self.shared.meters.read()
        }
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        self.shared.lock().dropped = true;
        self.shared.wake.notify_all();
        for worker in self.workers.drain(..) {
            // It does not panic: what a group panics with is caught.
            let _ = worker.join();
        }
    }
}

impl Shared {
    /// Whether the call takes a turn; otherwise it is in the queue.
    fn enter(&self, call: &Arc<Call>) -> Result<bool, ServiceError> {
        let mut state = self.lock();
        if state.closed {
            return Err(ServiceError::ShutDown);
        }
        state.inside += 1;
        let free = state.turns < self.options.threads.get();
        if free {
            state.turns += 1;
        } else {
            state.queue.push_back(call.clone());
            self.queued.store(state.queue.len(), Ordering::Relaxed);
        }
        Ok(free)
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

    /// Runs a group with `own` in it on the caller's thread, and leaves the turn to a worker if others wait.
    fn take_turn(&self, own: Arc<Call>) -> Result<Output, ServiceError> {
        let group = self.gather(own);
        let mut results = self.run_group(&group).into_iter();
        let mut state = self.lock();
        // Others expect no company of this caller before it has left.
        state.company = state.inside - 1;
        if state.queue.is_empty() {
            state.turns -= 1;
        } else {
            // There are as many workers as turns, so one is free.
            state.left += 1;
            self.wake.notify_one();
        }
        drop(state);
        let result = results.next().expect("its own is the first");
        tell(&group[1..], results);
        result
    }

    /// The life of a worker: takes up a turn, and runs groups until nobody waits any more.
    fn work(&self) {
        let mut state = self.lock();
        loop {
            let asleep = |state: &mut State| state.left == 0 && !state.dropped;
            state = self.wake.wait_while(state, asleep).expect(UNPOISONED);
            if state.left == 0 {
                return;
            }
            state.left -= 1;
            while let Some(first) = state.queue.pop_front() {
                self.queued.store(state.queue.len(), Ordering::Relaxed);
                drop(state);
                let group = self.gather(first);
                let results = self.run_group(&group).into_iter();
                state = self.lock();
                state.company = state.inside;
                drop(state);
                tell(&group, results);
                // Not under the lock: the last to have a job wipes it.
                drop(group);
                state = self.lock();
            }
            state.turns -= 1;
        }
    }

    /// `first` and others of its class, up to a group, out of the queue, if they are faster side by side; after a short
    /// wait if enough are to be expected.
    fn gather(&self, first: Arc<Call>) -> Vec<Arc<Call>> {
        let mut group = vec![first];
        if let Some(from) = group[0].together_from {
            self.join(&mut group, from);
        }
        self.meters
            .group(group.iter().map(|call| call.since.elapsed()));
        group
    }

    /// Adds calls of the same class, if at least `from` can be together.
    fn join(&self, group: &mut Vec<Arc<Call>>, from: usize) {
        let state = self.lock();
        let company = if state.closed { 0 } else { state.company };
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
    /// Sleeps until the result is there.
    fn wait(&self) -> Result<Output, ServiceError> {
        let result = self.result.lock().expect(UNPOISONED);
        let result = self.done.wait_while(result, |result| result.is_none());
        let result = result.expect(UNPOISONED).take();
        result.expect("it was waited for")
    }
}

/// Gives calls their results.
fn tell(calls: &[Arc<Call>], results: impl Iterator<Item = Result<Output, ServiceError>>) {
    for (call, result) in calls.iter().zip(results) {
        *call.result.lock().expect(UNPOISONED) = Some(result);
        call.done.notify_one();
    }
}

impl fmt::Debug for Service {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Service")
            .field("options", &self.shared.options)
            .field("metrics", &self.metrics())
            .finish_non_exhaustive()
    }
}
