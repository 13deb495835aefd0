//! Where work runs: without the GIL, on as many threads as the caller asks for, and so that a signal ends it.
//!
//! Threads are started by the first call that asks for them, and kept for the next: those of the latest few numbers. A forked process has none of them, so
//! they are kept by process. The table of them is only read and changed by threads that are attached to the interpreter,
//! which a fork waits for: so its lock is never held across a fork.

use carrysave::engine::{Batch, Threads};
use carrysave::team::{MAX_THREADS, Serial, Team};
use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use core::time::Duration;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;

/// Below this many nanoseconds, releasing the GIL takes longer than it gives others.
const BRIEF: u64 = 5_000;
/// From this many nanoseconds on, work has a thread of its own, so that the caller's can look for signals.
const LONG: u64 = 50_000_000;
/// How often it does.
const SIGNALS: Duration = Duration::from_millis(50);

/// How many batches, and how many teams, are kept.
const KEPT: usize = 4;

/// The threads of this process.
#[derive(Default)]
struct Pools {
    process: u32,
    batches: Latest<Batch>,
    teams: Latest<AnyTeam>,
}

/// Values by numbers of threads, the latest last.
struct Latest<T>(Vec<(usize, T)>);

impl<T> Default for Latest<T> {
    fn default() -> Self {
        Latest(Vec::with_capacity(KEPT))
    }
}

impl<T: Clone> Latest<T> {
    /// The value for so many threads; a new one takes the place of that which was not used for longest.
    fn get(&mut self, threads: usize, new: impl FnOnce() -> T) -> T {
        let place = self.0.iter().position(|&(of, _)| of == threads);
        let value = match place {
            Some(place) => self.0.remove(place).1,
            None => {
                if self.0.len() == KEPT {
                    self.0.remove(0);
                }
                new()
            }
        };
        self.0.push((threads, value.clone()));
        value
    }
}

/// A team of any kind.
pub(crate) type AnyTeam = Arc<dyn Team + Send + Sync>;

static POOLS: Mutex<Option<Pools>> = Mutex::new(None);

/// Calls `of` with the pools of this process. The caller is attached to the interpreter.
fn pools<T>(_: Python<'_>, of: impl FnOnce(&mut Pools) -> T) -> T {
    let mut pools = lock(&POOLS);
    let process = std::process::id();
    if let Some(of_parent) = pools.take_if(|pools| pools.process != process) {
        // Nobody can join threads of another process.
        core::mem::forget(of_parent);
    }
    of(pools.get_or_insert_with(|| Pools {
        process,
        ..Pools::default()
    }))
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A number of threads that a caller asked for.
///
/// # Errors
/// `ValueError` for 0 and for more than the engine starts.
pub(crate) fn checked(threads: usize) -> PyResult<usize> {
    match threads {
        1..=MAX_THREADS => Ok(threads),
        _ => Err(PyValueError::new_err(format!(
            "threads={threads} is not possible: use 1 to {MAX_THREADS}"
        ))),
    }
}

/// The batch of this process with so many threads.
pub(crate) fn batch(py: Python<'_>, threads: usize) -> PyResult<Batch> {
    let threads = checked(threads)?;
    let new = || Batch::new(threads);
    Ok(pools(py, |pools| pools.batches.get(threads, new)))
}

/// The team of this process with so many threads. Calls with several run one after the other.
pub(crate) fn team(py: Python<'_>, threads: usize) -> PyResult<AnyTeam> {
    let threads = checked(threads)?;
    if threads == 1 {
        return Ok(Arc::new(Serial));
    }
    let new = || -> AnyTeam { Arc::new(Threads::up_to(threads)) };
    Ok(pools(py, |pools| pools.teams.get(threads, new)))
}

/// Runs `work`, which takes about so many nanoseconds, without the GIL, and looks for signals meanwhile.
///
/// What is long runs on a thread of its own, if its caller is the main thread, the one that handles signals. A signal handler that raises, as that of Ctrl-C does, ends the call at once;
/// then `stop` is true, so that the work ends soon, too, and the next call gets other threads.
///
/// # Errors
/// What a signal handler raises; `RuntimeError` if `work` panics.
pub(crate) fn run<T: Send + 'static>(
    py: Python<'_>,
    nanos: u64,
    work: impl FnOnce(&Arc<AtomicBool>) -> T + Send + 'static,
) -> PyResult<T> {
    let stop = Arc::new(AtomicBool::new(false));
    if nanos < BRIEF {
        return caught(|| work(&stop));
    }
    if nanos < LONG || !handles_signals(py)? {
        return py.detach(|| caught(|| work(&stop)));
    }
    let (done, mut result) = channel();
    let work = Arc::new(Mutex::new(Some(work)));
    let begin = {
        let (work, stop) = (work.clone(), stop.clone());
        move || {
            let work = lock(&work).take();
            // Nobody waits for it after a signal.
            let _ = work.map(|work| done.send(caught(|| work(&stop))));
        }
    };
    if thread::Builder::new().spawn(begin).is_err() {
        // The system starts no thread: the caller's does the work, and signals wait.
        let work = lock(&work).take();
        let work = work.expect("no thread took it");
        return py.detach(|| caught(|| work(&stop)));
    }
    loop {
        let news;
        (result, news) = py.detach(move || {
            let news = result.recv_timeout(SIGNALS);
            (result, news)
        });
        match news {
            Ok(result) => return result,
            Err(RecvTimeoutError::Disconnected) => return Err(panicked("its thread ended")),
            Err(RecvTimeoutError::Timeout) => {}
        }
        if let Err(signal) = py.check_signals() {
            stop.store(true, Relaxed);
            pools(py, |pools| {
                pools.batches.0.clear();
                pools.teams.0.clear();
            });
            return Err(signal);
        }
    }
}

