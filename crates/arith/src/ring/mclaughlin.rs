//! Montgomery multiplication by transforms that are half as long as the product.
//!
//! R is 2^K + 1, where K is at least the number of bits of the modulus n. With v = -1/n modulo R, t = a b and q = t v
//! modulo R, the number r = (t + q n) / R is a b / R modulo n. R is 2 modulo 2^K - 1, so r is found modulo 2^K - 1,
//! from t and q n: t is needed modulo R and modulo 2^K - 1, and never whole. A product takes seven transforms of n
//! coefficients modulo each prime, two of them for a; products by halves take ten (McLaughlin, New frameworks for
//! Montgomery's modular multiplication method, Math. Comp. 73, 2004).
//!
//! A number modulo R is a number of K bits plus a small e, mostly 0. As K may equal the bits of n, r may exceed 2^K -
//! 1. Its lowest limb, which equals that of t + q n because R is 1 modulo 2^64, shows by how much.

use super::redc_n::RedcN;
use super::saturated::Saturated;
use super::{Purpose, Residues, Ring, Words};
use crate::inverse::inv_mod;
use crate::nat::{LIMB_BITS, Nat, Sign, Transforms, Wrapped, mul};
use crate::plan::Plan;
use crate::work::note;
use carrysave_kernels::{Limb, mpn::Mpn};
use core::mem;

/// The context of a modulus.
pub(crate) struct McLaughlin {
    pub(super) wrapped: Wrapped,
    pub(super) mpn: Mpn,
    plan: &'static Plan,
    pub(super) n: Nat,
    /// n, with zeros up to K bits, and its transforms modulo 2^K - 1.
    pub(super) wide: Words,
    n_spectrum: Transforms,
    /// v, and its transforms modulo R.
    v: Words,
    v_spectrum: Transforms,
    /// Added to a product modulo R, to cancel the excess of its coefficients.
    lack: Vec<Limb>,
    /// R mod n, and R^2 mod n.
    r1: Words,
    r2: Words,
}

impl McLaughlin {
    /// Whether it pays: for powers long enough to justify the inverse of R.
    pub(crate) fn pays(plan: &Plan, bits: usize, purpose: Purpose) -> bool {
        /// The most bits of a modulus for each bit of an exponent: the inverse of R must pay.
        const LEAST: usize = 8;
        let long = matches!(purpose, Purpose::Power(exponent) if exponent >= bits / LEAST);
        long && bits.div_ceil(LIMB_BITS) >= plan.mclaughlin
    }

    /// `None` if n is too long, or has a factor in common with R: all prime factors of R are 1 modulo twice the power
    /// of two in K.
    ///
    /// # Timing
    /// Depends on the width of n and on whether there is such a factor.
    pub(crate) fn new(c: &Saturated) -> Option<McLaughlin> {
        let (mpn, plan, n) = (&c.mpn, c.plan, &c.n);
        let wrapped = Wrapped::new(c.cpu, c.bits)?;
        let (k, wide) = (n.width(), wrapped.limbs());
        let mut t = c.scratch_words();
        // R in Montgomery form, and R.
        let mut form = c.two_to(wide * LIMB_BITS);
        c.add(&mut form, &c.r1);
        let mut r1 = Nat::zeros(k);
        c.redc(r1.limbs_mut(), form.limbs(), &mut t);
        let mut square = form.clone();
        Ring::mul(c, square.limbs_mut(), form.limbs(), &mut t);
        let mut r2 = Nat::zeros(k);
        c.redc(r2.limbs_mut(), square.limbs(), &mut t);

        // With u = 1 / R modulo n, v = (R u - 1) / n: modulo 2^K that is (1 - u) times -1/n.
        let u = inv_mod(&r1, n)?;
        let n = n.resize(wide).expect("K is not below its bits");
        let inverse = RedcN::new(mpn, plan, n.limbs(), c.n0);
        let less = u.sub_limb(1).expect("an inverse is not 0");
        let mut product = Words::new(vec![0; wide + k]);
        mul(mpn, plan, &mut product, inverse.inverse(), less.limbs());
        let mut v = Words::new(vec![0; wide]);
        mpn.sub_n.call(&mut v, &vec![0; wide], &product[..wide]);

        // The offset modulo R, and 2^K + 1 less that.
        let mut lack = wrapped.offset();
        let (low, high) = lack.split_at_mut(wide);
        sub_at_bottom(mpn, low, high);
        low.iter_mut().for_each(|limb| *limb = !*limb);
        mpn.add_1.call_in_place(low, 2);
        lack.truncate(wide);
        Some(McLaughlin {
            n_spectrum: wrapped.spectrum(Sign::Minus, n.limbs()),
            v_spectrum: wrapped.spectrum(Sign::Plus, &v),
            mpn: mpn.clone(),
            plan,
            n: c.n.clone(),
            wide: Words::new(n.limbs().to_vec()),
            v,
            lack,
            r1: Words::new(r1.limbs().to_vec()),
            r2: Words::new(r2.limbs().to_vec()),
            wrapped,
        })
    }

