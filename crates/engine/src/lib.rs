//! Many operations at once, by several keys: signatures, decryptions, verifications, key agreements and powers, one a
//! vector lane, on several threads. Each is a [`Task`](carrysave_team::task::Task) of its scheme.
//!
//! | | |
//! | --- | --- |
//! | [`Batch`] | takes a slice of tasks, gives the results |
//! | [`Service`] | for many threads with a task each: calls that come at the same time run side by side |
//! | [`Signer`], [`Decrypter`] | a service with a function for each padding of RSA |
//! | [`Job`], [`jobs!`] | an enum of all tasks here, and what makes such enums |
//! | [`Threads`] | a team of threads for one operation that uses several |
//! | [`Cores`] | which processors are threads of one core |
//! | [`plan`] | plans as files |
//!
//! The features `rsa`, `dl` and `ec`, all on by default, bring the tasks of these schemes. [`Signer`] and [`Decrypter`]
//! need `rsa`; [`Job`], [`Output`] and [`Error`] need all three.
#![allow(unexpected_cfgs)] // loom
#![deny(unsafe_code)]

mod any;
mod batch;
#[cfg(feature = "rsa")]
mod clients;
#[macro_use]
mod jobs;
#[cfg(all(feature = "rsa", feature = "dl", feature = "ec"))]
mod job;
mod metrics;
pub mod plan;
mod processors;
mod prompt;
mod service;
mod sync;
#[allow(unsafe_code)] // the lifetime of what a thread of a team does
mod team;
mod topology;
mod workers;

pub use any::{AnyPrimitive, AnyTask, TaskClass, run_on};
pub use batch::Batch;
#[cfg(feature = "rsa")]
pub use clients::{Decrypter, Signer};
#[cfg(all(feature = "rsa", feature = "dl", feature = "ec"))]
pub use job::{Error, Job, Output};
pub use metrics::Metrics;
pub use rand_core::CryptoRng;
pub use service::{Service, ServiceError, ServiceOptions};
pub use team::{Threads, ThreadsOptions};
pub use topology::Cores;
