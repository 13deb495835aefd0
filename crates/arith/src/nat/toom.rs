//! Toom-Cook products of two numbers of one width, and squares: evaluate, multiply, interpolate.
//!
//! `toomkk` cuts a number into k parts of h limbs, the coefficients of a polynomial in 2^(64h), and multiplies the
//! values of both polynomials at 2k - 1 points. Values take h + 1 limbs, the negative ones in two's complement, and
//! the interpolation runs modulo a power of 2^64. Which instructions run depends on the width only.
//!
//! Sources: Knuth, TAOCP 2, 4.3.3; Bodrato, Towards optimal Toom-Cook multiplication, WAIFI 2007 (the points).

use super::carry::{add_at, sub_at};
use super::fft;
use crate::plan::{Product, Steps, choose};
use crate::work::note;
use carrysave_kernels::{Limb, mpn::Mpn};

/// Kernels, and which method to use from which width on: for products, or for squares.
pub(super) struct Toom<'a> {
    pub(super) mpn: &'a Mpn,
    pub(super) methods: Steps<Product>,
    /// Multiplies the parts, if given.
    pub(super) elsewhere: Option<&'a Elsewhere<'a>>,
}

/// Receives the place of a product, and its factors.
pub(super) type Elsewhere<'a> = dyn Fn(&mut [Limb], Factors<'_>) + 'a;

/// Two factors of one width; no second factor means a square.
pub(super) type Factors<'a> = (&'a [Limb], Option<&'a [Limb]>);

