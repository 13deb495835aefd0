//! The program, driven as a user would.

mod commands;
mod damage;
mod memory;
mod openssl;
mod support;
