//! The evidence for "constant time" and "wiped": programs that observe code while it handles secrets.
//!
//! [`valgrind`] marks secrets, so that memcheck reports a branch or an address that depends on one (the program `ct`).
//! [`trace`] compares every step of a kernel over several secrets, for the instructions that valgrind does not run (the test
//! `traces`). [`planted`] has leaks that both must find. [`memory`] looks for remains of a secret (the program `wiped`). The
//! program `dudect` compares times.

pub mod memory;
pub mod planted;
pub mod trace;
pub mod valgrind;
