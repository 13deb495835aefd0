//! What the leader of a farm knows: which rank has which piece, and which pieces are done.

use super::{Ending, Items};
use std::collections::BTreeMap;

/// The smallest and the largest number of items in a piece.
const ITEMS: (usize, usize) = (8, 256);

/// The size in bytes from which a piece takes no further item.
const BYTES: usize = 64 << 10;

/// The leader's state.
pub(super) struct Desk<I> {
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
pub(super) enum Rank {
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
    pub fn new(ranks: usize, total: usize, items: I) -> Desk<I> {
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
    pub fn enter(&mut self, rank: usize) {
        if self.ranks[rank] == Rank::Absent {
            self.ranks[rank] = Rank::Idle;
        }
    }

    /// Whether a rank was lost and gets no message any more: on another host, MPI may wait for a connection with a dead one
    /// for ever.
    pub fn is_silent(&self, rank: usize) -> bool {
        self.ranks[rank] == Rank::Silent
    }

    /// A rank has done its piece. Results of a lost rank are dropped.
    pub fn finish(&mut self, rank: usize, number: usize, results: Items) {
        let state = &mut self.ranks[rank];
        match std::mem::replace(state, Rank::Idle) {
            Rank::Busy(of, items) if of == number && items.len() == results.len() => {
                self.done.insert(number, (items, results));
            }
            other => *state = other,
        }
    }

    /// Marks a rank as lost in this way. Returns its items, unless it was lost before.
    pub fn lose(&mut self, rank: usize, way: Rank) -> Option<Items> {
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
    pub fn hand_out(&mut self) -> Vec<(usize, usize, Items)> {
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
    pub fn in_order(&mut self) -> Vec<(Items, Items)> {
        let mut ready = vec![];
        while let Some(piece) = self.done.remove(&self.due) {
            ready.push(piece);
            self.due += 1;
        }
        ready
    }

    /// All other finished pieces, by their numbers.
    pub fn out_of_order(&mut self) -> impl Iterator<Item = (Items, Items)> {
        std::mem::take(&mut self.done).into_values()
    }

    /// Whether every item has its result.
    pub fn is_done(&self) -> bool {
        self.dry && self.due == self.pieces
    }

    /// The items without a result.
    pub fn unfinished(&mut self) -> Items {
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
    pub fn others(&self) -> impl Iterator<Item = usize> {
        (1..self.ranks.len()).filter(|&rank| !self.is_silent(rank))
    }

    pub fn ending(&self) -> Ending {
        match self.ranks.iter().any(Rank::is_lost) {
            true => Ending::Lost,
            false => Ending::Whole,
        }
    }
}
