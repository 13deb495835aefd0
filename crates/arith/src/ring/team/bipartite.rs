//! Multiplication by a team: each member multiplies by its share of a factor's limbs, and reduces the product from both
//! ends.
//!
//! With R = 2^(64h), h half of the modulus's width k, a product a b / R modulo n is a sum over shares of b. The share
//! of low limbs reaches below R, and is reduced from the right by Montgomery's method; that of high limbs reaches above
//! the modulus, and is reduced from the left by Barrett's. Either has half of the limbs to reduce, so two members need
//! one exchange a multiplication (Kaihara, Takagi, Bipartite modular multiplication, CHES 2005). With more members
//! shares are narrower, and those in the middle have less to reduce.

use super::power::pow_shared;
use super::{ByTeam, Host, Share, Shared};
use crate::nat::{LIMB_BITS, Nat, add_at, mul, sqr};
use crate::plan::{Plan, choose};
use crate::ring::Words;
use crate::ring::redc_n::RedcN;
use crate::ring::saturated::Saturated;
use crate::word;
use carrysave_kernels::Limb;
use carrysave_team::shared_loop::Asked;
use std::sync::Arc;

/// Reduction modulo n from both ends.
pub(crate) struct Bipartite {
    /// `-n^-1 mod 2^(64h)`
    inverse: Words,
    /// `floor(2^bits 2^(64w) / n) - 2^(64w)` for the bit length of n and w = k - h
    reciprocal: Words,
}

/// h for a modulus of k limbs: whole blocks of kernels, if there are several.
fn half(k: usize) -> usize {
    match k / 2 {
        h if h < 32 => h,
        h => h & !7,
    }
}

/// Limbs that a reduction takes at once: the remainder after up to 512 blocks is below 2^13 n.
fn block(plan: &Plan, k: usize) -> usize {
    choose(plan.team_block, k).max(k / 512)
}

/// The shares of a factor, or of a number to be squared: at most `members`, which take nearly the same time; and the
/// products of limbs that the largest takes.
fn shares(k: usize, block: usize, members: usize, square: bool) -> (Vec<Share>, usize) {
    let h = half(k);
    let cost = |from: usize, to: usize| {
        let len = to - from;
        let (product, low) = match square {
            true => (len * len / 2 + len * (k - to), 2 * from),
            false => (len * k, from),
        };
        let reduction = |limbs: usize| limbs * (limbs.min(block) + k);
        product + reduction(h.saturating_sub(low)) + reduction(to.saturating_sub(h))
    };
    // As many limbs each time as `most` allows.
    let cut = |most: usize| {
        let mut shares = Vec::new();
        let mut from = 0;
        while from < k && shares.len() < members {
            let fits = |to: &usize| cost(from, *to) <= most;
            let grain = if k < 64 { 1 } else { 8 };
            let ends = (from / grain + 1..)
                .map(|i| i * grain)
                .take_while(|&to| to < k);
            let to = ends.chain([k]).take_while(fits).last()?;
            shares.push(Share { from, to });
            from = to;
        }
        (from == k).then_some(shares)
    };
    let (mut too_little, mut enough) = (0, cost(0, k));
    while enough - too_little > 1 {
        let middle = (too_little + enough) / 2;
        match cut(middle) {
            Some(_) => enough = middle,
            None => too_little = middle,
        }
    }
    (cut(enough).expect("one share is enough for that"), enough)
}

impl Bipartite {
    pub(crate) fn new(c: &Saturated) -> Bipartite {
        let (mpn, n, h) = (&c.mpn, c.n.limbs(), half(c.n.width()));
        let inverse = RedcN::new(mpn, c.plan, &n[..h], c.n0);
        Bipartite {
            inverse: Words::new(inverse.inverse().to_vec()),
            reciprocal: Words::new(c.reciprocal()[h..].to_vec()),
        }
    }

    /// Scratch limbs of [`Bipartite::part`]: all columns, and the products of a reduction of at most k/2 + 8 limbs.
    fn scratch(k: usize) -> usize {
        5 * k + 64
    }

