//! Multiplication by more than two members in radix 2^52: a group of members on each end of the product, who share its
//! columns.
//!
//! Each end of [`super::bipartite52`] has columns that decide its quotient, and columns that are its result. All members
//! of a group compute the first and the quotient, and each computes a range of the second: the products of factors and
//! those that reduce them. So one exchange a multiplication is enough, in which the ranges are only put side by side,
//! and all words are those of two members.
//!
//! Of a square, each member of a group computes the square of a range of blocks, which has most of the columns that
//! decide the quotient, and a range of columns of the other blocks times the number, doubled where a product counts
//! twice.

use super::bipartite52::{Bipartite52, InHalves, half};
use super::{Share, Shared};
use crate::ring::blocks52::{Blocks52, Products};
use crate::ring::radix52::DIGIT;
use crate::ring::{Ring, Words};
use carrysave_kernels::Limb;
use carrysave_kernels::radix52::{BLOCK, DIGIT_BITS};
use carrysave_team::shared_loop::Asked;
use core::mem::take;
use core::ops::Range;

/// How members share multiplications modulo a number of some blocks.
#[derive(Debug)]
pub(super) struct Cut {
    /// Blocks whose squares, and products with blocks above them, are on the right.
    pub(super) lower: usize,
    /// The block from which all members on the left square.
    upper: usize,
    /// The columns of a product that each member of a group has, on the right and on the left.
    products: [Vec<Range<usize>>; 2],
    /// The columns of a square, likewise.
    squares: [Vec<Range<usize>>; 2],
    /// Products of two blocks that the busiest member makes in five squares and a product.
    pub(super) work: usize,
}

/// How many pairs of blocks, of n and of m, meet in these columns.
fn pairs(n: usize, m: usize, columns: Range<usize>) -> usize {
    let triangle = |x: usize| x * (x + 1) / 2;
    let below = |c: usize| {
        let (n, m, both) = (
            c.saturating_sub(n),
            c.saturating_sub(m),
            c.saturating_sub(n + m),
        );
        triangle(c) + triangle(both) - triangle(n) - triangle(m)
    };
    below(columns.end.max(columns.start)) - below(columns.start)
}

/// Ranges of columns with about equal costs, one a member, of as many columns as there are costs.
fn ranges(costs: &[usize], members: usize) -> Vec<Range<usize>> {
    let all: usize = costs.iter().sum();
    let (mut from, mut sum) = (0, 0);
    (1..=members)
        .map(|i| {
            let mut to = from;
            // One at least, and one for each of the others.
            while to < costs.len() - (members - i)
                && (to == from
                    || i == members
                    || 2 * members * sum + members * costs[to] <= 2 * i * all)
            {
                sum += costs[to];
                to += 1;
            }
            core::mem::replace(&mut from, to)..to
        })
        .collect()
}

impl Cut {
    /// The most members: more gain next to nothing, as each computes its quotient.
    const MOST: usize = 16;

    /// Whether so many members can share a multiplication.
    pub(super) fn takes(blocks: usize, members: usize) -> bool {
        let short = blocks <= Blocks52::OWING && 2 * members <= blocks;
        members == 2 || short && members <= Self::MOST && members > 2 && members.is_multiple_of(2)
    }

