//! The table of representations of residues, [`REPRESENTATIONS`], which a modulus searches from the top.

use super::blocks52::Blocks52;
use super::four_limbs::FourLimbs;
use super::mclaughlin::McLaughlin;
use super::pair52::Pair52;
use super::radix52::Radix52;
use super::saturated::Saturated;
use super::team::{ByTeam, bipartite::ByShares, bipartite52::ByHalves, rows::ByRows};
use super::{Purpose, Residues, Ring};
use crate::plan::Plan;
use std::any::Any;
use std::sync::Arc;

/// A representation of residues: a row of [`REPRESENTATIONS`].
#[derive(Clone, Copy)]
pub(crate) struct Representation {
    /// The name.
    pub(crate) name: &'static str,
    /// Whether it pays by a plan for a modulus of this many bits.
    pub(crate) pays: fn(&Plan, usize, Purpose) -> bool,
    /// Makes the residues modulo a number; `None` if the number has none.
    pub(crate) make: fn(&Arc<Saturated>) -> Option<Arc<dyn Residues>>,
    /// Makes two moduli side by side, if they have one shape and the kernels take them.
    pub(crate) pair: Option<MakePair>,
    /// The form for teams. Without one, or if the number has too few digits, a team takes the next row that pays.
    pub(crate) team: Option<MakeTeam>,
}

/// Makes a ring of two moduli in one representation.
pub(crate) type MakePair =
    for<'a> fn(&'a dyn Residues, &'a dyn Residues) -> Option<Box<dyn Ring + 'a>>;

/// Makes the form for teams of the residues in one representation.
pub(crate) type MakeTeam = fn(&Arc<Saturated>, Arc<dyn Residues>) -> Option<Box<dyn ByTeam>>;

/// The representations in order of preference. The last one pays for every number and purpose.
pub(crate) static REPRESENTATIONS: &[Representation] = &[
    Representation {
        name: "mclaughlin",
        pays: McLaughlin::pays,
        make: |c| Some(Arc::new(McLaughlin::new(c)?)),
        pair: None,
        team: Some(|_, ring| Some(Box::new(ByRows::new(own(ring))))),
    },
    Representation {
        name: "blocks52",
        pays: Blocks52::pays,
        make: |c| Some(Arc::new(Blocks52::new(c))),
        pair: None,
        team: Some(|c, ring| Some(Box::new(ByHalves::new(c, own(ring))?))),
    },
    Representation {
        name: "four_limbs",
        pays: FourLimbs::pays,
        make: |c| Some(Arc::new(FourLimbs::new(c))),
        pair: None,
        team: None,
    },
    Representation {
        name: "radix52",
        pays: Radix52::pays,
        make: |c| Some(Arc::new(Radix52::new(c)?)),
        pair: Some(|p, q| Some(Box::new(Pair52::new(borrowed(p), borrowed(q))?))),
        team: None,
    },
    Representation {
        name: "saturated",
        pays: |_, _, _| true,
        make: |c| Some(c.clone()),
        pair: None,
        team: Some(|c, _| Some(Box::new(ByShares::new(c)?))),
    },
];

/// The row of saturated limbs alone.
pub(crate) fn saturated() -> &'static [Representation] {
    &REPRESENTATIONS[REPRESENTATIONS.len() - 1..]
}

/// The residues that a row has made.
fn own<T: Residues>(ring: Arc<dyn Residues>) -> Arc<T> {
    let any: Arc<dyn Any + Send + Sync> = ring;
    any.downcast().expect("what the row has made")
}

/// The residues that a row has made, borrowed.
fn borrowed<T: Residues>(ring: &dyn Residues) -> &T {
    let any: &dyn Any = ring;
    any.downcast_ref().expect("what the row has made")
}
