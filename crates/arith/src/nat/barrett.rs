//! Repeated reduction by one number.

use super::inverse::{Inverse, subtract_once};
use super::mul::{mul, sqr};
use super::{LIMB_BITS, Nat, newton};
use crate::plan::Plan;
use carrysave_kernels::{Limb, mpn::Mpn};
use core::fmt;

/// A public number above 0, odd or even, with its reciprocal. A reduction costs two products of its width.
///
/// For powers, and for secret odd numbers, use [`Modulus`](crate::Modulus). Barrett, CRYPTO '86; Brent, Zimmermann,
/// Modern Computer Arithmetic, algorithm 2.5.
///
/// # Timing
/// Construction depends on the number. What it reduces and multiplies may be secret.
///
/// ```
/// use carrysave_arith::{Barrett, Nat};
/// let d = Barrett::new(&Nat::from_limb(1_000_000)).unwrap();
/// let a = d.reduce(&Nat::from_hex("ffffffffffffffffffffffff").unwrap());
/// assert_eq!(a, Nat::from_limb(950_335));
/// assert_eq!(d.mul(&a, &a), Nat::from_limb(612_225));
/// ```
#[derive(Clone)]
pub struct Barrett {
    mpn: Mpn,
    plan: &'static Plan,
    /// The number times 2^shift, with its top bit set.
    v: Nat,
    shift: usize,
    inverse: Inverse,
}

impl Barrett {
    /// Computes the reciprocal, in the time of one division; `None` for 0.
    ///
    /// # Timing
    /// Depends on the value of `d`, which must be public.
    pub fn new(d: &Nat) -> Option<Barrett> {
        let bits = d.bits_vartime();
        if bits == 0 {
            return None;
        }
        let n = bits.div_ceil(LIMB_BITS);
        let shift = n * LIMB_BITS - bits;
        let v = d.truncate(n).shl(shift).truncate(n);
        let (mpn, plan) = (Mpn::native().clone(), Plan::native());
        Some(Barrett {
            inverse: newton::inverse(&mpn, plan, v.limbs()),
            mpn,
            plan,
            v,
            shift,
        })
    }

    /// The context of a number of `bits` bits whose reciprocal is known, so that it may be secret.
    pub(crate) fn with_reciprocal(
        mpn: Mpn,
        plan: &'static Plan,
        d: &Nat,
        bits: usize,
        reciprocal: Nat,
    ) -> Barrett {
        let n = d.width();
        let shift = n * LIMB_BITS - bits;
        let v = d.shl(shift).truncate(n);
        Barrett {
            inverse: Inverse::of(&mpn, plan, v.limbs(), reciprocal),
            mpn,
            plan,
            v,
            shift,
        }
    }

    /// `floor(2^bits 2^(64n) / d) - 2^(64n)`, n the width and `bits` the bit length of the number.
    pub(crate) fn reciprocal(&self) -> &[Limb] {
        self.inverse.reciprocal()
    }

    /// The number itself.
    pub fn nat(&self) -> Nat {
        self.v.shr(self.shift)
    }

    /// The width in limbs, of the number and of every residue.
    pub fn width(&self) -> usize {
        self.v.width()
    }

    /// `a mod d` for an `a` of any width: two products for each further width of d in a.
    pub fn reduce(&self, a: &Nat) -> Nat {
        let n = self.width();
        let a = a.shl(self.shift);
        let mut chunks = a.limbs().chunks(n).rev();
        // The upper half holds the remainder so far, below v; the lower half the next limbs.
        let mut u = Nat::zeros(2 * n);
        let first = chunks.next().expect("a limb");
        u.limbs_mut()[n..][..first.len()].copy_from_slice(first);
        subtract_once(&self.mpn, &mut u.limbs_mut()[n..], self.v.limbs(), 0);
        for chunk in chunks {
            u.limbs_mut()[..n].copy_from_slice(chunk);
            self.step(u.limbs_mut());
        }
        u.shr(n * LIMB_BITS + self.shift).truncate(n)
    }

    /// `a * b mod d` for residues: three products.
    ///
    /// # Panics
    /// If a residue is not of the number's width.
    pub fn mul(&self, a: &Nat, b: &Nat) -> Nat {
        assert!(a.width() == self.width() && b.width() == self.width());
        let mut t = Nat::zeros(2 * self.width());
        mul(&self.mpn, self.plan, t.limbs_mut(), a.limbs(), b.limbs());
        self.reduce_product(t)
    }

    /// `a^2 mod d` for a residue.
    ///
    /// # Panics
    /// If the residue is not of the number's width.
    pub fn sqr(&self, a: &Nat) -> Nat {
        assert!(a.width() == self.width());
        let mut t = Nat::zeros(2 * self.width());
        sqr(&self.mpn, self.plan, t.limbs_mut(), a.limbs());
        self.reduce_product(t)
    }

    /// `t mod d` for t below d^2.
    fn reduce_product(&self, mut t: Nat) -> Nat {
        let n = self.width();
        if self.shift > 0 {
            self.mpn
                .lshift
                .call_in_place(t.limbs_mut(), self.shift as u32);
        }
        self.step(t.limbs_mut());
        t.shr(n * LIMB_BITS + self.shift).truncate(n)
    }

    /// `u_1 := u mod v` for `u = u_1 2^(64n) + u_0` with `u_1 < v`.
    fn step(&self, u: &mut [Limb]) {
        let v = self.v.limbs();
        self.inverse.divide(&self.mpn, self.plan, v, u, None);
    }
}

/// The width only.
impl fmt::Debug for Barrett {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Barrett({} limbs)", self.width())
    }
}
