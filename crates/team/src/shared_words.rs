//! Memory that the members of a team share.

use crate::sync::{AtomicU32, AtomicU64};
use carrysave_kernels::{
    Limb,
    mpn::{CopyShared, word::Word},
};
use core::fmt;
use core::sync::atomic::Ordering::Relaxed;
use zeroize::Zeroize;

/// A word that threads can share: a limb or half a limb.
pub trait SharedWord: Word + Zeroize + Send + Sync {
    /// The bits of the word.
    const BITS: u32;
    /// The atomic that holds one.
    type Cell: Default + Send + Sync;
    /// Reads a place with relaxed ordering.
    fn load(cell: &Self::Cell) -> Self;
    /// Writes to a place with relaxed ordering.
    fn store(self, cell: &Self::Cell);
    /// Wipes a place.
    fn wipe(cell: &mut Self::Cell);
}

macro_rules! share {
    ($word:ty, $cell:ty) => {
        impl SharedWord for $word {
            const BITS: u32 = <$word>::BITS;
            type Cell = $cell;
            #[inline(always)]
            fn load(cell: &$cell) -> $word {
                cell.load(Relaxed)
            }
            #[inline(always)]
            fn store(self, cell: &$cell) {
                cell.store(self, Relaxed);
            }
            fn wipe(cell: &mut $cell) {
                #[cfg(not(loom))]
                cell.get_mut().zeroize();
                #[cfg(loom)]
                cell.with_mut(Zeroize::zeroize);
            }
        }
    };
}

share!(u32, AtomicU32);
share!(Limb, AtomicU64);

/// Words that the members of a team share, wiped when dropped.
///
/// Reads and writes are relaxed: a barrier, or a release and an acquire of another atomic, must order them. A word that
/// is read while it is written is old or new.
pub struct SharedWords<W: SharedWord = Limb> {
    /// The words, with padding around them.
    cells: Box<[W::Cell]>,
    from: usize,
    words: usize,
}

/// Bytes of two cache lines, which processors fetch in pairs.
const LINES: usize = 128;

impl<W: SharedWord> SharedWords<W> {
    /// `words` zeros, on cache lines of their own.
    pub fn new(words: usize) -> SharedWords<W> {
        let pair = LINES / size_of::<W::Cell>().min(LINES);
        let all = words.next_multiple_of(pair) + pair;
        let cells: Box<[W::Cell]> = (0..all).map(|_| W::Cell::default()).collect();
        let from = cells.as_ptr().align_offset(LINES).min(pair);
        SharedWords { cells, from, words }
    }

    /// The words themselves.
    pub fn words(&self) -> &[W::Cell] {
        &self.cells[self.from..][..self.words]
    }

    /// Reads a word.
    ///
    /// # Panics
    /// If `at` is out of range.
    #[inline(always)]
    pub fn get(&self, at: usize) -> W {
        W::load(&self.words()[at])
    }

    /// Writes a word.
    ///
    /// # Panics
    /// If `at` is out of range.
    #[inline(always)]
    pub fn set(&self, at: usize, word: W) {
        word.store(&self.words()[at]);
    }

    /// Writes `words` from `at` on.
    ///
    /// # Panics
    /// If they do not fit.
    pub fn write(&self, at: usize, words: &[W]) {
        for (to, &word) in self.words()[at..][..words.len()].iter().zip(words) {
            word.store(to);
        }
    }

    /// Reads `words` from `at` on.
    ///
    /// # Panics
    /// If there are fewer.
    pub fn read(&self, at: usize, words: &mut [W]) {
        let len = words.len();
        for (word, from) in words.iter_mut().zip(&self.words()[at..][..len]) {
            *word = W::load(from);
        }
    }
}

impl SharedWords {
    /// [`SharedWords::write`], by a kernel.
    ///
    /// # Panics
    /// If they do not fit, or are none.
    pub fn write_by(&self, copy: CopyShared, at: usize, words: &[Limb]) {
        #[cfg(not(loom))]
        copy.write(&self.words()[at..][..words.len()], words);
        #[cfg(loom)]
        let _ = (copy, self.write(at, words));
    }

    /// Prefetches all of it, as it is written to soon.
    pub fn expect_write(&self, copy: CopyShared) {
        #[cfg(not(loom))]
        copy.expect_write(self.words());
        #[cfg(loom)]
        let _ = copy;
    }

    /// [`SharedWords::read`], by a kernel.
    ///
    /// # Panics
    /// If there are fewer, or `words` is empty.
    pub fn read_by(&self, copy: CopyShared, at: usize, words: &mut [Limb]) {
        #[cfg(not(loom))]
        copy.read(words, &self.words()[at..][..words.len()]);
        #[cfg(loom)]
        let _ = (copy, self.read(at, words));
    }
}

impl<W: SharedWord> fmt::Debug for SharedWords<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SharedWords({} words)", self.words)
    }
}

impl<W: SharedWord> Drop for SharedWords<W> {
    fn drop(&mut self) {
        self.cells.iter_mut().for_each(W::wipe);
    }
}
