//! The C interface: `include/carrysave.h` is its documentation, and docs/guide/c.md the guide.
//!
//! An entry is a function of C with its name. It makes references of its pointers by `memory`, calls the facade, and writes
//! results; `error` turns failures and panics into codes. Nothing outlives a call but what a handle
//! holds, and tables that depend on no input.
//!
//! | file | holds |
//! | --- | --- |
//! | `error`, `memory` | codes; the way from pointers to references |
//! | `threads`, `service` | the caller's threads; groups of calls |
//! | `numbers` | powers, products, division, inverses, primes |
//! | `keys`, `hashes` | keys of all algorithms; hash functions |
//! | `jobs`, `tasks`, `schemes` | operations as structures, what they are for the engine, and as functions |
//! | `field` | fields of primes 2^w - c |
//! | `aes`, `threefish`, `skein` | the symmetric part |
//! | `about` | what is used |

#![allow(non_camel_case_types)] // C's
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
mod tasks;
mod threads;
mod threefish;

/// What the header says of threads: those in the first list are used by several at once, the last one moves to another.
const _: fn() = || {
    fn shared<T: Send + Sync>() {}
    fn moved<T: Send>() {}
    shared::<aes::cs_aes>();
    shared::<field::cs_field_vector>();
    shared::<keys::cs_key>();
    shared::<service::cs_service>();
    shared::<threads::cs_threads>();
    shared::<threefish::cs_threefish>();
    moved::<skein::cs_skein>();
};

#[cfg(test)]
mod tests;
