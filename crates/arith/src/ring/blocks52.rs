//! A modulus in radix 2^52, by whole products: first a b, then its quotient, then the quotient times n. Each is exact,
//! and its carries are paid after the whole sum.
//!
//! The steps of a whole product are independent, while row-by-row reduction waits for each quotient digit (Montgomery
//! 1985, with one digit of R's size; compare GMP, mpn_redc_n). Halves that are not needed are not computed: the upper
//! one of the second product, the lower one of the third.

use super::radix52::{DIGIT, Radix52, from_digits, to_digits};
use super::redc_n::RedcN;
use super::saturated::{Saturated, subtract_once};
use super::{Purpose, Residues, Ring, Words};
use crate::nat::{LIMB_BITS, Nat};
use crate::plan::Plan;
use crate::work::note;
use carrysave_kernels::Limb;
use carrysave_kernels::mpn::Mpn;
use carrysave_kernels::radix52::{
    Add, Addmul, AddmulHigh, AddmulLow, BLOCK, DIGIT_BITS, Normalise, Sqr,
};

/// Bits of a block.
pub(crate) const BLOCK_BITS: usize = BLOCK * DIGIT_BITS;

/// The context of a modulus n: residues are kept below R / 4, R = 2^(416 blocks).
pub(crate) struct Blocks52 {
    pub(crate) n: Words,
    /// `-n^-1 mod R`
    inverse: Words,
    /// `R^2 mod n`
    r2: Words,
    pub(crate) products: Products,
    mpn: Mpn,
    plan: &'static Plan,
    modulus: Nat,
}

impl Blocks52 {
    /// Bits of R above those of n: a team's results stay below a few multiples of n times a power of two of that
    /// length.
    pub(crate) const HEADROOM: usize = 8;
    /// The most blocks for which a word holds all that a step of one or two members adds to it: for each of up to 2.2
    /// times the number's blocks, the halves of 16 products of two digits.
    pub(crate) const OWING: usize = 100;

    /// Whether it pays: for powers long enough to justify the context, of numbers that radix 2^52 takes.
    pub(crate) fn pays(plan: &Plan, bits: usize, purpose: Purpose) -> bool {
        /// Bits of an exponent from which the context pays.
        const LEAST: usize = 64;
        let long = matches!(purpose, Purpose::Power(exponent) if exponent >= LEAST);
        long && bits >= plan.blocks52 && Radix52::takes(plan, bits)
    }

    pub(crate) fn new(c: &Saturated) -> Blocks52 {
        let blocks = (c.bits + Self::HEADROOM).div_ceil(BLOCK_BITS);
        let limbs = (blocks * BLOCK_BITS).div_ceil(LIMB_BITS);
        let n = c.n.resize(limbs).expect("it is longer");
        let inverse = RedcN::new(&c.mpn, c.plan, n.limbs(), c.n0);
        let square = c.residue_of_two_to(2 * blocks * BLOCK_BITS);
        let digits = |x: &Nat| to_digits(x, BLOCK * blocks);
        Blocks52 {
            n: digits(&n),
            inverse: digits(&Nat::from_limbs(inverse.inverse())),
            r2: digits(&square),
            products: Products {
                add: Add::best(c.cpu),
                addmul: Addmul::best(c.cpu),
                low: AddmulLow::best(c.cpu),
                high: AddmulHigh::best(c.cpu),
                sqr: Sqr::best(c.cpu),
                normalise: Normalise::best(c.cpu),
            },
            mpn: c.mpn.clone(),
            plan: c.plan,
            modulus: c.n.clone(),
        }
    }

    pub(crate) fn blocks(&self) -> usize {
        self.n.len() / BLOCK
    }

    /// The digits of a number.
    pub(crate) fn digits_of(&self, x: &Nat) -> Words {
        to_digits(x, self.n.len())
    }

