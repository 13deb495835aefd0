//! An ordered pipeline: pieces of a stream are taken and put in order, and worked on in parallel in between.

use crate::Team;
use crate::sync::{Condvar, Mutex, MutexGuard};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::PoisonError;

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
    let stream = Stream::new(take, put);
    team.offer(&|_| stream.attend(&piece, &work));
    stream.end()
}

/// A stream that members work on: `T` takes its pieces and `F` puts them down.
struct Stream<T, F, E> {
    /// The number of the piece to take next, and what takes it; `None` at the end.
    source: Mutex<Option<(u64, T)>>,
    sink: Mutex<Sink<F, E>>,
    /// The sink has moved on.
    moved: Condvar,
}

/// The ordered output.
struct Sink<F, E> {
    /// The number of the next piece.
    next: u64,
    /// How the stream ended before the last piece.
    ended: Option<Result<(), E>>,
    put: F,
}

impl<T, F, E> Stream<T, F, E> {
    fn new(take: T, put: F) -> Stream<T, F, E> {
        Stream {
            source: Mutex::new(Some((0, take))),
            sink: Mutex::new(Sink {
                next: 0,
                ended: None,
                put,
            }),
            moved: Condvar::new(),
        }
    }

    /// Works on pieces until the end. A member that panics ends the stream, so that no other waits for its piece.
    fn attend<P>(&self, piece: impl Fn() -> P, work: impl Fn(&mut P))
    where
        T: FnMut(&mut P) -> Result<bool, E>,
        F: FnMut(&mut P) -> Result<(), E>,
    {
        let pieces = || {
            let mut piece = piece();
            while let Some((number, taken)) = self.fill(&mut piece) {
                if taken.is_ok() {
                    work(&mut piece);
                }
                let mut sink = self.turn(number);
                if sink.ended.is_none() {
                    match taken.and_then(|()| (sink.put)(&mut piece)) {
                        Ok(()) => sink.next += 1,
                        Err(e) => sink.ended = Some(Err(e)),
                    }
                }
                let ended = sink.ended.is_some();
                drop(sink);
                self.moved.notify_all();
                if ended {
                    break;
                }
            }
        };
        // The panic goes on, and the caller sees nothing of what it leaves half done.
        if let Err(panic) = catch_unwind(AssertUnwindSafe(pieces)) {
            self.give_up();
            resume_unwind(panic);
        }
    }

    /// Takes the next piece: its number, and whether that went well; nothing at the end.
    fn fill<P>(&self, piece: &mut P) -> Option<(u64, Result<(), E>)>
    where
        T: FnMut(&mut P) -> Result<bool, E>,
    {
        let mut source = lock(&self.source);
        // It comes back only if there is more: not after a panic either.
        let (number, mut take) = source.take()?;
        let more = take(piece);
        if matches!(more, Ok(true)) {
            *source = Some((number + 1, take));
        }
        match more {
            Ok(more) => more.then_some((number, Ok(()))),
            Err(e) => Some((number, Err(e))),
        }
    }

    /// Waits until the piece is next, or until the end.
    fn turn(&self, number: u64) -> MutexGuard<'_, Sink<F, E>> {
        let mut sink = lock(&self.sink);
        while sink.next != number && sink.ended.is_none() {
            let woken = self.moved.wait(sink);
            sink = woken.unwrap_or_else(PoisonError::into_inner);
        }
        sink
    }

    /// Ends the stream: no member puts down another piece.
    fn give_up(&self) {
        lock(&self.sink).ended.get_or_insert(Ok(()));
        self.moved.notify_all();
    }

    /// How the stream ended, when no member works on it any more.
    fn end(self) -> Result<(), E> {
        let sink = self.sink.into_inner();
        let ended = sink.unwrap_or_else(PoisonError::into_inner).ended;
        ended.unwrap_or(Ok(()))
    }
}

