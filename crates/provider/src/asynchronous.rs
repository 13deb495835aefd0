//! Private operations of handshakes that OpenSSL can pause (`ASYNC_JOB`): an event loop with one thread goes on with
//! other connections meanwhile, and operations that wait together run side by side.
//!
//! A job queues its operation and pauses. One thread a process takes what waits, runs it as a batch, and writes to the
//! eventfd that the program watches. Programs without such jobs never start it.
//!
//! The rules are those of `ASYNC_WAIT_CTX`:
//! - The eventfd lives in the wait context under a key of ours, is used again for the next pause of the connection, and
//!   is closed by the context's cleanup.
//! - A job pauses at least once after it has set an eventfd, as the program learns of it only then.
//! - A connection that is torn down frees its job and the context while the operation runs. So the thread owns the
//!   operation, shares the eventfd, and touches nothing of OpenSSL's.

use crate::counters;
use crate::failure::{Failure, quiet};
use crate::libcrypto::functions;
use crate::queue::{Event, Queue, Request, Shared, Work};
use crate::work::{Output, Private, unsignalled};
use carrysave::engine::{AnyTask, Batch, TaskClass};
use carrysave::rsa::Error;
use core::ffi::{c_int, c_void};
use core::ptr::null_mut;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;

type Cleanup = unsafe extern "C" fn(*mut c_void, *const c_void, c_int, *mut c_void);

functions! {
    /// What jobs are paused by.
    Library {
        current_job = ASYNC_get_current_job() -> *mut c_void;
        wait_context = ASYNC_get_wait_ctx(*mut c_void) -> *mut c_void;
        set_fd = ASYNC_WAIT_CTX_set_wait_fd(
            *mut c_void, *const c_void, c_int, *mut c_void, Option<Cleanup>
        ) -> c_int;
        get_fd = ASYNC_WAIT_CTX_get_fd(
            *mut c_void, *const c_void, *mut c_int, *mut *mut c_void
        ) -> c_int;
        pause = ASYNC_pause_job() -> c_int;
        get_callback = ASYNC_WAIT_CTX_get_callback(
            *mut c_void, *mut *mut c_void, *mut *mut c_void
        ) -> c_int;
    }
}

impl Library {
    fn job(&self) -> *mut c_void {
        // SAFETY: it needs nothing.
        unsafe { (self.current_job)() }
    }

    /// The slot of the current job's connection, which lives as long as its wait context.
    fn slot(&self, job: *mut c_void) -> Option<*const Slot> {
        static KEY: u8 = 0;
        let key: *const c_void = (&raw const KEY).cast();
        // SAFETY: the job is the current one; its context lives as long as this call and longer.
        unsafe {
            let context = (self.wait_context)(job);
            if context.is_null() {
                return None;
            }
            // A program that waits to be called back does not look at descriptors.
            let (mut callback, mut argument) = (null_mut(), null_mut());
            let found = (self.get_callback)(context, &mut callback, &mut argument);
            if found == 1 && !callback.is_null() {
                return None;
            }
            let (mut fd, mut slot) = (-1, null_mut());
            if (self.get_fd)(context, key, &mut fd, &mut slot) == 1 {
                return Some(slot.cast());
            }
            let fd = libc::eventfd(0, libc::EFD_CLOEXEC | libc::EFD_NONBLOCK);
            if fd < 0 {
                return None;
            }
            let slot = Box::into_raw(Box::new(Slot {
                event: Arc::new(EventFd(OwnedFd::from_raw_fd(fd))),
                pending: Mutex::default(),
            }));
            if (self.set_fd)(context, key, fd, slot.cast(), Some(clean_up)) != 1 {
                drop(Box::from_raw(slot));
                return None;
            }
            Some(slot)
        }
    }
}

/// The cleanup of a wait context. The eventfd is closed as soon as no operation will write to it.
unsafe extern "C" fn clean_up(
    _context: *mut c_void,
    _key: *const c_void,
    _fd: c_int,
    slot: *mut c_void,
) {
    // SAFETY: the context owned it, and is done with it.
    quiet((), || drop(unsafe { Box::from_raw(slot.cast::<Slot>()) }));
}

/// An eventfd.
pub struct EventFd(OwnedFd);

impl EventFd {
    fn clear(&self) {
        let mut count = 0_u64;
        // It fails only if the count is zero.
        // SAFETY: there is room for eight bytes.
        unsafe { libc::read(self.0.as_raw_fd(), (&raw mut count).cast(), 8) };
    }

    fn wait(&self) {
        let mut poll = libc::pollfd {
            fd: self.0.as_raw_fd(),
            events: libc::POLLIN,
            revents: 0,
        };
        // SAFETY: one descriptor.
        unsafe { libc::poll(&mut poll, 1, 1000) };
    }
}

