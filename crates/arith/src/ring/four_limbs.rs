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

    /// `r := a b / R`
    fn product(&self, r: &mut [Limb], a: &[Limb], b: &[Limb]) {
        const FOUR: &str = "words of four limbs";
        note("fp_mont_mul", LIMBS * LIMBS);
        let [a, b, n] = [a, b, self.saturated.n.limbs()].map(|x| x.try_into().expect(FOUR));
        let r = r.try_into().expect(FOUR);
        self.mont_mul.call(r, a, b, n, self.saturated.n0);
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
        self.saturated.scratch().max(LIMBS)
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

    fn mul(&self, r: &mut [Limb], b: &[Limb], t: &mut [Limb]) {
        let a = &mut t[..LIMBS];
        a.copy_from_slice(r);
        self.product(r, a, b);
    }

    fn sqr(&self, r: &mut [Limb], t: &mut [Limb]) {
        let a = &mut t[..LIMBS];
        a.copy_from_slice(r);
        self.product(r, a, a);
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
