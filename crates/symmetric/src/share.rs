//! Parts of one operation, dealt out among a team.

use carrysave_arith::team::{Serial, Team};
use std::sync::{Mutex, PoisonError};

/// The team where it is worth waking, and the caller alone elsewhere.
pub(crate) fn worth(team: &dyn Team, worth: bool) -> &dyn Team {
    if worth { team } else { &Serial }
}

/// Does `work` on each part. A member takes the next one as soon as it is done with one, and has a state of its own.
///
/// # Errors
/// One of those of `work`; the parts that are left are not begun.
pub(crate) fn out<T, S: Default, E: Send>(
    team: &dyn Team,
    parts: impl Iterator<Item = T> + Send,
    work: impl Fn(&mut S, T) -> Result<(), E> + Sync,
) -> Result<(), E> {
    let left = Mutex::new((Some(parts), Ok(())));
    let lock = || left.lock().unwrap_or_else(PoisonError::into_inner);
    team.run(&|_| {
        let mut state = S::default();
        while let Some(part) = { lock().0.as_mut().and_then(Iterator::next) } {
            if let Err(e) = work(&mut state, part) {
                *lock() = (None, Err(e));
            }
        }
    });
    left.into_inner().unwrap_or_else(PoisonError::into_inner).1
}
