//! The program, driven as a user would.

mod batch;
mod cipher;
mod commands;
mod damage;
mod drafts;
mod folders;
mod hash;
mod keyfiles;
mod keys;
mod memory;
mod messages;
mod openssl;
mod outputs;
mod sshsig;
mod support;
mod terminal;

/// The program under test.
pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_carrysave");