    /// `rows` := the transforms of a modulo 2^K - 1, and the coefficients of a b modulo R, or of a^2, both modulo a
    /// prime. The transforms of b are left in the words with it.
    pub(super) fn product_row(
        &self,
        prime: usize,
        rows: &mut [Limb],
        a: &[Limb],
        b: Option<(&[Limb], &mut [Limb])>,
    ) {
        let row = self.wrapped.row();
        note("rows of transforms", row);
        self.wrapped.both(prime, rows, a);
        let coefficients = &mut rows[row..];
        match b {
            Some((b, others)) => {
                self.wrapped.both(prime, others, b);
                let b = Some(&others[row..]);
                self.wrapped.product_plus(prime, coefficients, b);
            }
            None => self.wrapped.product_plus(prime, coefficients, None),
        }
    }

    /// `row` := the coefficients of t v modulo R and a prime, for t without e.
    pub(super) fn quotient_row(&self, prime: usize, row: &mut [Limb], t: &[Limb]) {
        self.wrapped.transform(Sign::Plus, prime, row, t);
        let v = Some(self.v_spectrum.row(prime));
        self.wrapped.product_plus(prime, row, v);
    }

    /// `row` := the coefficients of a b + q n modulo 2^K - 1 and a prime, for q without e.
    pub(super) fn sum_row(
        &self,
        prime: usize,
        row: &mut [Limb],
        q: &[Limb],
        factors: [&[Limb]; 2],
    ) {
        self.wrapped.transform(Sign::Minus, prime, row, q);
        let n = self.n_spectrum.row(prime);
        self.wrapped.sum_minus(prime, row, n, factors);
    }

    /// Reduces a number assembled from products modulo R, plus e v, to K bits; returns the new e, at most 2.
    pub(super) fn reduce_plus(&self, sum: &mut [Limb], e: Limb) -> Limb {
        let (low, high) = sum.split_at_mut(self.wide.len());
        let (mpn, up) = (&self.mpn, sub_at_bottom(&self.mpn, low, high));
        let down = mpn.add_n.call_in_place(low, &self.lack) + mpn.addmul_1.call(low, &self.v, e);
        up + mpn.sub_1.call_in_place(low, down)
    }

    /// `r` := a b / R, from the number assembled from a b + q n modulo 2^K - 1, plus e n; the lowest limb of the whole
    /// a b + q n is known.
    pub(super) fn reduce_minus(&self, r: &mut [Limb], sum: &mut [Limb], e: Limb, lowest: Limb) {
        let (mpn, n) = (&self.mpn, self.n.limbs());
        let (low, high) = sum.split_at_mut(self.wide.len());
        let (bottom, above) = low.split_at_mut(high.len());
        let carry = mpn.add_n.call_in_place(bottom, high);
        let carry = mpn.add_1.call_in_place(above, carry);
        let carry = carry + mpn.addmul_1.call(low, &self.wide, e);
        let carry = mpn.add_1.call_in_place(low, carry);
        mpn.add_1.call_in_place(low, carry);
        // Half of it, modulo 2^K - 1.
        let odd = low[0] & 1;
        mpn.rshift.call_in_place(low, 1);
        *low.last_mut().expect("a limb") |= odd << (Limb::BITS - 1);
        // The result is below 2 n, so 2^K - 1 is added at most twice. Multiplication by R keeps the lowest limb.
        let times = low[0].wrapping_sub(lowest);
        let above = times - mpn.sub_1.call_in_place(low, times);
        let (low, high) = low.split_at(n.len());
        let top = high.first().copied().unwrap_or(above);
        let borrow = mpn.sub_n.call(r, low, n);
        mpn.cnd_add_n.call_in_place(borrow & (1 ^ top), r, n);
    }

