//! Two moduli of one shape in radix 2^52, which the kernels multiply side by side.

use super::radix52::Radix52;
use super::{Ring, Words};
use crate::nat::Nat;
use crate::plan::Plan;
use carrysave_kernels::Limb;
use carrysave_kernels::mpn::Mpn;
use zeroize::{Zeroize, Zeroizing};

/// Two moduli of one shape in radix 2^52, the operations on both interleaved.
pub(crate) struct Pair52<'a> {
    lanes: [&'a Radix52; 2],
    n: Words,
    k0: [Limb; 2],
}

impl<'a> Pair52<'a> {
    /// The two moduli side by side, if a kernel takes them.
    pub(crate) fn new(p: &'a Radix52, q: &'a Radix52) -> Option<Pair52<'a>> {
        if p.digits != q.digits || p.n.len() > Radix52::PAIR_WORDS {
            return None;
        }
        let n = Zeroizing::new([&p.n[..], &q.n[..]].concat());
        Some(Pair52 {
            lanes: [p, q],
            n,
            k0: [p.k0, q.k0],
        })
    }

    fn concat(&self, part: impl Fn(usize, &Radix52) -> Words) -> Words {
        let mut both = Zeroizing::new(Vec::with_capacity(self.width()));
        for (i, lane) in self.lanes.iter().enumerate() {
            both.extend_from_slice(&part(i, lane));
        }
        both
    }
}

impl Ring for Pair52<'_> {
    fn width(&self) -> usize {
        self.n.len()
    }

    fn lanes(&self) -> usize {
        2
    }

    fn modulus(&self) -> &Nat {
        &self.lanes[0].modulus
    }

    fn scratch(&self) -> usize {
        0
    }

    fn mpn(&self) -> &Mpn {
        &self.lanes[0].mpn
    }

    fn plan(&self) -> &'static Plan {
        self.lanes[0].plan
    }

    fn enter(&self, residues: &[&Nat], t: &mut [Limb]) -> Words {
        let mut r = self.concat(|i, lane| lane.digits_of(residues[i]));
        self.mul(&mut r, &self.concat(|_, lane| lane.r2.clone()), t);
        r
    }

    fn one(&self) -> Words {
        self.concat(|_, lane| lane.r1.clone())
    }

    fn mul(&self, r: &mut [Limb], b: &[Limb], _: &mut [Limb]) {
        let [p, _] = self.lanes;
        p.kernels
            .amm_x2
            .call_in_place(r, b, &self.n, p.digits, &self.k0);
    }

    fn sqr(&self, r: &mut [Limb], _: &mut [Limb]) {
        let [p, _] = self.lanes;
        p.kernels
            .ams_x2
            .call_in_place(r, &self.n, p.digits, &self.k0);
    }

    fn leave(&self, r: &[Limb], _: &mut [Limb]) -> Vec<Nat> {
        let halves = self.lanes.iter().zip(r.chunks(r.len() / 2));
        halves.map(|(lane, half)| lane.residue_of(half)).collect()
    }
}

impl Drop for Pair52<'_> {
    fn drop(&mut self) {
        self.k0.zeroize();
    }
}
