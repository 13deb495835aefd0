//! The C interface: `include/carrysave.h` is its documentation, and docs/guide/c.md the guide.
//!
//! An entry is a function of C with its name. It makes references of its pointers by `memory`, calls the facade, and writes
//! results; `error` turns failures and panics into codes. No entry keeps anything between calls but what a handle holds.
//!
//! | file | holds |
//! | --- | --- |
//! | `error`, `memory` | codes; the way from pointers to references |
//! | `threads`, `service` | the caller's threads; groups of calls |
//! | `numbers` | powers, products, division, inverses, primes |
//! | `keys`, `jobs`, `schemes`, `hashes` | keys of all algorithms; operations as structures, and as functions |
//! | `field` | fields of primes 2^w - c |
//! | `aes`, `threefish`, `skein` | the symmetric part |
//! | `about` | what is used |

#![allow(non_camel_case_types)] // C's
#![allow(private_interfaces, unreachable_pub)] // Entries are public to the linker alone.
#![allow(clippy::missing_safety_doc, clippy::too_many_arguments)]

mod about;
mod aes;
mod error;
mod field;
mod hashes;
mod jobs;
mod keys;
mod memory;
mod numbers;
mod schemes;
mod service;
mod skein;
mod threads;
mod threefish;

#[cfg(test)]
mod tests;
