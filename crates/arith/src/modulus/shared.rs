//! Powers by a team, whose members share each multiplication.

use super::bipartite::{Bipartite, InShares};
use super::bipartite52::{Bipartite52, InHalves};
use super::mclaughlin::InRows;
use super::ring::{Ring, Words};
use super::{Blocks52, Context, Modulus, pow::digit};
use crate::nat::{LIMB_BITS, Nat};
use crate::plan::{USUAL_ROUND_TRIP, choose, counted_round_trip};
use carrysave_kernels::Limb;
use carrysave_team::shared_loop::{Asked, SharedLoop, Steps};
use carrysave_team::{Member, SharedWords, Team};

/// A multiplication that the members of a team share: what one of them has for it.
pub(super) trait Shared {
    /// What each member multiplies by, of a factor; the last one is that of all others, too.
    fn shares(&self) -> &[Share];
    /// A part of `state * factor`, or of the square. Of the factor the share of the member that it is called for first is
    /// there.
    fn part(
        &mut self,
        asked: &Asked<'_>,
        state: &[Limb],
        factor: Option<&[Limb]>,
        part: &mut [Limb],
    );
    /// `state` := the product, of all parts of the last phase.
    fn join(&mut self, state: &mut [Limb], factor: Option<&[Limb]>, parts: &[Limb]);
    /// `state` := the product, or the square, by one member.
    fn alone(&mut self, state: &mut [Limb], factor: Option<&[Limb]>);
    /// A ring in which one member is faster, and d, where each product there is 2^-d times what it is here: entries of
    /// a table have the inverse of what that makes of the squares of a window and a product as a factor there. Only where
    /// both leave the one number below n: members that come to a step in different ways must have the same state.
    fn windows(&self) -> Option<(&Context, usize)> {
        None
    }
}

/// Words of a factor, from one to before another.
#[derive(Clone, Copy)]
pub(super) struct Share {
    pub(super) from: usize,
    pub(super) to: usize,
}

impl Share {
    pub(super) const NONE: Share = Share { from: 0, to: 0 };

    pub(super) fn len(self) -> usize {
        self.to - self.from
    }

    pub(super) fn of(self, words: &[Limb]) -> &[Limb] {
        &words[self.from..self.to]
    }
}

impl Modulus {
    /// `base^exp mod n` by a team, over every bit of the exponent's width: as [`Modulus::pow`], and by it where that is
    /// faster by the plan and the team's [round trip](Team::round_trip), or the exponent short.
    ///
    /// A fixed window. Two threads do half of every multiplication each (Kaihara, Takagi, Bipartite modular
    /// multiplication, CHES 2005), and up to eight have a use, but in radix 2^52 no more than two; where multiplication is
    /// by transforms (McLaughlin, Math. Comp. 73, 2004), each member has some of the primes, and up to five have a use. A
    /// thread that is not there in time is not waited for.
    ///
    /// # Panics
    /// If `base` is not of the modulus's width.
    ///
    /// # Timing
    /// Depends on the widths of `n` and `exp`, and on when the system lets the threads run.
    ///
    /// ```
    /// use carrysave_arith::{Modulus, Nat};
    /// use carrysave_team::Serial;
    /// let n = Modulus::new(&Nat::from_limb(101)).unwrap();
    /// assert!(n.pow_on(&Serial, &Nat::from_limb(2), &Nat::from_limb(100)).is_one());
    /// ```
    pub fn pow_on(&self, team: &dyn Team, base: &Nat, exp: &Nat) -> Nat {
        self.check(base);
        if !self.pays_on(team, exp.width() * LIMB_BITS) {
            return self.pow(base, exp);
        }
        let c = &self.0.context;
        if let Some(ring) = self.mclaughlin(exp.width() * LIMB_BITS) {
            let members = ring.members(team.size());
            if members == 1 {
                return self.pow(base, exp);
            }
            let mut t = ring.scratch_words();
            let first = [ring.one(), ring.enter(&[base], &mut t)];
            let parts = InRows::parts(ring, members);
            let shared = || InRows::new(ring, members);
            let power = self.pow_shared(team, members, &parts, first, exp, shared);
            return Nat::from_limbs(&power);
        }
        if let Some((ring, bipartite)) = self.bipartite52(exp.width() * LIMB_BITS) {
            let first = InHalves::enter(self, ring, base);
            let shared = || InHalves::new(ring, bipartite);
            let power = self.pow_shared(team, 2, &[ring.width()], first, exp, shared);
            return ring.residue_of(&power);
        }
        let bipartite = (self.0.bipartite).get_or_init(|| Box::new(Bipartite::new(c)));
        let shares = InShares::shares(c, team.size());
        let first = InShares::enter(self, base);
        let parts = [self.width() + 1];
        let shared = || InShares::new(c, bipartite, &shares);
        let power = self.pow_shared(team, shares[0].len(), &parts, first, exp, shared);
        Nat::from_limbs(&power)
    }

    /// What two need in radix 2^52 for a power to an exponent of so many bits, where one would take that, too.
    fn bipartite52(&self, bits: usize) -> Option<(&Blocks52, &Bipartite52)> {
        let ring = self.blocks52(bits)?;
        let pays = ring.blocks() >= Bipartite52::LEAST;
        pays.then(|| {
            let contexts = &*self.0;
            let new = || Box::new(Bipartite52::new(&contexts.context, ring));
            (ring, &**contexts.bipartite52.get_or_init(new))
        })
    }

