//! Every instruction-level loop of carrysave.
//!
//! An operation is a folder: [`mpn::add_n`] is the smallest one to read. Its contract is prose and data, its kernels
//! are rival implementations of the same contract, its handle ([`mpn::AddN`]) is a kernel that is known to run on
//! this processor. [`REGISTRY`] lists every operation, and all tests, benches and listings walk it.
//!
//! This crate holds all the unsafe arithmetic code there is. It appears in three forms: the kernel's body, the
//! pointers in its signature, and the one call in the handle's fence, which checks the shapes first.

#[macro_use]
pub mod op;
pub mod cpu;
pub mod mpn;

pub use cpu::{Cpu, Isa};

/// The machine word that numbers are made of, least significant first.
pub type Limb = u64;

/// Every operation, with its contract and its kernels.
pub static REGISTRY: &[&op::Op] = mpn::OPS;
