//! Finely integrated operand scanning; the threads share the columns of a row. There is a barrier before and after the
//! columns of each row, and one thread at a time adds its carries.
//!
//! Khalifa, The Performance of Cryptographic Algorithms in the Age of Parallel Computing, Heriot-Watt University 2011,
//! list 22. The quotient digit of a row is found before the barrier, while others may still add carries of the row
//! before. Those go to columns that it does not need, as the first thread has at least two columns.

use super::{Operands, Words, bounds, column};
use carrysave_kernels::mpn::word::{add, mul_low};
use carrysave_team::{Overhead, SharedWord, SharedWords, Team};
use std::sync::{Mutex, PoisonError};
use zeroize::Zeroizing;

pub(super) fn pfios_naive<W: SharedWord>(team: &dyn Team, x: &Operands<W>) -> Words<W> {
    let s = x.len();
    let bounds = bounds(s, team.size().min(s / 2).max(1));
    // The sum moves up by a word a row.
    let t = SharedWords::<W>::new(2 * s + 1);
    let carrying = Mutex::new(());
    team.run(&|member| {
        let columns = bounds.get(member.rank()..member.rank() + 2);
        for (i, &b) in x.b.iter().enumerate() {
            let m = mul_low(add(t.get(i), mul_low(x.a[0], b)).0, x.n0);
            member.barrier();
            let mut carry = W::ZERO.wide();
            if let Some(&[start, end]) = columns {
                let cells = &t.words()[i + start..i + end];
                for ((cell, &a), &n) in cells.iter().zip(&x.a[start..end]).zip(&x.n[start..end]) {
                    let sum;
                    (sum, carry) = column(a, b, m, n, W::load(cell), carry);
                    sum.store(cell);
                }
            }
            member.barrier();
            if let Some(&[_, end]) = columns {
                let mut one_at_a_time = None;
                member.overhead(Overhead::Waiting, &mut || {
                    one_at_a_time = Some(carrying.lock().unwrap_or_else(PoisonError::into_inner));
                });
                member.overhead(Overhead::Carrying, &mut || {
                    carry_vartime(&t, i + end, carry);
                });
            }
        }
    });
    let mut r = Zeroizing::new(vec![W::ZERO; s + 1]);
    t.read(s, &mut r);
    r
}

/// Adds two words from `at` on, with carry propagation.
fn carry_vartime<W: SharedWord>(t: &SharedWords<W>, mut at: usize, carry: W::Double) {
    let (mut carry, mut high) = W::split(carry);
    loop {
        let (sum, over) = add(t.get(at), carry);
        t.set(at, sum);
        // At most 1 and 1.
        (carry, _) = add(high, over);
        high = W::ZERO;
        if carry == W::ZERO {
            return;
        }
        at += 1;
    }
}
