//! Coarsely integrated operand scanning: a row of the product and a row of the reduction in turns.
//!
//! Koç, Acar, Kaliski 1996, CIOS; t\[s\] and t\[s+1\] are locals.
//! 2s^2 + s multiplications, 4s^2 + 4s + 2 additions, 6s^2 + 7s + 2 reads, 2s^2 + 5s + 1 writes.

use crate::mpn::word::{Word, add, mac, mul_low};

pub(super) fn cios<W: Word>(a: &[W], b: &[W], n: &[W], n0: W, t: &mut [W]) -> W {
    let s = a.len();
    let t = &mut t[s..];
    t.fill(W::ZERO);
    let mut top = W::ZERO; // t[s], 0 or 1 between the rows
    for &b in b {
        let mut c = W::ZERO;
        for (t, &a) in t.iter_mut().zip(a) {
            (*t, c) = mac(a, b, *t, c);
        }
        let (high, over) = add(top, c);
        let m = mul_low(t[0], n0);
        let mut c = mac(m, n[0], t[0], W::ZERO).1;
        for j in 1..s {
            (t[j - 1], c) = mac(m, n[j], t[j], c);
        }
        (t[s - 1], c) = add(high, c);
        top = add(over, c).0;
    }
    top
}
