//! The provider inside of a program: libcrypto calls it from many threads, after a fork, and from jobs that are paused and
//! torn down.

mod common;

use common::libcrypto::*;
use std::ffi::c_int;
use std::ptr::null_mut;
use std::time::{Duration, Instant};
use std::{fs, thread};

const PAUSED: c_int = 2;
const FINISHED: c_int = 3;

#[test]
fn many_threads_sign_at_once() {
    let library = &Turn::take();
    thread::scope(|scope| {
        for i in 0..16_u8 {
            scope.spawn(move || {
                for j in 0..40 {
                    let message = [i, j];
                    let signature = library.sign(&message);
                    assert!(library.verifies(&signature, &message));
                    assert!(!library.verifies(&signature, &[j, i, 0]));
                }
            });
        }
    });
    let count = |name| library.count(name);
    assert_eq!((count("signatures"), count("verifications")), (640, 1280));
    assert!(
        count("shared") > 0,
        "more threads than processors wait together"
    );
}

#[test]
fn a_copied_context_goes_on_alone() {
    let library = Turn::take();
    let mut signatures = Vec::new();
    // SAFETY: both are contexts, and there is room.
    unsafe {
        let first = library.signing();
        assert_eq!(EVP_DigestSignUpdate(first, b"ab".as_ptr(), 2), 1);
        let second = EVP_MD_CTX_new();
        assert_eq!(EVP_MD_CTX_copy_ex(second, first), 1);
        assert_eq!(EVP_DigestSignUpdate(second, b"c".as_ptr(), 1), 1);
        for context in [first, second] {
            let (mut signature, mut len) = (vec![0; 256], 256);
            assert_eq!(
                EVP_DigestSignFinal(context, signature.as_mut_ptr(), &mut len),
                1
            );
            signatures.push(signature);
            EVP_MD_CTX_free(context);
        }
    }
    assert!(library.verifies(&signatures[0], b"ab"));
    assert!(library.verifies(&signatures[1], b"abc"));
}

/// A server's workers are forked from a process that has signed already, also by its threads for groups.
#[test]
fn a_forked_process_signs() {
    let library = Turn::take();
    let one = || library.sign(b"warm");
    // Threads that belong to the parent alone are there.
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| (0..10).for_each(|_| drop(library.sign(b"warm"))));
        }
    });
    let one = one();
    for _ in 0..4 {
        // SAFETY: the child signs, and ends without what belongs to the parent's other threads.
        let child = unsafe { libc::fork() };
        if child == 0 {
            let good = library.verifies(&one, b"warm")
                && (0..20).all(|i| library.verifies(&library.sign(&[i]), &[i]));
            // SAFETY: it ends at once.
            unsafe { libc::_exit(c_int::from(!good)) };
        }
        let mut status = -1;
        // SAFETY: it is a child.
        assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
        assert_eq!(status, 0);
    }
    assert_eq!(library.count("signatures"), 80 + 1 + 4 * 20);
}

/// A job that signs, like a handshake does.
struct Job<'a> {
    library: &'a Library,
    signature: Vec<u8>,
}

unsafe extern "C" fn sign(argument: Ptr) -> c_int {
    // SAFETY: jobs get a pointer to where one lies.
    let job = unsafe { &mut **argument.cast::<*mut Job<'_>>() };
    job.signature = job.library.sign(b"in a job");
    1
}

fn descriptors() -> usize {
    fs::read_dir("/proc/self/fd").unwrap().count()
}

/// Waits until no more descriptors than these are open: the thread may be busy with what nobody waits for.
fn closed(before: usize) {
    let started = Instant::now();
    while descriptors() != before {
        assert!(
            started.elapsed() < Duration::from_secs(60),
            "{} are open, {before} were",
            descriptors()
        );
        thread::sleep(Duration::from_millis(10));
    }
}

/// Starts or resumes a job; whether it has finished.
fn step(handle: &mut Ptr, context: Ptr, job: &mut Job<'_>) -> bool {
    let mut result = 0;
    let mut argument: *mut Job<'_> = job;
    // SAFETY: the job lives longer than what runs it.
    let state = unsafe {
        let size = size_of::<Ptr>();
        ASYNC_start_job(
            handle,
            context,
            &mut result,
            sign,
            (&raw mut argument).cast(),
            size,
        )
    };
    assert!(
        state == PAUSED || (state, result) == (FINISHED, 1),
        "{state} {result}"
    );
    state == FINISHED
}

fn wait(context: Ptr) {
    let (mut fd, mut count) = (-1, 1);
    // SAFETY: there is room for one descriptor.
    unsafe {
        assert_eq!(ASYNC_WAIT_CTX_get_all_fds(context, &mut fd, &mut count), 1);
        assert_eq!(count, 1);
        let mut poll = libc::pollfd {
            fd,
            events: libc::POLLIN,
            revents: 0,
        };
        assert_eq!(libc::poll(&mut poll, 1, 60_000), 1);
    }
}

#[test]
fn jobs_are_paused_and_run_side_by_side() {
    let library = Turn::take();
    // SAFETY: it needs nothing.
    assert_eq!(unsafe { ASYNC_init_thread(0, 0) }, 1);
    // SAFETY: as above.
    let context = || unsafe { ASYNC_WAIT_CTX_new() };
    let empty = || Job {
        library: &library,
        signature: Vec::new(),
    };
    let mut jobs: Vec<_> = (0..64).map(|_| (null_mut(), context(), empty())).collect();
    let before = descriptors();
    // Each connection signs several times, with one descriptor.
    for round in 1..=3 {
        for (handle, context, job) in &mut jobs {
            assert!(!step(handle, *context, job), "it pauses");
        }
        assert_eq!(descriptors(), before + 64);
        for (handle, context, job) in &mut jobs {
            while !step(handle, *context, job) {
                wait(*context);
            }
            assert!(library.verifies(&job.signature, b"in a job"));
            *handle = null_mut();
        }
        assert_eq!(library.count("pauses"), 64 * round);
    }
    assert!(library.count("groups") < 3 * 64, "none ran beside another");
    for (_, context, _) in jobs {
        // SAFETY: its jobs have finished.
        unsafe { ASYNC_WAIT_CTX_free(context) };
    }
    closed(before);
}

/// A connection that ends while its job is paused frees the context, and never resumes the job.
#[test]
fn torn_down_jobs_leave_nothing_open() {
    let library = Turn::take();
    // SAFETY: it needs nothing.
    assert_eq!(unsafe { ASYNC_init_thread(0, 0) }, 1);
    let before = descriptors();
    for _ in 0..2000 {
        // SAFETY: the context is freed once, and nothing of it is used then.
        unsafe {
            let context = ASYNC_WAIT_CTX_new();
            let mut job = Box::new(Job {
                library: &library,
                signature: Vec::new(),
            });
            let mut handle = null_mut();
            assert!(!step(&mut handle, context, &mut job));
            ASYNC_WAIT_CTX_free(context);
            // Its stack stays, as OpenSSL leaves it.
            Box::leak(job);
        }
    }
    closed(before);
    assert_eq!(library.count("pauses"), 2000);
    assert!(library.verifies(&library.sign(b"after all"), b"after all"));
}
