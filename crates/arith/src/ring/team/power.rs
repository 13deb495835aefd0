//! Powers by a team, whose members share each multiplication.

use super::{Host, Shared};
use crate::nat::{LIMB_BITS, Nat};
use crate::plan::choose;
use crate::ring::{Ring, Words};
use crate::word;
use carrysave_kernels::{Limb, mpn::Mpn};
use carrysave_team::SharedWords;
use carrysave_team::shared_loop::{Asked, SharedLoop, Steps};

/// The power of a residue by `members` members, converted out of the form of their multiplication.
///
/// `one` and `base` are in that form. `shared` makes a member's side of the multiplication; `parts` are the words of
/// its parts in each phase.
pub(super) fn pow_shared<S: Shared>(
    ring: &(dyn Ring + Sync),
    host: &mut Host<'_>,
    members: usize,
    parts: &[usize],
    [one, base]: [Words; 2],
    exp: &Nat,
    shared: impl Fn() -> S + Sync,
) -> Words {
    let k = one.len();
    let window = choose(ring.plan().fixed_window, exp.width() * LIMB_BITS);
    let steps = SharedLoop::new(members, k, parts, ring.mpn().copy_shared);
    let table = SharedWords::new(k << window);
    table.write(0, &one);
    table.write(k, &base);
    let result = SharedWords::new(k);
    host(members, &|member, me| {
        let mut power = Power::new(ring.mpn(), shared(), k, window, exp, &table);
        let first = power.first();
        let r = steps.run(member, me, &first, &mut power);
        if me == 0 {
            result.write(0, &r);
        }
    });
    let mut r = Words::new(vec![0; k]);
    result.read(0, &mut r);
    r
}

/// The digit of an exponent in windows of `width` bits.
fn index(exp: &Nat, width: usize, window: usize) -> usize {
    let at = window * width;
    word::window(exp.limbs(), at, width.min(exp.width() * LIMB_BITS - at)) as usize
}

/// A power by fixed windows (HAC 14.82): first the table, one entry a step, then the windows from the top, and last a
/// product by 1, which leaves Montgomery form.
struct Power<'a, S> {
    mpn: &'a Mpn,
    shared: S,
    window: usize,
    exp: &'a Nat,
    /// Entry i is base^i; all entries stay for members that join late.
    table: &'a SharedWords,
    /// The entries in columns: the words of a share together, as they are read.
    columns: Vec<Words>,
    /// The number of entries in `columns`.
    known: usize,
    factor: Words,
    /// The number of steps taken alone, one by one.
    lone: usize,
    /// The entries for a member that takes whole windows alone, in columns; empty until they pay.
    lone_columns: Words,
    /// Scratch of a member that takes windows alone.
    scratch: Words,
}

#[derive(Clone, Copy)]
enum Op {
    /// By base^1.
    Next,
    Square,
    /// By the entry that a window selects.
    Window(usize),
    /// By 1.
    Leave,
}

impl<'a, S: Shared> Power<'a, S> {
    fn new(
        mpn: &'a Mpn,
        shared: S,
        k: usize,
        window: usize,
        exp: &'a Nat,
        table: &'a SharedWords,
    ) -> Self {
        let columns =
            (shared.shares().iter()).map(|share| Words::new(vec![0; share.len() << window]));
        let alone = shared.windows().map(|(ring, _)| ring.scratch_words());
        let mut power = Power {
            mpn,
            columns: columns.collect(),
            shared,
            window,
            exp,
            table,
            known: 0,
            factor: Words::new(vec![0; k]),
            lone: 0,
            lone_columns: Words::default(),
            scratch: alone.unwrap_or_default(),
        };
        power.learn(2);
        power
    }

    /// The state before the first step.
    fn first(&mut self) -> Words {
        let mut state = Words::new(vec![0; self.factor.len()]);
        self.table.read(state.len(), &mut state);
        if self.entries() == 0 {
            self.select_top(&mut state);
        }
        state
    }

    /// Steps that fill the table, which begins with base^0 and base^1.
    fn entries(&self) -> usize {
        (1 << self.window) - 2
    }

    fn bits(&self) -> usize {
        self.exp.width() * LIMB_BITS
    }

    fn windows(&self) -> usize {
        self.bits().div_ceil(self.window)
    }

    fn op(&self, step: usize) -> Op {
        let Some(step) = step.checked_sub(self.entries()) else {
            return Op::Next;
        };
        let (turn, place) = (step / (self.window + 1), step % (self.window + 1));
        match self.windows().checked_sub(turn + 2) {
            None => Op::Leave,
            Some(_) if place < self.window => Op::Square,
            Some(window) => Op::Window(window),
        }
    }

