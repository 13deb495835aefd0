//! Faults that are planted in the source of the product, so that its tests can be asked whether they find them.
//!
//! The [`table`] of a crate lists its faults: an expression of a function, and what replaces it. [`source::plant`] writes
//! all of them into a copy of the source at once, each asleep until a variable of the environment names it. So everything
//! is compiled once, and a fault costs a run of the tests that should find it. The program `planted` does that.

pub mod source;
pub mod table;

/// The variable that names the fault that is awake, such as `schemes/17`.
pub const AWAKE: &str = "CARRYSAVE_PLANTED";