    /// For an even number of members.
    pub(super) fn new(blocks: usize, members: usize) -> Cut {
        let (h, each) = (half(blocks), members / 2);
        let g = blocks - h;
        let quotient = |blocks| pairs(blocks, blocks, 0..blocks);
        let square = |blocks: usize| blocks * (blocks + 1) / 2;
        let right = |s: usize| {
            let (rest, all) = (blocks - s, h - s..2 * blocks);
            let known = square(s) + pairs(rest, s, 0..h - s) + quotient(h);
            (known, pairs(rest, s, all) + pairs(blocks, h, h..2 * blocks))
        };
        let left = |s: usize, u: usize| {
            let (rest, top) = (blocks - s, blocks - 1 + h - 2 * s);
            let known = square(blocks - u) + pairs(rest, u - s, top..2 * blocks) + quotient(g);
            (
                known,
                pairs(rest, u - s, 0..top) + pairs(blocks, g, 0..blocks),
            )
        };
        let cost = |(known, shared): (usize, usize)| known + shared.div_ceil(each);
        // Where the words of the columns that decide the quotient are those of the whole square.
        let most = (blocks + h - 2) / 2;
        let cuts = (h.div_ceil(2)..h).flat_map(|s| {
            let last = if each == 1 { s } else { most.max(s) };
            (s..=last).map(move |u| (s, u))
        });
        let (s, u) = cuts
            .min_by_key(|&(s, u)| cost(right(s)).max(cost(left(s, u))))
            .expect("from five blocks on there is one");
        let result = |column: usize, at: usize, n: usize, m: usize| match column.checked_sub(at) {
            Some(column) => pairs(n, m, column..column + 1),
            None => 0,
        };
        let share = |end: [usize; 2], [at, n, m]: [usize; 3], rows: usize| {
            let [first, last] = end;
            let costs: Vec<_> = (first..last)
                .map(|c| result(c, at, n, m) + result(c, 0, blocks, rows))
                .collect();
            ranges(&costs, each)
        };
        let (right_end, left_end) = ([h, blocks + h], [0, blocks]);
        let products = [
            share(right_end, [0, blocks, h], h),
            share(left_end, [0, blocks, g], g),
        ];
        let squares = [
            share(right_end, [s, blocks - s, s], h),
            share(left_end, [2 * s - h, blocks - s, u - s], g),
        ];
        let product = |rows: usize| {
            let known = 2 * quotient(rows);
            let all = 2 * blocks * rows - quotient(rows);
            cost((known, all - quotient(rows)))
        };
        let squaring = cost(right(s)).max(cost(left(s, u)));
        Cut {
            lower: s,
            upper: u,
            products,
            squares,
            work: 5 * squaring + product(h).max(product(g)),
        }
    }

    /// Words of a part.
    pub(super) fn words(&self) -> usize {
        let all = self.products.iter().chain(&self.squares).flatten();
        BLOCK * all.map(Range::len).max().expect("a member")
    }

    /// The columns of a member's part.
    fn range(&self, square: bool, rank: usize) -> Range<usize> {
        let groups = if square {
            &self.squares
        } else {
            &self.products
        };
        groups[side(rank)][rank / 2].clone()
    }
}

/// The end that a member has: 0 for the right.
fn side(rank: usize) -> usize {
    rank % 2
}

/// Words of blocks.
fn words(blocks: Range<usize>) -> Range<usize> {
    BLOCK * blocks.start..BLOCK * blocks.end
}

/// `t += a b 2^(416 at)` in some columns of t; b is no longer than a, and `kept` is a block of scratch.
///
/// A column has products of all blocks of b, with as many of a. Blocks of b, as many as there are columns, are taken
/// together: each column has the upper part of their products with the blocks of a that end there, and the lower part
/// of those with the blocks that begin there.
fn add_columns(
    p: &Products,
    t: &mut [Limb],
    columns: Range<usize>,
    at: usize,
    [a, b]: [&[Limb]; 2],
    kept: &mut [Limb],
) {
    let (n, m) = (a.len() / BLOCK, b.len() / BLOCK);
    let (mut from, to) = (columns.start.max(at), columns.end.min(at + n + m));
    if m == 0 || from >= to {
        return;
    }
    if from < at + n && at + n < to {
        add_columns(p, t, from..at + n, at, [a, b], kept);
        from = at + n;
    }
    let (width, column) = (to - from, from - at);
    let mut row = column.saturating_sub(n);
    while row < m.min(column) {
        // The block of a that meets this one of b in the first column.
        let begin = column - row;
        let rows = width.min(m - row).min(begin);
        let b = &b[words(row..row + rows)];
        let (below, upper) = (from - 1, &a[words(begin - rows..begin)]);
        kept.copy_from_slice(&t[words(below..from)]);
        p.high.call(&mut t[words(below..from + rows)], upper, b);
        t[words(below..from)].copy_from_slice(kept);
        if begin < n {
            let lower = &a[words(begin..begin + width)];
            p.low.call(&mut t[words(from..to)], lower, b);
        }
        row += rows;
    }
    if row < m && row == column {
        let b = &b[words(row..m.min(row + width))];
        p.low.call(&mut t[words(from..to)], &a[..BLOCK * width], b);
    }
}

