//! Multiplications that the members of a team share.

pub(crate) mod bipartite;
pub(crate) mod bipartite52;
mod columns52;
pub(crate) mod power;
pub(crate) mod relay;
pub(crate) mod rows;

use crate::nat::Nat;
use crate::ring::saturated::Saturated;
use carrysave_kernels::Limb;
use carrysave_team::Member;
use carrysave_team::shared_loop::Asked;

/// A representation in which a team computes powers.
pub(crate) trait ByTeam: Send + Sync {
    /// The part of one thread's work that the busiest of so many members has, at least two; `None` if so many do not
    /// share.
    fn work(&self, members: usize) -> Option<f64>;

    /// `base^exp` over every bit of the exponent's width, by so many members, which share. The host has them attend.
    fn power(&self, host: &mut Host<'_>, members: usize, base: &Nat, exp: &Nat) -> Nat;
}

/// Calls what it is given for up to so many members, each with another number, from 0 on: for 0 in any case. All have
/// returned when it does.
pub(crate) type Host<'a> = dyn FnMut(usize, &Attend<'_>) + 'a;

/// The side of a member in the computation of a power.
pub(crate) type Attend<'a> = dyn Fn(&Member<'_>, usize) + Sync + 'a;

/// One member's side of a multiplication that a team shares.
pub(crate) trait Shared {
    /// The shares of a factor that members multiply by.
    fn shares(&self) -> &[Share];
    /// Which of them a member multiplies by: members beyond the last one have that.
    fn share_of(&self, rank: usize) -> usize {
        rank.min(self.shares().len() - 1)
    }
    /// A part of `state * factor`, or of the square. `factor` holds only the share of the member for which `part` is
    /// called first; the rest is unspecified.
    fn part(
        &mut self,
        asked: &Asked<'_>,
        state: &[Limb],
        factor: Option<&[Limb]>,
        part: &mut [Limb],
    );
    /// `state` := the product, from all parts of the last phase.
    fn join(&mut self, state: &mut [Limb], factor: Option<&[Limb]>, parts: &[Limb]);
    /// `state` := the product, or the square, by one member.
    fn alone(&mut self, state: &mut [Limb], factor: Option<&[Limb]>);
    /// If a lone member is faster in saturated limbs, returns them with `d`: products there are scaled by 2^-d. Table
    /// entries carry the inverse of the factor accumulated over one window (its squarings and one product). `Some` only
    /// where both representations leave a fully reduced value, because members may reach a step by different routes.
    fn windows(&self) -> Option<(&Saturated, usize)> {
        None
    }
}

/// A range of words of a factor.
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
