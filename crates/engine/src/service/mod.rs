//! Calls of many threads, one job each, in groups.
//!
//! A caller that finds fewer than [`ServiceOptions::threads`] others computing runs its own job at once. While as many
//! compute, callers queue up and sleep, and threads of the service run their jobs, the oldest first, with up to seven
//! of its class where they are faster side by side.

mod pool;

use crate::job::{Class, Error, Job, Output, run_group};
use crate::metrics::Metrics;
use carrysave_schemes::{dl, rsa};
use core::fmt;
use core::num::NonZeroUsize;
use core::time::Duration;
use pool::{Pool, Work};
use rand_core::CryptoRng;
use std::io;
use std::thread;

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
pub struct Service(Pool<Job>);

impl Work for Job {
    type Class = Class;
    type Output = Output;

    fn class(&self) -> Class {
        self.class()
    }

    fn together_from(&self) -> Option<usize> {
        self.together_from()
    }
}

impl Service {
    /// A service that nobody has called yet, and its threads. `rng` makes a generator for each group.
    ///
    /// # Errors
    /// The system's, if it starts no more threads; more than [`MAX_THREADS`](carrysave_team::MAX_THREADS) are
    /// refused.
    pub fn new<R: CryptoRng + 'static>(
        options: ServiceOptions,
        rng: impl Fn() -> R + Send + Sync + 'static,
    ) -> io::Result<Service> {
        let run = move |jobs: &[&Job]| {
            let results = run_group::<dyn CryptoRng>(&mut rng(), jobs).into_iter();
            results.map(|r| r.map_err(ServiceError::from)).collect()
        };
        Pool::new(options, run).map(Service)
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
        self.0.run(job)
    }

    /// Refuses new calls from now on, and returns when those that are inside have their results.
    pub fn shutdown(&self) {
        self.0.shutdown();
    }

    /// What was done so far.
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
