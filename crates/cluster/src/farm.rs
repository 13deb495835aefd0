//! A task farm: rank 0 hands out work to all ranks, itself included, piece by piece.
//!
//! An item and its result are bytes. A piece is some consecutive items, fewer towards the end, so that ranks of any
//! speed end together. On each rank one thread works and the calling thread exchanges messages, also while the other
//! works. A rank that sends nothing for some time is lost, and others do its piece.

use std::collections::BTreeMap;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, TryRecvError};
use std::thread;
use std::time::{Duration, Instant};

/// The smallest and the largest number of items in a piece.
const ITEMS: (usize, usize) = (8, 256);

/// The size in bytes from which a piece takes no further item.
const BYTES: usize = 64 << 10;

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
    /// An item's result. Items come in order.
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
        desk.enter(0);
        loop {
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
                // The thread panicked, and the end of the scope passes that on.
                Err(TryRecvError::Disconnected) => return Ok(()),
            }
            for (items, results) in desk.in_order() {
                for (item, result) in items.iter().zip(&results) {
                    report(Event::Result(item, result))?;
                }
            }
            for (rank, heard) in heard.iter().enumerate().skip(1) {
                if heard.elapsed() > options.patience
                    && let Some(items) = desk.lose(rank, Rank::Silent)
                {
                    let why = format!("not heard of for {} s", options.patience.as_secs());
                    report(Event::Lost(rank, &why, &items))?;
                }
            }
            if desk.is_done() {
                return Ok(());
            }
            if options.stop.load(Ordering::Relaxed) {
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
        }
    });
    let ending = desk.ending();
    end(mail, desk.others(), ending);
    (result, ending)
}

/// What rank 0 does before it leads, however long it takes: the others hear meanwhile that it lives.
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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// From a follower that is ready.
    Ready,
    /// To a follower: items. The number is the index of the piece.
    Piece,
    /// From a follower: the results of a piece.
    Done,
    /// From a follower: a sign of life; also the reply to it.
    Alive,
    /// From a follower that cannot work: the reason.
    Unable,
    /// To a follower: the farm has ended. The number is 1 if a rank was lost.
    End,
}

const KINDS: [Kind; 6] = [
    Kind::Ready,
    Kind::Piece,
    Kind::Done,
    Kind::Alive,
    Kind::Unable,
    Kind::End,
];

/// One byte for the kind, eight for the number, and for each item eight for its length and the item.
struct Message {
    kind: Kind,
    number: usize,
    items: Items,
}

impl Message {
    fn of(kind: Kind) -> Vec<u8> {
        Message::encode(kind, 0, &[])
    }

    fn encode(kind: Kind, number: usize, items: &[Vec<u8>]) -> Vec<u8> {
        let mut bytes = vec![kind as u8];
        bytes.extend((number as u64).to_le_bytes());
        for item in items {
            bytes.extend((item.len() as u64).to_le_bytes());
            bytes.extend(item);
        }
        bytes
    }

    fn decode(bytes: &[u8]) -> Message {
        let (&kind, rest) = bytes.split_first().expect("a kind");
        let (number, mut rest) = rest.split_first_chunk().expect("a number");
        let mut message = Message {
            kind: KINDS[usize::from(kind)],
            number: u64::from_le_bytes(*number) as usize,
            items: vec![],
        };
        while !rest.is_empty() {
            let (len, after) = rest.split_first_chunk().expect("a length");
            let (item, after) = after.split_at(u64::from_le_bytes(*len) as usize);
            message.items.push(item.to_vec());
            rest = after;
        }
        message
    }
}

/// The leader's state: which rank has which piece, and which pieces are done.
struct Desk<I> {
    /// The remaining items, whether there are any, and their approximate number.
    fresh: I,
    dry: bool,
    left: usize,
    /// The number of pieces so far.
    pieces: usize,
    /// Pieces whose rank was lost.
    again: BTreeMap<usize, Items>,
    /// Finished pieces with their results, from `due` on.
    done: BTreeMap<usize, (Items, Items)>,
    /// The first piece whose results were not returned yet.
    due: usize,
    ranks: Vec<Rank>,
}

#[derive(Debug, PartialEq)]
enum Rank {
    /// No message yet.
    Absent,
    Idle,
    Busy(usize, Items),
    /// Lost, but for messages.
    Unable,
    /// Lost altogether.
    Silent,
}

