//! A power that one member of a team takes window by window, and that another takes over where the first is late.

use super::Host;
use crate::nat::{LIMB_BITS, Nat};
use crate::pow::fixed_window::Windows;
use crate::ring::{Residues, Words};
use carrysave_kernels::Limb;
use carrysave_team::SharedWords;
use carrysave_team::shared_loop::{SharedLoop, Steps};

/// Members that may take part: one, and one that has nothing else to do.
pub(crate) const MEMBERS: usize = 2;

/// `base^exp` over every bit of the exponent's width, as by one thread.
pub(crate) fn power(ring: &dyn Residues, host: &mut Host<'_>, base: &Nat, exp: &Nat) -> Nat {
    let (mut t, exps) = (ring.scratch_words(), [exp]);
    let windows = || Windows::new(ring, &exps, exp.width() * LIMB_BITS);
    let base = ring.enter(&[base], &mut t);
    let table = SharedWords::new(windows().table(0).len());
    let steps = SharedLoop::new(MEMBERS, ring.width(), &[], ring.mpn().copy_shared);
    let result = SharedWords::new(ring.width());
    host(MEMBERS, &|member, me| {
        let mut relay = Relay {
            windows: windows(),
            base: &base,
            table: &table,
            has_table: false,
            t: ring.scratch_words(),
        };
        let r = steps.run(member, me, &base, &mut relay);
        if me == 0 {
            result.write(0, &r);
        }
    });
    let mut r = Words::new(vec![0; ring.width()]);
    result.read(0, &mut r);
    ring.leave(&r, &mut t).remove(0)
}

/// The steps of a member: the table with the highest window, then a window each.
struct Relay<'a> {
    windows: Windows<'a>,
    base: &'a [Limb],
    /// The table, for a member that comes later.
    table: &'a SharedWords,
    /// Whether this member has it.
    has_table: bool,
    t: Words,
}

impl Steps for Relay<'_> {
    fn count(&self) -> usize {
        self.windows.count.max(1)
    }

    fn alone(&mut self, step: usize, state: &mut [Limb]) -> usize {
        let Relay { windows, t, .. } = self;
        self.has_table = true;
        if step == 0 {
            windows.fill(self.base, t);
            // Another member that fills it writes the same words.
            self.table.write(0, windows.table(0));
            state.copy_from_slice(&windows.first());
        } else {
            windows.next(windows.count - 1 - step, state, t);
        }
        1
    }

    fn skip_to(&mut self, step: usize) {
        // It is there once a member has left the first step.
        if !self.has_table && (1..self.count()).contains(&step) {
            self.table.read(0, self.windows.table(0));
            self.has_table = true;
        }
    }
}
