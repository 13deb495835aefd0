//! Separated operand scanning: the product first, then its reduction, whose carries go up as far as they must.
//!
//! Koç, Acar, Kaliski 1996, SOS; the carry of a row is added by ADD, which stops early.
//! 2s^2 + s multiplications, 4s^2 + 4s + 2 additions, 6s^2 + 7s + 3 reads, 2s^2 + 6s + 2 writes.

use crate::mpn::{
    montgomery::ripple_vartime,
    word::{Word, mac, mul_low},
};

pub(super) fn sos<W: Word>(a: &[W], b: &[W], n: &[W], n0: W, t: &mut [W]) -> W {
    let s = a.len();
    t[..s].fill(W::ZERO);
    for i in 0..s {
        t[i + s] = add_row(&mut t[i..], a, b[i]);
    }
    let mut top = [W::ZERO];
    for i in 0..s {
        let m = mul_low(t[i], n0);
        let c = add_row(&mut t[i..], n, m);
        ripple_vartime(&mut t[i + s..], &mut top, c);
    }
    top[0]
}

/// `t := t + a * b` in the words of a; returns the carry.
#[inline(always)]
fn add_row<W: Word>(t: &mut [W], a: &[W], b: W) -> W {
    let mut c = W::ZERO;
    for (t, &a) in t.iter_mut().zip(a) {
        (*t, c) = mac(a, b, *t, c);
    }
    c
}
