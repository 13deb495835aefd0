//! Groups the calls of many threads, one task each.
//!
//! A caller that finds a slot free, of [`ServiceOptions::threads`], runs its own task at once. While all slots are
//! taken, callers queue up and sleep. Threads of the service then run the oldest task, together with others of its
//! class where they are faster side by side.

mod pool;

use crate::any::{AnyTask, Entry, Pending, TaskClass, run_group};
use crate::metrics::Metrics;
use carrysave_team::MAX_THREADS;
use core::fmt;
use core::time::Duration;
use getrandom::SysRng;
use pool::{Pool, Refusal, Work};
use rand_core::{CryptoRng, UnwrapErr};
use std::io;
use std::sync::Arc;
use std::thread;

/// How a [`Service`] behaves.
#[derive(Clone, Copy, Debug)]
pub struct ServiceOptions {
    /// The number of slots: how many threads, of callers and of the service together, compute at the same time. The
    /// default is the number of processors.
    pub threads: usize,
    /// The longest time that a call waits for others to join its group, if more than `threads` calls are expected. The
    /// default is 50 microseconds. A lone caller never waits.
    pub wait: Duration,
}

impl Default for ServiceOptions {
    fn default() -> ServiceOptions {
        ServiceOptions {
            threads: thread::available_parallelism().map_or(1, |n| n.get().min(MAX_THREADS)),
            wait: Duration::from_micros(50),
        }
    }
}

/// A call of a [`Service`] failed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ServiceError<E> {
    /// The task failed, as it would have alone.
    Task(E),
    /// The service takes no more calls.
    ShutDown,
    /// The group of this call panicked: its random generator failed, or there is a bug.
    Panicked,
}

impl<E: fmt::Display> fmt::Display for ServiceError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ServiceError::Task(e) => e.fmt(f),
            ServiceError::ShutDown => {
                f.write_str("the service was shut down: make another, or call before that")
            }
            ServiceError::Panicked => f.write_str(
                "the group of this call panicked: call again, and look for the panic's message",
            ),
        }
    }
}

impl<E: fmt::Debug + fmt::Display> std::error::Error for ServiceError<E> {}

impl<E> From<Refusal> for ServiceError<E> {
    fn from(refusal: Refusal) -> ServiceError<E> {
        match refusal {
            Refusal::ShutDown => ServiceError::ShutDown,
            Refusal::Panicked => ServiceError::Panicked,
        }
    }
}

/// Runs the tasks of calls that come at the same time side by side; each call blocks until its result is there.
///
/// It has [`ServiceOptions::threads`] threads, which sleep unless calls queue up, and are joined when it is dropped. A
/// forked process has none of them: there each call runs alone, on its caller's thread.
///
/// ```
/// use carrysave_arith::Nat;
/// use carrysave_engine::{Service, ServiceOptions};
/// use carrysave_schemes::rsa::{KeygenOptions, PrivateKey, task::RawPrivate};
/// use getrandom::SysRng;
/// use rand_core::UnwrapErr;
/// use std::thread;
///
/// # let options = KeygenOptions { allow_small: true, ..Default::default() };
/// # let key = PrivateKey::generate_with(|| UnwrapErr(SysRng), 1024, &options, &|_| ()).unwrap();
/// let service = Service::new(ServiceOptions::default()).unwrap();
/// thread::scope(|scope| {
///     for x in 0..20 {
///         let task = RawPrivate { key: key.clone(), x: Nat::from_limb(x) };
///         let (service, key) = (&service, &key);
///         scope.spawn(move || {
///             let s = service.run(task).unwrap();
///             assert_eq!(key.public().rsavp1(&s).unwrap(), Nat::from_limb(x));
///         });
///     }
/// });
/// assert_eq!(service.metrics().jobs, 20);
/// ```
pub struct Service(Pool<Waiting>);

/// A task of a call.
struct Waiting(Arc<dyn Entry>);

impl Work for Waiting {
    type Class = TaskClass;
    type Output = ();

    fn class(&self) -> TaskClass {
        self.0.primitive().any_class()
    }

    fn group_from(&self) -> Option<usize> {
        self.0.primitive().any_group_from()
    }

    fn group_most(&self) -> usize {
        self.0.primitive().group_most()
    }
}

impl Service {
    /// Starts a service and its threads. Tasks take the operating system's randomness.
    ///
    /// # Errors
    /// As [`Service::with_rng`].
    pub fn new(options: ServiceOptions) -> io::Result<Service> {
        Service::with_rng(options, || UnwrapErr(SysRng))
    }

    /// Starts a service and its threads. `rng` makes a generator of random numbers for each group.
    ///
    /// # Errors
    /// The system's, if it starts no more threads; 0 and more than [`MAX_THREADS`](carrysave_team::MAX_THREADS) are
    /// refused.
    pub fn with_rng<R: CryptoRng + 'static>(
        options: ServiceOptions,
        rng: impl Fn() -> R + Send + Sync + 'static,
    ) -> io::Result<Service> {
        let run = move |group: &[&Waiting]| {
            let entries: Vec<&dyn Entry> = group.iter().map(|waiting| &*waiting.0).collect();
            run_group(&mut rng(), &entries);
            vec![Ok(()); group.len()]
        };
        Pool::new(options, run).map(Service)
    }

    /// Runs `task` and returns its result. It runs on this thread or on one of the service. Tasks of different types
    /// share a group where their long operations have one class. A task that calls its own service may wait for ever.
    ///
    /// # Errors
    /// [`ServiceError::Task`] with the error of the operation alone; [`ServiceError::ShutDown`] after
    /// [`Service::shutdown`]; [`ServiceError::Panicked`] to all calls of a group in which something panicked.
    ///
    /// # Timing
    /// That of the operation, which depends on no secret, of the calls before it, and of those in its group.
    pub fn run<T: AnyTask + 'static>(&self, task: T) -> Result<T::Output, ServiceError<T::Error>> {
        let pending = Arc::new(Pending::<T, T>::new(task));
        self.0.run(Waiting(pending.clone()))?;
        pending.take_result().map_err(ServiceError::Task)
    }

    /// Refuses new calls from now on, and returns when all pending calls have their results. In a forked process it does
    /// nothing.
    pub fn shutdown(&self) {
        self.0.shutdown();
    }

    /// Counters since the service was made.
    pub fn metrics(&self) -> Metrics {
        self.0.metrics()
    }
}

impl fmt::Debug for Service {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Service")
            .field("options", &self.0.options())
            .field("metrics", &self.metrics())
            .finish_non_exhaustive()
    }
}
