//! Parts of one operation, dealt out among a team.

use crate::text::{Buffers, Text};
use carrysave_team::{Serial, Team};
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

/// Does `work` on parts of a text, with the place of each, shared if there are `least` bytes and more.
///
/// It is inlined, and a short text is taken to pieces and put together anew, so that no move of it by memory is left: one
/// would be read at another width than it was written, and wait until all that was stored before is in the cache, the
/// bytes of the last call included.
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

/// The parts of a text that is more than one.
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

/// Does `work` on parts of a chain of blocks to be decrypted, with the block before each part: `iv` for the first. The
/// parts are shared if there are `least` bytes and more.
#[inline(always)]
pub(crate) fn chain(
    team: &dyn Team,
    least: usize,
    iv: &[u8],
    text: Text<'_>,
    work: impl Fn(&[u8], Text<'_>) + Sync,
) {
    assert!(text.len().is_multiple_of(iv.len()), "whole blocks");
    // The last block of a part may be gone when the next needs it.
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
