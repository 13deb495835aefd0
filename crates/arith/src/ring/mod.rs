//! Representations of residues: the trait [`Ring`], and a file for each representation. [`table`] says when each pays.

pub(crate) mod blocks52;
mod common_multiplicand;
pub(crate) mod four_limbs;
pub(crate) mod mclaughlin;
pub(crate) mod pair52;
pub(crate) mod radix52;
pub(crate) mod redc_n;
pub(crate) mod saturated;
pub(crate) mod table;
pub(crate) mod team;
#[cfg(test)]
pub(crate) mod toy;

use crate::group::Group;
use crate::nat::Nat;
use crate::plan::Plan;
use carrysave_kernels::Limb;
use carrysave_kernels::mpn::Mpn;
use core::any::Any;
use zeroize::Zeroizing;

/// Residues in a Montgomery form, of one modulus or of two side by side (*lanes*), as words.
pub(crate) trait Ring {
    /// Words of an element, over all lanes.
    fn width(&self) -> usize;
    /// Lanes.
    fn lanes(&self) -> usize {
        1
    }
    /// The modulus of the first lane.
    fn modulus(&self) -> &Nat;
    /// Scratch words of `mul` and `sqr`.
    fn scratch(&self) -> usize;
    /// The kernels of `mpn`, such as `tabselect`.
    fn mpn(&self) -> &Mpn;
    /// The widths of windows.
    fn plan(&self) -> &'static Plan;
    /// The element of a residue per lane.
    fn enter(&self, residues: &[&Nat], t: &mut [Limb]) -> Words;
    /// The element 1.
    fn one(&self) -> Words;
    /// `r := r * b`
    fn mul(&self, r: &mut [Limb], b: &[Limb], t: &mut [Limb]);
    /// `r := r^2`
    fn sqr(&self, r: &mut [Limb], t: &mut [Limb]);
    /// `r := r^(2^m)`, m > 0
    fn sqr_times(&self, r: &mut [Limb], m: usize, t: &mut [Limb]) {
        for _ in 0..m {
            self.sqr(r, t);
        }
    }
    /// `r := r * s`, then `s := s^2`.
    fn mul_and_sqr(&self, r: &mut [Limb], s: &mut [Limb], t: &mut [Limb]) {
        self.mul(r, s, t);
        self.sqr(s, t);
    }
    /// The residue of each lane.
    fn leave(&self, r: &[Limb], t: &mut [Limb]) -> Vec<Nat>;

    /// Fresh scratch.
    fn scratch_words(&self) -> Words {
        Zeroizing::new(vec![0; self.scratch()])
    }
}

/// The purpose of a representation.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Purpose {
    /// Products, and powers that share their squarings or have a table.
    Products,
    /// A power to an exponent of this many bits, alone or by a team.
    Power(usize),
    /// Powers modulo two numbers, interleaved on one thread.
    Pair,
}

/// A ring of one modulus, as the modulus stores it.
pub(crate) trait Residues: Ring + Any + Send + Sync {
    /// The words of an unconverted residue, not in Montgomery form.
    fn load(&self, residue: &Nat) -> Words;
    /// The residue of words in the form of [`Residues::load`], or of their product with an element.
    fn store(&self, r: Words) -> Nat;
}

/// Words that are wiped when dropped.
pub(crate) type Words = Zeroizing<Vec<Limb>>;

/// The units of a ring, with the scratch of one thread.
pub(crate) struct InRing<'a> {
    ring: &'a dyn Ring,
    t: Words,
}

impl<'a> InRing<'a> {
    pub(crate) fn new(ring: &'a dyn Ring) -> InRing<'a> {
        let t = ring.scratch_words();
        InRing { ring, t }
    }
}

impl Group for InRing<'_> {
    type Element = Words;

    fn one(&self) -> Words {
        self.ring.one()
    }

    fn square(&mut self, x: &mut Words) {
        self.ring.sqr(x, &mut self.t);
    }

    fn mul(&mut self, x: &mut Words, y: &Words) {
        self.ring.mul(x, y, &mut self.t);
    }
}