/// `x := 2a` modulo a power of 2^52, of digits.
fn double(x: &mut [Limb], a: &[Limb]) {
    let below = [0].iter().chain(a);
    for ((x, a), below) in x.iter_mut().zip(a).zip(below) {
        *x = a << 1 & DIGIT | below >> (DIGIT_BITS - 1);
    }
}

/// Products and squares of one member.
pub(super) struct InColumns<'a> {
    ring: &'a Blocks52,
    bipartite: &'a Bipartite52,
    cut: &'a Cut,
    members: usize,
    /// Whole steps, and the scratch of a part.
    whole: InHalves<'a>,
    /// The number that the rows of a square are multiplied by.
    factor: Words,
    /// Scratch of [`add_columns`].
    kept: Words,
}

impl<'a> InColumns<'a> {
    pub(super) fn new(
        ring: &'a Blocks52,
        bipartite: &'a Bipartite52,
        cut: &'a Cut,
        members: usize,
    ) -> InColumns<'a> {
        InColumns {
            ring,
            bipartite,
            cut,
            members,
            whole: InHalves::new(ring, bipartite, cut.lower),
            factor: Words::new(vec![0; ring.width()]),
            kept: Words::new(vec![0; BLOCK]),
        }
    }

    /// Columns of `a b / R` for the low blocks of b, or of a squared, in words.
    fn right(&mut self, a: &[Limb], b: Option<&[Limb]>, columns: Range<usize>, part: &mut [Limb]) {
        let (ring, kept) = (self.ring, &mut self.kept);
        let p = &ring.products;
        let (blocks, h, s) = (ring.blocks(), half(ring.blocks()), self.cut.lower);
        let t = &mut self.whole.t[..BLOCK * (blocks + h)];
        let mine = h + columns.start..h + columns.end;
        t.fill(0);
        let (at, factors) = match b {
            Some(b) => (0, [a, b]),
            None => {
                let (below, above) = a.split_at(BLOCK * s);
                let scratch = &mut self.whole.u[..BLOCK * (s + 1)];
                p.sqr.call(&mut t[words(0..2 * s)], below, scratch);
                let twice = &mut self.factor[..above.len()];
                double(twice, above);
                (s, [&*twice, below])
            }
        };
        add_columns(p, t, 0..h, at, factors, kept);
        add_columns(p, t, mine.clone(), at, factors, kept);
        let q = &mut self.whole.u[..BLOCK * h];
        ring.quotient(t, q);
        match columns.start {
            0 => {
                // The column below tells the carry into this one.
                add_columns(p, t, h - 1..mine.end, 0, [&*ring.n, &*q], kept);
                ring.carry_up(&mut t[BLOCK * (h - 1)..]);
            }
            _ => add_columns(p, t, mine.clone(), 0, [&*ring.n, &*q], kept),
        }
        part[..BLOCK * mine.len()].copy_from_slice(&t[words(mine)]);
    }

    /// Columns of `a b / R` for the high blocks of b, or of a squared, in words, modulo 2^(416B).
    fn left(&mut self, a: &[Limb], b: Option<&[Limb]>, columns: Range<usize>, part: &mut [Limb]) {
        let (ring, kept) = (self.ring, &mut self.kept);
        let p = &ring.products;
        let (blocks, h) = (ring.blocks(), half(ring.blocks()));
        let (g, top) = (blocks - h, blocks - 1);
        let Cut {
            lower: s, upper: u, ..
        } = *self.cut;
        let t = &mut self.whole.t[..BLOCK * (blocks + g)];
        t.fill(0);
        let (at, factors) = match b {
            Some(b) => {
                // With a block below: of the lowest column here the high halves of products count, too.
                p.high
                    .call(&mut t[BLOCK * (top - 1)..], &a[BLOCK * (h - 1)..], b);
                t[words(top - 1..top)].fill(0);
                (0, [a, b])
            }
            None => {
                let above = &a[BLOCK * u..];
                let scratch = &mut self.whole.u[..above.len() + BLOCK];
                p.sqr.call(&mut t[BLOCK * (2 * u - h)..], above, scratch);
                let rows = &a[words(s..u)];
                let factor = &mut self.factor[..BLOCK * (blocks - s)];
                let (once, twice) = factor.split_at_mut(rows.len());
                once.copy_from_slice(rows);
                double(twice, above);
                let at = 2 * s - h;
                add_columns(p, t, top..blocks + g, at, [&*factor, rows], kept);
                (at, [&*factor, rows])
            }
        };
        let below = columns.start..columns.end.min(top);
        add_columns(p, t, below, at, factors, kept);
        self.whole.quotient();
        let (t, q) = (&mut self.whole.t, &self.whole.u[..BLOCK * g]);
        let factors = [&*self.bipartite.complement, q];
        add_columns(p, t, columns.clone(), 0, factors, &mut self.kept);
        part[..BLOCK * columns.len()].copy_from_slice(&t[words(columns)]);
    }
}

