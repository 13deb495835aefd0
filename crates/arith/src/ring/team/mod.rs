//! Multiplications that the members of a team share.

pub(crate) mod bipartite;
pub(crate) mod bipartite52;
pub(crate) mod power;
pub(crate) mod rows;

use crate::ring::saturated::Saturated;
use carrysave_kernels::Limb;
use carrysave_team::shared_loop::Asked;

/// A multiplication that the members of a team share: what one of them has for it.
pub(crate) trait Shared {
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
    fn windows(&self) -> Option<(&Saturated, usize)> {
        None
    }
}

/// Words of a factor, from one to before another.
#[derive(Clone, Copy)]
pub(crate) struct Share {
    pub(crate) from: usize,
    pub(crate) to: usize,
}

impl Share {
    pub(crate) const NONE: Share = Share { from: 0, to: 0 };

    pub(crate) fn len(self) -> usize {
        self.to - self.from
    }

    pub(crate) fn of(self, words: &[Limb]) -> &[Limb] {
        &words[self.from..self.to]
    }
}
