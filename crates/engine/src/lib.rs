//! Many operations at once: signatures, decryptions, verifications, key agreements and powers of several keys, one a
//! vector lane, on several threads.
//!
//! | | |
//! | --- | --- |
//! | [`Batch`] | for whoever has many [`Job`]s at hand: takes a slice, gives the results |
//! | [`Service`] | for many threads with a job each: calls that come at the same time run side by side |
//! | [`Signer`], [`Decrypter`] | the same, with a function for each padding |
//! | [`Threads`] | a team of threads for one operation that uses several |
#![allow(unexpected_cfgs)] // loom, for a checker of threads
#![deny(unsafe_code)]

mod any;
mod batch;
mod buffered_rng;
mod clients;
mod job;
mod metrics;
mod processors;
mod service;
mod sync;
#[allow(unsafe_code)] // the lifetime of what a thread of a team does
mod team;

pub use any::{AnyPrimitive, AnyTask, Class, run_on};
pub use batch::Batch;
pub use clients::{Decrypter, Signer};
pub use job::{Error, Job, Output};
pub use metrics::Metrics;
pub use rand_core::CryptoRng;
pub use service::{Service, ServiceError, ServiceOptions};
pub use team::{Threads, ThreadsOptions};
