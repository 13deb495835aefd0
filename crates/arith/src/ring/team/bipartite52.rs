//! Multiplication by two members, each on one end of the product, in radix 2^52 (Kaihara, Takagi, Bipartite modular
//! multiplication, CHES 2005).
//!
//! With R = 2^(416h), h about half of the modulus's B blocks, a product a b / R modulo n has two parts. One member
//! multiplies by the low h blocks of b and reduces from the right by Montgomery's method. The other multiplies by the
//! high blocks and reduces from the left by Barrett's, modulo v: n times a power of two, with 416 B - 8 bits. Of a
//! square the first takes the products of the lower blocks with all blocks above them, and the second those of the
//! upper blocks.
//!
//! Bounds, in multiples of v: the part from the right is below a + 1, of a square below 2, as its lower blocks are fewer
//! than h; that from the left below 7. So squares are below 9 and products below a + 8, which joining the parts brings
//! below 2. Inputs of the next product or square are below 12, and their products stay below 2^(416(B + g)), g = B - h,
//! with eight bits of headroom above v.
//!
//! More members are in two groups, one on each end ([`super::columns52`]).

use super::columns52::{Cut, InColumns};
use super::power::pow_shared;
use super::{ByTeam, Host, Share, Shared};
use crate::nat::{LIMB_BITS, Nat};
use crate::ring::Ring;
use crate::ring::Words;
use crate::ring::blocks52::{BLOCK_BITS, Blocks52};
use crate::ring::radix52::{DIGIT, to_digits};
use crate::ring::saturated::Saturated;
use carrysave_kernels::Limb;
use carrysave_kernels::radix52::{BLOCK, DIGIT_BITS};
use carrysave_team::shared_loop::Asked;
use std::sync::Arc;

/// Bits of the highest digit of v.
const TOP: usize = DIGIT_BITS - Blocks52::HEADROOM;

/// Reduction from the left.
pub(crate) struct Bipartite52 {
    /// `2^(416B) - v`
    pub(super) complement: Words,
    /// `floor(2^bits 2^(416g) / n) - 2^(416g)` for the bit length of n
    reciprocal: Words,
}

/// Blocks reduced from the right.
pub(super) fn half(blocks: usize) -> usize {
    blocks.div_ceil(2)
}

/// Blocks whose squares, and products with blocks above them, form the lower part of a square: balanced so that both
/// parts take nearly the same time.
fn lower(blocks: usize) -> usize {
    let h = half(blocks);
    let g = blocks - h;
    // Twice the columns of the rows of a square, and of the products that reduce it.
    let square = |rows: usize, blocks: usize| rows * (2 * blocks + 3 - rows);
    let right = |s: usize| square(s, blocks) + 2 * blocks * h;
    // Including the shift of its quotient.
    let left = |s: usize| square(blocks - s, blocks - s) + 2 * blocks * g + blocks;
    (h.div_ceil(2)..h)
        .min_by_key(|&s| right(s).max(left(s)))
        .expect("from five blocks on there is one")
}

impl Bipartite52 {
    /// The least blocks for which two members pay.
    pub(crate) const LEAST: usize = 5;

    pub(crate) fn new(c: &Saturated, ring: &Blocks52) -> Bipartite52 {
        let blocks = ring.blocks();
        let g = blocks - half(blocks);
        // Its upper bits, as many as in g blocks, or zeros below.
        let reciprocal = Nat::from_limbs(&c.reciprocal());
        let (has, needs) = (c.n.width() * LIMB_BITS, g * BLOCK_BITS);
        let reciprocal = match has.checked_sub(needs) {
            Some(more) => reciprocal.shr(more),
            None => reciprocal.shl(needs - has),
        };
        let v = to_digits(
            &c.n.shl(blocks * BLOCK_BITS - Blocks52::HEADROOM - c.bits),
            BLOCK * blocks,
        );
        let mut complement = Words::new(v.iter().map(|x| x ^ DIGIT).collect());
        complement[0] += 1;
        ring.products.normalise.call_in_place(&mut complement);
        Bipartite52 {
            complement,
            reciprocal: to_digits(&reciprocal, BLOCK * g),
        }
    }
}

