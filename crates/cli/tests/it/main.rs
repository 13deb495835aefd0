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
mod report;
mod support;
mod terminal;