impl Toom<'_> {
    /// Scratch limbs of [`Toom::product`]: a level of toom22 takes 2h + 1, of toom33 6(h + 1), of toom44 10(h + 1), and
    /// leaves a product of at most h + 1 limbs. This suffices as no method begins below [`Product::least`].
    pub(super) fn scratch(n: usize) -> usize {
        4 * n
    }

    /// `r := a * b`, or `r := a^2`; `r` is twice as wide.
    pub(super) fn product(&self, r: &mut [Limb], (a, b): Factors<'_>, scratch: &mut [Limb]) {
        if let Some(elsewhere) = self.elsewhere {
            return elsewhere(r, (a, b));
        }
        match (choose(self.methods, a.len()), b) {
            (Product::Schoolbook, Some(b)) => {
                note("mul_basecase", a.len() * b.len());
                self.mpn.mul_basecase.call(r, a, b);
            }
            (Product::Schoolbook, None) => {
                note("sqr_basecase", a.len() * a.len());
                self.mpn.sqr_basecase.call(r, a);
            }
            (Product::Toom22, _) => self.toom22(r, (a, b), scratch),
            (Product::Toom33, _) => self.toom33(r, (a, b), scratch),
            (Product::Toom44, _) => self.toom44(r, (a, b), scratch),
            (Product::Fft, _) => {
                if !fft::product(self.mpn, r, a, b) {
                    self.toom44(r, (a, b), scratch);
                }
            }
        }
    }

    /// Karatsuba's method: the points 0, 1 and infinity. Carries of the sums are kept apart, so that halves do not
    /// grow.
    fn toom22(&self, r: &mut [Limb], (a, b): Factors<'_>, scratch: &mut [Limb]) {
        let mpn = self.mpn;
        let h = a.len().div_ceil(2);
        let (z1, scratch) = scratch.split_at_mut(2 * h + 1);
        let (low, top) = z1.split_at_mut(2 * h);
        let [sa, sb] = split(&mut r[..2 * h]);
        let ca = add(mpn, sa, &a[..h], &a[h..]);
        let (sb, cb) = match b {
            Some(b) => {
                let cb = add(mpn, sb, &b[..h], &b[h..]);
                (Some(&*sb), cb)
            }
            None => (None, ca),
        };
        self.product(low, (sa, sb), scratch);
        // With B = 2^(64h) the factors are ca B + sa and cb B + sb.
        let high = &mut low[h..];
        top[0] = ca & cb;
        top[0] += mpn.cnd_add_n.call_in_place(ca, high, sb.unwrap_or(sa));
        top[0] += mpn.cnd_add_n.call_in_place(cb, high, sa);
        let (z0, z2) = self.ends(r, (a, b), h, scratch);
        sub_at(mpn, z1, z0);
        sub_at(mpn, z1, z2);
        add_at(mpn, &mut r[h..], z1);
    }

    /// The points 0, 1, -1, 2 and infinity.
    fn toom33(&self, r: &mut [Limb], (a, b): Factors<'_>, scratch: &mut [Limb]) {
        let mpn = self.mpn;
        let h = a.len().div_ceil(3);
        let (values, scratch) = scratch.split_at_mut(6 * (h + 1));
        let [even, odd, two] = split(values);
        self.at_opposites(0, [even, odd], (a, b), r, scratch);
        self.at(two, (a, b), r, scratch, |v, x| {
            horner(mpn, v, x.chunks(h).rev(), 1)
        });
        let (c0, c4) = self.ends(r, (a, b), h, scratch);
        mpn.sub_n.call_in_place(two, odd); // 3 c1 + 3 c2 + 9 c3 + 15 c4
        mpn.bdiv_dbm1.call_in_place(two, Limb::MAX / 3);
        self.half_sum_and_difference(even, odd); // c0 + c2 + c4 and c1 + c3
        sub_at(mpn, even, c0);
        mpn.sub_n.call_in_place(two, even); // c1 + 3 c3 + 4 c4
        sub_at(mpn, even, c4);
        submul_at(mpn, two, c4, 4);
        mpn.sub_n.call_in_place(two, odd);
        mpn.rshift.call_in_place(two, 1); // c3
        mpn.sub_n.call_in_place(odd, two); // c1
        recompose(mpn, r, h, &[even], &[odd, two]);
    }

    /// The points 0, 1, -1, 2, -2, 1/2 and infinity.
    pub(super) fn toom44(&self, r: &mut [Limb], (a, b): Factors<'_>, scratch: &mut [Limb]) {
        let mpn = self.mpn;
        let h = a.len().div_ceil(4);
        let (values, scratch) = scratch.split_at_mut(10 * (h + 1));
        let [even, odd, even2, odd2, half] = split(values);
        self.at_opposites(0, [even, odd], (a, b), r, scratch);
        self.at_opposites(1, [even2, odd2], (a, b), r, scratch);
        // 8 a(1/2)
        self.at(half, (a, b), r, scratch, |v, x| {
            horner(mpn, v, x.chunks(h), 1)
        });
        let (c0, c6) = self.ends(r, (a, b), h, scratch);
        self.half_sum_and_difference(even, odd); // c0 + c2 + c4 + c6 and c1 + c3 + c5
        self.half_sum_and_difference(even2, odd2); // c0 + 4 c2 + 16 c4 + 64 c6 and 2 c1 + 8 c3 + 32 c5
        sub_at(mpn, even, c0);
        sub_at(mpn, even, c6);
        sub_at(mpn, even2, c0);
        submul_at(mpn, even2, c6, 64);
        mpn.rshift.call_in_place(even2, 2);
        mpn.sub_n.call_in_place(even2, even); // 3 c4
        mpn.bdiv_dbm1.call_in_place(even2, Limb::MAX / 3);
        mpn.sub_n.call_in_place(even, even2); // c2
        submul_at(mpn, half, c0, 64);
        sub_at(mpn, half, c6);
        mpn.rshift.call_in_place(half, 1); // 16 c1 + 8 c2 + 4 c3 + 2 c4 + c5
        mpn.submul_1.call(half, even, 8);
        mpn.submul_1.call(half, even2, 2);
        mpn.submul_1.call(half, odd, 16); // -12 c3 - 15 c5
        mpn.rshift.call_in_place(odd2, 1);
        mpn.sub_n.call_in_place(odd2, odd); // 3 c3 + 15 c5
        mpn.sub_n.call_reversed(half, odd2); // 15 c3 + 30 c5
        mpn.bdiv_dbm1.call_in_place(half, Limb::MAX / 15);
        mpn.bdiv_dbm1.call_in_place(odd2, Limb::MAX / 3);
        mpn.sub_n.call_in_place(odd2, half); // 3 c5
        mpn.bdiv_dbm1.call_in_place(odd2, Limb::MAX / 3);
        mpn.submul_1.call(half, odd2, 2); // c3
        mpn.sub_n.call_in_place(odd, half);
        mpn.sub_n.call_in_place(odd, odd2); // c1
        recompose(mpn, r, h, &[even, even2], &[odd, half, odd2]);
    }

    /// The products at 0 and at infinity, at the two ends of r.
    fn ends<'r>(
        &self,
        r: &'r mut [Limb],
        (a, b): Factors<'_>,
        h: usize,
        scratch: &mut [Limb],
    ) -> (&'r [Limb], &'r [Limb]) {
        let last = (a.len() - 1) / h * h;
        let (rest, high) = r.split_at_mut(2 * last);
        let low = &mut rest[..2 * h];
        self.product(low, (&a[..h], b.map(|b| &b[..h])), scratch);
        self.product(high, (&a[last..], b.map(|b| &b[last..])), scratch);
        (low, high)
    }

    /// `v := a(x) * b(x)`, where `evaluate` computes values that are not negative in the limbs of `work`; `v` is twice
    /// as wide.
    fn at(
        &self,
        v: &mut [Limb],
        (a, b): Factors<'_>,
        work: &mut [Limb],
        scratch: &mut [Limb],
        evaluate: impl Fn(&mut [Limb], &[Limb]),
    ) {
        let [x, y] = split(&mut work[..v.len()]);
        evaluate(x, a);
        let y = b.map(|b| {
            evaluate(y, b);
            &*y
        });
        self.product(v, (x, y), scratch);
    }

    /// `plus := a(x) * b(x)` and `minus := a(-x) * b(-x)` for x = 2^s; both are as wide as two values.
    fn at_opposites(
        &self,
        s: u32,
        [plus, minus]: [&mut [Limb]; 2],
        (a, b): Factors<'_>,
        work: &mut [Limb],
        scratch: &mut [Limb],
    ) {
        let mpn = self.mpn;
        let w = plus.len() / 2;
        let [ap, am, bp, bm, t] = split(&mut work[..5 * w]);
        opposites(mpn, s, [ap, am, t], a);
        let b = b.map(|b| {
            opposites(mpn, s, [bp, bm, t], b);
            (&*bp, &*bm)
        });
        self.product(plus, (ap, b.map(|b| b.0)), scratch);
        self.product(minus, (am, b.map(|b| b.1)), scratch);
        // In two's complement a negative am stands for am + 2^(64w), which makes the product too large.
        let bm = b.map_or(&*am, |b| b.1);
        let high = &mut minus[w..];
        mpn.cnd_sub_n.call_in_place(am[w - 1] >> 63, high, bm);
        mpn.cnd_sub_n.call_in_place(bm[w - 1] >> 63, high, am);
    }

    /// `(x, y) := ((x + y) / 2, (x - y) / 2)`
    fn half_sum_and_difference(&self, x: &mut [Limb], y: &mut [Limb]) {
        self.mpn.add_n.call_in_place(x, y);
        self.mpn.rshift.call_in_place(x, 1);
        self.mpn.sub_n.call_reversed(y, x);
    }
}

