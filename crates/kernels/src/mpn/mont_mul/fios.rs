//! Finely integrated operand scanning: product and reduction in one loop, the carry of the product added to what is
//! above, as far as it goes.
//!
//! Koç, Acar, Kaliski 1996, FIOS, where ADD stops early; t\[s\] and t\[s+1\] are locals.
//! 2s^2 + s multiplications, 5s^2 + 3s + 2 additions, 7s^2 + 5s + 2 reads, 3s^2 + 4s + 1 writes, if ADD takes two words.

use crate::mpn::{
    montgomery::ripple_vartime,
    word::{Word, add, mac, mul_low},
};

pub(super) fn fios<W: Word>(a: &[W], b: &[W], n: &[W], n0: W, t: &mut [W]) -> W {
    let s = a.len();
    let t = &mut t[s..];
    t.fill(W::ZERO);
    let mut high = [W::ZERO; 2];
    for &b in b {
        let (sum, over) = mac(a[0], b, t[0], W::ZERO);
        ripple_vartime(&mut t[1..], &mut high, over);
        let m = mul_low(sum, n0);
        let mut c = mac(m, n[0], sum, W::ZERO).1;
        for j in 1..s {
            let (sum, over) = mac(a[j], b, t[j], c);
            ripple_vartime(&mut t[j + 1..], &mut high, over);
            (t[j - 1], c) = mac(m, n[j], sum, W::ZERO);
        }
        (t[s - 1], c) = add(high[0], c);
        high = [add(high[1], c).0, W::ZERO];
    }
    high[0]
}