    /// `part := a b / R` modulo n for a share of b, or of a squared: congruent, below 2^13 n, in k + 1 limbs.
    fn part(
        &self,
        c: &Saturated,
        part: &mut [Limb],
        a: &[Limb],
        b: Option<&[Limb]>,
        share: Share,
        t: &mut [Limb],
    ) {
        let (mpn, plan, n) = (&c.mpn, c.plan, c.n.limbs());
        let (k, h) = (n.len(), half(n.len()));
        if share.len() == 0 {
            return part.fill(0);
        }
        // All columns of a product, and one above: t is 0 except in those of the share.
        let (t, u) = t.split_at_mut(2 * k + 2);
        t.fill(0);
        let Share { from, to } = share;
        let mut low = match b {
            Some(b) => {
                mul(mpn, plan, &mut t[from..k + to], a, b);
                from
            }
            None => {
                sqr(mpn, plan, &mut t[2 * from..2 * to], share.of(a));
                if to < k {
                    // Twice the share times the limbs above it.
                    let cross = &mut u[..k - from + 1];
                    let (top, product) = cross.split_last_mut().expect("a limb");
                    mul(mpn, plan, product, &a[to..], share.of(a));
                    *top = mpn.lshift.call_in_place(product, 1);
                    add_at(mpn, &mut t[from + to..k + to + 1], cross);
                }
                2 * from
            }
        };
        // From the right: t is a multiple of 2^(64 low), and below 2^(64(k + to)) + n 2^(64 low).
        let high = k + to.max(h) + 1;
        let block = block(plan, k);
        while low < h {
            let g = (h - low).min(block);
            let (q, qn) = u[..3 * g + k].split_at_mut(2 * g);
            mul(mpn, plan, q, &t[low..low + g], &self.inverse[..g]);
            mul(mpn, plan, qn, n, &q[..g]);
            add_at(mpn, &mut t[low..high], qn);
            low += g;
        }
        // From the left: the next k + g + 1 limbs are below e n 2^(64g), where e is 3 before and 3 more each time.
        let mut high = k + to;
        while high > k + h {
            let g = (high - k - h).min(block);
            let (q, u) = u.split_at_mut(g + 1);
            let rest = &mut t[high - k - g..=high];
            // y := rest / 2^bits, rounded down
            let (y, p) = u.split_at_mut(g + 2);
            let (limbs, bits) = (c.bits / LIMB_BITS, (c.bits % LIMB_BITS) as u32);
            y.fill(0);
            y[..rest.len() - limbs].copy_from_slice(&rest[limbs..]);
            if bits > 0 {
                mpn.rshift.call_in_place(y, bits);
            }
            // q := y (2^(64g) + reciprocal) / 2^(64g), rounded down: at most e + 3 less than the quotient
            let reciprocal = &self.reciprocal[self.reciprocal.len() - g..];
            multiply(c, &mut p[..2 * g + 1], reciprocal, &y[..=g]);
            mpn.add_n.call(q, &p[g..=2 * g], &y[..=g]);
            let qn = &mut u[..k + g + 1];
            multiply(c, qn, n, q);
            mpn.sub_n.call_in_place(rest, qn);
            high -= g;
        }
        part.copy_from_slice(&t[h..=h + k]);
    }

    /// `r := sum mod n` of parts, below 2^16 n together.
    fn join(&self, c: &Saturated, r: &mut [Limb], parts: &[Limb], t: &mut [Limb]) {
        /// Bits of the quotient.
        const BITS: usize = 16;
        let (mpn, n) = (&c.mpn, c.n.limbs());
        let k = n.len();
        let sum = &mut t[..=k];
        sum.fill(0);
        for part in parts.chunks(k + 1) {
            mpn.add_n.call_in_place(sum, part);
        }
        // The upper limb of floor(2^(bits + 63) / n) times the sum's upper bits: the quotient, or 1 less.
        let y = word::window(sum, c.bits + BITS - LIMB_BITS, LIMB_BITS);
        let reciprocal = 1 << (LIMB_BITS - 1) | self.reciprocal.last().expect("a limb") >> 1;
        let q = (u128::from(y) * u128::from(reciprocal)) >> (2 * LIMB_BITS - 1 - BITS);
        let (sum, top) = sum.split_at_mut(k);
        let borrow = mpn.submul_1.call(sum, n, q as Limb);
        let top = top[0].wrapping_sub(borrow);
        let borrow = mpn.sub_n.call(r, sum, n);
        mpn.cnd_add_n.call_in_place(borrow & (1 ^ top), r, n);
    }
}

