//! Finely integrated operand scanning; ranks that exchange messages share the columns of a row.
//!
//! Khalifa, The Performance of Cryptographic Algorithms in the Age of Parallel Computing, Heriot-Watt University 2011,
//! has the algorithm for shared memory (list 25, see [`pfios`](super::pfios)) and names this one as future work (6.5).
//! The first rank finds the quotient digit of a row and sends it to all. After a block of rows each rank sends the
//! words that it has left behind to the rank below. The carries of its own columns stay above them until the columns
//! have moved there. So carries pass from rank to rank only once, at the end.

use super::messages::{add_words, broadcast, gather, recv, send};
use super::{Operands, Words, bounds, column};
use carrysave_kernels::mpn::word::{add, mul_low};
use carrysave_team::{SharedWord, messages::Comm};
use zeroize::Zeroizing;

pub(super) fn pfios_messages<W: SharedWord>(comm: &dyn Comm, x: &Operands<W>) -> Words<W> {
    let s = x.len();
    let bounds = bounds(s, comm.size());
    let (rank, p) = (comm.rank(), bounds.len() - 1);
    let block = s / p;
    let columns = match rank < p {
        true => bounds[rank]..bounds[rank + 1],
        false => 0..0,
    };
    let width = columns.len();
    let (a, n) = (&x.a[columns.clone()], &x.n[columns]);
    // The rank's columns while they move up by a block, and their carries.
    let mut t = Zeroizing::new(vec![W::ZERO; width + block + 1]);
    let mut from_above = Zeroizing::new(vec![W::ZERO; block]);
    for first in (0..s).step_by(block) {
        let rows = block.min(s - first);
        for (row, &b) in x.b[first..][..rows].iter().enumerate() {
            let mut m = [mul_low(add(t[row], mul_low(x.a[0], b)).0, x.n0)];
            broadcast(comm, 0, &mut m);
            let mut carry = W::ZERO.wide();
            for ((t, &a), &n) in t[row..].iter_mut().zip(a).zip(n) {
                (*t, carry) = column(a, b, m[0], n, *t, carry);
            }
            let (low, high) = W::split(carry);
            add_words(&mut t[row + width..][..2], &[low, high]);
        }
        if (1..p).contains(&rank) {
            send(comm, rank - 1, &t[..rows]);
        }
        if rank + 1 < p {
            recv(comm, rank + 1, &mut from_above[..rows]);
            add_words(&mut t[width..], &from_above[..rows]);
        }
        t.copy_within(rows.., 0);
        let moved = t.len() - rows;
        t[moved..].fill(W::ZERO);
    }
    if (1..p).contains(&rank) {
        let mut carried = [W::ZERO];
        recv(comm, rank - 1, &mut carried);
        add_words(&mut t[..=width], &carried);
    }
    if rank + 1 < p {
        send(comm, rank + 1, &t[width..=width]);
    }
    gather(comm, &bounds, &t[..width], t[width])
}