/// The operation of a connection that waits or runs.
type Pending = Shared<Request<Result<Output, Error>, Arc<EventFd>>>;

/// What a wait context owns for a connection. A job that is never resumed leaves its stack as it is, so nothing that
/// must be freed lies there.
struct Slot {
    event: Arc<EventFd>,
    pending: Mutex<Option<Pending>>,
}

/// Looks the functions up. Called while the module is loaded, when no other thread can be forked away meanwhile.
pub fn prepare() {
    Library::get();
}

/// Whether the call comes from a job.
pub fn in_job() -> bool {
    Library::get().is_some_and(|library| !library.job().is_null())
}

impl Event for Arc<EventFd> {
    fn set(&self) {
        let one = 1_u64;
        // It fails only if the count is full, and then the program is awake.
        // SAFETY: eight bytes are there.
        unsafe { libc::write(self.0.as_raw_fd(), (&raw const one).cast(), 8) };
    }
}

impl Work for Private {
    type Class = TaskClass;
    type Result = Result<Output, Error>;

    fn class(&self) -> TaskClass {
        self.any_primitive().any_class()
    }

    fn is_of(&self, class: &TaskClass) -> bool {
        self.any_primitive().is_of(class)
    }

    fn most_of(&self, waiting: usize) -> usize {
        let primitive = self.any_primitive();
        match primitive.any_group_from() {
            Some(from) if waiting >= from => primitive.group_most(),
            _ => 1,
        }
    }
}

/// The operations of one process that wait, and the thread that takes them.
pub struct Worker {
    queue: Queue<Private, Arc<EventFd>>,
    /// Whether there is a thread.
    started: OnceLock<bool>,
}

impl Worker {
    pub fn new() -> Worker {
        Worker {
            queue: Queue::new(),
            started: OnceLock::new(),
        }
    }

    fn is_there(&'static self) -> bool {
        *self.started.get_or_init(|| {
            let builder = thread::Builder::new().name("carrysave".to_owned());
            unsignalled(|| builder.spawn(|| self.serve())).is_ok()
        })
    }

    /// The thread: it sleeps unless something waits, and never ends.
    fn serve(&self) {
        // Its wake-ups do not preempt the event loop, which goes on with what is ready: so more operations wait when this
        // thread's turn comes. If the system refuses, groups are smaller.
        let priority = libc::sched_param { sched_priority: 0 };
        // SAFETY: 0 is the calling thread.
        unsafe { libc::sched_setscheduler(0, libc::SCHED_BATCH, &priority) };
        let batch = Batch::new(1);
        loop {
            let (jobs, requests) = self.queue.next();
            counters::GROUPS.count();
            let results = catch_unwind(AssertUnwindSafe(|| batch.run(&jobs)));
            let mut results = results.ok().into_iter().flatten();
            for request in requests {
                request.finish(results.next().unwrap_or(Err(Error::Fault)));
            }
        }
    }
}

/// Runs a job's operation beside others, and pauses the job meanwhile. Gives the operation back where that is not
/// possible: outside of jobs, without a descriptor or a thread.
pub fn pause(worker: &'static Worker, job: Private) -> Result<Result<Output, Failure>, Private> {
    let Some(library) = Library::get() else {
        return Err(job);
    };
    let current = library.job();
    if current.is_null() || !worker.is_there() {
        return Err(job);
    }
    let Some(slot) = library.slot(current) else {
        return Err(job);
    };
    // SAFETY: it lives as long as the wait context, which outlives this job.
    let slot = unsafe { &*slot };
    slot.request(worker, job);
    counters::PAUSES.count();
    for pauses in 1_usize.. {
        // SAFETY: this is the current job, and nothing on its stack needs to be dropped.
        let paused = unsafe { (library.pause)() } == 1;
        if !paused || pauses > 100 {
            // It cannot pause, or is resumed again and again: it waits here.
            slot.event.wait();
        }
        // The result is there before its event.
        slot.event.clear();
        if let Some(result) = slot.result() {
            return Ok(result);
        }
    }
    Ok(Err(Failure::order()))
}

impl Slot {
    fn request(&self, worker: &Worker, job: Private) {
        let pending = worker.queue.put(job, self.event.clone());
        *self.pending() = Some(pending);
    }

    fn result(&self) -> Option<Result<Output, Failure>> {
        let mut pending = self.pending();
        let result = pending.as_ref()?.result()?;
        *pending = None;
        Some(result.map_err(Failure::from))
    }

    fn pending(&self) -> MutexGuard<'_, Option<Pending>> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