/// Powers by two members or more in radix 2^52.
pub(crate) struct ByHalves {
    c: Arc<Saturated>,
    ring: Arc<Blocks52>,
    bipartite: Bipartite52,
}

impl ByHalves {
    /// `None` if the modulus has too few blocks for two.
    pub(crate) fn new(c: &Arc<Saturated>, ring: Arc<Blocks52>) -> Option<ByHalves> {
        (ring.blocks() >= Bipartite52::LEAST).then(|| ByHalves {
            c: c.clone(),
            bipartite: Bipartite52::new(c, &ring),
            ring,
        })
    }
}

impl ByTeam for ByHalves {
    fn work(&self, members: usize) -> Option<f64> {
        let blocks = self.ring.blocks();
        let work = |members| Cut::new(blocks, members).work as f64;
        Cut::takes(blocks, members).then(|| work(members) / (2.0 * work(2)))
    }

    fn power(&self, host: &mut Host<'_>, members: usize, base: &Nat, exp: &Nat) -> Nat {
        let (c, ring, bipartite) = (&*self.c, &*self.ring, &self.bipartite);
        let first = InHalves::enter(c, ring, base);
        let power = match members {
            2 => {
                let shared = || InHalves::new(ring, bipartite, lower(ring.blocks()));
                pow_shared(ring, host, 2, &[ring.width()], first, exp, shared)
            }
            _ => {
                let cut = Cut::new(ring.blocks(), members);
                let shared = || InColumns::new(ring, bipartite, &cut, members);
                pow_shared(ring, host, members, &[cut.words()], first, exp, shared)
            }
        };
        ring.residue_of(&power)
    }
}

/// Products and squares of one member.
pub(crate) struct InHalves<'a> {
    ring: &'a Blocks52,
    bipartite: &'a Bipartite52,
    shares: [Share; 2],
    /// Words of the lower part of a square.
    lower: usize,
    /// Words of a member that takes a step alone.
    pub(super) parts: Words,
    pub(super) t: Words,
    pub(super) u: Words,
}

