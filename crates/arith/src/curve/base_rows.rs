//! Multiples of a base point in memory.

use super::multiple::BASE_DIGITS;
use crate::Limb;
use crate::aligned::Rows;

/// Limbs of which a row has a whole number: those of a vector.
const VECTOR: usize = 4;

/// For each window a table: a row of limbs for each digit from 1 on. The first table begins at a cache line, and with it
/// the others, as rows are whole vectors: a vector in two lines takes twice as long to read.
pub(super) struct BaseRows {
    tables: Rows,
    windows: usize,
    /// Limbs from a row to the next.
    width: usize,
}

impl BaseRows {
    /// The limbs that a row of `len` limbs takes.
    pub(super) const fn width(len: usize) -> usize {
        len.next_multiple_of(VECTOR)
    }

    /// Rows of `len` limbs each, a window's after those of the one before.
    pub(super) fn new(len: usize, rows: impl ExactSizeIterator<Item: AsRef<[Limb]>>) -> Self {
        let (windows, width) = (rows.len() / BASE_DIGITS, Self::width(len));
        let mut tables = Rows::new(windows, BASE_DIGITS * width);
        let places = tables
            .iter_mut()
            .flat_map(|table| table.chunks_exact_mut(width));
        for (to, row) in places.zip(rows) {
            to[..len].copy_from_slice(row.as_ref());
        }
        BaseRows {
            tables,
            windows,
            width,
        }
    }

    /// The table of a window.
    #[inline]
    pub(super) fn window(&self, window: usize) -> &[Limb] {
        self.tables.row(window)
    }

    /// All rows.
    pub(super) fn iter(&self) -> impl Iterator<Item = &[Limb]> {
        (0..self.windows).flat_map(|window| self.window(window).chunks_exact(self.width))
    }

    /// Exchanges a window's rows, each for one that is so many behind.
    #[cfg(test)]
    pub(super) fn rotate(&mut self, window: usize, by: usize) {
        let table = self.tables.iter_mut().nth(window).expect("a window");
        table.rotate_left(by * self.width);
    }
}
