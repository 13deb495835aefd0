//! A modulus in radix 2^52, for the kernels that spread one number over vector lanes.

use super::saturated::{Saturated, subtract_once};
use super::{Purpose, Residues, Ring, Words};
use crate::nat::{LIMB_BITS, Nat};
use crate::plan::{Plan, choose};
use crate::word;
use crate::work::note;
use carrysave_kernels::Limb;
use carrysave_kernels::mpn::Mpn;
use carrysave_kernels::radix52::{self, Amm, AmmX2, Ams, AmsX2, BLOCK, DIGIT_BITS};
use zeroize::{Zeroize, Zeroizing};

pub(crate) const DIGIT: Limb = (1 << DIGIT_BITS) - 1;

/// The context of a modulus in radix 2^52: R = 2^(52 digits) > 4 n.
pub(crate) struct Radix52 {
    pub(crate) n: Words,
    /// `-n^-1 mod 2^52`
    pub(crate) k0: Limb,
    /// `R mod n`, almost reduced: one
    pub(crate) r1: Words,
    /// `R^2 mod n`
    pub(crate) r2: Words,
    pub(crate) digits: usize,
    pub(crate) mpn: Mpn,
    pub(crate) plan: &'static Plan,
    pub(crate) kernels: radix52::Radix52,
    pub(crate) modulus: Nat,
}

impl Radix52 {
    /// The most words of numbers that the kernels multiply side by side.
    pub(crate) const PAIR_WORDS: usize = BLOCK * AmmX2::MAX_BLOCKS;

    /// Whether the plan puts residues modulo a number of `bits` bits in radix 2^52, and the kernels take them.
    pub(crate) fn takes(plan: &Plan, bits: usize) -> bool {
        (plan.radix52..=plan.radix52_up_to).contains(&bits) && Amm::shape(bits).is_some()
    }

    /// Whether it pays: a single power has another threshold than two interleaved ones.
    pub(crate) fn pays(plan: &Plan, bits: usize, purpose: Purpose) -> bool {
        let enough = match purpose {
            Purpose::Products | Purpose::Pair => true,
            Purpose::Power(_) => bits >= plan.radix52_alone,
        };
        enough && Radix52::takes(plan, bits)
    }

    /// The context, unless the number is too long for the kernels.
    pub(crate) fn new(c: &Saturated) -> Option<Radix52> {
        let (blocks, digits) = Amm::shape(c.bits)?;
        let width = BLOCK * blocks;
        let power = c.residue_of_two_to(2 * DIGIT_BITS * digits);
        let mut context = Radix52 {
            n: to_digits(&c.n, width),
            k0: c.n0 & DIGIT,
            r1: Zeroizing::new(vec![0; width]),
            r2: to_digits(&power, width),
            digits,
            mpn: c.mpn.clone(),
            plan: c.plan,
            kernels: kernels(c, digits),
            modulus: c.n.clone(),
        };
        let mut one = context.r2.clone();
        context.mul(&mut one, &to_digits(&Nat::one(), width), &mut []);
        context.r1 = one;
        Some(context)
    }

    /// The digits of a residue.
    pub(crate) fn digits_of(&self, residue: &Nat) -> Words {
        to_digits(residue, self.n.len())
    }

    /// The residue of an element: out of Montgomery form, fully reduced.
    pub(crate) fn residue_of(&self, r: &[Limb]) -> Nat {
        let mut r = Zeroizing::new(r.to_vec());
        self.mul(&mut r, &to_digits(&Nat::one(), self.n.len()), &mut []);
        self.reduced(&r)
    }

    /// The residue of words below 2n.
    pub(crate) fn reduced(&self, r: &[Limb]) -> Nat {
        let x = from_digits(r.iter().copied(), self.modulus.width() + 1);
        subtract_once(&self.mpn, &self.modulus, x)
    }
}

/// The kernels that the plan chooses for `digits` digits, where the processor has them.
fn kernels(c: &Saturated, digits: usize) -> radix52::Radix52 {
    let mut kernels = radix52::Radix52::new(c.cpu);
    kernels.amm = Amm::named(c.cpu, choose(c.plan.amm, digits)).unwrap_or(kernels.amm);
    kernels.amm_x2 = AmmX2::named(c.cpu, choose(c.plan.amm_x2, digits)).unwrap_or(kernels.amm_x2);
    kernels.ams = Ams::named(c.cpu, choose(c.plan.ams, digits)).unwrap_or(kernels.ams);
    kernels.ams_x2 = AmsX2::named(c.cpu, choose(c.plan.ams_x2, digits)).unwrap_or(kernels.ams_x2);
    kernels
}

/// The digits of a number, `width` words.
pub(crate) fn to_digits(x: &Nat, width: usize) -> Words {
    let digits = (0..width).map(|i| word::window(x.limbs(), i * DIGIT_BITS, DIGIT_BITS));
    Zeroizing::new(digits.collect())
}

/// The number with these digits below 2^52, in `width` limbs; higher bits are dropped.
pub(crate) fn from_digits(digits: impl Iterator<Item = Limb>, width: usize) -> Nat {
    let mut x = Nat::zeros(width);
    let mut limbs = x.limbs_mut().iter_mut();
    // Bits that do not fill a limb yet, and their number.
    let (mut rest, mut bits) = (0, 0);
    for digit in digits {
        let both = rest | digit << bits;
        (rest, bits) = match bits + DIGIT_BITS {
            more if more < LIMB_BITS => (both, more),
            more => {
                let Some(limb) = limbs.next() else { return x };
                *limb = both;
                (digit >> (LIMB_BITS - bits), more - LIMB_BITS)
            }
        };
    }
    if let Some(limb) = limbs.next() {
        *limb = rest;
    }
    x
}

/// Radix 2^52, R = 2^(52m), one number over the lanes of vectors.
impl Ring for Radix52 {
    fn width(&self) -> usize {
        self.n.len()
    }

    fn modulus(&self) -> &Nat {
        &self.modulus
    }

    fn scratch(&self) -> usize {
        0
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

    fn mul(&self, r: &mut [Limb], b: &[Limb], _: &mut [Limb]) {
        note("amm", self.digits * self.digits);
        self.kernels
            .amm
            .call_in_place(r, b, &self.n, self.digits, self.k0);
    }

    fn sqr(&self, r: &mut [Limb], _: &mut [Limb]) {
        note("ams", self.digits * self.digits);
        self.kernels
            .ams
            .call_in_place(r, &self.n, self.digits, self.k0);
    }

    fn leave(&self, r: &[Limb], _: &mut [Limb]) -> Vec<Nat> {
        vec![self.residue_of(r)]
    }
}

impl Residues for Radix52 {
    fn load(&self, residue: &Nat) -> Words {
        self.digits_of(residue)
    }

    fn store(&self, r: Words) -> Nat {
        self.reduced(&r)
    }
}

impl Drop for Radix52 {
    fn drop(&mut self) {
        self.k0.zeroize();
    }
}
