//! Synchronisation primitives: the standard library's or, with `--cfg loom`, loom's, which tries all interleavings.

#[cfg(not(loom))]
pub(crate) use std::{
    sync::{Arc, Condvar, Mutex, MutexGuard, atomic::AtomicUsize},
    thread::{Builder, JoinHandle, ThreadId, current, yield_now},
};

#[cfg(loom)]
pub(crate) use loom::{
    sync::{Arc, Condvar, Mutex, MutexGuard, atomic::AtomicUsize},
    thread::{Builder, JoinHandle, ThreadId, current, yield_now},
};