    /// The residue of digits below 2n.
    pub(crate) fn residue_of(&self, r: &[Limb]) -> Nat {
        let x = from_digits(r.iter().copied(), self.modulus.width() + 1);
        subtract_once(&self.mpn, &self.modulus, x)
    }

    /// `t / 2^(416 low) mod n`, for words t of `low` blocks more than n, up to 255 blocks, as words above the low
    /// blocks of t: congruent, and at most n above the quotient. Uses `low` blocks of `u` as scratch.
    pub(crate) fn redc(&self, t: &mut [Limb], low: usize, u: &mut [Limb]) {
        let q = &mut u[..BLOCK * low];
        self.quotient(t, q);
        let t = &mut t[BLOCK * (low - 1)..];
        self.products.high.call(t, &self.n, q);
        self.carry_up(t);
    }

    /// `q := -t / n mod 2^(416 low)` for the low blocks of t, as many as q has. Pays what they owe.
    pub(crate) fn quotient(&self, t: &mut [Limb], q: &mut [Limb]) {
        let (p, low) = (&self.products, q.len());
        let known = if self.blocks() > Self::OWING {
            t.len()
        } else {
            low
        };
        let carry = p.normalise.call_in_place(&mut t[..known]);
        if let Some(above) = t.get_mut(known) {
            *above += carry;
        }
        q.fill(0);
        p.low.call(q, &self.inverse[..low], &t[..low]);
        p.normalise.call_in_place(q);
    }

    /// Carries out of the lowest block of t, the highest of those that are 0 modulo R by now.
    pub(crate) fn carry_up(&self, t: &mut [Limb]) {
        // Below this block the number is small, so the carry out of it is one more than the block, or 0 if it is 0.
        let (highest, above) = t.split_at_mut(BLOCK);
        highest.iter_mut().for_each(|x| *x += DIGIT);
        above[0] += self.products.normalise.call_in_place(highest);
    }
}

impl Ring for Blocks52 {
    fn width(&self) -> usize {
        self.n.len()
    }

    fn modulus(&self) -> &Nat {
        &self.modulus
    }

    fn scratch(&self) -> usize {
        3 * self.n.len() + BLOCK
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
        self.enter(&[&Nat::one()], &mut self.scratch_words())
    }

    fn mul(&self, r: &mut [Limb], b: &[Limb], t: &mut [Limb]) {
        let (t, u) = t.split_at_mut(2 * r.len());
        t.fill(0);
        note("products of blocks", r.len() * r.len());
        self.products.addmul.call(t, r, b);
        self.reduce(r, t, u);
    }

    fn sqr(&self, r: &mut [Limb], t: &mut [Limb]) {
        let (t, u) = t.split_at_mut(2 * r.len());
        note("squares of blocks", r.len() * r.len());
        self.products.sqr.call(t, r, u);
        self.reduce(r, t, u);
    }

    fn leave(&self, r: &[Limb], t: &mut [Limb]) -> Vec<Nat> {
        let mut r = Words::new(r.to_vec());
        self.mul(&mut r, &self.digits_of(&Nat::one()), t);
        vec![self.residue_of(&r)]
    }
}

impl Residues for Blocks52 {
    fn load(&self, residue: &Nat) -> Words {
        self.digits_of(residue)
    }

    fn store(&self, r: Words) -> Nat {
        self.residue_of(&r)
    }
}

impl Blocks52 {
    fn reduce(&self, r: &mut [Limb], t: &mut [Limb], u: &mut [Limb]) {
        self.redc(t, self.blocks(), u);
        r.copy_from_slice(&t[r.len()..]);
        self.products.normalise.call_in_place(r);
    }
}

/// Whole and partial products of numbers in blocks of digits.
#[derive(Clone, Copy)]
pub(crate) struct Products {
    pub(crate) add: Add,
    pub(crate) addmul: Addmul,
    pub(crate) low: AddmulLow,
    pub(crate) high: AddmulHigh,
    pub(crate) sqr: Sqr,
    pub(crate) normalise: Normalise,
}
