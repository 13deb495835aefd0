//! Threads that carry out one operation together.
//!
//! A function that can use several threads takes a [`Team`]. Each [`Member`] does a part, and members exchange data
//! through [`SharedWords`]. Only [`Spawned`], which the caller makes, starts threads here; the engine has a team that
//! keeps its threads.

#![allow(unexpected_cfgs)] // loom, the model checker
#![forbid(unsafe_code)]

pub mod messages;
mod once;
mod ordered;
pub mod shared_loop;
mod shared_words;
mod spawned;
mod sync;
pub mod task;

use core::any::Any;
use core::fmt::Debug;
use core::sync::atomic::Ordering::*;
use core::time::Duration;
pub use once::once;
pub use ordered::in_order;
pub use shared_words::{SharedWord, SharedWords};
pub use spawned::Spawned;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::PoisonError;
use sync::{AtomicBool, AtomicUsize, Mutex, spin_loop, yield_now};

/// How often a waiting member spins before it yields its processor: some microseconds.
const SPINS: u32 = if cfg!(loom) { 0 } else { 1 << 10 };

/// The most threads that a team, a batch, a service or a search starts, however many are asked for: more never pay, and
/// tens of thousands can end the program while they start.
pub const MAX_THREADS: usize = 1024;

/// Threads that carry out one operation together.
///
/// ```
/// use carrysave_team::{SharedWords, Serial, Team};
/// fn squares(team: &dyn Team, n: usize) -> Vec<u64> {
///     let words = SharedWords::new(n);
///     team.run(&|member| {
///         for i in (member.rank()..n).step_by(member.size()) {
///             words.write(i, &[(i * i) as u64]);
///         }
///     });
///     let mut squares = vec![0; n];
///     words.read(0, &mut squares);
///     squares
/// }
/// assert_eq!(squares(&Serial, 5), [0, 1, 4, 9, 16]);
/// ```
pub trait Team: Sync {
    /// The number of members, at least 1.
    fn size(&self) -> usize;

