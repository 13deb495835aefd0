//! What stands behind the words "constant time" and "wiped": programs that watch code while it handles secrets.
//!
//! [`valgrind`] marks secrets, so that memcheck reports a branch or an address that depends on one (the program `ct`).
//! [`trace`] compares every step of a kernel over several secrets, for the instructions that valgrind does not run (the test
//! `traces`). [`memory`] looks for what is left of a secret (the program `wiped`). The program `dudect` compares times.

pub mod memory;
pub mod trace;
pub mod valgrind;
