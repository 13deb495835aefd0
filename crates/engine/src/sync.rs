//! What threads meet by: the standard library's or, for `--cfg loom`, that of a checker that tries all interleavings.

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
