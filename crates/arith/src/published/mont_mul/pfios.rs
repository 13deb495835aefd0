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
//!
//! Several products with one factor in common take each row together, and wait as often as one alone. A pair, r s and
//! s^2, is the step of exponentiation from the right by a common multiplicand (section 6.5.1, as future work).

use super::{Operands, Words, bounds, column};
use carrysave_kernels::mpn::word::{add, mul_low};
use carrysave_team::{Overhead, SharedWord, SharedWords, Team};
use core::array;
use core::sync::atomic::{AtomicUsize, Ordering::*};
use zeroize::Zeroizing;

pub(super) fn pfios<W: SharedWord>(team: &dyn Team, x: &Operands<W>) -> Words<W> {
    let [product] = by_each(team, x, [&x.b]);
    product
}

/// The product, and the square of its first factor.
pub(super) fn pair<W: SharedWord>(team: &dyn Team, x: &Operands<W>) -> [Words<W>; 2] {
    by_each(team, x, [&x.b, &x.a])
}

/// The products of the first factor and each of these.
fn by_each<W: SharedWord, const N: usize>(
    team: &dyn Team,
    x: &Operands<W>,
    factors: [&[W]; N],
) -> [Words<W>; N] {
    let s = x.len();
    let bounds = bounds(s, team.size());
    let p = bounds.len() - 1;
    let block = s / p;
    let shared = State {
        bounds: &bounds,
        block,
        sums: array::from_fn(|_| Sum {
            t: SharedWords::new(s + p * block),
            carries: [SharedWords::new(p * block), SharedWords::new(p * block)],
        }),
    };
    // The lowest columns before each row, and the number of rows for which they are known.
    let lowest: [_; N] = array::from_fn(|_| SharedWords::<W>::new(s + 1));
    let known = AtomicUsize::new(0);
    team.run(&|member| {
        let rank = member.rank();
        for first in (0..s).step_by(block) {
            let rows = block.min(s - first);
            for row in (0..rows).filter(|_| rank < p) {
                let i = first + row;
                member.wait_until(|| known.load(Acquire) >= i);
                let b = factors.map(|factor| factor[i]);
                let m = array::from_fn(|j| {
                    mul_low(add(lowest[j].get(i), mul_low(x.a[0], b[j])).0, x.n0)
                });
                let next = shared.row(x, rank, row, b, m);
                if rank == 0 && row + 1 < rows {
                    let each = lowest.iter().zip(next);
                    each.for_each(|(lowest, next)| lowest.set(i + 1, next));
                    known.store(i + 1, Release);
                }
            }
            member.barrier();
            if rank == 0 {
                member.overhead(Overhead::Carrying, &mut || shared.carry(rows));
                let each = lowest.iter().zip(&shared.sums);
                each.for_each(|(lowest, sum)| lowest.set(first + rows, sum.t.get(0)));
                known.store(first + rows, Release);
            }
            member.barrier();
        }
    });
    array::from_fn(|j| shared.result(&shared.sums[j]))
}

/// The shared state of the threads.
struct State<'a, W: SharedWord, const N: usize> {
    bounds: &'a [usize],
    /// Rows of a block.
    block: usize,
    /// A sum for each product.
    sums: [Sum<W>; N],
}

/// A sum in the making.
struct Sum<W: SharedWord> {
    /// The segments, one after the other.
    t: SharedWords<W>,
    /// The carries of a block's rows, low and high words, for each thread.
    carries: [SharedWords<W>; 2],
}

impl<W: SharedWord, const N: usize> State<'_, W, N> {
    /// Where a thread's segment begins.
    fn segment(&self, rank: usize) -> usize {
        self.bounds[rank] + rank * self.block
    }

    /// One thread's columns of a row of a block of each sum; returns its lowest columns in the next row.
    fn row(&self, x: &Operands<W>, rank: usize, row: usize, b: [W; N], m: [W; N]) -> [W; N] {
        let columns = self.bounds[rank]..self.bounds[rank + 1];
        let (a, n) = (&x.a[columns.clone()], &x.n[columns]);
        let at = self.segment(rank) + row;
        let cells = self
            .sums
            .each_ref()
            .map(|sum| &sum.t.words()[at..][..a.len()]);
        let mut carries = [W::ZERO.wide(); N];
        for (i, (&a, &n)) in a.iter().zip(n).enumerate() {
            for j in 0..N {
                let sum;
                (sum, carries[j]) = column(a, b[j], m[j], n, W::load(&cells[j][i]), carries[j]);
                sum.store(&cells[j][i]);
            }
        }
        for (sum, carry) in self.sums.iter().zip(carries) {
            let (low, high) = W::split(carry);
            sum.carries[0].set(rank * self.block + row, low);
            sum.carries[1].set(rank * self.block + row, high);
        }
        self.sums.each_ref().map(|sum| sum.t.get(at + 1))
    }

    /// Adds the deferred carries of a block of `rows` rows, and moves the columns down by as many words.
    fn carry(&self, rows: usize) {
        self.sums.iter().for_each(|sum| self.carry_of(sum, rows));
    }

    fn carry_of(&self, of: &Sum<W>, rows: usize) {
        let mut carry = W::ZERO.wide();
        for (rank, columns) in self.bounds.windows(2).enumerate() {
            let width = columns[1] - columns[0];
            let (own, above) = (self.segment(rank), self.segment(rank) + width + self.block);
            for j in 0..width {
                let mut sum = of.t.get(own + rows + j).wide() + carry;
                let mut high = W::ZERO;
                // The last columns receive the carries of the rows, and the words that the thread above has left
                // behind.
                if j + rows >= width {
                    let row = j + rows - width;
                    sum = sum + of.carries[0].get(rank * self.block + row).wide();
                    high = of.carries[1].get(rank * self.block + row);
                    if rank + 2 < self.bounds.len() {
                        sum = sum + of.t.get(above + row).wide();
                    }
                }
                let (low, over) = W::split(sum);
                of.t.set(own + j, low);
                carry = over.wide() + high.wide();
            }
            (own + width..above).for_each(|at| of.t.set(at, W::ZERO));
        }
        // Above the columns of all threads.
        let last = self.bounds.len() - 2;
        let width = self.bounds[last + 1] - self.bounds[last];
        of.t.set(self.segment(last) + width, W::split(carry).0);
    }

    /// The columns of all threads, and the word above.
    fn result(&self, of: &Sum<W>) -> Words<W> {
        let s = self.bounds[self.bounds.len() - 1];
        let mut r = Zeroizing::new(vec![W::ZERO; s + 1]);
        for (rank, columns) in self.bounds.windows(2).enumerate() {
            // The word above a thread's columns is zero, except the last thread's.
            of.t.read(self.segment(rank), &mut r[columns[0]..=columns[1]]);
        }
        r
    }
}
