//! Reads and sets thread affinity, on Linux.

#[cfg(target_os = "linux")]
pub(crate) use linux::{Kept, allowed, bind_to, processor};
#[cfg(not(target_os = "linux"))]
pub(crate) use other::{Kept, allowed, bind_to, processor};

#[cfg(target_os = "linux")]
mod linux {
    use crate::topology::Cores;
    use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
    use rustix::thread::{CpuSet, Pid, gettid, sched_getaffinity, sched_getcpu, sched_setaffinity};
    use std::io;
    use std::sync::{Mutex, OnceLock, PoisonError};

    /// The processor of the calling thread, by the system's number.
    pub(crate) fn processor() -> Option<u32> {
        u32::try_from(sched_getcpu()).ok()
    }

    /// The processors that the calling thread may use, where the system tells them.
    pub(crate) fn allowed() -> Option<Vec<usize>> {
        let set = sched_getaffinity(None).ok()?;
        Some((0..CpuSet::MAX_CPU).filter(|&i| set.is_set(i)).collect())
    }

    /// Binds the calling thread to a processor.
    ///
    /// # Errors
    /// The system's, which names the processor.
    pub(crate) fn bind_to(processor: usize) -> io::Result<()> {
        let refused = |e: io::Error| {
            let message = format!("cannot bind a thread to processor {processor}: {e}");
            io::Error::new(e.kind(), message)
        };
        if processor >= CpuSet::MAX_CPU {
            return Err(refused(io::ErrorKind::InvalidInput.into()));
        }
        let mut set = CpuSet::new();
        set.set(processor);
        sched_setaffinity(None, &set).map_err(|e| refused(e.into()))
    }

    /// Threads that are kept off the core of the thread that wakes them, or at least off its processor.
    ///
    /// Two threads of one core share its multipliers. A guest of a hypervisor may take an idle processor for a preempted one. It then places a woken thread on the
    /// processor of the thread that wakes it, where the woken thread waits for a millisecond.
    #[derive(Debug)]
    pub(crate) struct Kept {
        threads: Mutex<Vec<Thread>>,
        cores: OnceLock<Cores>,
        /// The processor to avoid.
        off: AtomicU32,
        /// The process that owns the threads: a forked child has the memory without the threads.
        process: u32,
    }

    #[derive(Debug)]
    struct Thread {
        id: Pid,
        /// Its own affinity, and the one set here.
        all: CpuSet,
        now: CpuSet,
    }

    /// More threads are left alone: few of many woken threads wait for the waking one, and two system calls for each
    /// take longer than that.
    const MOST: usize = 16;

    /// No processor.
    const NONE: u32 = u32::MAX;

    impl Default for Kept {
        fn default() -> Kept {
            Kept {
                threads: Mutex::default(),
                cores: OnceLock::new(),
                off: AtomicU32::new(NONE),
                process: std::process::id(),
            }
        }
    }

    impl Kept {
        /// Adds the calling thread. It must not end while affinities are still set here.
        pub(crate) fn join(&self) {
            if let Ok(all) = sched_getaffinity(None)
                && !cfg!(loom)
            {
                let id = gettid();
                // Now, as it takes longer than an operation may.
                self.cores.get_or_init(Cores::here);
                let mut threads = self.threads.lock().unwrap_or_else(PoisonError::into_inner);
                threads.push(Thread { id, all, now: all });
                // So the next call sets the affinity of this thread, too.
                self.off.store(NONE, Relaxed);
            }
        }

        /// Keeps the threads off the core of this processor and frees the previous one, if there are few threads and
        /// processors of other cores for each; off the processor alone, if there is a further one for each. Threads
        /// whose affinity was changed from outside are left alone for good.
        pub(crate) fn keep_off(&self, processor: u32) {
            if self.is_off(processor) {
                return;
            }
            let mut threads = self.threads.lock().unwrap_or_else(PoisonError::into_inner);
            self.off.store(processor, Relaxed);
            let count = threads.len();
            if count > MOST || std::process::id() != self.process {
                return;
            }
            let processor = processor as usize;
            let core = self.cores.get().map(|cores| cores.around(processor));
            let core = core.unwrap_or_else(|| vec![processor]);
            threads.retain_mut(|thread| thread.keep_off(&[&core, &[processor]], count).is_some());
        }

        /// Whether this is the processor that the threads avoid already.
        pub(crate) fn is_off(&self, processor: u32) -> bool {
            self.off.load(Relaxed) == processor
        }

        /// Leaves all threads alone for good.
        pub(crate) fn release(&self) {
            let mut threads = self.threads.lock().unwrap_or_else(PoisonError::into_inner);
            threads.clear();
        }
    }

    impl Thread {
        /// Keeps it off the first of these groups of processors that leaves one for each of so many threads. `None` if
        /// its affinity is not ours to set.
        fn keep_off(&mut self, groups: &[&[usize]], threads: usize) -> Option<()> {
            let found = sched_getaffinity(Some(self.id)).ok()?;
            if found != self.now {
                return None;
            }
            let set = without(&self.all, groups, threads);
            if set != self.now {
                sched_setaffinity(Some(self.id), &set).ok()?;
                self.now = set;
            }
            Some(())
        }
    }

    /// A set without the first of these groups that leaves so many processors; all of it if none does.
    fn without(all: &CpuSet, groups: &[&[usize]], threads: usize) -> CpuSet {
        let sets = groups.iter().map(|group| {
            let mut set = *all;
            let there = group
                .iter()
                .filter(|&&processor| processor < CpuSet::MAX_CPU);
            there.for_each(|&processor| set.unset(processor));
            set
        });
        let mut enough = sets.filter(|set| set.count() as usize >= threads);
        enough.next().unwrap_or(*all)
    }

