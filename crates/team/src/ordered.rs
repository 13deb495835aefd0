//! An ordered pipeline: pieces of a stream are taken and put in order, and worked on in parallel in between.

use crate::Team;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Takes every piece of a stream, works on it and puts it down, each piece by one member of the team. `take` and `put`
/// see one piece at a time, in order, so they may read and write files. The members work on several pieces at once,
/// each on one that stays in its cache.
///
/// A member makes its `piece` once. `take` refills it, or returns false at the end of the stream.
///
/// ```
/// use carrysave_team::{Serial, in_order};
/// let (mut left, mut squares) = (1..=10, String::new());
/// let take = |piece: &mut u32| Ok(left.next().map(|next| *piece = next).is_some());
/// let put = |piece: &mut u32| {
///     squares += &piece.to_string();
///     if *piece < 16 { Ok(()) } else { Err("enough") }
/// };
/// assert_eq!(in_order(&Serial, || 0, take, |piece| *piece *= *piece, put), Err("enough"));
/// assert_eq!(squares, "14916");
/// ```
///
/// # Errors
/// The first of `take`, once all pieces before are put down, or of `put`. No piece is put down after it.
///
/// # Panics
/// If one of the functions panics.
pub fn in_order<P, E: Send>(
    team: &dyn Team,
    piece: impl Fn() -> P + Sync,
    take: impl FnMut(&mut P) -> Result<bool, E> + Send,
    work: impl Fn(&mut P) + Sync,
    put: impl FnMut(&mut P) -> Result<(), E> + Send,
) -> Result<(), E> {
    // `None` at the end of the stream.
    let source = Mutex::new(Some((0_u64, take)));
    let fill = |piece: &mut P| {
        let mut source = lock(&source);
        let (next, take) = source.as_mut()?;
        let number = *next;
        *next += 1;
        let more = take(piece);
        if !matches!(more, Ok(true)) {
            *source = None;
        }
        match more {
            Ok(more) => more.then_some((number, Ok(()))),
            Err(e) => Some((number, Err(e))),
        }
    };
    let sink = Sink {
        state: Mutex::new(State {
            next: 0,
            ended: None,
            put,
        }),
        moved: Condvar::new(),
    };
    team.offer(&|_| {
        let _leave = Leave(|| sink.give_up());
        let mut piece = piece();
        while let Some((number, taken)) = fill(&mut piece) {
            if taken.is_ok() {
                work(&mut piece);
            }
            let mut state = sink.turn(number);
            if state.ended.is_none() {
                match taken.and_then(|()| (state.put)(&mut piece)) {
                    Ok(()) => state.next += 1,
                    Err(e) => state.ended = Some(Err(e)),
                }
            }
            let ended = state.ended.is_some();
            drop(state);
            sink.moved.notify_all();
            if ended {
                break;
            }
        }
    });
    let state = sink.state.into_inner();
    let ended = state.unwrap_or_else(PoisonError::into_inner).ended;
    ended.unwrap_or(Ok(()))
}

/// The ordered output.
struct Sink<F, E> {
    state: Mutex<State<F, E>>,
    moved: Condvar,
}

struct State<F, E> {
    /// The number of the next piece.
    next: u64,
    /// How the stream ended before the last piece.
    ended: Option<Result<(), E>>,
    put: F,
}

impl<F, E> Sink<F, E> {
    /// Waits until the piece is next, or until the end.
    fn turn(&self, number: u64) -> MutexGuard<'_, State<F, E>> {
        let others = |state: &mut State<F, E>| state.next != number && state.ended.is_none();
        let state = self.moved.wait_while(lock(&self.state), others);
        state.unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the stream: no member puts down another piece.
    fn give_up(&self) {
        lock(&self.state).ended.get_or_insert(Ok(()));
        self.moved.notify_all();
    }
}

/// Ends the stream when a member panics, so that no other member waits for its piece.
struct Leave<F: Fn()>(F);

impl<F: Fn()> Drop for Leave<F> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            (self.0)();
        }
    }
}

/// Locks, poisoned or not: a panic continues in the caller anyway.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
