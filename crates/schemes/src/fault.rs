//! Faults in private operations, which tests plant: see `testing`.

use carrysave_arith::Nat;
#[cfg(feature = "ec")]
use zeroize::{Zeroize, Zeroizing};

/// Faults in operations whose intermediate values have names of type S. Every function of an index, a stage and a value
/// implements it.
pub trait Faults<S> {
    /// Whether there are faults; if not, work that only prepares a replacement is skipped.
    const PLANTED: bool = true;

    /// The replacement of `value` at `stage`. `index` is the index of the operation in its group, 0 if alone.
    fn replacement(&mut self, index: usize, stage: S, value: &Nat) -> Option<Nat>;

    /// `value` or its replacement.
    fn replace(&mut self, index: usize, stage: S, value: Nat) -> Nat {
        self.replacement(index, stage, &value).unwrap_or(value)
    }
}

impl<S, F: FnMut(usize, S, &Nat) -> Option<Nat>> Faults<S> for F {
    fn replacement(&mut self, index: usize, stage: S, value: &Nat) -> Option<Nat> {
        self(index, stage, value)
    }
}

/// No faults.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoFaults;

impl<S> Faults<S> for NoFaults {
    const PLANTED: bool = false;

    fn replacement(&mut self, _: usize, _: S, _: &Nat) -> Option<Nat> {
        None
    }
}

/// A copy of the values of a group in which `plant` replaces some, where faults may be planted.
#[cfg(feature = "ec")]
pub(crate) fn planted_copy<S, F: Faults<S>, T: Clone + Zeroize>(
    faults: &mut F,
    values: &Zeroizing<Vec<T>>,
    mut plant: impl FnMut(&mut F, usize, &mut T),
) -> Option<Zeroizing<Vec<T>>> {
    F::PLANTED.then(|| {
        let mut copy = values.clone();
        let each = copy.iter_mut().enumerate();
        each.for_each(|(i, value)| plant(faults, i, value));
        copy
    })
}
