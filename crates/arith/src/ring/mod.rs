//! What an exponentiation needs of a representation of residues.

pub(crate) mod blocks52;
pub(crate) mod mclaughlin;
pub(crate) mod radix52;
pub(crate) mod redc_n;
pub(crate) mod team;

use crate::group::Group;
use crate::modulus::Context;
use crate::nat::{Nat, mul, sqr};
use crate::plan::Plan;
use crate::pow::common_multiplicand;
use crate::work::note;
use carrysave_kernels::Limb;
use carrysave_kernels::mpn::Mpn;
use radix52::Radix52;
use zeroize::{Zeroize, Zeroizing};

/// Residues in a Montgomery form, of one modulus or of two side by side (*lanes*), as words.
pub(crate) trait Ring {
    /// Words of an element, all lanes together.
    fn width(&self) -> usize;
    /// Lanes.
    fn lanes(&self) -> usize {
        1
    }
    /// The modulus of the first lane.
    fn modulus(&self) -> &Nat;
    /// Words that `mul` and `sqr` work in.
    fn scratch(&self) -> usize;
    /// `tabselect` and its kin.
    fn mpn(&self) -> &Mpn;
    /// The widths of windows.
    fn plan(&self) -> &'static Plan;
    /// The element of a residue per lane.
    fn enter(&self, residues: &[&Nat], t: &mut [Limb]) -> Words;
    /// The element of one.
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

    /// Fresh working space.
    fn scratch_words(&self) -> Words {
        Zeroizing::new(vec![0; self.scratch()])
    }
}

/// Words that are wiped when dropped.
pub(crate) type Words = Zeroizing<Vec<Limb>>;

/// The units of a ring, with the working space of one thread.
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

/// Saturated radix 2^64, R = 2^(64k).
impl Ring for Context {
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
        let mut r = Zeroizing::new(residues[0].limbs().to_vec());
        Ring::mul(self, &mut r, self.r2.limbs(), t);
        r
    }

    fn one(&self) -> Words {
        Zeroizing::new(self.r1.limbs().to_vec())
    }

    fn mul(&self, r: &mut [Limb], b: &[Limb], t: &mut [Limb]) {
        let t = &mut t[..2 * b.len()];
        let (mpn, n) = (&self.mpn, self.n.limbs());
        if self.redc_n.is_some() {
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
        if self.redc_n.is_some() {
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
        if self.redc_n.is_some() || self.by_products {
            Ring::mul(self, r, s, t);
            Ring::sqr(self, s, t);
        } else {
            common_multiplicand::mul_and_sqr(self, r, s, t);
        }
    }

    fn leave(&self, r: &[Limb], t: &mut [Limb]) -> Vec<Nat> {
        let mut out = Nat::zeros(r.len());
        self.redc(out.limbs_mut(), r, t);
        vec![out]
    }
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
        let mut r = self.digits_of(residues[0]);
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

/// Two moduli of one shape in radix 2^52, the operations on both interleaved.
pub(crate) struct Pair<'a> {
    lanes: [&'a Radix52; 2],
    n: Words,
    k0: [Limb; 2],
}

impl<'a> Pair<'a> {
    /// The two side by side, if a kernel takes them.
    pub(crate) fn new(p: &'a Radix52, q: &'a Radix52) -> Option<Pair<'a>> {
        if p.digits != q.digits || p.n.len() > Radix52::PAIR_WORDS {
            return None;
        }
        let n = Zeroizing::new([&p.n[..], &q.n[..]].concat());
        Some(Pair {
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

impl Ring for Pair<'_> {
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
        let halves = r.chunks(r.len() / 2);
        self.lanes
            .iter()
            .zip(halves)
            .map(|(lane, half)| lane.residue_of(half))
            .collect()
    }
}

impl Drop for Pair<'_> {
    fn drop(&mut self) {
        self.k0.zeroize();
    }
}
