//! Where a private operation runs: on the caller's thread, beside those of other threads, or beside those of other
//! handshakes on this thread.
//!
//! What is started is started by the process that signs, at its first need: a server reads its keys, forks, and signs in
//! its workers.

use crate::asynchronous::{self, Worker};
use crate::counters;
use crate::failure::Failure;
use carrysave::arith::Nat;
use carrysave::engine::{Service, ServiceError, ServiceOptions, jobs};
use carrysave::rsa::Error;
use carrysave::rsa::task::{DecryptOaep, DecryptPkcs1v15, RawPrivate};
use carrysave::{engine, system_rng};
use core::ptr::null_mut;
use core::sync::atomic::{
    AtomicPtr, AtomicUsize,
    Ordering::{AcqRel, Acquire, Relaxed},
};
use std::sync::OnceLock;
use std::thread;
use zeroize::Zeroizing;

jobs! {
    /// A private operation.
    pub enum Private -> Result<Output, Error> {
        /// The primitive alone: signatures, and paddings of TLS.
        Raw(RawPrivate),
        /// Decryption with implicit rejection.
        Pkcs1(DecryptPkcs1v15),
        /// Decryption with OAEP.
        Oaep(DecryptOaep),
    }
}

/// What a private operation gives.
#[derive(Debug)]
pub enum Output {
    Number(Nat),
    Bytes(Zeroizing<Vec<u8>>),
}

impl From<Nat> for Output {
    fn from(number: Nat) -> Output {
        Output::Number(number)
    }
}

impl From<Zeroizing<Vec<u8>>> for Output {
    fn from(bytes: Zeroizing<Vec<u8>>) -> Output {
        Output::Bytes(bytes)
    }
}

/// The result of an operation that gives a number, in `size` big-endian bytes.
pub fn number(job: Private, size: usize) -> Result<Zeroizing<Vec<u8>>, Failure> {
    match run(job)? {
        Output::Number(number) => number.to_be_bytes(size).ok_or_else(Failure::order),
        Output::Bytes(bytes) => Ok(bytes),
    }
}

/// The result of an operation that gives bytes.
pub fn bytes(job: Private) -> Result<Zeroizing<Vec<u8>>, Failure> {
    number(job, 0)
}

fn run(job: Private) -> Result<Output, Failure> {
    let process = Process::current();
    match asynchronous::pause(process.worker, job) {
        Ok(result) => result,
        Err(job) => process.run(job),
    }
}

/// What belongs to one process, and is not inherited: a lock may be held by a thread that does not exist after a fork.
struct Process {
    id: u32,
    worker: &'static Worker,
    processors: usize,
    /// How many threads are in a private operation.
    inside: AtomicUsize,
    /// For more threads than processors.
    service: OnceLock<Option<Service>>,
}

static CURRENT: AtomicPtr<Process> = AtomicPtr::new(null_mut());

impl Process {
    fn current() -> &'static Process {
        let id = std::process::id();
        let current = CURRENT.load(Acquire);
        // SAFETY: it is never freed.
        match unsafe { current.as_ref() } {
            Some(process) if process.id == id => process,
            _ => Process::begin(id, current),
        }
    }

    #[cold]
    fn begin(id: u32, before: *mut Process) -> &'static Process {
        let process = Box::leak(Box::new(Process {
            id,
            worker: Box::leak(Box::new(Worker::new())),
            processors: ServiceOptions::default().threads,
            inside: AtomicUsize::new(0),
            service: OnceLock::new(),
        }));
        match CURRENT.compare_exchange(before, process, AcqRel, Acquire) {
            Ok(_) => process,
            // Another thread was first.
            Err(_) => Process::current(),
        }
    }

    fn run(&self, job: Private) -> Result<Output, Failure> {
        let inside = self.inside.fetch_add(1, Relaxed) + 1;
        let leave = Leave(&self.inside);
        // With more threads than processors, those that wait may as well wait together.
        let service = match self.service.get() {
            None if inside <= self.processors => None,
            _ => self.service.get_or_init(start).as_ref(),
        };
        let result = match service {
            None => engine::run_on(&job, &carrysave::team::Serial, &mut system_rng()),
            Some(service) => {
                counters::SHARED.count();
                service.run(job).map_err(|error| match error {
                    ServiceError::Task(error) => error,
                    _ => Error::Fault,
                })
            }
        };
        drop(leave);
        Ok(result?)
    }
}

/// Counts a thread out, also if it panics.
struct Leave<'a>(&'a AtomicUsize);

impl Drop for Leave<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Relaxed);
    }
}

/// A service, unless the system starts no threads.
fn start() -> Option<Service> {
    unsignalled(|| Service::new(ServiceOptions::default())).ok()
}

/// Calls `f` with all signals blocked, so that threads which it starts never run a handler of the program.
pub fn unsignalled<R>(f: impl FnOnce() -> R) -> R {
    struct Restore(libc::sigset_t);
    impl Drop for Restore {
        fn drop(&mut self) {
            // SAFETY: it is a set that the system gave.
            unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &self.0, null_mut()) };
        }
    }
    // SAFETY: a set of signals has no invalid value; both are filled before use.
    let restore = unsafe {
        let (mut all, mut before) = (core::mem::zeroed(), core::mem::zeroed());
        libc::sigfillset(&mut all);
        libc::pthread_sigmask(libc::SIG_SETMASK, &all, &mut before);
        Restore(before)
    };
    let result = f();
    drop(restore);
    result
}

/// Calls `f` where there is stack enough for long operations: OpenSSL's asynchronous jobs have 32 KiB.
pub fn apart<R: Send>(f: impl FnOnce() -> Result<R, Failure> + Send) -> Result<R, Failure> {
    if asynchronous::in_job() {
        on_thread(f)
    } else {
        f()
    }
}

/// Calls `f` on a thread of its own. Signals, and what they end, reach this thread meanwhile.
fn on_thread<R: Send>(f: impl FnOnce() -> Result<R, Failure> + Send) -> Result<R, Failure> {
    thread::scope(|scope| {
        let thread = unsignalled(|| thread::Builder::new().spawn_scoped(scope, f));
        let thread = thread.map_err(|_| {
            Failure::new("the system starts no thread: raise the limit of processes")
        })?;
        thread
            .join()
            .unwrap_or_else(|_| Err(Failure::new("a panic was caught")))
    })
}
