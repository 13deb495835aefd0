//! Parts of one operation, dealt out among a team.

use carrysave_arith::team::{Serial, Team};
use core::convert::Infallible;
use std::sync::{Mutex, PoisonError};

/// The bytes of a part of bulk data: enough to be worth the turn, and whole blocks of any cipher.
pub(crate) const PART: usize = 1 << 16;

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
    team.offer(&|_| {
        let mut state = S::default();
        while let Some(part) = { lock().0.as_mut().and_then(Iterator::next) } {
            if let Err(e) = work(&mut state, part) {
                *lock() = (None, Err(e));
            }
        }
    });
    left.into_inner().unwrap_or_else(PoisonError::into_inner).1
}

/// Does `work` on parts of `data`, with the place of each, shared if there are `least` bytes and more.
pub(crate) fn bytes(
    team: &dyn Team,
    least: usize,
    data: &mut [u8],
    work: impl Fn(usize, &mut [u8]) + Sync,
) {
    if data.len() <= PART {
        if !data.is_empty() {
            work(0, data);
        }
        return;
    }
    let parts = data.chunks_mut(PART).enumerate();
    let team = worth(team, parts.len() * PART >= least);
    let Ok(()) = out(team, parts, |(): &mut (), (i, part)| {
        work(i * PART, part);
        Ok::<_, Infallible>(())
    });
}

/// The same for the decryption of a chain of blocks as long as `iv`: `work` is given what precedes the part.
pub(crate) fn chain(
    team: &dyn Team,
    least: usize,
    iv: &[u8],
    data: &mut [u8],
    work: impl Fn(&[u8], &mut [u8]) + Sync,
) {
    assert!(data.len().is_multiple_of(iv.len()), "whole blocks");
    // The last block of a part is gone when the next needs it.
    let last = |part: &[u8]| part[part.len() - iv.len()..].to_vec();
    let ivs: Vec<Vec<u8>> = data.chunks(PART).map(last).collect();
    bytes(team, least, data, |at, part| match at / PART {
        0 => work(iv, part),
        i => work(&ivs[i - 1], part),
    });
}