/// Locks, poisoned or not: a panic continues in the caller anyway.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A panic happens over the work on a piece, while no lock is held: loom's locks can no longer be taken once somebody has
/// panicked who held them.
#[cfg(all(test, loom))]
mod model {
    use super::*;
    use crate::Barrier;
    use loom::sync::atomic::AtomicUsize;
    use std::sync::atomic::{AtomicUsize as Count, Ordering::Relaxed};
    use std::sync::{Arc, Mutex as Log};

    /// What goes wrong, at which piece.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    enum Bad {
        Nothing,
        Take(usize),
        Work(usize),
        Put(usize),
    }

    /// Models two members and so many pieces; returns the number of interleavings, and how often a piece was worked on
    /// after a later one.
    fn check(pieces: usize, bad: Bad) -> [usize; 2] {
        let counts = Arc::new([Count::new(0), Count::new(0)]);
        let counted = counts.clone();
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(3);
        model.max_permutations = Some(20_000);
        model.check(move || {
            counted[0].fetch_add(1, Relaxed);
            let out = Arc::new(Log::new(Vec::new()));
            let (mut next, mut ended) = (0, false);
            let take = move |piece: &mut usize| {
                assert!(!ended, "nothing is taken after the end");
                *piece = next;
                next += 1;
                ended = next > pieces || bad == Bad::Take(*piece);
                match bad == Bad::Take(*piece) {
                    true => Err(*piece),
                    false => Ok(*piece < pieces),
                }
            };
            let put = {
                let out = out.clone();
                move |piece: &mut usize| {
                    let number = *piece - 100;
                    if bad == Bad::Put(number) {
                        return Err(number);
                    }
                    out.lock().unwrap().push(number);
                    Ok(())
                }
            };
            let worked = AtomicUsize::new(0);
            let shared = Arc::new((Barrier::new(2), Stream::new(take, put), worked));
            let attend = {
                let (shared, counted) = (shared.clone(), counted.clone());
                move |rank: usize| {
                    let (barrier, stream, worked) = &*shared;
                    let work = |piece: &mut usize| {
                        if worked.fetch_add(1, Relaxed) > *piece {
                            counted[1].fetch_add(1, Relaxed);
                        }
                        if bad == Bad::Work(*piece) {
                            resume_unwind(Box::new("it fails")); // without a message
                        }
                        *piece += 100;
                    };
                    barrier.enter(rank, &|_| stream.attend(|| 0, work));
                }
            };
            let worker = loom::thread::spawn({
                let attend = attend.clone();
                move || attend(1)
            });
            attend(0);
            worker.join().unwrap();
            drop(attend);
            let Some((barrier, stream, _)) = Arc::into_inner(shared) else {
                panic!("the members have gone");
            };
            let out = out.lock().unwrap();
            let (least, most, result) = match bad {
                Bad::Nothing => (pieces, pieces, Ok(())),
                Bad::Take(at) | Bad::Put(at) => (at, at, Err(at)),
                Bad::Work(at) => (0, at, Ok(())),
            };
            assert!((least..=most).contains(&out.len()), "{out:?}");
            assert!(out.iter().copied().eq(0..out.len()), "{out:?}");
            assert_eq!(stream.end(), result);
            let fails = matches!(bad, Bad::Work(_)).then_some("it fails");
            assert_eq!(barrier.said(), Vec::from_iter(fails));
        });
        let counts = [0, 1].map(|i| counts[i].load(Relaxed));
        println!(
            "{pieces} pieces, {bad:?}: {} interleavings, {} overtaken",
            counts[0], counts[1]
        );
        counts
    }

    #[test]
    fn pieces_of_two_members_come_in_order_until_the_end() {
        for pieces in 0..=3 {
            let [runs, overtaken] = check(pieces, Bad::Nothing);
            assert!(runs > 1 && (overtaken > 0) == (pieces > 1));
        }
    }

    #[test]
    fn the_first_error_ends_the_stream() {
        for at in 0..=2 {
            check(3, Bad::Take(at));
            check(3, Bad::Put(at));
        }
    }

    #[test]
    fn a_panic_over_a_piece_leaves_no_member_waiting() {
        for at in 0..=2 {
            check(3, Bad::Work(at));
        }
    }
}
