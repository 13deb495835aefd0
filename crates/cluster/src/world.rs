//! The ranks of an MPI job.

use crate::farm::Mail;
use carrysave::arith::Limb;
use carrysave::team::messages::Comm;
use mpi::Threading;
use mpi::environment::Universe;
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, Destination, MatchedReceiveVec, Root, Source};

/// The messages of a farm.
const MAIL: i32 = 1;
/// The messages of one operation that all ranks share.
const WORDS: i32 = 2;

/// The most bytes of one rank's messages in flight, with a margin: a piece of a farm with the longest names of files.
const IN_FLIGHT: usize = 1 << 20;

/// All ranks that were started together, with `mpirun -n N`.
pub struct World {
    universe: Universe,
    ranks: SimpleCommunicator,
}

impl World {
    /// Starts MPI, once in a program. `None` if it was started before, or does not support threads.
    pub fn start() -> Option<World> {
        let (mut universe, threading) = mpi::initialize_with_threading(Threading::Funneled)?;
        if threading < Threading::Funneled {
            return None;
        }
        let ranks = universe.world();
        let peers = if ranks.rank() == 0 { ranks.size() } else { 1 };
        universe.set_buffer_size((IN_FLIGHT * peers as usize).min(i32::MAX as usize));
        Some(World { universe, ranks })
    }

    /// Lets the program end without the other ranks, after a loss; [`Drop`] would wait for all.
    pub fn leave(self) {
        std::mem::forget(self.universe);
    }
}

impl Mail for World {
    fn rank(&self) -> usize {
        self.ranks.rank() as usize
    }

    fn size(&self) -> usize {
        self.ranks.size() as usize
    }

    fn post(&self, to: usize, message: &[u8]) {
        // Buffered, so that it does not wait for a rank that may be lost.
        let to = self.ranks.process_at_rank(to as i32);
        to.buffered_send_with_tag(message, MAIL);
    }

    fn poll(&self) -> Option<(usize, Vec<u8>)> {
        let any = self.ranks.any_process();
        let found = any.immediate_matched_probe_with_tag(MAIL)?;
        let (bytes, status) = found.matched_receive_vec();
        Some((status.source_rank() as usize, bytes))
    }
}

/// MPI aborts the whole job if a message cannot be sent or received.
impl Comm for World {
    fn rank(&self) -> usize {
        Mail::rank(self)
    }

    fn size(&self) -> usize {
        Mail::size(self)
    }

    fn send(&self, to: usize, words: &[Limb]) {
        let to = self.ranks.process_at_rank(to as i32);
        to.send_with_tag(words, WORDS);
    }

    fn recv(&self, from: usize, words: &mut [Limb]) {
        let from = self.ranks.process_at_rank(from as i32);
        from.receive_into_with_tag(words, WORDS);
    }

    fn broadcast(&self, root: usize, words: &mut [Limb]) {
        let root = self.ranks.process_at_rank(root as i32);
        root.broadcast_into(words);
    }
}
