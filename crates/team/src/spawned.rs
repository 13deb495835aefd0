//! A team whose threads are started for each operation: [`Spawned`].

use crate::{Barrier, MAX_THREADS, Member, Team};

/// A team whose threads live for one operation: [`Team::run`] starts them, and ends them before it returns.
///
/// ```
/// use carrysave_team::{Spawned, Team};
/// use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
/// let sum = AtomicUsize::new(0);
/// Spawned::new(4).run(&|member| {
///     sum.fetch_add(member.rank(), Relaxed);
/// });
/// assert_eq!(sum.into_inner(), 6);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Spawned {
    threads: usize,
}

impl Spawned {
    /// A team of `threads` threads including the caller's, at most [`MAX_THREADS`].
    ///
    /// # Panics
    /// If `threads` is 0.
    pub fn new(threads: usize) -> Spawned {
        assert_ne!(
            threads, 0,
            "a team has the caller's thread at least: ask for 1 or more"
        );
        let threads = threads.min(MAX_THREADS);
        Spawned { threads }
    }
}

impl Team for Spawned {
    fn size(&self) -> usize {
        self.threads
    }

    /// # Panics
    /// Also if the system starts no more threads.
    fn run(&self, part: &(dyn Fn(&Member<'_>) + Sync)) {
        let barrier = Barrier::new(self.size());
        std::thread::scope(|scope| {
            for rank in 1..self.size() {
                let barrier = &barrier;
                let work = move || barrier.enter(rank, part);
                if let Err(error) = std::thread::Builder::new().spawn_scoped(scope, work) {
                    // The started members stop where they would wait for it.
                    barrier.enter(rank, &|_| panic!("no thread for the team: {error}"));
                }
            }
            barrier.enter(0, part);
        });
        barrier.finish();
    }
}
