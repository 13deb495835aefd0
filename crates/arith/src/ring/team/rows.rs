//! Multiplication by a team with transforms: each member has the rows of some primes, and assembles the number from
//! some of the coefficients.

use super::power::pow_shared;
use super::{ByTeam, Host, Share, Shared};
use crate::nat::{Nat, Wrapped, add_at};
use crate::ring::mclaughlin::McLaughlin;
use crate::ring::{Ring, Words};
use carrysave_kernels::{Limb, ntt::PRIMES};
use carrysave_team::shared_loop::{Asked, At};
use core::ops::Range;
use std::sync::Arc;
use zeroize::Zeroize;

/// Powers by a team in [`McLaughlin`]'s representation.
pub(crate) struct ByRows(Arc<McLaughlin>);

impl ByRows {
    pub(crate) fn new(ring: Arc<McLaughlin>) -> ByRows {
        ByRows(ring)
    }
}

impl ByTeam for ByRows {
    /// `None` also if a member would have two primes of three, as the exchange would cost the gain.
    fn work(&self, members: usize) -> Option<f64> {
        let primes = self.0.wrapped.primes();
        let most = primes.div_ceil(members);
        let gains = members <= primes && 5 * most <= 3 * primes;
        gains.then(|| most as f64 / primes as f64)
    }

    fn power(&self, host: &mut Host<'_>, members: usize, base: &Nat, exp: &Nat) -> Nat {
        let ring = &*self.0;
        let mut t = ring.scratch_words();
        let first = [ring.one(), ring.enter(&[base], &mut t)];
        let parts = InRows::parts(ring, members);
        let shared = || InRows::new(ring, members);
        let power = pow_shared(ring, host, members, &parts, first, exp, shared);
        Nat::from_limbs(&power)
    }
}

/// Products and squares of one member of a team, which has the rows of some primes and a range of coefficients to
/// assemble.
pub(crate) struct InRows<'a> {
    ring: &'a McLaughlin,
    members: usize,
    shares: [Share; 1],
    /// For each prime the step whose transforms of both factors are known, plus 1; 0 for none.
    known: [usize; PRIMES.len()],
    /// The last place whose sum was computed, its e, and the lowest limb of the sum.
    added: At,
    e: Limb,
    quotient: Limb,
    scratch: Words,
}

impl<'a> InRows<'a> {
    /// The side of one member, of `members`.
    pub(crate) fn new(ring: &'a McLaughlin, members: usize) -> InRows<'a> {
        let all = Share {
            from: 0,
            to: ring.n.width(),
        };
        InRows {
            ring,
            members,
            shares: [all],
            known: [0; PRIMES.len()],
            added: At { step: 0, phase: 0 },
            e: 0,
            quotient: 0,
            scratch: ring.scratch_words(),
        }
    }

    /// Words of a part in each phase: rows and numbers alternate, for a b modulo R, for the quotient, and for the
    /// result.
    pub(crate) fn parts(ring: &McLaughlin, members: usize) -> Vec<usize> {
        let wrapped = &ring.wrapped;
        let rows = wrapped.primes().div_ceil(members) * wrapped.row();
        let number = wrapped.part_limbs(coefficients(wrapped, members, 0).len());
        [rows, number].repeat(3)
    }

    /// `part` := the number with these coefficients.
    fn put_together(&self, part: &mut [Limb], rank: usize, before: &[Limb]) {
        let wrapped = &self.ring.wrapped;
        let range = coefficients(wrapped, self.members, rank);
        if range.is_empty() {
            return;
        }
        let rows = before.len() / self.members;
        let row = |prime: usize| {
            let at = prime % self.members * rows + prime / self.members * wrapped.row();
            &before[at..][range.clone()]
        };
        let limbs = wrapped.part_limbs(range.len());
        wrapped.put_together(&mut part[..limbs], (0..wrapped.primes()).map(row));
    }

    /// The sum in the scratch := the sum of its parts.
    fn add_up(&mut self, parts: &[Limb]) {
        let wrapped = &self.ring.wrapped;
        let sum = self.ring.split_scratch(&mut self.scratch).2;
        sum.fill(0);
        let each = parts.len() / self.members;
        for (rank, part) in parts.chunks(each).enumerate() {
            let range = coefficients(wrapped, self.members, rank);
            if !range.is_empty() {
                let part = &part[..wrapped.part_limbs(range.len())];
                let at = wrapped.part_limbs(range.start) - wrapped.part_limbs(0);
                add_at(&self.ring.mpn, &mut sum[at..], part);
            }
        }
    }
}

impl Drop for InRows<'_> {
    fn drop(&mut self) {
        self.e.zeroize();
        self.quotient.zeroize();
    }
}

/// The coefficients that a member assembles: whole limbs.
fn coefficients(wrapped: &Wrapped, members: usize, rank: usize) -> Range<usize> {
    let each = wrapped.row().div_ceil(members).next_multiple_of(8);
    (rank * each).min(wrapped.row())..((rank + 1) * each).min(wrapped.row())
}

/// The primes whose rows a member has, and where each is in its part.
fn primes(
    ring: &McLaughlin,
    members: usize,
    rank: usize,
) -> impl Iterator<Item = (usize, usize)> + use<> {
    let row = ring.wrapped.row();
    let primes = (rank..ring.wrapped.primes()).step_by(members);
    primes.enumerate().map(move |(i, prime)| (prime, i * row))
}

