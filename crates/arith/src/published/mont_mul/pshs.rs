//! Separated hybrid scanning: blocks of columns go round the ranks. Within a block the product comes first, then the
//! reduction, both by operand scanning.
//!
//! Z. Chen, P. Schaumont, "A parallel implementation of Montgomery multiplication on multicore systems: algorithm,
//! analysis, and prototype", IEEE Transactions on Computers 60(12), 2011; Khalifa, The Performance of Cryptographic
//! Algorithms in the Age of Parallel Computing, Heriot-Watt University 2011, list 23.
//!
//! The columns 0 to s - 1 are cut like the words, and those above once more in the same way: of p ranks, rank i has the
//! blocks i and p + i. A block of the lower half yields the quotient digits of its columns. They go from rank to rank
//! to the p - 1 blocks that follow; a rank knows all earlier ones from its lower block. Two words of carry follow them,
//! from each block to the next.

use super::messages::{add_words, addmul, gather, recv, send};
use super::{Operands, Words, bounds};
use carrysave_kernels::mpn::word::mul_low;
use carrysave_team::{SharedWord, messages::Comm};
use core::ops::Range;
use zeroize::Zeroizing;

pub(super) fn pshs<W: SharedWord>(comm: &dyn Comm, x: &Operands<W>) -> Words<W> {
    let s = x.len();
    let bounds = bounds(s, comm.size());
    let (rank, p) = (comm.rank(), bounds.len() - 1);
    if rank >= p {
        return gather(comm, &bounds, &[], W::ZERO);
    }
    let mut m = Zeroizing::new(vec![W::ZERO; s]);
    let width = bounds[rank + 1] - bounds[rank];
    // The columns of a block, and its carry.
    let mut t = Zeroizing::new(vec![W::ZERO; width + 2]);
    for block in [rank, p + rank] {
        let carried = [t[width], t[width + 1]];
        t.fill(W::ZERO);
        scan(&mut t, block, &bounds, comm, x, &mut m, carried);
    }
    gather(comm, &bounds, &t[..width], t[width])
}

/// Computes a block, including its messages. `carried` is the carry of the block below, if this rank has that block,
/// too.
fn scan<W: SharedWord>(
    t: &mut [W],
    block: usize,
    bounds: &[usize],
    comm: &dyn Comm,
    x: &Operands<W>,
    m: &mut [W],
    mut carried: [W; 2],
) {
    let (s, p) = (x.len(), bounds.len() - 1);
    let (next, previous) = ((block + 1) % p, (block + p - 1) % p);
    let width = t.len() - 2;
    let start = bounds[block % p] + block / p * s;
    // The rows that meet the columns, and the parts that do.
    let rows = (start + 1).saturating_sub(s)..(start + width).min(s);
    let meet = |i: usize| -> (usize, Range<usize>) {
        (
            i.saturating_sub(start),
            start.saturating_sub(i)..(start + width - i).min(s),
        )
    };
    for i in rows.clone() {
        let (at, columns) = meet(i);
        addmul(&mut t[at..], &x.a[columns], x.b[i]);
    }
    for (home, part) in bounds.windows(2).enumerate() {
        let found_here = home == block;
        if found_here && block > 0 {
            add_carried(t, &mut carried, comm, previous, p);
        }
        for i in part[0].max(rows.start)..part[1].min(rows.end) {
            let (at, columns) = meet(i);
            if found_here {
                m[i] = mul_low(x.n0, t[at]);
            } else if home + p > block {
                recv(comm, previous, &mut m[i..=i]);
            }
            // The last block does not pass it on.
            if home + p >= block + 2 {
                send(comm, next, &m[i..=i]);
            }
            addmul(&mut t[at..], &x.n[columns], m[i]);
        }
    }
    if block >= p {
        add_carried(t, &mut carried, comm, previous, p);
    }
    if p > 1 && block + 1 < 2 * p {
        send(comm, next, &t[width..]);
    }
}

/// Adds the carry of the block below.
fn add_carried<W: SharedWord>(
    t: &mut [W],
    carried: &mut [W; 2],
    comm: &dyn Comm,
    previous: usize,
    p: usize,
) {
    if p > 1 {
        recv(comm, previous, carried);
    }
    add_words(t, carried);
}
