//! A toy representation: plain residues, R = 1. It tests that a representation needs only a file and a row.

use super::saturated::Saturated;
use super::table::Representation;
use super::{Residues, Ring, Words};
use crate::nat::Nat;
use crate::plan::Plan;
use carrysave_kernels::{Limb, mpn::Mpn};
use std::sync::Arc;

/// Takes every number for every purpose.
pub(crate) const ROW: Representation = Representation {
    name: "toy",
    pays: |_, _, _| true,
    make: |c| Some(Arc::new(Toy(c.clone()))),
    pair: None,
    team: None,
};

struct Toy(Arc<Saturated>);

impl Ring for Toy {
    fn width(&self) -> usize {
        self.0.n.width()
    }

    fn modulus(&self) -> &Nat {
        &self.0.n
    }

    fn scratch(&self) -> usize {
        0
    }

    fn mpn(&self) -> &Mpn {
        &self.0.mpn
    }

    fn plan(&self) -> &'static Plan {
        self.0.plan
    }

    fn enter(&self, residues: &[&Nat], _: &mut [Limb]) -> Words {
        self.load(residues[0])
    }

    fn one(&self) -> Words {
        let one = Nat::one().resize(self.width()).expect("wider");
        self.load(&one)
    }

    fn mul(&self, r: &mut [Limb], b: &[Limb], _: &mut [Limb]) {
        let product = Nat::from_limbs(r).mul(&Nat::from_limbs(b));
        r.copy_from_slice(product.rem(self.modulus()).limbs());
    }

    fn sqr(&self, r: &mut [Limb], t: &mut [Limb]) {
        let b = r.to_vec();
        self.mul(r, &b, t);
    }

    fn leave(&self, r: &[Limb], _: &mut [Limb]) -> Vec<Nat> {
        vec![Nat::from_limbs(r)]
    }
}

impl Residues for Toy {
    fn load(&self, residue: &Nat) -> Words {
        Words::new(residue.limbs().to_vec())
    }

    fn store(&self, r: Words) -> Nat {
        Nat::from_limbs(&r)
    }
}