/// `r := a b` for a b of one limb more than a slice of kernels: the small top limb is multiplied separately.
fn multiply(c: &Saturated, r: &mut [Limb], a: &[Limb], b: &[Limb]) {
    let (top, b) = b.split_last().expect("a limb");
    let (low, high) = r.split_at_mut(a.len() + b.len());
    mul(&c.mpn, c.plan, low, a, b);
    high[0] = c.mpn.addmul_1.call(&mut low[b.len()..], a, *top);
}

/// Powers by a team in saturated limbs.
pub(crate) struct ByShares {
    c: Arc<Saturated>,
    bipartite: Bipartite,
}

impl ByShares {
    /// `None` if the modulus is too short to have a limb at each end.
    pub(crate) fn new(c: &Arc<Saturated>) -> Option<ByShares> {
        (c.n.width() > 1).then(|| ByShares {
            c: c.clone(),
            bipartite: Bipartite::new(c),
        })
    }
}

impl ByTeam for ByShares {
    fn work(&self, members: usize) -> Option<f64> {
        let (k, block) = (self.c.n.width(), block(self.c.plan, self.c.n.width()));
        // A window has some squares and a product.
        let work = |members| {
            let [product, square] = [false, true].map(|square| shares(k, block, members, square));
            let all = product.0.len().max(square.0.len()) == members;
            all.then(|| (5 * square.1 + product.1) as f64)
        };
        // More than eight gain nothing, as the outermost shares have all the reduction.
        match members {
            2..=8 => Some(work(members)? / (2.0 * work(2)?)),
            _ => None,
        }
    }

    fn power(&self, host: &mut Host<'_>, members: usize, base: &Nat, exp: &Nat) -> Nat {
        let c = &*self.c;
        let shares = InShares::shares(c, members);
        let first = InShares::enter(c, base);
        let parts = [c.n.width() + 1];
        let shared = || InShares::new(c, &self.bipartite, &shares);
        let power = pow_shared(c, host, members, &parts, first, exp, shared);
        Nat::from_limbs(&power)
    }
}

/// Products and squares of one member.
pub(crate) struct InShares<'a> {
    c: &'a Saturated,
    bipartite: &'a Bipartite,
    shares: &'a [Vec<Share>; 2],
    /// The part of a member that takes a step alone.
    whole: Words,
    scratch: Words,
}

impl<'a> InShares<'a> {
    /// With the shares of each member.
    pub(crate) fn new(
        c: &'a Saturated,
        bipartite: &'a Bipartite,
        shares: &'a [Vec<Share>; 2],
    ) -> InShares<'a> {
        let k = c.n.width();
        InShares {
            c,
            bipartite,
            shares,
            whole: Words::new(vec![0; k + 1]),
            scratch: Words::new(vec![0; Bipartite::scratch(k)]),
        }
    }

    /// The shares of products and of squares, for so many members.
    pub(crate) fn shares(c: &Saturated, members: usize) -> [Vec<Share>; 2] {
        let k = c.n.width();
        let mut all = [false, true].map(|square| shares(k, block(c.plan, k), members, square).0);
        for shares in &mut all {
            shares.resize(members, Share::NONE);
        }
        all
    }

    /// One, and a residue, in the form of these products: x R mod n, and R is below n.
    pub(crate) fn enter(c: &Saturated, x: &Nat) -> [Words; 2] {
        let k = c.n.width();
        let mut one = Nat::zeros(k);
        one.limbs_mut()[half(k)] = 1;
        let x = c.product(x, &one);
        [one, x].map(|x| Words::new(x.limbs().to_vec()))
    }
}

