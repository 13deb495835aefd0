//! Threads that are joined when their owner is dropped.

use crate::sync::{Builder, JoinHandle};
use carrysave_team::MAX_THREADS;
use std::io;

/// Threads with the process that started them. A forked process has the memory, including locks that others held, and
/// none of the threads.
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
    /// Adds a thread.
    pub(crate) fn push(&mut self, thread: JoinHandle<()>) {
        self.threads.push(thread);
    }

    /// The number of threads in this process.
    pub(crate) fn len(&self) -> usize {
        if self.gone() { 0 } else { self.threads.len() }
    }

    /// Whether this is a forked process, in which shared state may be locked for ever.
    pub(crate) fn gone(&self) -> bool {
        std::process::id() != self.process
    }

    /// Asks the threads to end, by `notify`, and joins them.
    pub(crate) fn end(&mut self, notify: impl FnOnce()) {
        let threads = core::mem::take(&mut self.threads);
        if self.gone() {
            return core::mem::forget(threads);
        }
        notify();
        for thread in threads {
            // Its panic has been passed on.
            let _ = thread.join();
        }
    }
}

pub(crate) const NO_THREADS: &str = "no threads were asked for: ask for 1 or more";

/// Refuses 0 threads, and more than [`MAX_THREADS`], before any is started.
pub(crate) fn check(threads: usize) -> io::Result<()> {
    let why = match threads {
        0 => NO_THREADS.to_owned(),
        1..=MAX_THREADS => return Ok(()),
        _ => format!("{threads} threads were asked for: ask for {MAX_THREADS} or fewer"),
    };
    Err(io::Error::new(io::ErrorKind::InvalidInput, why))
}

/// Starts a thread.
///
/// # Errors
/// The system's, if it starts no more threads.
pub(crate) fn start(
    name: String,
    work: impl FnOnce() + Send + 'static,
) -> io::Result<JoinHandle<()>> {
    Builder::new().name(name).spawn(work)
}
