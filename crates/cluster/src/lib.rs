//! Many operations, or one, over the ranks of an MPI job: for work too large for one machine.
//!
//! | | |
//! | --- | --- |
//! | [`farm`] | work that rank 0 hands out to all ranks, piece by piece; ranks may die meanwhile |
//! | [`Batch`] | the tasks of [`carrysave::engine`] over such a farm |
//! | `World`, `Ranks` | the ranks of an MPI job, and some of them, with the feature `mpi` |
//!
//! Without the feature `mpi` the crate needs no MPI library, and has no program.
#![forbid(unsafe_code)]
#![deny(clippy::print_stdout, clippy::print_stderr)]

mod batch;
pub mod farm;
#[cfg(feature = "mpi")]
mod world;

pub use batch::{Answer, Batch, Wire};
#[cfg(feature = "mpi")]
pub use world::{Ranks, World, library, processor};
