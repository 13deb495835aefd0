//! Coarsely integrated hybrid scanning: the lower columns of the product by rows, then each row of the reduction with one
//! of the upper columns.
//!
//! Koç, Acar, Kaliski 1996, CIHS; t\[s\] and t\[s+1\] are one number that takes every carry.
//! 2s^2 + s multiplications, 4s^2 + 4s + 2 additions, 6.5s^2 + 6.5s + 2 reads, 3s^2 + 5s + 1 writes.

use crate::mpn::word::{Word, mac, mul_low};

pub(super) fn cihs<W: Word>(a: &[W], b: &[W], n: &[W], n0: W, t: &mut [W]) -> W {
    let s = a.len();
    let t = &mut t[s..];
    t.fill(W::ZERO);
    let mut high = W::ZERO.wide();
    for (i, &b) in b.iter().enumerate() {
        let mut c = W::ZERO;
        for (t, &a) in t[i..].iter_mut().zip(a) {
            (*t, c) = mac(a, b, *t, c);
        }
        high = high + c.wide();
    }
    for i in 0..s {
        let m = mul_low(t[0], n0);
        let mut c = mac(m, n[0], t[0], W::ZERO).1;
        for j in 1..s {
            (t[j - 1], c) = mac(m, n[j], t[j], c);
        }
        let (mut last, over) = W::split(high + c.wide());
        high = over.wide();
        for (&a, &b) in a[i + 1..].iter().rev().zip(&b[i + 1..]) {
            (last, c) = mac(a, b, last, W::ZERO);
            high = high + c.wide();
        }
        t[s - 1] = last;
    }
    W::split(high).0
}
