//! Calls of kernels, made from their contracts: operands that break carries, overlaps, and the dimensions to walk.
//!
//! [`Rng`] is a [`Source`](carrysave_kernels::op::Source) of shapes in which carries travel. [`Case::generate`] makes the
//! operands of a call from it and the contract alone, so that a new operation is called without a change here.
#![forbid(unsafe_code)]

mod case;
mod rng;

pub use case::{CAPACITY, Case, Hex, Overlap, dimensions, overlaps};
pub use rng::{Rng, limb, limbs};