/// `plus := a(2^s)` and `minus := a(-2^s)`, the latter in two's complement; `t` is working space.
fn opposites(mpn: &Mpn, s: u32, [plus, minus, t]: [&mut [Limb]; 3], a: &[Limb]) {
    let h = plus.len() - 1;
    horner(mpn, plus, a.chunks(h).step_by(2).rev(), 2 * s);
    horner(mpn, t, a.chunks(h).skip(1).step_by(2).rev(), 2 * s);
    if s > 0 {
        mpn.lshift.call_in_place(t, s);
    }
    mpn.sub_n.call(minus, plus, t);
    mpn.add_n.call_in_place(plus, t);
}

/// The value at 2^s of the polynomial with these coefficients, the highest first.
fn horner<'p>(mpn: &Mpn, r: &mut [Limb], mut parts: impl Iterator<Item = &'p [Limb]>, s: u32) {
    let first = parts.next().expect("a coefficient");
    let (low, high) = r.split_at_mut(first.len());
    low.copy_from_slice(first);
    high.fill(0);
    for part in parts {
        if s > 0 {
            mpn.lshift.call_in_place(r, s);
        }
        add_at(mpn, r, part);
    }
}

/// Adds overlapping coefficients, each slightly longer than two parts, at their places: `r` holds c0 and the last one,
/// `even` c2, c4, ..., `odd` c1, c3, ...
fn recompose(mpn: &Mpn, r: &mut [Limb], h: usize, even: &[&mut [Limb]], odd: &[&mut [Limb]]) {
    for (c, r) in even.iter().zip(r[2 * h..].chunks_mut(2 * h)) {
        r.copy_from_slice(&c[..2 * h]);
    }
    for (i, c) in even.iter().enumerate() {
        add_at(mpn, &mut r[2 * h * (i + 2)..], &c[2 * h..]);
    }
    for (i, c) in odd.iter().enumerate() {
        add_at(mpn, &mut r[h * (2 * i + 1)..], c);
    }
}

/// Cuts a number into K equal parts.
fn split<const K: usize>(x: &mut [Limb]) -> [&mut [Limb]; K] {
    let mut parts = x.chunks_exact_mut(x.len() / K);
    core::array::from_fn(|_| parts.next().expect("K parts"))
}

/// `r := a + b` with the length of a, which is not less than that of b; returns the carry.
fn add(mpn: &Mpn, r: &mut [Limb], a: &[Limb], b: &[Limb]) -> Limb {
    let (low, high) = r.split_at_mut(b.len());
    let carry = mpn.add_n.call(low, &a[..b.len()], b);
    match high.is_empty() {
        true => carry,
        false => mpn.add_1.call(high, &a[b.len()..], carry),
    }
}

/// `r -= a * s` at r's low end, with borrow propagation.
fn submul_at(mpn: &Mpn, r: &mut [Limb], a: &[Limb], s: Limb) {
    let (low, high) = r.split_at_mut(a.len());
    let borrow = mpn.submul_1.call(low, a, s);
    mpn.sub_1.call_in_place(high, borrow);
}