/// Whether this thread is the one that Python calls signal handlers in.
fn handles_signals(py: Python<'_>) -> PyResult<bool> {
    let threading = py.import(intern!(py, "threading"))?;
    let main = threading.call_method0(intern!(py, "main_thread"))?;
    let this = threading.call_method0(intern!(py, "get_ident"))?;
    main.getattr(intern!(py, "ident"))?.eq(this)
}

/// Panics within work that takes about so many nanoseconds: for the test that Python sees an exception.
///
/// # Errors
/// `RuntimeError`, always.
#[pyfunction]
pub(crate) fn _panic(py: Python<'_>, nanos: u64) -> PyResult<()> {
    run(py, nanos, move |_| panic!("asked for with {nanos} ns"))
}

/// [`run`] for work that borrows from its caller and is not long.
///
/// # Errors
/// `RuntimeError` if `work` panics.
pub(crate) fn run_borrowed<T: Send>(
    py: Python<'_>,
    work: impl FnOnce() -> T + Send,
) -> PyResult<T> {
    py.detach(|| caught(work))
}

/// The result of `work`.
///
/// # Errors
/// `RuntimeError` if it panics.
fn caught<T>(work: impl FnOnce() -> T) -> PyResult<T> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        panicked(text.or(panic.downcast_ref().copied()).unwrap_or("a panic"))
    })
}

fn panicked(text: &str) -> PyErr {
    PyRuntimeError::new_err(format!(
        "carrysave failed, which is a bug ({text}): report it with the arguments"
    ))
}

/// Calls `of` for 0 to n - 1 on the members of a team, until all are done or `stop` is true; gives what it gave.
pub(crate) fn share<T: Send + Sync>(
    team: &dyn Team,
    n: usize,
    stop: &AtomicBool,
    of: impl Fn(usize) -> T + Sync,
) -> Vec<T> {
    // It would wait for its turn.
    if n == 0 {
        return vec![];
    }
    let next = AtomicUsize::new(0);
    let found: Vec<OnceLock<T>> = (0..n).map(|_| OnceLock::new()).collect();
    team.offer(&|_| {
        while let Some(i) = Some(next.fetch_add(1, Relaxed)).filter(|&i| i < n)
            && !stop.load(Relaxed)
        {
            let _ = found[i].set(of(i));
        }
    });
    found.into_iter().filter_map(OnceLock::into_inner).collect()
}
