//! Moduli of four limbs: saturated limbs by kernels of that size, which have no loops. R = 2^256.

use super::saturated::Saturated;
use super::{Purpose, Residues, Ring, Words};
use crate::nat::{LIMB_BITS, Nat};
use crate::plan::Plan;
use crate::work::note;
use carrysave_kernels::{Limb, fp::MontMul, mpn::Mpn};
use std::sync::Arc;

/// The limbs of a residue.
const LIMBS: usize = 4;
/// What all words here are.
const FOUR: &str = "words of four limbs";

/// Residues of four limbs in Montgomery form, which is that of [`Saturated`].
pub(crate) struct FourLimbs {
    saturated: Arc<Saturated>,
    mont_mul: MontMul,
}

impl FourLimbs {
    pub(crate) fn pays(_: &Plan, bits: usize, purpose: Purpose) -> bool {
        matches!(purpose, Purpose::Power(_)) && bits.div_ceil(LIMB_BITS) == LIMBS
    }

    pub(crate) fn new(c: &Arc<Saturated>) -> FourLimbs {
        FourLimbs {
            saturated: c.clone(),
            mont_mul: MontMul::best(c.cpu),
        }
    }

    /// The modulus.
    fn n(&self) -> &[Limb; LIMBS] {
        self.saturated.n.limbs().try_into().expect(FOUR)
    }
}

impl Ring for FourLimbs {
    fn width(&self) -> usize {
        LIMBS
    }

    fn modulus(&self) -> &Nat {
        &self.saturated.n
    }

    fn scratch(&self) -> usize {
        self.saturated.scratch()
    }

    fn mpn(&self) -> &Mpn {
        &self.saturated.mpn
    }

    fn plan(&self) -> &'static Plan {
        self.saturated.plan
    }

    fn enter(&self, residues: &[&Nat], t: &mut [Limb]) -> Words {
        let mut r = self.load(residues[0]);
        self.mul(&mut r, self.saturated.r2.limbs(), t);
        r
    }

    fn one(&self) -> Words {
        self.saturated.one()
    }

    fn mul(&self, r: &mut [Limb], b: &[Limb], _: &mut [Limb]) {
        note("fp_mont_mul", LIMBS * LIMBS);
        let r = r.try_into().expect(FOUR);
        let b = b.try_into().expect(FOUR);
        self.mont_mul
            .call_in_place(r, b, self.n(), self.saturated.n0);
    }

    fn sqr(&self, r: &mut [Limb], t: &mut [Limb]) {
        self.sqr_times(r, 1, t);
    }

    fn sqr_times(&self, r: &mut [Limb], m: usize, _: &mut [Limb]) {
        note("fp_mont_mul", m * LIMBS * LIMBS);
        let r = r.try_into().expect(FOUR);
        self.mont_mul
            .square_in_place(r, self.n(), self.saturated.n0, m);
    }

    fn leave(&self, r: &[Limb], t: &mut [Limb]) -> Vec<Nat> {
        self.saturated.leave(r, t)
    }
}

impl Residues for FourLimbs {
    fn load(&self, residue: &Nat) -> Words {
        self.saturated.load(residue)
    }

    fn store(&self, r: Words) -> Nat {
        self.saturated.store(r)
    }
}
