//! Multiples of a base point in memory.

use super::multiple::BASE_DIGITS;
use crate::Limb;

/// Limbs in a cache line.
const LINE: usize = 8;
/// Limbs of which a row has a whole number: those of a vector.
const VECTOR: usize = 4;

/// For each window a row of limbs for each digit from 1 on. Tables begin at a cache line, and rows are whole vectors:
/// a vector in two lines takes twice as long to read.
pub(super) struct BaseRows {
    limbs: Vec<Limb>,
    /// Where the first line begins.
    start: usize,
    /// Limbs from a row to the next.
    width: usize,
}

impl BaseRows {
    /// The limbs that a row of `len` limbs takes.
    pub(super) const fn width(len: usize) -> usize {
        len.next_multiple_of(VECTOR)
    }

    /// Rows of `len` limbs each, a window's after those of the one before.
    pub(super) fn new(len: usize, rows: impl ExactSizeIterator<Item = Vec<Limb>>) -> Self {
        let width = Self::width(len);
        let mut limbs = vec![0; rows.len() * width + LINE];
        let start = limbs.as_ptr().align_offset(LINE * size_of::<Limb>()) % LINE;
        for (to, row) in limbs[start..].chunks_exact_mut(width).zip(rows) {
            to[..len].copy_from_slice(&row);
        }
        BaseRows {
            limbs,
            start,
            width,
        }
    }

    /// The limbs of a table.
    const fn table(&self) -> usize {
        BASE_DIGITS * self.width
    }

    /// The table of a window.
    #[inline]
    pub(super) fn window(&self, window: usize) -> &[Limb] {
        &self.limbs[self.start + self.table() * window..][..self.table()]
    }

    /// All rows.
    pub(super) fn iter(&self) -> impl Iterator<Item = &[Limb]> {
        let end = self.limbs.len() - LINE;
        self.limbs[self.start..][..end].chunks_exact(self.width)
    }

    /// Exchanges a window's rows, each for one that is so many behind.
    #[cfg(test)]
    pub(super) fn rotate(&mut self, window: usize, by: usize) {
        let (table, by) = (self.table(), by * self.width);
        self.limbs[self.start + table * window..][..table].rotate_left(by);
    }
}
