//! Saturated limbs, radix 2^64: R = 2^(64k) for a modulus of k limbs. Every other representation is made from this one.

use super::common_multiplicand::{self, Reduction};
use super::redc_n::RedcN;
use super::{Residues, Ring, Words};
use crate::nat::{Barrett, LIMB_BITS, Nat, mul, sqr};
use crate::plan::{Plan, Product, Steps, choose};
use crate::word;
use crate::work::note;
use carrysave_kernels::{Cpu, Limb, mpn::Mpn};
use core::mem;
use zeroize::{Zeroize, Zeroizing};

/// The context of a modulus in limbs.
pub(crate) struct Saturated {
    pub(crate) n: Nat,
    pub(crate) bits: usize,
    /// `-n^-1 mod 2^64`
    pub(crate) n0: Limb,
    /// `R mod n`: one in Montgomery form
    pub(crate) r1: Nat,
    /// `R^2 mod n`
    pub(crate) r2: Nat,
    pub(crate) cpu: Cpu,
    pub(crate) plan: &'static Plan,
    pub(crate) mpn: Mpn,
    /// For reduction by products, where the plan says that it pays.
    pub(crate) redc_n: Option<Box<RedcN>>,
    /// For single products, where the plan says that it pays.
    pub(crate) barrett: Option<Box<Barrett>>,
    /// Whether squares are products too: for studies of `mont_mul`.
    pub(crate) by_products: bool,
}

impl Saturated {
    pub(crate) fn new(
        n: &Nat,
        cpu: Cpu,
        plan: &'static Plan,
        mpn: Mpn,
        by_products: bool,
    ) -> Option<Saturated> {
        let bits = n.bits();
        if bits < 2 || !n.is_odd() {
            return None;
        }
        let n = n.truncate(bits.div_ceil(LIMB_BITS));
        let n0 = word::neg_inverse(n.limbs()[0]);
        let width = n.width();
        let mut context = Saturated {
            bits,
            n0,
            r1: Nat::zeros(width),
            r2: Nat::zeros(width),
            cpu,
            plan,
            redc_n: (width >= plan.redc_n && !by_products)
                .then(|| Box::new(RedcN::with_spectra(&mpn, plan, n.limbs(), n0))),
            barrett: None,
            mpn,
            by_products,
            n,
        };
        context.precompute();
        Some(context)
    }

    /// The context for Barrett's reduction.
    fn new_barrett(&self) -> Barrett {
        let (mpn, plan, n) = (&self.mpn, self.plan, &self.n);
        let made;
        let redc_n = match &self.redc_n {
            Some(kept) => kept,
            None => {
                made = RedcN::new(mpn, plan, n.limbs(), self.n0);
                &made
            }
        };
        redc_n.barrett(mpn, plan, n, self.bits, &self.r2)
    }

    /// `floor(2^bits R / n) - R` for the bit length of n, as Barrett's reduction has it.
    pub(crate) fn reciprocal(&self) -> Words {
        let limbs = |barrett: &Barrett| Words::new(barrett.reciprocal().to_vec());
        match &self.barrett {
            Some(kept) => limbs(kept),
            None => limbs(&self.new_barrett()),
        }
    }

    /// `a b mod n` for residues.
    pub(crate) fn product(&self, a: &Nat, b: &Nat) -> Nat {
        if let Some(barrett) = &self.barrett {
            return barrett.mul(a, b);
        }
        let mut t = self.scratch_words();
        let form = self.enter(&[b], &mut t);
        let mut r = a.clone();
        Ring::mul(self, r.limbs_mut(), &form, &mut t);
        r
    }

    /// The reduction of sums of products of limbs.
    fn reduction(&self) -> Reduction<'_> {
        Reduction {
            mpn: &self.mpn,
            n: self.n.limbs(),
            n0: self.n0,
        }
    }

    /// Computes `R mod n`, `R^2 mod n` and values derived from them, by doublings and Montgomery squarings: no
    /// division, so n may be secret.
    fn precompute(&mut self) {
        let k = self.n.width();
        let mut r = Nat::zeros(k);
        r.set_bit(self.bits - 1); // below n, which has its top bit there and is odd
        for _ in 0..k * LIMB_BITS + 1 - self.bits {
            self.double(&mut r);
        }
        self.r1 = r;
        self.r2 = self.two_to(k * LIMB_BITS);
        if k >= self.plan.barrett && !self.by_products {
            self.barrett = Some(Box::new(self.new_barrett()));
        }
    }

    /// `2^e R mod n` for e > 0, by the bits of e from the top: squaring doubles e, doubling adds one.
    pub(crate) fn two_to(&self, e: usize) -> Nat {
        let mut t = self.scratch_words();
        let mut r = self.r1.clone();
        for i in (0..=e.ilog2()).rev() {
            Ring::sqr(self, r.limbs_mut(), &mut t);
            if e >> i & 1 == 1 {
                self.double(&mut r);
            }
        }
        r
    }

    /// `2^e mod n` for e > 0, in plain form.
    pub(crate) fn residue_of_two_to(&self, e: usize) -> Nat {
        let power = self.two_to(e);
        let mut t = self.scratch_words();
        self.leave(power.limbs(), &mut t).remove(0)
    }

    /// `r := a / R mod n` for an `a` of any width up to that of n.
    pub(crate) fn redc(&self, r: &mut [Limb], a: &[Limb], t: &mut [Limb]) {
        let t = &mut t[..2 * r.len()];
        t.fill(0);
        t[..a.len()].copy_from_slice(a);
        self.redc_product(r, t);
    }

    /// Whether products, or squares, are made by the plan's method for their size and then reduced; otherwise one kernel does
    /// both by rows. Against that Karatsuba's method gains nothing yet.
    fn in_two_steps(&self, methods: Steps<Product>) -> bool {
        let by_rows = || {
            let method = choose(methods, self.n.width());
            matches!(method, Product::Schoolbook | Product::Toom22)
        };
        self.redc_n.is_some() || !(self.by_products || by_rows())
    }

    /// `r := t / R mod n` for `t` below n R, which is destroyed.
    fn redc_product(&self, r: &mut [Limb], t: &mut [Limb]) {
        let (mpn, n) = (&self.mpn, self.n.limbs());
        match &self.redc_n {
            Some(redc_n) => redc_n.call(mpn, self.plan, r, t, n),
            None => mpn.redc_1.call(r, t, n, self.n0),
        }
    }

    fn double(&self, r: &mut Nat) {
        let copy = r.clone();
        self.add(r, &copy);
    }

    /// `r := r + b mod n`
    pub(crate) fn add(&self, r: &mut Nat, b: &Nat) {
        let carry = self.mpn.add_n.call_in_place(r.limbs_mut(), b.limbs());
        let borrow = self.mpn.sub_n.call_in_place(r.limbs_mut(), self.n.limbs());
        self.mpn
            .cnd_add_n
            .call_in_place(borrow & (1 ^ carry), r.limbs_mut(), self.n.limbs());
    }
}

