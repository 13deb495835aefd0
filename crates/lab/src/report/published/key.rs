//! The row of a record that stands beside a figure.

use super::Standing;
use crate::record::{Row, Size};
use carrysave_measure::thesis;

/// Which row.
#[derive(Clone, Debug, PartialEq)]
pub struct Key {
    /// Its experiment.
    pub experiment: &'static str,
    /// Its operation.
    pub operation: String,
    /// Its size.
    pub size: Size,
    /// Its implementation.
    pub implementation: String,
    /// Its threads.
    pub threads: On,
    /// What it does otherwise than the source, which the page says beside it.
    pub but: Option<&'static str>,
    /// Whether it is of the threads of one core, which not every machine has.
    pub siblings: bool,
    /// The row in its place where it is in no record.
    pub instead: Option<Box<Key>>,
    /// Why it may be in no record even of those that have its experiment.
    pub absent: Option<&'static str>,
    /// The implementation in its race whose time is subtracted: what measuring takes.
    pub less: Option<&'static str>,
    /// On how many threads others are in its race, where every race of its operation has such a row.
    pub beside: Option<On>,
}

/// On how many threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum On {
    /// As many as there is a row of, at most.
    Most,
    /// So many.
    Exactly(usize),
    /// So many, or as many below as there is a row of.
    UpTo(usize),
}

/// How ours stands beside a figure that is zero as published.
const UNRESOLVED: &str = "the published figure is below its own resolution";

impl Key {
    /// The row, or the one in its place, if either is there.
    pub fn find<'r>(&self, rows: &[&'r Row]) -> Option<&'r Row> {
        self.answer(rows).map(|(_, row)| row)
    }

    /// This row, or else another after those that stand in its place already.
    pub(super) fn or(self, other: Key) -> Key {
        let last = match self.instead {
            Some(instead) => instead.or(other),
            None => other,
        };
        Key {
            instead: Some(Box::new(last)),
            ..self
        }
    }

    /// The row whose time is subtracted.
    pub(super) fn subtracted<'r>(&self, rows: &[&'r Row]) -> Option<&'r Row> {
        let name = self.less?;
        let mut same = rows.iter().filter(|row| self.is_of(row));
        same.find(|row| row.implementation == name).copied()
    }

    /// The row, and the one whose time is subtracted, if there is one.
    pub(super) fn measured<'r>(&self, rows: &[&'r Row]) -> Vec<&'r Row> {
        let Some((key, row)) = self.answer(rows) else {
            return vec![];
        };
        let subtracted = key.subtracted(rows);
        [Some(row), subtracted].into_iter().flatten().collect()
    }

    /// Whether a row is of its operation.
    fn is_of(&self, row: &Row) -> bool {
        row.experiment == self.experiment
            && row.operation == self.operation
            && row.size() == Some(self.size)
    }

    /// Whether a row is of its implementation, on as many threads.
    fn takes(&self, row: &Row) -> bool {
        row.implementation == self.implementation && self.threads.takes(row.threads)
    }

    /// The row of the race in which others are on so many threads: contenders of one race are compared, and those of
    /// several are not. It comes before theirs.
    fn in_race<'r>(&self, rows: &[&'r Row], others: On) -> Option<&'r Row> {
        let same = || rows.iter().copied().filter(|row| self.is_of(row));
        let others = same().filter(|row| !self.takes(row) && others.takes(row.threads));
        let most = others.map(|row| row.threads).max()?;
        let before = same().take_while(|row| self.takes(row) || row.threads != most);
        before.filter(|row| self.takes(row)).last()
    }

    /// Which of the two it is, and the row.
    pub(super) fn answer<'r>(&self, rows: &[&'r Row]) -> Option<(&Key, &'r Row)> {
        let all = rows.iter().copied();
        let any = all
            .filter(|row| self.is_of(row) && self.takes(row))
            .max_by_key(|row| row.threads);
        let own = self.beside.and_then(|others| self.in_race(rows, others));
        let own = own.or(any);
        let complete = self.less.is_none() || self.subtracted(rows).is_some();
        match own.filter(|_| complete) {
            Some(row) => Some((self, row)),
            None => self.instead.as_ref()?.answer(rows),
        }
    }

    /// How a row stands beside a figure.
    pub(super) fn standing(&self, row: &Row, published: f64) -> Standing {
        let fewer = match self.threads {
            On::UpTo(most) if row.threads < most => {
                let all = match row.experiment == thesis::RANKS {
                    true => "ranks",
                    false => "threads",
                };
                Some(format!(
                    "{} {all}, as the machine has no more cores, and {most} in the source",
                    row.threads
                ))
            }
            _ => None,
        };
        let unresolved = (published == 0.0).then(|| UNRESOLVED.to_owned());
        let but = self.but.map(str::to_owned);
        let conditions: Vec<String> = [but, fewer, unresolved].into_iter().flatten().collect();
        match &conditions[..] {
            [] => Standing::Same,
            conditions => Standing::Other(conditions.join("; ")),
        }
    }
}

impl On {
    fn takes(self, threads: usize) -> bool {
        match self {
            On::Most => true,
            On::Exactly(number) => threads == number,
            On::UpTo(most) => threads <= most,
        }
    }
}
