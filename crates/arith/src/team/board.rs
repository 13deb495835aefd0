//! Memory that the members of a team share.

use super::sync::{AtomicU32, AtomicU64};
use carrysave_kernels::{Limb, mpn::word::Word};
use core::fmt;
use core::sync::atomic::Ordering::Relaxed;
use zeroize::Zeroize;

/// A word that threads can share: a limb, or half of one.
pub trait Share: Word + Zeroize + Send + Sync {
    /// Its bits.
    const BITS: u32;
    /// A place in memory that holds one.
    type Cell: Default + Send + Sync;
    /// Reads a place, not ordered with anything else.
    fn load(cell: &Self::Cell) -> Self;
    /// Writes to a place, not ordered with anything else.
    fn store(self, cell: &Self::Cell);
    /// Wipes a place.
    fn wipe(cell: &mut Self::Cell);
}

macro_rules! share {
    ($word:ty, $cell:ty) => {
        impl Share for $word {
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
/// Reads and writes are not ordered by themselves: a barrier between them is, or a release and an acquire of something
/// else. Words that are read while they are written are old or new.
pub struct Board<W: Share = Limb>(Box<[W::Cell]>);

impl<W: Share> Board<W> {
    /// As many zeros.
    pub fn new(words: usize) -> Board<W> {
        Board((0..words).map(|_| W::Cell::default()).collect())
    }

    /// The words themselves.
    pub fn words(&self) -> &[W::Cell] {
        &self.0
    }

    /// A word.
    ///
    /// # Panics
    /// If there is none at that place.
    #[inline(always)]
    pub fn get(&self, at: usize) -> W {
        W::load(&self.0[at])
    }

    /// Writes a word.
    ///
    /// # Panics
    /// If there is none at that place.
    #[inline(always)]
    pub fn set(&self, at: usize, word: W) {
        word.store(&self.0[at]);
    }

    /// Writes `words` from `at` on.
    ///
    /// # Panics
    /// If they do not fit.
    pub fn write(&self, at: usize, words: &[W]) {
        for (to, &word) in self.0[at..][..words.len()].iter().zip(words) {
            word.store(to);
        }
    }

    /// Reads `words` from `at` on.
    ///
    /// # Panics
    /// If there are not so many.
    pub fn read(&self, at: usize, words: &mut [W]) {
        let len = words.len();
        for (word, from) in words.iter_mut().zip(&self.0[at..][..len]) {
            *word = W::load(from);
        }
    }
}

impl<W: Share> fmt::Debug for Board<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Board({} words)", self.0.len())
    }
}

impl<W: Share> Drop for Board<W> {
    fn drop(&mut self) {
        self.0.iter_mut().for_each(W::wipe);
    }
}
