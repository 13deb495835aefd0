//! The threads that a caller asks for.

use crate::error::{Outcome, cs_error, cs_error::*, entry};
use crate::memory::{free, give, object};
use carrysave::engine::Batch;
use carrysave::team::{MAX_THREADS, Serial, Team};
use std::sync::OnceLock;

/// Threads for many operations at once, or for a long one. They sleep in between.
///
/// Where a function takes such a pointer, null stands for the calling thread alone. Threads: any number of threads may
/// use one object at once; a call that comes while another has the threads runs on its caller's thread alone, or waits.
pub struct cs_threads {
    count: usize,
    batch: OnceLock<Batch>,
}

impl cs_threads {
    fn batch(&self) -> &Batch {
        self.batch.get_or_init(|| Batch::new(self.count))
    }
}

/// Makes an object for `count` threads, the caller's included: 1 to 1024. The others start with the first call that can
/// use them. There are fewer if the operating system starts no more.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cs_threads_new(count: usize, threads: *mut *mut cs_threads) -> cs_error {
    entry! {
        give(threads, || match (1..=MAX_THREADS).contains(&count) {
            true => Ok(cs_threads {
                count,
                batch: OnceLock::new(),
            }),
            false => Err(CS_ERROR_ARGUMENT),
        })
    }
}

/// Ends the threads and frees the object; null is nothing. Nobody may use it any more.
///
/// Threads: one, the last to use it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cs_threads_free(threads: *mut cs_threads) {
    // SAFETY: as the header says.
    unsafe { free(threads) }
}

/// What runs many operations at once.
///
/// # Safety
/// As for [`object`].
pub unsafe fn batch(threads: *const cs_threads) -> Outcome<Batch> {
    if threads.is_null() {
        return Ok(Batch::new(1));
    }
    // SAFETY: as the caller says.
    Ok(unsafe { object(threads) }?.batch().clone())
}

/// What runs one long operation.
///
/// # Safety
/// As for [`object`]; the team is used while the object lives.
pub unsafe fn team<'a>(threads: *const cs_threads) -> Outcome<&'a dyn Team> {
    if threads.is_null() {
        return Ok(&Serial);
    }
    // SAFETY: as the caller says.
    let threads: &'a cs_threads = unsafe { object(threads) }?;
    Ok(threads.batch().team())
}
