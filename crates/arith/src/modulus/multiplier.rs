//! Factors for repeated use.

use super::Modulus;
use crate::nat::Nat;
use crate::ring::Words;

/// A residue in Montgomery form, as a factor: a product with it takes one Montgomery multiplication, not two.
///
/// ```
/// use carrysave_arith::{Modulus, Nat};
/// let n = Modulus::new(&Nat::from_limb(1_000_003)).unwrap();
/// let mut seven = n.multiplier(&Nat::from_limb(7));
/// assert_eq!(n.mul_by(&Nat::from_limb(6), &seven), Nat::from_limb(42));
/// n.square(&mut seven);
/// assert_eq!(n.mul_by(&Nat::from_limb(6), &seven), Nat::from_limb(294));
/// ```
#[derive(Clone)]
pub struct Multiplier(Words);

impl Modulus {
    /// Makes a factor from a residue, for this modulus only.
    ///
    /// # Panics
    /// If the residue is not of the modulus's width.
    pub fn multiplier(&self, a: &Nat) -> Multiplier {
        self.check(a);
        let ring = self.ring();
        Multiplier(ring.enter(&[a], &mut ring.scratch_words()))
    }

    /// `a * b mod n` for a residue and a factor of this modulus.
    ///
    /// # Panics
    /// If `a` is not of the modulus's width, or `b` a factor of a modulus of another width.
    pub fn mul_by(&self, a: &Nat, b: &Multiplier) -> Nat {
        self.check(a);
        let ring = self.ring();
        let mut r = ring.load(a);
        ring.mul(&mut r, &b.0, &mut ring.scratch_words());
        ring.store(r)
    }

    /// `b := b^2` for a factor of this modulus.
    ///
    /// # Panics
    /// If `b` is a factor of a modulus of another width.
    pub fn square(&self, b: &mut Multiplier) {
        let ring = self.ring();
        ring.sqr(&mut b.0, &mut ring.scratch_words());
    }
}
