//! Words that begin at a cache line.

use carrysave_kernels::{Limb, zeros};
use zeroize::Zeroizing;

/// Words of a cache line.
pub(crate) const LINE: usize = 8;

/// The number of words before the first cache line.
pub(crate) fn to_line(words: &[Limb]) -> usize {
    words.as_ptr().align_offset(LINE * size_of::<Limb>()) % LINE
}

/// Rows of n words, the first aligned to a cache line, wiped when dropped.
#[derive(Clone)]
pub(crate) struct Rows {
    words: Zeroizing<Vec<Limb>>,
    start: usize,
    n: usize,
}

impl Rows {
    pub(crate) fn new(rows: usize, n: usize) -> Rows {
        let words = Zeroizing::new(zeros(rows * n + LINE));
        let start = to_line(&words);
        Rows { words, start, n }
    }

    #[inline]
    pub(crate) fn row(&self, i: usize) -> &[Limb] {
        &self.words[self.start + i * self.n..][..self.n]
    }

    pub(crate) fn row_mut(&mut self, i: usize) -> &mut [Limb] {
        &mut self.words[self.start + i * self.n..][..self.n]
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut [Limb]> {
        self.words[self.start..].chunks_exact_mut(self.n)
    }
}