    /// The window whose first step it is.
    fn window_from(&self, step: usize) -> Option<usize> {
        let turns = step.checked_sub(self.entries())?;
        match turns % (self.window + 1) {
            0 => self.windows().checked_sub(turns / (self.window + 1) + 2),
            _ => None,
        }
    }

    /// The entry of the first window.
    fn select_top(&mut self, state: &mut [Limb]) {
        let index = index(self.exp, self.window, self.windows() - 1);
        for (share, columns) in self.shared.shares().iter().zip(&self.columns) {
            if share.len() > 0 {
                let state = &mut state[share.from..share.to];
                self.mpn.tabselect.call(state, columns, index);
            }
        }
    }

    /// Looks up the factor of a step; a share goes to its place in `factor`.
    fn look_up(&mut self, op: Op, share: usize) {
        let (share, columns) = (self.shared.shares()[share], &self.columns[share]);
        let factor = &mut self.factor[share.from..share.to];
        match op {
            _ if share.len() == 0 => {}
            Op::Square => {}
            Op::Next => factor.copy_from_slice(&columns[share.len()..][..share.len()]),
            Op::Window(window) => {
                let index = index(self.exp, self.window, window);
                self.mpn.tabselect.call(factor, columns, index);
            }
            Op::Leave => {
                factor.fill(0);
                if share.from == 0 {
                    factor[0] = 1;
                }
            }
        }
    }

    /// The factor of a step, already looked up; `None` for a square.
    fn factor(op: Op, factor: &[Limb]) -> Option<&[Limb]> {
        (!matches!(op, Op::Square)).then_some(factor)
    }

    /// Keeps the state after a step that makes an entry of the table.
    fn enter(&mut self, step: usize, state: &mut [Limb]) {
        if step < self.entries() {
            // Another member that computes it writes the same words.
            self.table.write((step + 2) * state.len(), state);
            self.learn(step + 3);
            if step + 1 == self.entries() {
                self.select_top(state);
            }
        }
    }

    /// Takes all steps of a window alone, in another ring; false if there is none.
    fn window_alone(&mut self, window: usize, state: &mut [Limb]) -> bool {
        let Some((ring, d)) = self.shared.windows() else {
            return false;
        };
        let (k, t) = (state.len(), &mut self.scratch);
        if self.lone_columns.is_empty() {
            // The scale of w squarings and a product, independent of the numbers.
            let shift = ring.two_to(d << self.window);
            self.lone_columns = Words::new(vec![0; k << self.window]);
            for (i, entry) in self.lone_columns.chunks_mut(k).enumerate() {
                self.table.read(i * k, entry);
                ring.mul(entry, shift.limbs(), t);
            }
        }
        for _ in 0..self.window {
            ring.sqr(state, t);
        }
        let index = index(self.exp, self.window, window);
        (self.mpn.tabselect).call(&mut self.factor, &self.lone_columns, index);
        ring.mul(state, &self.factor, t);
        true
    }

    /// Copies entries from the table, up to this number of them.
    fn learn(&mut self, entries: usize) {
        for i in self.known..entries {
            self.table.read(i * self.factor.len(), &mut self.factor);
            for (share, columns) in self.shared.shares().iter().zip(&mut self.columns) {
                columns[i * share.len()..][..share.len()].copy_from_slice(share.of(&self.factor));
            }
        }
        self.known = self.known.max(entries);
    }
}

impl<S: Shared> Steps for Power<'_, S> {
    fn count(&self) -> usize {
        self.entries() + (self.windows() - 1) * (self.window + 1) + 1
    }

    fn part(&mut self, asked: &Asked<'_>, state: &[Limb], part: &mut [Limb]) {
        let op = self.op(asked.at.step);
        if asked.at.phase == 0 {
            self.look_up(op, self.shared.share_of(asked.rank));
        }
        let factor = Self::factor(op, &self.factor);
        self.shared.part(asked, state, factor, part);
    }

    fn join(&mut self, step: usize, state: &mut [Limb], parts: &[Limb]) {
        let factor = Self::factor(self.op(step), &self.factor);
        self.shared.join(state, factor, parts);
        self.enter(step, state);
    }

    fn alone(&mut self, step: usize, state: &mut [Limb]) -> usize {
        let op = self.op(step);
        // The entries for whole windows cost one product each.
        let window = (self.window_from(step)).filter(|_| self.lone >> self.window > 0);
        if window.is_some_and(|window| self.window_alone(window, state)) {
            return self.window + 1;
        }
        self.lone += 1;
        (0..self.columns.len()).for_each(|share| self.look_up(op, share));
        self.shared.alone(state, Self::factor(op, &self.factor));
        self.enter(step, state);
        1
    }

    fn skip_to(&mut self, step: usize) {
        self.learn(step.min(self.entries()) + 2);
    }
}