    /// Scratch: two rows a prime for either factor, and an assembled number.
    pub(super) fn split_scratch<'a>(
        &self,
        t: &'a mut [Limb],
    ) -> (&'a mut [Limb], &'a mut [Limb], &'a mut [Limb]) {
        let rows = 2 * self.wrapped.primes();
        let (a, t) = self.wrapped.split_rows(t, rows);
        let (b, t) = self.wrapped.split_rows(t, rows);
        (a, b, &mut t[..self.wrapped.part_limbs(self.wrapped.row())])
    }

    /// `sum` := the number with the coefficients in the second row of each prime.
    fn put_together(&self, sum: &mut [Limb], rows: &[Limb]) {
        let coefficients = rows.chunks(self.wrapped.row()).skip(1).step_by(2);
        self.wrapped.put_together(sum, coefficients);
    }

    /// `r := r b / R mod n`, or the square.
    pub(super) fn multiply(&self, r: &mut [Limb], b: Option<&[Limb]>, t: &mut [Limb]) {
        let (wrapped, row) = (&self.wrapped, self.wrapped.row());
        let (rows, others, sum) = self.split_scratch(t);
        let lowest = r[0].wrapping_mul(b.map_or(r[0], |b| b[0]));
        for prime in 0..wrapped.primes() {
            let at = 2 * row * prime..2 * row * (prime + 1);
            let b = b.map(|b| (b, &mut others[at.clone()]));
            self.product_row(prime, &mut rows[at], r, b);
        }
        self.put_together(sum, rows);
        let e = self.reduce_plus(sum, 0);
        for (prime, rows) in rows.chunks_mut(2 * row).enumerate() {
            self.quotient_row(prime, &mut rows[row..], &sum[..self.wide.len()]);
        }
        self.put_together(sum, rows);
        let e = self.reduce_plus(sum, e);
        for (prime, rows) in rows.chunks_mut(2 * row).enumerate() {
            let (a, rows) = rows.split_at_mut(row);
            let a = &*a;
            let b = b.map_or(a, |_| &others[2 * row * prime..][..row]);
            self.sum_row(prime, rows, &sum[..self.wide.len()], [a, b]);
        }
        let q = sum[0].wrapping_add(e);
        let lowest = lowest.wrapping_add(q.wrapping_mul(self.wide[0]));
        self.put_together(sum, rows);
        self.reduce_minus(r, sum, e, lowest);
    }
}

/// `r -= b` for a short b; the borrow.
fn sub_at_bottom(mpn: &Mpn, r: &mut [Limb], b: &[Limb]) -> Limb {
    let (bottom, above) = r.split_at_mut(b.len());
    let borrow = mpn.sub_n.call_in_place(bottom, b);
    mpn.sub_1.call_in_place(above, borrow)
}

impl Ring for McLaughlin {
    fn width(&self) -> usize {
        self.n.width()
    }

    fn modulus(&self) -> &Nat {
        &self.n
    }

    fn scratch(&self) -> usize {
        2 * self.wrapped.rows(2 * self.wrapped.primes())
            + self.wrapped.part_limbs(self.wrapped.row())
    }

    fn mpn(&self) -> &Mpn {
        &self.mpn
    }

    fn plan(&self) -> &'static Plan {
        self.plan
    }

    fn enter(&self, residues: &[&Nat], t: &mut [Limb]) -> Words {
        let mut r = self.load(residues[0]);
        self.mul(&mut r, &self.r2, t);
        r
    }

    fn one(&self) -> Words {
        self.r1.clone()
    }

    fn mul(&self, r: &mut [Limb], b: &[Limb], t: &mut [Limb]) {
        self.multiply(r, Some(b), t);
    }

    fn sqr(&self, r: &mut [Limb], t: &mut [Limb]) {
        self.multiply(r, None, t);
    }

    fn leave(&self, r: &[Limb], t: &mut [Limb]) -> Vec<Nat> {
        let mut residue = Nat::from_limbs(r);
        let one = Nat::one().resize(r.len()).expect("wider");
        self.multiply(residue.limbs_mut(), Some(one.limbs()), t);
        vec![residue]
    }
}

impl Residues for McLaughlin {
    fn load(&self, residue: &Nat) -> Words {
        Words::new(residue.limbs().to_vec())
    }

