//! Finely integrated operand scanning with a delayed carry: what a column owes to the next is a number of two words, so
//! that nothing is added further up.
//!
//! Khalifa, The Performance of Cryptographic Algorithms in the Age of Parallel Computing, Heriot-Watt University 2011,
//! lists 15 and 16; t\[s\] is a local. Counted as Koç, Acar and Kaliski do:
//! 2s^2 + s multiplications, 5s^2 + s + 2 additions, 5s^2 + 5s + 2 reads, s^2 + 3s + 1 writes.

use crate::mpn::word::{Word, mac, mul_low};

pub(super) fn fios_delayed<W: Word>(a: &[W], b: &[W], n: &[W], n0: W, t: &mut [W]) -> W {
    let s = a.len();
    let t = &mut t[s..];
    t.fill(W::ZERO);
    let mut top = W::ZERO; // t[s], 0 or 1 between the rows
    for &b in b {
        let (sum, c1) = mac(a[0], b, t[0], W::ZERO);
        let m = mul_low(sum, n0);
        let c2 = mac(m, n[0], sum, W::ZERO).1;
        let mut delayed = c1.wide() + c2.wide();
        for j in 1..s {
            let (low, high) = W::split(delayed);
            let (sum, c1) = mac(a[j], b, t[j], low);
            let c2;
            (t[j - 1], c2) = mac(m, n[j], sum, W::ZERO);
            delayed = high.wide() + c1.wide() + c2.wide();
        }
        (t[s - 1], top) = W::split(delayed + top.wide());
    }
    top
}