impl Shared for InShares<'_> {
    fn shares(&self) -> &[Share] {
        &self.shares[0]
    }

    fn part(
        &mut self,
        asked: &Asked<'_>,
        state: &[Limb],
        factor: Option<&[Limb]>,
        part: &mut [Limb],
    ) {
        let share = self.shares[usize::from(factor.is_none())][asked.rank];
        let factor = factor.map(|factor| share.of(factor));
        let (c, t) = (self.c, &mut self.scratch);
        self.bipartite.part(c, part, state, factor, share, t);
    }

    fn join(&mut self, state: &mut [Limb], _: Option<&[Limb]>, parts: &[Limb]) {
        (self.bipartite).join(self.c, state, parts, &mut self.scratch);
    }

    fn alone(&mut self, state: &mut [Limb], factor: Option<&[Limb]>) {
        let all = Share {
            from: 0,
            to: state.len(),
        };
        let (c, t) = (self.c, &mut self.scratch);
        (self.bipartite).part(c, &mut self.whole, state, factor, all, t);
        self.bipartite.join(c, state, &self.whole, t);
    }

    /// Montgomery multiplication with 2^(64k) in the place of R, as without a team.
    fn windows(&self) -> Option<(&Saturated, usize)> {
        let k = self.c.n.width();
        Some((self.c, (k - half(k)) * LIMB_BITS))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Modulus;
    use getrandom::{SysRng, rand_core::UnwrapErr};

    #[test]
    fn shares_are_all_limbs_and_nearly_equal() {
        for k in [2, 3, 5, 16, 63, 64, 65, 128, 300, 420] {
            for members in 1..=9 {
                for square in [false, true] {
                    let (shares, _) = shares(k, 16, members, square);
                    assert!((1..=members).contains(&shares.len()));
                    let ends = shares.iter().map(|share| share.to);
                    let starts = shares.iter().map(|share| share.from).chain([k]);
                    assert!(
                        [0].into_iter().chain(ends).eq(starts),
                        "{k} limbs, {members} members"
                    );
                    assert!(shares.iter().all(|share| share.len() > 0));
                }
            }
        }
        // Two halves of a product; for a square the part with as many products below it as in it.
        assert_eq!(shares(128, 16, 2, false).0[0].to, 64);
        assert!((36..=40).contains(&shares(128, 16, 2, true).0[0].to));
    }

    /// Without stragglers: however limbs are shared and reduced, the parts sum to the product.
    #[test]
    fn parts_join_to_the_product() {
        let mut rng = UnwrapErr(SysRng);
        for k in [2, 3, 4, 7, 16, 33, 64, 65, 131] {
            for (members, block) in (1..=9).zip([1, 3, 8, 16, 64].into_iter().cycle()) {
                let plan = Plan {
                    team_block: vec![(crate::NEVER, block)].leak(),
                    ..Plan::native().clone()
                };
                // With the highest bit of a limb, and without.
                let bits = 64 * k - members % 4;
                let mut n = Nat::random_bits(bits, &mut rng);
                n.set_bit(0);
                n.set_bit(bits - 1);
                let n = Modulus::with_plan(&n, crate::Cpu::native(), Box::leak(Box::new(plan)));
                let n = n.expect("odd, and above 1");
                let c = n.saturated();
                let bipartite = Bipartite::new(c);
                let largest = n.nat().sub_limb(1).expect("above 1");
                let any = Nat::random_below(n.nat(), &mut rng);
                let [a, b] = [largest, any].map(|x| x.resize(k).expect("below n"));
                for b in [Some(&b), None] {
                    let mut t = vec![0; Bipartite::scratch(k)];
                    let (shares, _) = shares(k, block, members, b.is_none());
                    let mut parts = vec![0; (k + 1) * shares.len()];
                    for (share, part) in shares.iter().zip(parts.chunks_mut(k + 1)) {
                        let factor = b.map(|b| share.of(b.limbs()));
                        bipartite.part(c, part, a.limbs(), factor, *share, &mut t);
                    }
                    let mut r = Nat::zeros(k);
                    bipartite.join(c, r.limbs_mut(), &parts, &mut t);
                    assert!(r.lt(n.nat()));
                    let mut shift = Nat::zeros(k);
                    shift.limbs_mut()[half(k)] = 1;
                    let expected = n.mul(&a, b.unwrap_or(&a));
                    assert!(
                        n.mul(&r, &shift) == expected,
                        "{k} limbs, {members} members"
                    );
                }
            }
        }
    }
}
