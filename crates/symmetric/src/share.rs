//! Parts of one operation, shared among a team.

use crate::text::{Buffers, Text};
use carrysave_team::{Serial, Team};
use core::convert::Infallible;
use std::sync::{Mutex, PoisonError};

/// The bytes of a part of bulk data: enough to outweigh its overhead, and whole blocks of any cipher.
pub(crate) const PART: usize = 1 << 16;

/// The team if waking it pays, else the caller alone.
pub(crate) fn worth(team: &dyn Team, worth: bool) -> &dyn Team {
    if worth { team } else { &Serial }
}

/// Calls `work` on each part. A member takes the next part when it has finished one, and has its own state.
///
/// # Errors
/// One of those of `work`; remaining parts are not begun.
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

/// Calls `work` on parts of a text, with the position of each; the team shares texts of at least `least` bytes.
///
/// Inlined, and a short text is decomposed and rebuilt, so that it never moves through memory. Such a move would be
/// read at another width than it was written, and so wait until all earlier stores, including the bytes of the last
/// call, are in the cache.
#[inline(always)]
pub(crate) fn bytes(
    team: &dyn Team,
    least: usize,
    text: Text<'_>,
    work: impl Fn(usize, Text<'_>) + Sync,
) {
    let buffers = text.buffers();
    if buffers.1.len() > PART {
        dealt(team, least, buffers, &work);
    } else if !buffers.1.is_empty() {
        work(0, Text::of(buffers));
    }
}

/// The parts of a text that has more than one.
#[inline(never)]
fn dealt(
    team: &dyn Team,
    least: usize,
    buffers: Buffers<'_>,
    work: &(impl Fn(usize, Text<'_>) + Sync),
) {
    let parts = Text::of(buffers).chunks(PART).enumerate();
    let team = worth(team, parts.len() * PART >= least);
    let Ok(()) = out(team, parts, |(): &mut (), (i, part)| {
        work(i * PART, part);
        Ok::<_, Infallible>(())
    });
}

/// Calls `work` on parts of a chain of blocks to be decrypted, with the block before each part: `iv` for the first. The
/// team shares chains of at least `least` bytes.
#[inline(always)]
pub(crate) fn chain(
    team: &dyn Team,
    least: usize,
    iv: &[u8],
    text: Text<'_>,
    work: impl Fn(&[u8], Text<'_>) + Sync,
) {
    assert!(text.len().is_multiple_of(iv.len()), "whole blocks");
    // The last block of a part may be overwritten before the next part needs it.
    let ivs: Vec<Vec<u8>> = match text.len() {
        ..=PART => vec![],
        _ => {
            let last = |part: &[u8]| part[part.len() - iv.len()..].to_vec();
            text.source().chunks(PART).map(last).collect()
        }
    };
    bytes(team, least, text, |at, part| match at / PART {
        0 => work(iv, part),
        i => work(&ivs[i - 1], part),
    });
}
