//! Counts of work, for tests that compare two computations: products of limbs or words by kind of step.
//!
//! Counted only with the feature `counts`, by the thread that does the work, from public sizes only.

use std::cell::RefCell;
use std::collections::BTreeMap;

/// The work of each kind of step.
pub type Work = BTreeMap<&'static str, u64>;

thread_local! {
    static DONE: RefCell<Option<Work>> = const { RefCell::new(None) };
}

/// Records a step of `products` products, if this thread counts.
#[inline]
pub(crate) fn note(kind: &'static str, products: usize) {
    if cfg!(feature = "counts") {
        DONE.with_borrow_mut(|done| {
            if let Some(done) = done {
                *done.entry(kind).or_default() += products as u64;
            }
        });
    }
}

/// The work of this thread in `run`; empty without the feature `counts`.
pub fn counted(run: impl FnOnce()) -> Work {
    DONE.set(Some(Work::new()));
    run();
    DONE.take().unwrap_or_default()
}