impl Shared for InRows<'_> {
    fn shares(&self) -> &[Share] {
        &self.shares
    }

    fn part(
        &mut self,
        asked: &Asked<'_>,
        state: &[Limb],
        factor: Option<&[Limb]>,
        part: &mut [Limb],
    ) {
        let Asked {
            at, rank, before, ..
        } = *asked;
        if at.phase % 2 == 1 {
            return self.put_together(part, rank, before);
        }
        if at.phase > 0 && self.added != at {
            self.add_up(before);
            self.added = at;
            let sum = self.ring.split_scratch(&mut self.scratch).2;
            self.e = self
                .ring
                .reduce_plus(sum, if at.phase == 2 { 0 } else { self.e });
            self.quotient = sum[0].wrapping_add(self.e);
        }
        let (ring, row) = (self.ring, self.ring.wrapped.row());
        let (rows, others, sum) = ring.split_scratch(&mut self.scratch);
        let number = &sum[..ring.wide.len()];
        for (prime, to) in primes(ring, self.members, rank) {
            let place = 2 * row * prime..2 * row * (prime + 1);
            let (rows, others) = (&mut rows[place.clone()], &mut others[place]);
            // A member that does this for another may lack the transforms.
            if at.phase != 2 && self.known[prime] != at.step + 1 {
                let factor = factor.map(|b| (b, &mut *others));
                ring.product_row(prime, rows, state, factor);
                self.known[prime] = at.step + 1;
            }
            let (a, x) = rows.split_at_mut(row);
            match at.phase {
                0 => {}
                2 => ring.quotient_row(prime, x, number),
                _ => {
                    let b = factor.map_or(&*a, |_| &others[..row]);
                    ring.sum_row(prime, x, number, [a, b]);
                }
            }
            part[to..][..row].copy_from_slice(x);
        }
    }

    fn join(&mut self, state: &mut [Limb], factor: Option<&[Limb]>, parts: &[Limb]) {
        self.add_up(parts);
        let lowest = state[0].wrapping_mul(factor.map_or(state[0], |factor| factor[0]));
        let lowest = lowest.wrapping_add(self.quotient.wrapping_mul(self.ring.wide[0]));
        let sum = self.ring.split_scratch(&mut self.scratch).2;
        self.ring.reduce_minus(state, sum, self.e, lowest);
    }

    fn alone(&mut self, state: &mut [Limb], factor: Option<&[Limb]>) {
        self.ring.multiply(state, factor, &mut self.scratch);
        self.known = [0; PRIMES.len()];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Modulus;
    use getrandom::{SysRng, rand_core::UnwrapErr};

    /// Each member gets the parts of the others from them, or computes them itself.
    #[test]
    fn parts_are_the_same_whoever_makes_them() {
        let mut rng = UnwrapErr(SysRng);
        for bits in [64, 1024, 1408, 3000, 9000, 20_000] {
            let mut n = Nat::random_bits(bits, &mut rng);
            n.set_bit(0);
            n.set_bit(bits - 1);
            let n = Modulus::new(&n).expect("odd");
            let ring = Arc::new(McLaughlin::new(n.saturated()).expect("no factor of R"));
            let mut t = ring.scratch_words();
            for members in 1..=ring.wrapped.primes() {
                let mut all: Vec<_> = (0..members).map(|_| InRows::new(&ring, members)).collect();
                let parts = InRows::parts(&ring, members);
                let mut state = Nat::random_below(n.nat(), &mut rng).limbs().to_vec();
                for step in 0..12 {
                    let any = Nat::random_below(n.nat(), &mut rng);
                    let factor = (step % 3 > 0).then_some(any.limbs());
                    let mut expected = state.clone();
                    ring.multiply(&mut expected, factor, &mut t);
                    // The parts of the previous phase that each member has.
                    let mut before = vec![vec![]; members];
                    for (phase, &words) in parts.iter().enumerate() {
                        let asked = |rank, before| Asked {
                            at: At { step, phase },
                            rank,
                            before,
                        };
                        let mut after = vec![vec![0; words * members]; members];
                        for me in 0..members {
                            let part = &mut after[me][me * words..][..words];
                            all[me].part(&asked(me, &before[me]), &state, factor, part);
                        }
                        for (me, other) in
                            (0..members).flat_map(|me| (0..members).map(move |o| (me, o)))
                        {
                            let shown = after[other][other * words..][..words].to_vec();
                            let part = &mut after[me][other * words..][..words];
                            match me != other && (step + phase + me + other) % 3 == 0 {
                                true => {
                                    let asked = asked(other, &before[me]);
                                    all[me].part(&asked, &state, factor, part);
                                }
                                false => part.copy_from_slice(&shown),
                            }
                        }
                        before = after;
                    }
                    for (me, parts) in all.iter_mut().zip(&before) {
                        let mut product = state.clone();
                        me.join(&mut product, factor, parts);
                        assert!(
                            product == expected,
                            "{bits} bits, {members} members, {step}"
                        );
                    }
                    // Sometimes a member takes a step alone in between.
                    if step % 4 == 0 {
                        let mut product = state.clone();
                        all[0].alone(&mut product, factor);
                        assert!(product == expected, "{bits} bits");
                    }
                    state = expected;
                }
            }
        }
    }
}