impl Rank {
    fn is_lost(&self) -> bool {
        matches!(self, Rank::Unable | Rank::Silent)
    }
}

impl<I: Iterator<Item = Vec<u8>>> Desk<I> {
    fn new(ranks: usize, total: usize, items: I) -> Desk<I> {
        Desk {
            fresh: items,
            dry: false,
            left: total,
            pieces: 0,
            again: BTreeMap::new(),
            done: BTreeMap::new(),
            due: 0,
            ranks: (0..ranks).map(|_| Rank::Absent).collect(),
        }
    }

    /// A rank is ready, unless it was lost before.
    fn enter(&mut self, rank: usize) {
        if self.ranks[rank] == Rank::Absent {
            self.ranks[rank] = Rank::Idle;
        }
    }

    /// A rank has done its piece. Results of a lost rank are dropped.
    fn finish(&mut self, rank: usize, number: usize, results: Items) {
        let state = &mut self.ranks[rank];
        match std::mem::replace(state, Rank::Idle) {
            Rank::Busy(of, items) if of == number && items.len() == results.len() => {
                self.done.insert(number, (items, results));
            }
            other => *state = other,
        }
    }

    /// Marks a rank as lost in this way. Returns its items, unless it was lost before.
    fn lose(&mut self, rank: usize, way: Rank) -> Option<Items> {
        match std::mem::replace(&mut self.ranks[rank], way) {
            Rank::Unable | Rank::Silent => None,
            Rank::Busy(number, items) => {
                self.again.insert(number, items.clone());
                Some(items)
            }
            Rank::Absent | Rank::Idle => Some(vec![]),
        }
    }

    /// A piece for each idle rank, while there are any.
    fn hand_out(&mut self) -> Vec<(usize, usize, Items)> {
        let mut handed = vec![];
        for rank in 0..self.ranks.len() {
            if self.ranks[rank] != Rank::Idle {
                continue;
            }
            let Some((number, items)) = self.next() else {
                break;
            };
            self.ranks[rank] = Rank::Busy(number, items.clone());
            handed.push((rank, number, items));
        }
        handed
    }

    /// The next piece.
    fn next(&mut self) -> Option<(usize, Items)> {
        if let Some(piece) = self.again.pop_first() {
            return Some(piece);
        }
        let ranks = self.ranks.iter().filter(|rank| !rank.is_lost());
        let most = (self.left / (4 * ranks.count())).clamp(ITEMS.0, ITEMS.1);
        let (mut items, mut bytes) = (vec![], 0);
        while items.len() < most && bytes < BYTES && !self.dry {
            match self.fresh.next() {
                Some(item) => {
                    bytes += item.len();
                    items.push(item);
                }
                None => self.dry = true,
            }
        }
        if items.is_empty() {
            return None;
        }
        self.left = self.left.saturating_sub(items.len());
        self.pieces += 1;
        Some((self.pieces - 1, items))
    }

    /// The finished pieces that are next in order.
    fn in_order(&mut self) -> Vec<(Items, Items)> {
        let mut ready = vec![];
        while let Some(piece) = self.done.remove(&self.due) {
            ready.push(piece);
            self.due += 1;
        }
        ready
    }

    /// Whether every item has its result.
    fn is_done(&self) -> bool {
        self.dry && self.due == self.pieces
    }

    /// The items without a result.
    fn unfinished(&mut self) -> Items {
        let mut pieces = std::mem::take(&mut self.again);
        for rank in &mut self.ranks {
            if let Rank::Busy(number, items) = std::mem::replace(rank, Rank::Idle) {
                pieces.insert(number, items);
            }
        }
        let pieces = pieces.into_values().flatten();
        pieces.chain(self.fresh.by_ref()).collect()
    }

    /// The ranks but for rank 0 and those that are silent.
    ///
    /// Those get no message any more: on another host, MPI may wait for a connection with a dead one for ever.
    fn others(&self) -> impl Iterator<Item = usize> {
        let ranks = self.ranks.iter().enumerate().skip(1);
        ranks
            .filter(|(_, state)| **state != Rank::Silent)
            .map(|(rank, _)| rank)
    }

    fn ending(&self) -> Ending {
        match self.ranks.iter().any(Rank::is_lost) {
            true => Ending::Lost,
            false => Ending::Whole,
        }
    }
}