impl Drop for Saturated {
    fn drop(&mut self) {
        self.n0.zeroize();
    }
}

impl Ring for Saturated {
    fn width(&self) -> usize {
        self.n.width()
    }

    fn modulus(&self) -> &Nat {
        &self.n
    }

    fn scratch(&self) -> usize {
        common_multiplicand::scratch(self.n.width())
    }

    fn mpn(&self) -> &Mpn {
        &self.mpn
    }

    fn plan(&self) -> &'static Plan {
        self.plan
    }

    fn enter(&self, residues: &[&Nat], t: &mut [Limb]) -> Words {
        let mut r = self.load(residues[0]);
        Ring::mul(self, &mut r, self.r2.limbs(), t);
        r
    }

    fn one(&self) -> Words {
        Zeroizing::new(self.r1.limbs().to_vec())
    }

    fn mul(&self, r: &mut [Limb], b: &[Limb], t: &mut [Limb]) {
        let t = &mut t[..2 * b.len()];
        let (mpn, n) = (&self.mpn, self.n.limbs());
        if self.in_two_steps(self.plan.mul) {
            mul(mpn, self.plan, t, r, b);
            self.redc_product(r, t);
        } else {
            note("mont_mul", n.len() * n.len());
            mpn.mont_mul.call_in_place(r, b, n, self.n0, t);
        }
    }

    fn sqr(&self, r: &mut [Limb], t: &mut [Limb]) {
        self.sqr_times(r, 1, t);
    }

    fn sqr_times(&self, r: &mut [Limb], m: usize, t: &mut [Limb]) {
        let (t, rest) = t.split_at_mut(2 * r.len());
        let (mpn, n) = (&self.mpn, self.n.limbs());
        if self.in_two_steps(self.plan.sqr) {
            for _ in 0..m {
                sqr(mpn, self.plan, t, r);
                self.redc_product(r, t);
            }
        } else if self.by_products {
            let copy = &mut rest[..r.len()];
            for _ in 0..m {
                copy.copy_from_slice(r);
                note("mont_mul", n.len() * n.len());
                mpn.mont_mul.call_in_place(r, copy, n, self.n0, t);
            }
        } else {
            note("mont_sqr", m * n.len() * n.len());
            mpn.mont_sqr.call_in_place(r, n, self.n0, t, m);
        }
    }

    fn mul_and_sqr(&self, r: &mut [Limb], s: &mut [Limb], t: &mut [Limb]) {
        if self.by_products || self.in_two_steps(self.plan.mul) {
            Ring::mul(self, r, s, t);
            Ring::sqr(self, s, t);
        } else {
            self.reduction().mul_and_sqr(r, s, t);
        }
    }

    fn leave(&self, r: &[Limb], t: &mut [Limb]) -> Vec<Nat> {
        let mut out = Nat::zeros(r.len());
        self.redc(out.limbs_mut(), r, t);
        vec![out]
    }
}

impl Residues for Saturated {
    fn load(&self, residue: &Nat) -> Words {
        Words::new(residue.limbs().to_vec())
    }

    fn store(&self, mut r: Words) -> Nat {
        Nat::from_vec(mem::take(&mut *r))
    }
}

/// `x mod n` for an x below 2n, a limb wider than n.
pub(crate) fn subtract_once(mpn: &Mpn, n: &Nat, mut x: Nat) -> Nat {
    let (low, top) = x.limbs_mut().split_at_mut(n.width());
    let borrow = mpn.sub_n.call_in_place(low, n.limbs());
    let below = borrow & (1 ^ top[0]);
    mpn.cnd_add_n.call_in_place(below, low, n.limbs());
    // The borrow consumed a top limb of 1.
    top[0] = 0;
    x.shorten(n.width())
}