    /// Whether a power by a team is faster than alone, to an exponent of so many bits.
    fn pays_on(&self, team: &dyn Team, bits: usize) -> bool {
        let (k, least) = (self.width() as u128, self.plan().team_pow as u128);
        let usual = USUAL_ROUND_TRIP.as_nanos();
        let trip = counted_round_trip(team).as_nanos();
        let square = least.saturating_mul(least);
        // What a multiplication gains goes with the square of the width, what it pays with the round trip. Until the
        // others have woken up nothing is gained.
        team.size() > 1
            && k > 1
            && k * k * usual >= square.saturating_mul(trip)
            && k * k * bits as u128 >= square.saturating_mul(least)
    }

    /// A power of a residue, it and one in the form of a shared multiplication, of which each member has one, with parts
    /// of so many words in each phase; out of that form.
    fn pow_shared<S: Shared>(
        &self,
        team: &dyn Team,
        members: usize,
        parts: &[usize],
        [one, base]: [Words; 2],
        exp: &Nat,
        shared: impl Fn() -> S + Sync,
    ) -> Words {
        let c = &self.0.context;
        let k = one.len();
        let window = choose(c.plan.fixed_window, exp.width() * LIMB_BITS);
        let steps = SharedLoop::new(members, k, parts, c.mpn.copy_shared);
        let table = SharedWords::new(k << window);
        table.write(0, &one);
        table.write(k, &base);
        let result = SharedWords::new(k);
        team.offer(&|member: &Member<'_>| {
            if member.rank() < members {
                let mut power = Power::new(c, shared(), k, window, exp, &table);
                let first = power.first();
                let r = steps.run(member, &first, &mut power);
                if member.rank() == 0 {
                    result.write(0, &r);
                }
            }
        });
        let mut r = Words::new(vec![0; k]);
        result.read(0, &mut r);
        r
    }
}

/// The digit of an exponent in windows of `width` bits.
fn index(exp: &Nat, width: usize, window: usize) -> usize {
    let at = window * width;
    digit(exp, at, width.min(exp.width() * LIMB_BITS - at)) as usize
}

/// A power by fixed windows (HAC 14.82): first the table, one entry a step, then the windows from the top, and last a
/// product by 1, which leaves Montgomery form.
struct Power<'a, S> {
    c: &'a Context,
    shared: S,
    window: usize,
    exp: &'a Nat,
    /// Entry i is base^i, all of them for whoever joins late.
    table: &'a SharedWords,
    /// The entries in columns: those of a share together, as it reads them.
    columns: Vec<Words>,
    /// Entries that are in `columns`.
    known: usize,
    factor: Words,
    /// Steps that were taken alone, one by one.
    lone: usize,
    /// The entries for one that takes whole windows alone, in columns; empty until they pay.
    lone_columns: Words,
    scratch: Words,
}

#[derive(Clone, Copy)]
enum Op {
    /// By base^1.
    Next,
    Square,
    /// By the entry that a window says.
    Window(usize),
    /// By 1.
    Leave,
}

impl<'a, S: Shared> Power<'a, S> {
    fn new(
        c: &'a Context,
        shared: S,
        k: usize,
        window: usize,
        exp: &'a Nat,
        table: &'a SharedWords,
    ) -> Self {
        let columns =
            (shared.shares().iter()).map(|share| Words::new(vec![0; share.len() << window]));
        let mut power = Power {
            c,
            columns: columns.collect(),
            shared,
            window,
            exp,
            table,
            known: 0,
            factor: Words::new(vec![0; k]),
            lone: 0,
            lone_columns: Words::default(),
            scratch: c.scratch_words(),
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
                self.c.mpn.tabselect.call(state, columns, index);
            }
        }
    }

    /// What a step multiplies by, a share of it in its place in `factor`.
    fn look_up(&mut self, op: Op, share: usize) {
        let (share, columns) = (self.shared.shares()[share], &self.columns[share]);
        let factor = &mut self.factor[share.from..share.to];
        match op {
            _ if share.len() == 0 => {}
            Op::Square => {}
            Op::Next => factor.copy_from_slice(&columns[share.len()..][..share.len()]),
            Op::Window(window) => {
                let index = index(self.exp, self.window, window);
                self.c.mpn.tabselect.call(factor, columns, index);
            }
            Op::Leave => {
                factor.fill(0);
                if share.from == 0 {
                    factor[0] = 1;
                }
            }
        }
    }

    /// The factor of a step that has been looked up; none for a square.
    fn factor(op: Op, factor: &[Limb]) -> Option<&[Limb]> {
        (!matches!(op, Op::Square)).then_some(factor)
    }

    /// Keeps the state after a step that makes an entry of the table.
    fn enter(&mut self, step: usize, state: &mut [Limb]) {
        if step < self.entries() {
            // Whoever else computed it writes the same.
            self.table.write((step + 2) * state.len(), state);
            self.learn(step + 3);
            if step + 1 == self.entries() {
                self.select_top(state);
            }
        }
    }

    /// All steps of a window, alone, in another ring; false if there is none.
    fn window_alone(&mut self, window: usize, state: &mut [Limb]) -> bool {
        let Some((ring, d)) = self.shared.windows() else {
            return false;
        };
        let (k, t) = (state.len(), &mut self.scratch);
        if self.lone_columns.is_empty() {
            // Of w squarings and a product, whatever the numbers.
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
        (self.c.mpn.tabselect).call(&mut self.factor, &self.lone_columns, index);
        ring.mul(state, &self.factor, t);
        true
    }

    /// Takes entries from the table, up to so many.
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
            self.look_up(op, asked.rank.min(self.columns.len() - 1));
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
        // The entries for whole windows take as many products as there are entries.
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