    #[cfg(all(test, not(loom)))]
    mod tests {
        use super::*;
        use std::sync::mpsc;
        use std::thread;

        #[test]
        fn another_core_is_better_than_another_thread_of_this_one() {
            let set = |processors: &[usize]| {
                let mut set = CpuSet::new();
                processors.iter().for_each(|&processor| set.set(processor));
                set
            };
            let all = set(&[0, 1, 4, 5]);
            let groups: [&[usize]; 2] = [&[1, 5], &[1]];
            for (threads, left) in [
                (1, &[0, 4][..]),
                (2, &[0, 4]),
                (3, &[0, 4, 5]),
                (4, &[0, 1, 4, 5]),
                (5, &[0, 1, 4, 5]),
            ] {
                assert!(without(&all, &groups, threads) == set(left), "{threads}");
            }
            assert!(without(&all, &[&[CpuSet::MAX_CPU]], 4) == all);
        }

        #[test]
        fn threads_are_kept_off_a_processor_unless_they_are_bound() {
            let mine = sched_getaffinity(None).unwrap();
            let all: Vec<usize> = (0..CpuSet::MAX_CPU).filter(|&i| mine.is_set(i)).collect();
            let &[first, second, ..] = &all[..] else {
                println!("SKIPPED: there is one processor only");
                return;
            };
            let kept = Kept::default();
            thread::scope(|scope| {
                let (sender, receiver) = mpsc::channel();
                let (end, ended) = mpsc::channel::<()>();
                let kept = &kept;
                scope.spawn(move || {
                    kept.join();
                    sender.send(gettid()).unwrap();
                    let _ = ended.recv();
                });
                let id = Some(receiver.recv().unwrap());
                let off = || -> Vec<usize> {
                    let set = sched_getaffinity(id).unwrap();
                    all.iter().copied().filter(|&i| !set.is_set(i)).collect()
                };
                assert_eq!(off(), []);
                let cores = Cores::here();
                for processor in [first, second, second, first] {
                    kept.keep_off(processor as u32);
                    // The other threads of its core, too, where other cores have a processor.
                    let core = cores.around(processor);
                    let one = vec![processor];
                    assert!(off() == core || off() == one && core.len() == all.len());
                }
                kept.keep_off(NONE - 1);
                assert_eq!(off(), [], "no processor to avoid");
                // Bound from outside, to one of the processors that it may use now.
                let mut bound = CpuSet::new();
                bound.set(first);
                sched_setaffinity(id, &bound).unwrap();
                for processor in [first, second] {
                    kept.keep_off(processor as u32);
                    assert_eq!(off(), all[1..]);
                }
                drop(end);
            });
        }

        /// Whether a processor is avoided by as many threads as given, of a process.
        fn is_avoided(threads: usize, process: u32) -> bool {
            // In a thread of its own, whose affinity ends with it.
            thread::scope(|scope| {
                let avoiding = scope.spawn(|| {
                    let now = sched_getaffinity(None).unwrap();
                    // As if there were a processor for each. The system takes those that are there.
                    let mut all = CpuSet::new();
                    (0..CpuSet::MAX_CPU).for_each(|processor| all.set(processor));
                    let (id, processor) = (gettid(), processor().unwrap());
                    let kept = Kept {
                        process,
                        ..Kept::default()
                    };
                    let each = (0..threads).map(|_| Thread { id, all, now });
                    kept.threads.lock().unwrap().extend(each);
                    kept.keep_off(processor);
                    let found = sched_getaffinity(None).unwrap();
                    let same = kept.threads.lock().unwrap().len() == threads && found == now;
                    assert!(same || !found.is_set(processor as usize) || now.count() == 1);
                    !same
                });
                avoiding.join().unwrap()
            })
        }

        #[test]
        fn many_threads_and_those_of_a_parent_are_left_alone() {
            let own = std::process::id();
            assert!(is_avoided(MOST, own));
            assert!(!is_avoided(MOST + 1, own));
            assert!(!is_avoided(1, own + 1));
        }

        /// As many threads as processors: each may run anywhere.
        #[test]
        fn threads_without_another_processor_stay_where_they_are() {
            let all = sched_getaffinity(None).unwrap();
            let kept = Kept::default();
            let thread = Thread {
                id: gettid(),
                all,
                now: all,
            };
            let count = all.count() as usize;
            kept.threads
                .lock()
                .unwrap()
                .extend((0..count).map(|_| Thread { ..thread }));
            kept.keep_off(processor().unwrap());
            assert_eq!(sched_getaffinity(None).unwrap(), all);
            kept.release();
            assert!(kept.threads.lock().unwrap().is_empty());
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod other {
    use std::io;

    pub(crate) fn processor() -> Option<u32> {
        None
    }

    pub(crate) fn allowed() -> Option<Vec<usize>> {
        None
    }

    pub(crate) fn bind_to(processor: usize) -> io::Result<()> {
        let message = format!("cannot bind a thread to processor {processor} on this system");
        Err(io::Error::new(io::ErrorKind::Unsupported, message))
    }

    #[derive(Debug, Default)]
    pub(crate) struct Kept;

    impl Kept {
        pub(crate) fn join(&self) {}

        pub(crate) fn keep_off(&self, _: u32) {}

        pub(crate) fn is_off(&self, _: u32) -> bool {
            false
        }

        pub(crate) fn release(&self) {}
    }
}