impl Shared for InColumns<'_> {
    fn shares(&self) -> &[Share] {
        self.whole.shares()
    }

    fn share_of(&self, rank: usize) -> usize {
        side(rank)
    }

    fn part(
        &mut self,
        asked: &Asked<'_>,
        state: &[Limb],
        factor: Option<&[Limb]>,
        part: &mut [Limb],
    ) {
        let columns = self.cut.range(factor.is_none(), asked.rank);
        let share = self.shares()[side(asked.rank)];
        let factor = factor.map(|factor| share.of(factor));
        match side(asked.rank) {
            0 => self.right(state, factor, columns, part),
            _ => self.left(state, factor, columns, part),
        }
    }

    fn join(&mut self, state: &mut [Limb], factor: Option<&[Limb]>, parts: &[Limb]) {
        let mut halves = take(&mut self.whole.parts);
        for (rank, part) in parts.chunks(parts.len() / self.members).enumerate() {
            let columns = self.cut.range(factor.is_none(), rank);
            let half = &mut halves[side(rank) * state.len()..][..state.len()];
            half[words(columns.clone())].copy_from_slice(&part[..BLOCK * columns.len()]);
        }
        self.whole.join(state, factor, &halves);
        self.whole.parts = halves;
    }

    fn alone(&mut self, state: &mut [Limb], factor: Option<&[Limb]>) {
        self.whole.alone(state, factor);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Modulus, Nat};
    use carrysave_team::shared_loop::At;
    use getrandom::{SysRng, rand_core::UnwrapErr};

    #[test]
    fn pairs_are_all_in_their_columns() {
        for (n, m) in [(1, 1), (5, 3), (7, 7)] {
            for from in 0..n + m {
                for to in from..n + m + 2 {
                    let all = (0..n).flat_map(|i| (0..m).map(move |j| i + j));
                    let count = all.filter(|c| (from..to).contains(c)).count();
                    assert_eq!(pairs(n, m, from..to), count, "{n} by {m}, {from}..{to}");
                }
            }
        }
    }

    #[test]
    fn members_have_all_columns_and_less_to_do_the_more_there_are() {
        for blocks in 5..=Blocks52::OWING {
            let mut last = usize::MAX;
            for members in (2..=16).filter(|&members| Cut::takes(blocks, members)) {
                let cut = Cut::new(blocks, members);
                for ranges in cut.products.iter().chain(&cut.squares) {
                    assert_eq!(ranges.len(), members / 2);
                    let ends = [0].into_iter().chain(ranges.iter().map(|range| range.end));
                    let starts = ranges.iter().map(|range| range.start).chain([blocks]);
                    assert!(ends.eq(starts), "{blocks} blocks: {ranges:?}");
                    assert!(ranges.iter().all(|range| !range.is_empty()));
                }
                assert!(cut.work <= last, "{blocks} blocks, {members} members");
                last = cut.work;
            }
        }
    }

    /// Columns of a product are those of the whole one, wherever they begin and end, and others stay.
    #[test]
    fn some_columns_are_those_of_the_whole_product() {
        let mut rng = UnwrapErr(SysRng);
        let n = Modulus::new(&Nat::power_of_two(3000).sub_limb(1).expect("above")).expect("odd");
        let ring = Blocks52::new(n.saturated());
        let mut digits = |blocks: usize| {
            let limbs = Nat::random_bits(64 * BLOCK * blocks, &mut rng);
            let digits = limbs.limbs().iter().map(|x| x & DIGIT);
            digits.collect::<Vec<Limb>>()
        };
        for (blocks, m, at) in [(1, 1, 0), (4, 1, 2), (5, 3, 0), (6, 6, 1), (9, 4, 3)] {
            let (a, b) = (digits(blocks), digits(m));
            let all = at + blocks + m;
            let mut whole = vec![0; BLOCK * all];
            ring.products.addmul.call(&mut whole[BLOCK * at..], &a, &b);
            for from in 0..all {
                for to in from..=all {
                    let mut t = vec![0; BLOCK * all];
                    let mut kept = vec![0; BLOCK];
                    add_columns(&ring.products, &mut t, from..to, at, [&a, &b], &mut kept);
                    for column in 0..all {
                        let expected = match (from..to).contains(&column) {
                            true => &whole[words(column..column + 1)],
                            false => &[0; BLOCK],
                        };
                        let got = &t[words(column..column + 1)];
                        assert!(got == expected, "{blocks} by {m}: {from}..{to}, {column}");
                    }
                }
            }
        }
    }

    /// However many members there are, the parts join to the words of a lone member.
    #[test]
    fn parts_join_to_the_words_of_one_member() {
        let mut rng = UnwrapErr(SysRng);
        for blocks in (8..36).chain([41, 64, 65, 99, 100]) {
            let bits = blocks * crate::ring::blocks52::BLOCK_BITS - Blocks52::HEADROOM;
            let mut n = Nat::random_bits(bits, &mut rng);
            n.set_bit(0);
            n.set_bit(bits - 1);
            let n = Modulus::new(&n).expect("odd");
            let c = n.saturated();
            let ring = Blocks52::new(c);
            assert_eq!(ring.blocks(), blocks);
            let bipartite = Bipartite52::new(c, &ring);
            for members in (4..=16).filter(|&members| Cut::takes(blocks, members)) {
                let cut = Cut::new(blocks, members);
                let mut member = InColumns::new(&ring, &bipartite, &cut, members);
                let largest = n.nat().sub_limb(1).expect("above 1");
                let any = Nat::random_below(n.nat(), &mut rng);
                let factor = ring.digits_of(&any);
                for first in [&largest, &any] {
                    let mut state = ring.digits_of(first);
                    // Ever larger states, as squares are not fully reduced.
                    for step in 0..8 {
                        let factor = (step % 4 == 3).then_some(&factor[..]);
                        let mut parts = vec![0; members * cut.words()];
                        for (rank, part) in parts.chunks_mut(cut.words()).enumerate() {
                            let asked = Asked {
                                at: At { step, phase: 0 },
                                rank,
                                before: &[],
                            };
                            member.part(&asked, &state, factor, part);
                        }
                        let mut joined = state.clone();
                        member.join(&mut joined, factor, &parts);
                        member.alone(&mut state, factor);
                        assert!(
                            joined == state,
                            "{blocks} blocks, {members} members, {step}"
                        );
                    }
                }
            }
        }
    }
}