impl<'a> InHalves<'a> {
    /// With the blocks whose squares, and products with blocks above them, form the lower part of a square.
    pub(crate) fn new(
        ring: &'a Blocks52,
        bipartite: &'a Bipartite52,
        lower: usize,
    ) -> InHalves<'a> {
        let (blocks, h) = (ring.blocks(), half(ring.blocks()));
        let share = |from, to| Share {
            from: BLOCK * from,
            to: BLOCK * to,
        };
        InHalves {
            ring,
            bipartite,
            shares: [share(0, h), share(h, blocks)],
            lower: BLOCK * lower,
            parts: Words::new(vec![0; 2 * BLOCK * blocks]),
            t: Words::new(vec![0; BLOCK * (blocks + h)]),
            u: Words::new(vec![0; 2 * BLOCK * blocks]),
        }
    }

    /// One, and a residue, in the form of these products: x R mod n.
    pub(crate) fn enter(c: &Saturated, ring: &Blocks52, x: &Nat) -> [Words; 2] {
        let one = c.residue_of_two_to(half(ring.blocks()) * BLOCK_BITS);
        let x = c.product(x, &one);
        [one, x].map(|x| ring.digits_of(&x))
    }

    /// `part := a b / R` for the low blocks of b, or of a squared, in words.
    fn right(&mut self, a: &[Limb], b: Option<&[Limb]>, part: &mut [Limb]) {
        let (ring, p, u) = (self.ring, &self.ring.products, &mut self.u);
        let h = half(ring.blocks());
        let t = &mut self.t[..BLOCK * (ring.blocks() + h)];
        match b {
            Some(b) => {
                t.fill(0);
                p.addmul.call(t, a, b);
            }
            None => {
                let (square, above) = t.split_at_mut(a.len() + self.lower);
                p.sqr.call(square, a, &mut u[..a.len() + BLOCK]);
                above.fill(0);
            }
        }
        ring.redc(t, h, u);
        part.copy_from_slice(&t[BLOCK * h..]);
    }

    /// `part := a b / R` for the high blocks of b, or of a squared, in words, modulo 2^(416B).
    fn left(&mut self, a: &[Limb], b: Option<&[Limb]>, part: &mut [Limb]) {
        let (ring, p) = (self.ring, &self.ring.products);
        let (blocks, h) = (ring.blocks(), half(ring.blocks()));
        let (k, g) = (a.len(), BLOCK * (blocks - h));
        let t = &mut self.t[..k + g];
        match b {
            Some(b) => {
                t.fill(0);
                p.addmul.call(t, a, b);
            }
            None => {
                let above = &a[self.lower..];
                let (below, square) = t.split_at_mut(2 * self.lower - BLOCK * h);
                below.fill(0);
                p.sqr
                    .call(square, above, &mut self.u[..above.len() + BLOCK]);
            }
        }
        self.quotient();
        let t = &mut self.t[..k];
        p.low.call(t, &self.bipartite.complement, &self.u[..g]);
        if blocks > Blocks52::OWING {
            p.normalise.call_in_place(t);
        }
        part.copy_from_slice(t);
    }

    /// The quotient by v of the product of the high blocks, in the first blocks of `u`, or up to 6 less.
    pub(super) fn quotient(&mut self) {
        let (ring, p) = (self.ring, &self.ring.products);
        let (blocks, k) = (ring.blocks(), ring.width());
        let g = BLOCK * (blocks - half(blocks));
        let t = &mut self.t[..k + g];
        // The carries of the lower words may stay owed: without them the part above v's bits is at most 1 less.
        let long = blocks > Blocks52::OWING;
        let known = if long { 0 } else { k - BLOCK };
        p.normalise.call_in_place(&mut t[known..]);
        // The part above v's bits, times the reciprocal.
        let (q, u) = self.u.split_at_mut(g);
        for (q, pair) in q.iter_mut().zip(t[k - 1..].windows(2)) {
            *q = pair[0] >> TOP | pair[1] << Blocks52::HEADROOM & DIGIT;
        }
        let u = &mut u[..g + BLOCK];
        u.fill(0);
        p.high.call(u, &self.bipartite.reciprocal, q);
        let (below, u) = u.split_at_mut(BLOCK);
        u[0] += p.normalise.call_in_place(below);
        add(q, u);
        p.normalise.call_in_place(q);
    }

    /// `state - q v` for the largest q that its highest bits prove to be valid.
    fn reduce(&mut self, state: &mut [Limb]) {
        /// Bits of the quotient's reciprocal.
        const BITS: usize = 16;
        let (k, p) = (state.len(), &self.ring.products);
        let reciprocal = self.bipartite.reciprocal.last().expect("a digit");
        let reciprocal = 1 << BITS | reciprocal >> (DIGIT_BITS - BITS);
        let mut q = Words::new(vec![0; BLOCK]);
        q[0] = ((state[k - 1] >> (TOP - BITS)) * reciprocal) >> (2 * BITS);
        let t = &mut self.t[..k + BLOCK];
        t[..k].copy_from_slice(state);
        p.addmul.call(t, &self.bipartite.complement, &q);
        p.normalise.call_in_place(&mut t[..k]);
        state.copy_from_slice(&t[..k]);
    }
}

fn add(t: &mut [Limb], x: &[Limb]) {
    t.iter_mut().zip(x).for_each(|(t, x)| *t += x);
}

impl Shared for InHalves<'_> {
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
        let factor = factor.map(|factor| self.shares[asked.rank].of(factor));
        match asked.rank {
            0 => self.right(state, factor, part),
            _ => self.left(state, factor, part),
        }
    }

    fn join(&mut self, state: &mut [Limb], factor: Option<&[Limb]>, parts: &[Limb]) {
        let (right, left) = parts.split_at(state.len());
        // Adjacent words hold the products of a column of the whole product and of two reductions by half, which fit
        // one word. There is no carry out of the highest word: the left part is known modulo 2^(416B) only.
        self.ring.products.add.call(state, right, left);
        if factor.is_some() {
            self.reduce(state);
        }
    }

    fn alone(&mut self, state: &mut [Limb], factor: Option<&[Limb]>) {
        let mut parts = core::mem::take(&mut self.parts);
        let (right, left) = parts.split_at_mut(state.len());
        let [low, high] = (self.shares).map(|share| factor.map(|factor| share.of(factor)));
        self.right(state, low, right);
        self.left(state, high, left);
        self.join(state, factor, &parts);
        self.parts = parts;
    }
}