    /// Calls `part` for every member at once, rank 0 on the caller's thread, and returns when all have returned.
    ///
    /// # Panics
    /// If a member panics, with the message of the first to do so; the others stop where they would wait for it.
    fn run(&self, part: &(dyn Fn(&Member<'_>) + Sync));

    /// Calls `part` for the members at once, as [`run`](Self::run) does, but may skip members that have not begun when
    /// rank 0 returns.
    ///
    /// A part must not wait for a member that has not begun. So a thread that is not scheduled delays no other.
    ///
    /// ```
    /// use carrysave_team::{Serial, Team};
    /// use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
    /// fn sum(team: &dyn Team, to: usize) -> usize {
    ///     let (next, sum) = (AtomicUsize::new(0), AtomicUsize::new(0));
    ///     team.offer(&|_| {
    ///         while let Some(i) = Some(next.fetch_add(1, Relaxed)).filter(|&i| i <= to) {
    ///             sum.fetch_add(i, Relaxed);
    ///         }
    ///     });
    ///     sum.into_inner()
    /// }
    /// assert_eq!(sum(&Serial, 4), 10);
    /// ```
    ///
    /// # Panics
    /// If a member that has begun panics.
    fn offer(&self, part: &(dyn Fn(&Member<'_>) + Sync)) {
        self.run(part);
    }

    /// Offers work that `members` members finish as soon as more would: waking each takes time. Those that come have any
    /// ranks, but for the caller, and there may be more or fewer of them.
    ///
    /// # Panics
    /// As [`offer`](Self::offer).
    fn offer_few(&self, members: usize, part: &(dyn Fn(&Member<'_>) + Sync)) {
        let _ = members;
        self.offer(part);
    }

    /// Whether the members have come in time lately. If not, as beside a program that keeps their processors busy, an
    /// operation that is soon done is sooner done alone. Now and then the answer is yes in any case, to find out: ask once
    /// before each operation, and share it if the answer is yes.
    fn is_prompt(&self) -> bool {
        true
    }

    /// The time of a cache-line round trip between members, which decides the size from which a team pays. Zero, unless
    /// the team has measured it.
    fn round_trip(&self) -> Duration {
        Duration::ZERO
    }
}

/// The team of one: the caller's thread.
#[derive(Clone, Copy, Debug, Default)]
pub struct Serial;

impl Team for Serial {
    fn size(&self) -> usize {
        1
    }

    fn run(&self, part: &(dyn Fn(&Member<'_>) + Sync)) {
        let barrier = Barrier::new(1);
        part(&Member {
            rank: 0,
            barrier: &barrier,
            watch: None,
        });
    }
}

/// A barrier for the members of one operation that keeps their panics: for implementations of [`Team`].
///
/// Each member [enters](Barrier::enter); when all have returned, the caller [finishes](Barrier::finish) it.
#[derive(Debug)]
pub struct Barrier {
    size: usize,
    /// Members at the barrier.
    arrived: AtomicUsize,
    /// Barriers that all members have passed.
    phase: AtomicUsize,
    /// Whether a member has panicked.
    failed: AtomicBool,
    /// The messages of panics.
    panics: Mutex<Vec<Box<dyn Any + Send>>>,
}

impl Barrier {
    /// A barrier for `size` members.
    ///
    /// # Panics
    /// If `size` is 0.
    pub fn new(size: usize) -> Barrier {
        assert!(size > 0, "a team has members");
        Barrier {
            size,
            arrived: AtomicUsize::new(0),
            phase: AtomicUsize::new(0),
            failed: AtomicBool::new(false),
            panics: Mutex::new(Vec::new()),
        }
    }

    /// Runs the part of the member `rank`, which no other thread may run. A panic is kept for [`Barrier::finish`].
    ///
    /// # Panics
    /// If there is no such member.
    pub fn enter(&self, rank: usize, part: &(dyn Fn(&Member<'_>) + Sync)) {
        assert!(rank < self.size, "a member of the team");
        let member = Member {
            rank,
            barrier: self,
            watch: None,
        };
        // Only members that stop, too, see what the panic leaves half done.
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| part(&member))) {
            let mut panics = self.panics.lock().unwrap_or_else(PoisonError::into_inner);
            panics.push(panic);
            self.failed.store(true, Release);
        }
    }

    /// The messages of panics, where they are text.
    #[cfg(all(test, loom))]
    fn said(&self) -> Vec<&'static str> {
        let panics = self.panics.lock().unwrap_or_else(PoisonError::into_inner);
        let sentence = |panic: &Box<dyn Any + Send>| panic.downcast_ref::<&'static str>().copied();
        panics
            .iter()
            .map(|panic| sentence(panic).unwrap_or("an assertion"))
            .collect()
    }

    /// Ends the operation that all members have entered.
    ///
    /// # Panics
    /// If a member panicked, with the message of the first.
    pub fn finish(self) {
        let panics = self.panics.into_inner();
        let mut panics = panics.unwrap_or_else(PoisonError::into_inner).into_iter();
        if let Some(first) = panics.next() {
            resume_unwind(first);
        }
    }
}

/// What a member does beside the work itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overhead {
    /// It waits for others.
    Waiting,
    /// It adds deferred carries.
    Carrying,
}

/// An observer that accounts for the time of a team's members.
pub trait Watch: Debug + Sync {
    /// Calls `body`, which is overhead of the member `rank`.
    fn watch(&self, rank: usize, overhead: Overhead, body: &mut dyn FnMut());
}

/// One of the threads of a team, within an operation.
#[derive(Clone, Copy, Debug)]
pub struct Member<'a> {
    rank: usize,
    barrier: &'a Barrier,
    watch: Option<&'a dyn Watch>,
}

impl<'a> Member<'a> {
    /// This member, with its overhead reported to `watch`.
    ///
    /// ```
    /// use carrysave_team::{Overhead, Serial, Team, Watch};
    /// use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
    /// #[derive(Debug, Default)]
    /// struct Waits(AtomicUsize);
    /// impl Watch for Waits {
    ///     fn watch(&self, _: usize, overhead: Overhead, body: &mut dyn FnMut()) {
    ///         assert_eq!(overhead, Overhead::Waiting);
    ///         self.0.fetch_add(1, Relaxed);
    ///         body();
    ///     }
    /// }
    /// let waits = Waits::default();
    /// let mut polls = AtomicUsize::new(0);
    /// Serial.run(&|member| {
    ///     let member = member.watched(&waits);
    ///     member.barrier(); // There is no other member to wait for.
    ///     member.wait_until(|| polls.fetch_add(1, Relaxed) == 3);
    /// });
    /// assert_eq!(*polls.get_mut(), 4);
    /// assert_eq!(waits.0.into_inner(), 1);
    /// ```
    pub fn watched<'b>(&self, watch: &'b dyn Watch) -> Member<'b>
    where
        'a: 'b,
    {
        Member {
            watch: Some(watch),
            ..*self
        }
    }

    /// Calls `body`, which is overhead, through the [`Watch`] of this member, if there is one.
    pub fn overhead(&self, overhead: Overhead, body: &mut dyn FnMut()) {
        match self.watch {
            None => body(),
            Some(watch) => watch.watch(self.rank, overhead, body),
        }
    }

    /// The rank of this member, from 0; rank 0 is on the caller's thread.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// The number of members.
    pub fn size(&self) -> usize {
        self.barrier.size
    }

    /// Waits until all members have arrived. Each then sees what all wrote before.
    ///
    /// # Panics
    /// If another member has.
    pub fn barrier(&self) {
        let Barrier { arrived, phase, .. } = self.barrier;
        let now = phase.load(Relaxed);
        if arrived.fetch_add(1, AcqRel) + 1 == self.size() {
            // No member arrives again before the phase has changed.
            arrived.store(0, Relaxed);
            phase.store(now.wrapping_add(1), Release);
        } else {
            self.wait_until(|| phase.load(Acquire) != now);
        }
    }

    /// Waits until `ready` returns true: spins for some microseconds, then yields the processor between calls.
    ///
    /// # Panics
    /// If another member has.
    pub fn wait_until(&self, mut ready: impl FnMut() -> bool) {
        if ready() {
            return;
        }
        self.overhead(Overhead::Waiting, &mut || {
            let mut spins = 0;
            while !ready() {
                self.check();
                if spins < SPINS {
                    spins += 1;
                    spin_loop();
                } else {
                    yield_now();
                }
            }
        });
    }

    /// Panics if another member has.
    ///
    /// # Panics
    /// If another member has.
    pub fn check(&self) {
        if self.barrier.failed.load(Acquire) {
            // Without a message: the member that failed has given one.
            resume_unwind(Box::new("another member of the team panicked"));
        }
    }
}
