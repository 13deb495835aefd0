//! What stands behind the word "correct": walkers over the kernels' registry.
//!
//! [`contract::walk`] calls every kernel of an operation with structured operands ([`carrysave_contract`]), in every allowed
//! overlap, between guard pages ([`guard`]), and compares with the [`mod@reference`] computed by the oracle.
//! [`saboteur`] holds wrong kernels that the same walk must catch, and [`planted`] puts faults into the crates above. [`abi`] checks the registers that a kernel must keep.
//!
//! Nothing here lists kernels: a new row in an operation's table is covered by being there.

pub mod abi;
pub mod config;
pub mod contract;
pub mod guard;
pub mod planted;
pub mod reference;
pub mod saboteur;
