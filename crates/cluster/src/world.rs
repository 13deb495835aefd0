//! The ranks of an MPI job.

use crate::farm::Mail;
use carrysave::arith::Limb;
use carrysave::team::messages::Comm;
use mpi::Threading;
use mpi::environment::Universe;
use mpi::topology::{Color, SimpleCommunicator};
use mpi::traits::{
    Communicator, CommunicatorCollectives, Destination, MatchedReceiveVec, Root, Source,
};

/// The messages of a farm.
const MAIL: i32 = 1;
/// The messages of one operation that all ranks share.
const WORDS: i32 = 2;

/// The most bytes of one rank's messages in flight, with a margin: a piece of a farm with the longest names of files.
const IN_FLIGHT: usize = 1 << 20;

/// All ranks that were started together, with `mpirun -n N`. A rank has room for 1 MiB of messages of [`Mail`] on their way
/// to each rank that it sends to; MPI ends the job where they are more.
pub struct World {
    universe: Universe,
    ranks: Ranks,
}

/// Some of the ranks, numbered from 0, as a group that exchanges words.
pub struct Ranks(SimpleCommunicator);

impl World {
    /// Starts MPI, once in a program. `None` if it was started before, or does not support threads.
    pub fn start() -> Option<World> {
        let (mut universe, threading) = mpi::initialize_with_threading(Threading::Funneled)?;
        if threading < Threading::Funneled {
            return None;
        }
        let ranks = Ranks(universe.world());
        let peers = if ranks.rank() == 0 { ranks.size() } else { 1 };
        universe.set_buffer_size((IN_FLIGHT * peers).min(i32::MAX as usize));
        Some(World { universe, ranks })
    }

    /// The first `ranks` ranks, or `None` on a rank that is none of them. All ranks must call it.
    pub fn first(&self, ranks: usize) -> Option<Ranks> {
        let color = match self.ranks.rank() < ranks {
            true => Color::with_value(0),
            false => Color::undefined(),
        };
        self.ranks.0.split_by_color(color).map(Ranks)
    }

    /// All ranks.
    pub fn ranks(&self) -> &Ranks {
        &self.ranks
    }

    /// Lets the program end without the other ranks, after a loss; [`Drop`] would wait for all.
    pub fn leave(self) {
        std::mem::forget(self.universe);
    }
}

impl Mail for World {
    fn rank(&self) -> usize {
        self.ranks.rank()
    }

    fn size(&self) -> usize {
        self.ranks.size()
    }

    fn post(&self, to: usize, message: &[u8]) {
        // Buffered, so that it does not wait for a rank that may be lost.
        let to = self.ranks.0.process_at_rank(to as i32);
        to.buffered_send_with_tag(message, MAIL);
    }

    fn poll(&self) -> Option<(usize, Vec<u8>)> {
        let any = self.ranks.0.any_process();
        let found = any.immediate_matched_probe_with_tag(MAIL)?;
        let (bytes, status) = found.matched_receive_vec();
        Some((status.source_rank() as usize, bytes))
    }
}

impl Ranks {
    /// Waits until all are here.
    pub fn meet(&self) {
        self.0.barrier();
    }
}

/// MPI aborts the whole job if a message cannot be sent or received.
impl Comm for Ranks {
    fn rank(&self) -> usize {
        self.0.rank() as usize
    }

    fn size(&self) -> usize {
        self.0.size() as usize
    }

    fn send(&self, to: usize, words: &[Limb]) {
        let to = self.0.process_at_rank(to as i32);
        to.send_with_tag(words, WORDS);
    }

    fn recv(&self, from: usize, words: &mut [Limb]) {
        let from = self.0.process_at_rank(from as i32);
        from.receive_into_with_tag(words, WORDS);
    }

    fn broadcast(&self, root: usize, words: &mut [Limb]) {
        let root = self.0.process_at_rank(root as i32);
        root.broadcast_into(words);
    }
}

/// The MPI library and its version, in one line.
pub fn library() -> String {
    let said = mpi::environment::library_version().unwrap_or_default();
    let line = said
        .trim_end_matches('\0')
        .lines()
        .next()
        .unwrap_or_default();
    line.split(", package")
        .next()
        .unwrap_or_default()
        .to_owned()
}

/// The name of the host that this rank is on.
pub fn processor() -> String {
    mpi::environment::processor_name().unwrap_or_default()
}
