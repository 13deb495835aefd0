//! Teams of threads for one operation: [`Spawned`] starts them for each.

use carrysave_arith::team::{Meeting, Member, Team};
use core::num::NonZeroUsize;
use std::thread;

/// A team whose threads live for one operation: started by each [`Team::run`], and ended before it returns.
///
/// ```
/// use carrysave_arith::team::Team;
/// use carrysave_engine::Spawned;
/// use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
/// let sum = AtomicUsize::new(0);
/// Spawned::new(4.try_into().unwrap()).run(&|member| {
///     sum.fetch_add(member.rank(), Relaxed);
/// });
/// assert_eq!(sum.into_inner(), 6);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Spawned {
    threads: NonZeroUsize,
}

impl Spawned {
    /// A team of `threads`, one of which is the caller's.
    pub fn new(threads: NonZeroUsize) -> Spawned {
        Spawned { threads }
    }
}

impl Team for Spawned {
    fn size(&self) -> usize {
        self.threads.get()
    }

    /// # Panics
    /// Also if the system starts no more threads.
    fn run(&self, part: &(dyn Fn(&Member<'_>) + Sync)) {
        let meeting = Meeting::new(self.size());
        thread::scope(|scope| {
            for rank in 1..self.size() {
                let meeting = &meeting;
                let work = move || meeting.attend(rank, part);
                if let Err(error) = thread::Builder::new().spawn_scoped(scope, work) {
                    // Those that were started stop where they would wait for it.
                    meeting.attend(rank, &|_| panic!("no thread for the team: {error}"));
                }
            }
            meeting.attend(0, part);
        });
        meeting.end();
    }
}
