//! The registry's operations, dealt out to as many threads as there are processors.

use carrysave_kernels::{REGISTRY, op::Op};
use std::{
    num::NonZero,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

/// Does `work` for every operation, and gives what it gave, in the registry's order.
///
/// # Panics
/// If the work for an operation does.
pub fn every_op<T: Send>(work: impl Fn(&'static Op) -> T + Sync) -> Vec<T> {
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::with_capacity(REGISTRY.len()));
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let i = next.fetch_add(1, Ordering::Relaxed);
                    let Some(op) = REGISTRY.get(i) else { break };
                    let result = work(op);
                    let mut done = done.lock().expect("no thread panics while it holds this");
                    done.push((i, result));
                }
            });
        }
    });
    let mut done = done.into_inner().expect("no thread panicked");
    done.sort_unstable_by_key(|&(i, _)| i);
    done.into_iter().map(|(_, result)| result).collect()
}
