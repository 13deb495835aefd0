//! Fixed windows, for secret exponents (HAC 14.82): the table is read through `tabselect`.

use crate::aligned::Rows;
use crate::nat::Nat;
use crate::plan;
use crate::ring::{Ring, Words};
use crate::word;
use carrysave_kernels::Limb;

/// The power of each lane, over the low `bits` bits of its exponent. The time depends on sizes only.
pub(crate) fn power(
    ring: &dyn Ring,
    base: &[Limb],
    exps: &[&Nat],
    bits: usize,
    t: &mut [Limb],
) -> Words {
    let mut windows = Windows::new(ring, exps, bits);
    windows.fill(base, t);
    let mut r = windows.first();
    for i in (0..windows.count.saturating_sub(1)).rev() {
        windows.next(i, &mut r, t);
    }
    r
}

/// The windows of exponents, one a lane, and the tables that they index.
pub(crate) struct Windows<'a> {
    ring: &'a dyn Ring,
    exps: &'a [&'a Nat],
    /// Bits of an exponent.
    bits: usize,
    /// Bits of a window.
    w: usize,
    /// Windows of an exponent.
    pub(crate) count: usize,
    /// A table a lane, its entries in a row: entry i is base^i.
    tables: Rows,
    entry: Words,
}

impl<'a> Windows<'a> {
    /// With empty tables.
    pub(crate) fn new(ring: &'a dyn Ring, exps: &'a [&'a Nat], bits: usize) -> Self {
        let w = plan::choose(ring.plan().fixed_window, bits);
        let lane = ring.width() / ring.lanes();
        Windows {
            ring,
            exps,
            bits,
            w,
            count: bits.div_ceil(w),
            tables: Rows::new(ring.lanes(), lane << w),
            entry: Words::new(vec![0; ring.width()]),
        }
    }

    /// Words of a lane.
    fn lane(&self) -> usize {
        self.ring.width() / self.ring.lanes()
    }

    /// The table of a lane.
    pub(crate) fn table(&mut self, lane: usize) -> &mut [Limb] {
        self.tables.row_mut(lane)
    }

    /// Fills the tables with the powers of the bases.
    pub(crate) fn fill(&mut self, base: &[Limb], t: &mut [Limb]) {
        let mut power = self.ring.one();
        for i in 0..1 << self.w {
            match i {
                0 => {}
                1 => power.copy_from_slice(base),
                _ => self.ring.mul(&mut power, base, t),
            }
            let width = self.lane();
            for (lane, power) in power.chunks(width).enumerate() {
                self.table(lane)[i * width..][..width].copy_from_slice(power);
            }
        }
    }

    /// Chooses the entries of a window.
    fn choose(&mut self, i: usize) {
        let (width, at) = (self.lane(), i * self.w);
        let bits = self.w.min(self.bits - at);
        for (lane, exp) in self.exps.iter().enumerate() {
            let row = &mut self.entry[lane * width..][..width];
            let digit = word::window(exp.limbs(), at, bits);
            let table = self.tables.row(lane);
            self.ring.mpn().tabselect.call(row, table, digit as usize);
        }
    }

    /// The entries of the highest window: what the others begin with.
    pub(crate) fn first(&mut self) -> Words {
        match self.count.checked_sub(1) {
            Some(top) => {
                self.choose(top);
                self.entry.clone()
            }
            None => self.ring.one(),
        }
    }

    /// `r` := its power by the window's squarings, times the window's entries.
    pub(crate) fn next(&mut self, i: usize, r: &mut [Limb], t: &mut [Limb]) {
        // Before the squarings, which do not depend on it.
        self.choose(i);
        self.ring.sqr_times(r, self.w, t);
        self.ring.mul(r, &self.entry, t);
    }
}
