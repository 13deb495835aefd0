//! A task farm: rank 0 hands out work to all ranks, itself included, piece by piece.
//!
//! An item and its result are bytes. A piece is some consecutive items, fewer towards the end, so that ranks of any
//! speed end together. On each rank one thread works and the calling thread exchanges messages, also while the other
//! works. A rank that sends nothing for some time is lost, and others do its piece.

mod desk;
mod message;

use desk::{Desk, Rank};
use message::{Kind, Message};
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, TryRecvError};
use std::thread;
use std::time::{Duration, Instant};

/// Items, or their results.
pub type Items = Vec<Vec<u8>>;

/// Message passing between ranks, which are numbered below [`Mail::size`].
pub trait Mail {
    /// The number of this rank.
    fn rank(&self) -> usize;

    /// The number of ranks.
    fn size(&self) -> usize;

    /// Sends a message without waiting for the receiver.
    fn post(&self, to: usize, message: &[u8]);

    /// The next message, if there is one, and its sender. Messages of one rank come in order.
    fn poll(&self) -> Option<(usize, Vec<u8>)>;

    /// Waits for the next message, and returns its sender and the message. Sleeps between polls, up to a millisecond, so
    /// that others have the core.
    fn wait(&self) -> (usize, Vec<u8>) {
        let mut nap = Nap::new();
        loop {
            match self.poll() {
                Some(message) => return message,
                None => nap.sleep(),
            }
        }
    }
}

/// An event that [`lead`] reports to its caller.
#[derive(Debug)]
pub enum Event<'a> {
    /// An item's result. Items come in order; before [`Event::Stopped`], some between them may be missing.
    Result(&'a [u8], &'a [u8]),
    /// A rank was lost, and others do these items in its place.
    Lost(usize, &'a str, &'a [Vec<u8>]),
    /// The items without a result, in order, because the farm was stopped.
    Stopped(Items),
}

/// Options of a farm.
#[derive(Clone, Copy, Debug)]
pub struct Options<'a> {
    /// The timeout after which a silent rank is lost.
    pub patience: Duration,
    /// Set to end the farm early.
    pub stop: &'a AtomicBool,
}

/// How a farm ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// All ranks took part to the end.
    Whole,
    /// A rank was lost, so no rank may wait for all.
    Lost,
}

/// The leader is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeaderLost;

