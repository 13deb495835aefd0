//! What a computation consists of, for tests that compare two: products of limbs or words by kind of step.
//!
//! Counted in builds with debug assertions alone, by the thread that does the work; sizes are public, and nothing else
//! is looked at.

use std::cell::RefCell;
use std::collections::BTreeMap;

/// The work of each kind of step.
pub type Work = BTreeMap<&'static str, u64>;

thread_local! {
    static DONE: RefCell<Option<Work>> = const { RefCell::new(None) };
}

/// Notes a step of so many products, if this thread counts.
#[inline]
pub(crate) fn note(kind: &'static str, products: usize) {
    if cfg!(debug_assertions) {
        DONE.with_borrow_mut(|done| {
            if let Some(done) = done {
                *done.entry(kind).or_default() += products as u64;
            }
        });
    }
}

/// What this thread does in `run`; nothing in a build without debug assertions.
pub fn counted(run: impl FnOnce()) -> Work {
    DONE.set(Some(Work::new()));
    run();
    DONE.take().unwrap_or_default()
}
