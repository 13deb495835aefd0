//! Many operations, or one, over the ranks of an MPI job: for work that outgrows one machine.
//!
//! | | |
//! | --- | --- |
//! | [`farm`] | work that rank 0 hands out to all ranks, piece by piece; ranks may die meanwhile |
//! | [`Batch`] | the tasks of [`carrysave::engine`] over such a farm |
//! | `World` | the ranks of an MPI job, with the feature `mpi` |
//!
//! Without the feature `mpi` nothing here needs an MPI library, and there is no program.
#![forbid(unsafe_code)]
#![deny(clippy::print_stdout, clippy::print_stderr)]

mod batch;
pub mod farm;
#[cfg(feature = "mpi")]
mod world;

pub use batch::{Answer, Batch, Wire};
#[cfg(feature = "mpi")]
pub use world::World;