/// Rank 0's part: hands out items, about `total` of them, works on pieces as the others do, and reports results to
/// `report`.
///
/// The result is an error of `work` on this rank or of `report`, which end the farm.
///
/// # Panics
/// If `work` panics on this rank; the others have been told that the farm has ended.
pub fn lead<E: Send>(
    mail: &impl Mail,
    options: &Options<'_>,
    total: usize,
    items: impl Iterator<Item = Vec<u8>>,
    mut work: impl FnMut(&[Vec<u8>]) -> Result<Items, E> + Send,
    mut report: impl FnMut(Event<'_>) -> Result<(), E>,
) -> (Result<(), E>, Ending) {
    let ranks = mail.size();
    let mut desk = Desk::new(ranks, total, items);
    let mut heard = vec![Instant::now(); ranks];
    let result = thread::scope(|scope| {
        let (hand, pieces) = mpsc::channel::<(usize, Items)>();
        let (back, own) = mpsc::channel();
        scope.spawn(move || {
            for (number, items) in pieces {
                if back.send((number, work(&items))).is_err() {
                    break;
                }
            }
        });
        let mut nap = Nap::new();
        let mut panicked = false;
        desk.enter(0);
        let mut rounds = || loop {
            while let Some((rank, message)) = mail.poll() {
                nap.reset();
                heard[rank] = Instant::now();
                let message = Message::decode(&message);
                match message.kind {
                    Kind::Ready => desk.enter(rank),
                    Kind::Done => desk.finish(rank, message.number, message.items),
                    Kind::Unable => {
                        let why = String::from_utf8_lossy(&message.items[0]).into_owned();
                        if let Some(items) = desk.lose(rank, Rank::Unable) {
                            report(Event::Lost(rank, &why, &items))?;
                        }
                    }
                    Kind::Alive if desk.is_silent(rank) => {}
                    Kind::Alive => mail.post(rank, &Message::of(Kind::Alive)),
                    Kind::Piece | Kind::End => unreachable!("only the leader sends these"),
                }
            }
            match own.try_recv() {
                Ok((number, results)) => {
                    nap.reset();
                    desk.finish(0, number, results?);
                }
                Err(TryRecvError::Empty) => {}
                // The end of the scope passes the thread's panic on.
                Err(TryRecvError::Disconnected) => {
                    panicked = true;
                    return Ok(());
                }
            }
            for (items, results) in desk.in_order() {
                report_all(&mut report, &items, &results)?;
            }
            for (rank, heard) in heard.iter().enumerate().skip(1) {
                if heard.elapsed() > options.patience
                    && let Some(items) = desk.lose(rank, Rank::Silent)
                {
                    let why = format!("not heard of for {} s", options.patience.as_secs_f64());
                    report(Event::Lost(rank, &why, &items))?;
                }
            }
            if desk.is_done() {
                return Ok(());
            }
            if options.stop.load(Ordering::Relaxed) {
                for (items, results) in desk.out_of_order() {
                    report_all(&mut report, &items, &results)?;
                }
                return report(Event::Stopped(desk.unfinished()));
            }
            for (rank, number, items) in desk.hand_out() {
                if rank == 0 {
                    // If the thread has panicked, the next round notices.
                    let _ = hand.send((number, items));
                } else {
                    mail.post(rank, &Message::encode(Kind::Piece, number, &items));
                }
            }
            nap.sleep();
        };
        let result = rounds();
        // The others need not wait until this rank is done with its piece.
        let ending = if panicked {
            Ending::Lost
        } else {
            desk.ending()
        };
        end(mail, desk.others(), ending);
        result
    });
    (result, desk.ending())
}

fn report_all<E>(
    report: &mut impl FnMut(Event<'_>) -> Result<(), E>,
    items: &[Vec<u8>],
    results: &[Vec<u8>],
) -> Result<(), E> {
    let mut all = items.iter().zip(results);
    all.try_for_each(|(item, result)| report(Event::Result(item, result)))
}

/// What rank 0 does before it leads, however long it takes: the others hear meanwhile that it lives.
///
/// # Panics
/// If `what` panics.
pub fn prepare<T: Send>(
    mail: &impl Mail,
    options: &Options<'_>,
    what: impl FnOnce() -> T + Send,
) -> T {
    thread::scope(|scope| {
        let work = scope.spawn(what);
        let (mut nap, mut sent) = (Nap::new(), Instant::now());
        while !work.is_finished() {
            if sent.elapsed() > options.patience / 8 {
                sent = Instant::now();
                let alive = Message::of(Kind::Alive);
                (1..mail.size()).for_each(|rank| mail.post(rank, &alive));
            }
            nap.sleep();
        }
        work.join().unwrap_or_else(|panic| resume_unwind(panic))
    })
}

/// Ends the others' parts of a farm that rank 0 cannot lead.
pub fn dismiss(mail: &impl Mail, ending: Ending) {
    end(mail, 1..mail.size(), ending);
}

fn end(mail: &impl Mail, ranks: impl Iterator<Item = usize>, ending: Ending) {
    let end = Message::encode(Kind::End, usize::from(ending == Ending::Lost), &[]);
    ranks.for_each(|rank| mail.post(rank, &end));
}

/// The part of every other rank: works on the pieces that it gets. If `work` fails, it reports the reason to rank 0,
/// which hands this piece and all later ones to other ranks.
///
/// # Errors
/// If rank 0 is lost.
///
/// # Panics
/// If `work` panics; rank 0 then misses this rank.
pub fn follow(
    mail: &impl Mail,
    options: &Options<'_>,
    mut work: impl FnMut(&[Vec<u8>]) -> Result<Items, String> + Send,
) -> Result<Ending, LeaderLost> {
    thread::scope(|scope| {
        let (hand, pieces) = mpsc::channel::<Message>();
        let (back, done) = mpsc::channel();
        scope.spawn(move || {
            for piece in pieces {
                let message = match work(&piece.items) {
                    Ok(results) => Message::encode(Kind::Done, piece.number, &results),
                    Err(why) => Message::encode(Kind::Unable, 0, &[why.into_bytes()]),
                };
                if back.send(message).is_err() {
                    break;
                }
            }
        });
        let mut nap = Nap::new();
        let (mut heard, mut sent) = (Instant::now(), Instant::now());
        mail.post(0, &Message::of(Kind::Ready));
        loop {
            while let Some((_, message)) = mail.poll() {
                nap.reset();
                heard = Instant::now();
                let message = Message::decode(&message);
                match message.kind {
                    Kind::End if message.number == 0 => return Ok(Ending::Whole),
                    Kind::End => return Ok(Ending::Lost),
                    // If the thread has panicked, this is noticed below.
                    Kind::Piece => drop(hand.send(message)),
                    _ => {}
                }
            }
            match done.try_recv() {
                Ok(message) => {
                    nap.reset();
                    sent = Instant::now();
                    mail.post(0, &message);
                }
                Err(TryRecvError::Empty) => {}
                // The thread panicked, and the end of the scope passes that on.
                Err(TryRecvError::Disconnected) => return Err(LeaderLost),
            }
            if sent.elapsed() > options.patience / 8 {
                sent = Instant::now();
                mail.post(0, &Message::of(Kind::Alive));
            }
            if heard.elapsed() > options.patience {
                return Err(LeaderLost);
            }
            nap.sleep();
        }
    })
}

/// The pause between two polls: short after a message, then longer, as others need the core.
struct Nap(Duration);

impl Nap {
    const SHORTEST: Duration = Duration::from_micros(20);

    fn new() -> Nap {
        Nap(Nap::SHORTEST)
    }

    fn reset(&mut self) {
        *self = Nap::new();
    }

    fn sleep(&mut self) {
        thread::sleep(self.0);
        self.0 = (self.0 * 2).min(Duration::from_millis(1));
    }
}
