//! Plain Rust: a relaxed load and a relaxed store for each word.

use crate::Limb;
use core::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// # Safety
/// The contract of `mpn_copy_shared`.
pub unsafe fn kernel(r: *mut Limb, a: *const Limb, n: usize) {
    for i in 0..n {
        // SAFETY: i < n; whoever else uses these words meanwhile does so by atomic operations, or in assembly.
        unsafe {
            let (to, from) = (
                AtomicU64::from_ptr(r.add(i)),
                AtomicU64::from_ptr(a.add(i).cast_mut()),
            );
            to.store(from.load(Relaxed), Relaxed);
        }
    }
}
