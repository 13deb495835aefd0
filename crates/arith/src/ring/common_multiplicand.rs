//! A product and a square that share work through a common multiplicand (Yen, Laih, Electronics Letters 29(17), 1993;
//! for Montgomery's form Ha, Moon, Information Processing Letters 66, 1998).

use carrysave_kernels::{Limb, mpn::Mpn};

/// A modulus n and `-n^-1 mod 2^64`, with the kernels.
pub(super) struct Reduction<'a> {
    pub(super) mpn: &'a Mpn,
    pub(super) n: &'a [Limb],
    pub(super) n0: Limb,
}

/// Scratch limbs of [`Reduction::mul_and_sqr`] for numbers of k limbs.
pub(super) const fn scratch(k: usize) -> usize {
    3 * k + 7
}

impl Reduction<'_> {
    /// `r := r s / R` and `s := s^2 / R` mod n with 3 k^2 products of words instead of 4 k^2.
    ///
    /// With B = 2^64 and digits b_j, `b s / R` is the sum of `b_j s B^(j-k)`. The quotients s, s / B, s / B^2, ... mod
    /// n are found once for both sums. The sums are scaled by B^2, so that two steps of reduction make them small;
    /// their first term is `b_(k-1) s B`, which needs no quotient.
    pub(super) fn mul_and_sqr(&self, r: &mut [Limb], s: &mut [Limb], t: &mut [Limb]) {
        let k = s.len();
        let (a, sums) = t[..scratch(k)].split_at_mut(k + 1);
        a[..k].copy_from_slice(s);
        sums.fill(0);
        let (x, y) = sums.split_at_mut(k + 3);
        for (sum, b) in [(&mut *x, &*r), (&mut *y, &*s)] {
            self.addmul(&mut sum[1..], &a[..k], b[k - 1]);
        }
        for j in (0..k - 1).rev() {
            self.addmul(x, &a[..k], r[j]);
            self.addmul(y, &a[..k], s[j]);
            if j > 0 {
                // a := a / B mod n: below n, as a was.
                a[k] = 0;
                self.reduce(a);
                a.copy_within(1.., 0);
            }
        }
        let mpn = self.mpn;
        for (sum, b) in [(x, r), (y, s)] {
            // Below n B^2 + k n B, so below 3 n after two steps.
            self.reduce(sum);
            self.reduce(&mut sum[1..]);
            let rest = &mut sum[2..];
            for _ in 0..2 {
                let (low, top) = rest.split_at_mut(k);
                let borrow = mpn.sub_n.call_in_place(low, self.n);
                let borrow = mpn.sub_1.call_in_place(top, borrow);
                let carry = mpn.cnd_add_n.call_in_place(borrow, low, self.n);
                mpn.add_1.call_in_place(top, carry);
            }
            b.copy_from_slice(&rest[..k]);
        }
    }

    /// `sum += a * limb`, with carry propagation.
    fn addmul(&self, sum: &mut [Limb], a: &[Limb], limb: Limb) {
        let (low, high) = sum.split_at_mut(a.len());
        let carry = self.mpn.addmul_1.call(low, a, limb);
        self.mpn.add_1.call_in_place(high, carry);
    }

    /// Adds the multiple of n that makes the lowest limb zero.
    fn reduce(&self, sum: &mut [Limb]) {
        let q = sum[0].wrapping_mul(self.n0);
        self.addmul(sum, self.n, q);
    }
}
