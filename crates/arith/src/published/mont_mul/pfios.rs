//! Finely integrated operand scanning; the threads share the columns of a row, without a barrier for each row.
//!
//! Khalifa, The Performance of Cryptographic Algorithms in the Age of Parallel Computing, Heriot-Watt University 2011,
//! list 25. The carries of a thread's columns are deferred for a block of rows, as many as the narrowest thread has
//! columns. Then, between two barriers, the first thread adds them. Within a block, the quotient digit of a row needs
//! only the first thread's lowest column, which that thread publishes with the row's index.
//!
//! Map, for a thread whose columns begin at c and that has w of them, in a block of h rows: its segment of w + h words
//! begins at the column c; in row i of the block it adds to the words i to i + w - 1 and stores the carry into word i +
//! w separately. After the block the words 0 to h - 1 are final; they overlap the last columns of the thread below.

use super::{Operands, Words, bounds, column};
use carrysave_kernels::mpn::word::{add, mul_low};
use carrysave_team::{Overhead, SharedWord, SharedWords, Team};
use core::sync::atomic::{AtomicUsize, Ordering::*};
use zeroize::Zeroizing;

pub(super) fn pfios<W: SharedWord>(team: &dyn Team, x: &Operands<W>) -> Words<W> {
    let s = x.len();
    let bounds = bounds(s, team.size());
    let p = bounds.len() - 1;
    let block = s / p;
    let shared = State {
        bounds: &bounds,
        block,
        t: SharedWords::new(s + p * block),
        carries: [SharedWords::new(p * block), SharedWords::new(p * block)],
    };
    // The lowest column before each row, and the number of rows for which it is known.
    let lowest = SharedWords::<W>::new(s + 1);
    let known = AtomicUsize::new(0);
    team.run(&|member| {
        let rank = member.rank();
        for first in (0..s).step_by(block) {
            let rows = block.min(s - first);
            for row in (0..rows).filter(|_| rank < p) {
                let i = first + row;
                member.wait_until(|| known.load(Acquire) >= i);
                let m = mul_low(add(lowest.get(i), mul_low(x.a[0], x.b[i])).0, x.n0);
                let next = shared.row(x, rank, row, x.b[i], m);
                if rank == 0 && row + 1 < rows {
                    lowest.set(i + 1, next);
                    known.store(i + 1, Release);
                }
            }
            member.barrier();
            if rank == 0 {
                member.overhead(Overhead::Carrying, &mut || shared.carry(rows));
                lowest.set(first + rows, shared.t.get(0));
                known.store(first + rows, Release);
            }
            member.barrier();
        }
    });
    shared.result()
}

/// The shared state of the threads.
struct State<'a, W: SharedWord> {
    bounds: &'a [usize],
    /// Rows of a block.
    block: usize,
    /// The segments, one after the other.
    t: SharedWords<W>,
    /// The carries of a block's rows, low and high words, for each thread.
    carries: [SharedWords<W>; 2],
}

impl<W: SharedWord> State<'_, W> {
    /// Where a thread's segment begins.
    fn segment(&self, rank: usize) -> usize {
        self.bounds[rank] + rank * self.block
    }

    /// One thread's columns of a row of a block; returns its lowest column in the next row.
    fn row(&self, x: &Operands<W>, rank: usize, row: usize, b: W, m: W) -> W {
        let columns = self.bounds[rank]..self.bounds[rank + 1];
        let (a, n) = (&x.a[columns.clone()], &x.n[columns]);
        let at = self.segment(rank) + row;
        let mut carry = W::ZERO.wide();
        for ((cell, &a), &n) in self.t.words()[at..][..a.len()].iter().zip(a).zip(n) {
            let sum;
            (sum, carry) = column(a, b, m, n, W::load(cell), carry);
            sum.store(cell);
        }
        let (low, high) = W::split(carry);
        self.carries[0].set(rank * self.block + row, low);
        self.carries[1].set(rank * self.block + row, high);
        self.t.get(at + 1)
    }

    /// Adds the deferred carries of a block of `rows` rows, and moves the columns down by as many words.
    fn carry(&self, rows: usize) {
        let mut carry = W::ZERO.wide();
        for (rank, columns) in self.bounds.windows(2).enumerate() {
            let width = columns[1] - columns[0];
            let (own, above) = (self.segment(rank), self.segment(rank) + width + self.block);
            for j in 0..width {
                let mut sum = self.t.get(own + rows + j).wide() + carry;
                let mut high = W::ZERO;
                // The last columns receive the carries of the rows, and the words that the thread above has left
                // behind.
                if j + rows >= width {
                    let row = j + rows - width;
                    sum = sum + self.carries[0].get(rank * self.block + row).wide();
                    high = self.carries[1].get(rank * self.block + row);
                    if rank + 2 < self.bounds.len() {
                        sum = sum + self.t.get(above + row).wide();
                    }
                }
                let (low, over) = W::split(sum);
                self.t.set(own + j, low);
                carry = over.wide() + high.wide();
            }
            (own + width..above).for_each(|at| self.t.set(at, W::ZERO));
        }
        // Above the columns of all threads.
        let last = self.bounds.len() - 2;
        let width = self.bounds[last + 1] - self.bounds[last];
        self.t.set(self.segment(last) + width, W::split(carry).0);
    }

    /// The columns of all threads, and the word above.
    fn result(&self) -> Words<W> {
        let s = self.bounds[self.bounds.len() - 1];
        let mut r = Zeroizing::new(vec![W::ZERO; s + 1]);
        for (rank, columns) in self.bounds.windows(2).enumerate() {
            // The word above a thread's columns is zero, except the last thread's.
            self.t
                .read(self.segment(rank), &mut r[columns[0]..=columns[1]]);
        }
        r
    }
}
