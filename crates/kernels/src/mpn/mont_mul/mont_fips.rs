//! Finely integrated product scanning: column after column of product and reduction, each summed in three words.
//!
//! Koç, Acar, Kaliski 1996, FIPS, after Kaliski; the quotient m is where the result comes to stand.
//! 2s^2 + s multiplications, 6s^2 + 2s + 2 additions, 9s^2 + 8s + 2 reads, 5s^2 + 8s + 1 writes.

use crate::mpn::word::{Word, mac, mul_low};

pub(super) fn mont_fips<W: Word>(a: &[W], b: &[W], n: &[W], n0: W, t: &mut [W]) -> W {
    let s = a.len();
    let m = &mut t[s..];
    let mut t = Column::new();
    for i in 0..s {
        t.add(&a[..i], &b[1..=i], &m[..i], &n[1..=i]);
        t.add_product(a[i], b[0]);
        m[i] = mul_low(t.low, n0);
        t.add_product(m[i], n[0]);
        t.shift();
    }
    for i in 0..s {
        let above = i + 1..s;
        let [a, b, n] = [a, b, n].map(|x| &x[above.clone()]);
        t.add(a, b, &m[above], n);
        m[i] = t.shift();
    }
    t.low
}

/// The sum of a column: t\[0\], and t\[1\] and t\[2\] together.
struct Column<W: Word> {
    low: W,
    high: W::Double,
}

impl<W: Word> Column<W> {
    fn new() -> Self {
        let (low, high) = (W::ZERO, W::ZERO.wide());
        Column { low, high }
    }

    #[inline(always)]
    fn add_product(&mut self, a: W, b: W) {
        let carry;
        (self.low, carry) = mac(a, b, self.low, W::ZERO);
        self.high = self.high + carry.wide();
    }

    /// The products of a upwards with b downwards, and of m with n.
    #[inline(always)]
    fn add(&mut self, a: &[W], b: &[W], m: &[W], n: &[W]) {
        let product = a.iter().zip(b.iter().rev());
        let reduction = m.iter().zip(n.iter().rev());
        for ((&a, &b), (&m, &n)) in product.zip(reduction) {
            self.add_product(a, b);
            self.add_product(m, n);
        }
    }

    /// Goes to the next column; returns the lowest word of this one.
    #[inline(always)]
    fn shift(&mut self) -> W {
        let done = self.low;
        let high;
        (self.low, high) = W::split(self.high);
        self.high = high.wide();
        done
    }
}
