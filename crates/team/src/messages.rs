//! Messages between the ranks of a group, for algorithms without shared memory.
//!
//! [`Channels`] carry them between the members of a team, through memory; MPI carries them between processes. In both,
//! the messages from one rank to another arrive in the order in which they were sent.

use crate::sync::AtomicUsize;
use crate::{Member, SharedWords};
use carrysave_kernels::Limb;
use core::sync::atomic::Ordering::*;

/// One rank's end of a group that exchanges messages of words.
///
/// ```
/// use carrysave_team::{Serial, Team, messages::{Channels, Comm}};
/// /// The sum of all ranks' words, on every rank.
/// fn sum(comm: &dyn Comm, word: u64) -> u64 {
///     let mut words = [word];
///     if comm.rank() > 0 {
///         comm.send(0, &words);
///     } else {
///         for rank in 1..comm.size() {
///             let mut other = [0];
///             comm.recv(rank, &mut other);
///             words[0] += other[0];
///         }
///     }
///     comm.broadcast(0, &mut words);
///     words[0]
/// }
/// let channels = Channels::new(1);
/// Serial.run(&|member| assert_eq!(sum(&channels.link(member), 7), 7));
/// ```
pub trait Comm {
    /// This rank, from 0.
    fn rank(&self) -> usize;

    /// The number of ranks.
    fn size(&self) -> usize;

    /// Sends a message to another rank. It may block until that rank receives it.
    ///
    /// # Panics
    /// If there is no such rank, or the message cannot be sent.
    fn send(&self, to: usize, words: &[Limb]);

    /// Waits for the next message from another rank, which must have as many words as `words`.
    ///
    /// # Panics
    /// If there is no such rank, or no message comes any more.
    fn recv(&self, from: usize, words: &mut [Limb]);

    /// Sends the words of one rank to all others: every rank calls it.
    ///
    /// # Panics
    /// If there is no such rank, or a message gets lost.
    fn broadcast(&self, root: usize, words: &mut [Limb]) {
        if self.rank() == root {
            for to in (0..self.size()).filter(|&to| to != root) {
                self.send(to, words);
            }
        } else {
            self.recv(root, words);
        }
    }
}

/// How many words a sender may be ahead of the receiver.
const SLOTS: usize = if cfg!(loom) { 4 } else { 64 };

/// A channel from each member of a team to each other, for one operation.
///
/// A message is wiped from the channel when it is received.
pub struct Channels {
    size: usize,
    /// The channel from a rank to another is at the index `from * size + to`.
    channels: Box<[Channel]>,
}

/// A channel from one member to another: a ring buffer.
struct Channel {
    slots: SharedWords,
    /// The sender's count of words sent. Counters wrap.
    sent: Line,
    /// The receiver's count of words received.
    received: Line,
}

/// A counter on a cache line of its own.
#[repr(align(128))]
struct Line(AtomicUsize);

impl Channels {
    /// Channels among `size` members.
    pub fn new(size: usize) -> Channels {
        let line = || Line(AtomicUsize::new(0));
        let channel = |i: usize| Channel {
            slots: SharedWords::new(if i / size == i % size { 0 } else { SLOTS }),
            sent: line(),
            received: line(),
        };
        let channels = (0..size * size).map(channel).collect();
        Channels { size, channels }
    }

    /// A member's end of the channels. They serve one [`run`](crate::Team::run) at a time.
    ///
    /// # Panics
    /// If the team is not of this size.
    pub fn link<'a>(&'a self, member: &'a Member<'a>) -> Link<'a> {
        assert_eq!(member.size(), self.size, "channels of this team");
        Link {
            channels: self,
            member,
        }
    }

    fn channel(&self, from: usize, to: usize) -> &Channel {
        assert!(from < self.size && to < self.size && from != to);
        &self.channels[from * self.size + to]
    }
}

/// A member's end of [`Channels`].
pub struct Link<'a> {
    channels: &'a Channels,
    member: &'a Member<'a>,
}