    fn store(&self, mut r: Words) -> Nat {
        Nat::from_vec(mem::take(&mut *r))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Cpu, Modulus};
    use getrandom::{SysRng, rand_core::UnwrapErr};

    #[test]
    fn products_are_those_of_the_modulus() {
        let mut rng = UnwrapErr(SysRng);
        for cpu in [Cpu::native(), Cpu::portable()] {
            for bits in [
                2, 3, 64, 65, 961, 1791, 1792, 3583, 1000, 1022, 1023, 1024, 1025, 1407, 1408,
                4096, 9000, 20_000,
            ] {
                let mut n = Nat::random_bits(bits, &mut rng);
                n.set_bit(0);
                n.set_bit(bits - 1);
                products_modulo(&n, cpu);
                // The largest, and one that differs from 2^K - 1 also where K is the number of its bits.
                for less in [1, 3].into_iter().filter(|_| bits > 2 && bits % 2 == 0) {
                    let n = Nat::power_of_two(bits).sub_limb(less).expect("above 3");
                    products_modulo(&n, cpu);
                }
            }
        }
    }

    /// Products and squares of numbers modulo n, by transforms and as its context has them.
    fn products_modulo(n: &Nat, cpu: Cpu) {
        let (bits, mut rng) = (n.bits(), UnwrapErr(SysRng));
        let n = Modulus::with_cpu(n, cpu).expect("odd, and above 1");
        let ring = McLaughlin::new(n.saturated()).expect("no factor of R");
        let k = n.width();
        let mut t = ring.scratch_words();
        // Their products and squares are next to multiples of 2^K, too.
        let mut values = vec![Nat::zeros(k), n.nat().sub_limb(1).expect("above 1")];
        let wide = ring.wrapped.limbs() * LIMB_BITS;
        for bit in [0, 1, bits / 2, bits - 2, wide / 2, wide - bits + 1] {
            let mut power = Nat::zeros(k);
            if bit < bits - 1 {
                power.set_bit(bit);
                values.push(power);
            }
        }
        values.extend((0..4).map(|_| Nat::random_below(n.nat(), &mut rng)));
        let values: Vec<Nat> = values.iter().map(|x| n.reduce(x)).collect();
        for a in &values {
            let form = ring.enter(&[a], &mut t);
            assert_eq!(ring.leave(&form, &mut t)[0], *a);
            let mut square = form.clone();
            ring.sqr(&mut square, &mut t);
            assert_eq!(ring.leave(&square, &mut t)[0], n.sqr(a), "{bits} bits");
            for b in &values {
                // One factor unconverted, so that all products occur.
                let mut product = form.clone();
                ring.mul(&mut product, b.limbs(), &mut t);
                assert_eq!(Nat::from_limbs(&product), n.mul(a, b), "{bits} bits");
                let mut product = a.limbs().to_vec();
                ring.mul(&mut product, b.limbs(), &mut t);
                ring.mul(&mut product, &ring.r2, &mut t);
                assert_eq!(Nat::from_limbs(&product), n.mul(a, b), "{bits} bits");
            }
        }
    }

    /// R - 1 and its neighbours modulo R, which need e.
    #[test]
    fn numbers_of_more_than_k_bits_have_a_small_one_beside_them() {
        let n = Modulus::new(&Nat::from_limb(Limb::MAX)).expect("odd");
        let ring = McLaughlin::new(n.saturated()).expect("no factor of R");
        let (mpn, k) = (&ring.mpn, ring.wide.len());
        let offset = ring.wrapped.offset();
        for below in [0, 1, 2, 3] {
            // 2^K - below, and the offset.
            let mut sum = offset.clone();
            mpn.add_1.call_in_place(&mut sum[k..], 1);
            mpn.sub_1.call_in_place(&mut sum, below);
            let e = ring.reduce_plus(&mut sum, 0);
            let mut expected = Nat::zeros(k + 1);
            expected.set_bit(64 * k);
            let expected = expected.sub_limb(below).expect("above");
            assert_eq!(Nat::from_limbs(&sum[..k]).add_limb(e), expected);
        }
    }

    #[test]
    fn a_factor_of_r_is_found() {
        // Of 2^1024 + 1, the tenth Fermat number (Selfridge 1953).
        let n = Modulus::new(&Nat::from_limb(45_592_577)).expect("odd");
        assert!(McLaughlin::new(n.saturated()).is_none());
    }
}