impl Comm for Link<'_> {
    fn rank(&self) -> usize {
        self.member.rank()
    }

    fn size(&self) -> usize {
        self.member.size()
    }

    fn send(&self, to: usize, words: &[Limb]) {
        let channel = self.channels.channel(self.rank(), to);
        let mut sent = channel.sent.0.load(Relaxed);
        for words in words.chunks(SLOTS / 2) {
            self.member.wait_until(|| {
                let ahead = sent.wrapping_sub(channel.received.0.load(Acquire));
                ahead + words.len() <= SLOTS
            });
            for &word in words {
                channel.slots.words()[sent % SLOTS].store(word, Relaxed);
                sent = sent.wrapping_add(1);
            }
            channel.sent.0.store(sent, Release);
        }
    }

    fn recv(&self, from: usize, words: &mut [Limb]) {
        let channel = self.channels.channel(from, self.rank());
        let mut received = channel.received.0.load(Relaxed);
        for words in words.chunks_mut(SLOTS / 2) {
            self.member.wait_until(|| {
                let ready = channel.sent.0.load(Acquire).wrapping_sub(received);
                ready >= words.len()
            });
            for word in words {
                let slot = &channel.slots.words()[received % SLOTS];
                *word = slot.load(Relaxed);
                slot.store(0, Relaxed);
                received = received.wrapping_add(1);
            }
            channel.received.0.store(received, Release);
        }
    }
}

#[cfg(all(test, loom))]
mod model {
    use super::*;
    use crate::{Barrier, Overhead, Watch};
    use std::panic::resume_unwind;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize as Count, Ordering::Relaxed as Counted};

    /// The words of each message, together more than the ring holds.
    const LENGTHS: [usize; 2] = [3, 2];

    /// How often each member has waited for the other, in all interleavings.
    #[derive(Debug, Default)]
    struct Waits([Count; 2]);

    impl Watch for Waits {
        fn watch(&self, rank: usize, _: Overhead, body: &mut dyn FnMut()) {
            self.0[rank].fetch_add(1, Counted);
            body();
        }
    }

    /// Rank 0 sends, and rank 1 receives. One of them may fail: before which message.
    type Failure = Option<(usize, usize)>;

    fn part(link: &Link<'_>, failure: Failure) {
        let mut next = 1;
        for (message, length) in LENGTHS.into_iter().enumerate() {
            if failure == Some((link.rank(), message)) {
                resume_unwind(Box::new("it fails")); // without a message
            }
            let words: Vec<Limb> = (next..).take(length).collect();
            next += length as Limb;
            if link.rank() == 0 {
                link.send(1, &words);
            } else {
                let mut came = vec![0; length];
                link.recv(0, &mut came);
                assert_eq!(came, words);
            }
        }
    }

    /// Models two members; returns the number of interleavings, and how often each member waited.
    fn check(failure: Failure) -> (usize, [usize; 2]) {
        let kept = Arc::new((Count::new(0), Waits::default()));
        let counted = kept.clone();
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(3);
        model.max_permutations = Some(20_000);
        model.check(move || {
            counted.0.fetch_add(1, Counted);
            let shared = Arc::new((Barrier::new(2), Channels::new(2)));
            let attend =
                move |rank: usize, (barrier, channels): &(Barrier, Channels), waits: &Waits| {
                    barrier.enter(rank, &|member| {
                        part(&channels.link(&member.watched(waits)), failure);
                    });
                };
            let worker = loom::thread::spawn({
                let (shared, counted) = (shared.clone(), counted.clone());
                move || attend(1, &shared, &counted.1)
            });
            attend(0, &shared, &counted.1);
            worker.join().unwrap();
            let said = shared.0.said();
            let fine = said.contains(&"it fails") == failure.is_some();
            assert!(fine && !said.contains(&"an assertion"), "{said:?}");
            if failure.is_none() {
                let Channel { slots, .. } = shared.1.channel(0, 1);
                assert!((0..SLOTS).all(|at| slots.get(at) == 0), "all are wiped");
            }
        });
        let waits = [0, 1].map(|rank| kept.1.0[rank].load(Counted));
        let runs = kept.0.load(Counted);
        println!("{failure:?}: {runs} interleavings, {waits:?} waits");
        (runs, waits)
    }

    #[test]
    fn messages_arrive_in_order_through_a_full_and_an_empty_ring() {
        let (runs, waits) = check(None);
        assert!(runs > 1000);
        assert!(
            waits.into_iter().all(|waits| waits > 0),
            "both wait: {waits:?}"
        );
    }

    #[test]
    fn a_member_that_fails_stops_who_waits_for_it() {
        for (rank, message) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            check(Some((rank, message)));
        }
    }
}
