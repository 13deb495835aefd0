//! Reduction by one number many times.

use super::bnm1::{add_folded, mul_bnm1, settle};
use super::mul::{mul, sqr};
use super::toom::add_at;
use super::{LIMB_BITS, Nat, Spectrum};
use crate::plan::{Plan, Product, choose};
use carrysave_kernels::{Limb, mpn::Mpn};
use core::fmt;
use zeroize::Zeroizing;

/// A public number above 0, odd or even, with its reciprocal: a reduction costs two products of its width.
///
/// For powers, and for odd numbers that are secret, there is [`Modulus`](crate::Modulus).
/// Barrett, CRYPTO '86; Brent, Zimmermann, Modern Computer Arithmetic, algorithm 2.5.
///
/// # Timing
/// Making it takes time that depends on the number. What it reduces and multiplies may be secret.
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
    /// The number times 2^shift, so that the top bit is set.
    v: Nat,
    shift: usize,
    /// `floor((2^(128n) - 1) / v) - 2^(64n)`, n the width
    reciprocal: Nat,
    spectra: Option<Spectra>,
}

/// The transforms of both, where products are made of transforms: of v for products that wrap around above n limbs.
#[derive(Clone)]
struct Spectra {
    reciprocal: Spectrum,
    v: Spectrum,
}

impl Spectra {
    fn new(mpn: &Mpn, plan: &Plan, reciprocal: &Nat, v: &Nat) -> Option<Spectra> {
        let n = v.width();
        if choose(plan.mul, n) != Product::Fft {
            return None;
        }
        Some(Spectra {
            reciprocal: Spectrum::whole(mpn, reciprocal.limbs(), n)?,
            v: Spectrum::wrapped(mpn, v.limbs(), n + 1).filter(|v| v.limbs() < 2 * n)?,
        })
    }
}

impl Barrett {
    /// The number with its reciprocal, in the time of one division; `None` for 0.
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
        let mut u = vec![Limb::MAX; n];
        u.extend(v.limbs().iter().map(|limb| !limb));
        let reciprocal = Nat::from_vec(u).div_rem_vartime(&v).0.truncate(n);
        let (mpn, plan) = (Mpn::native().clone(), Plan::native());
        Some(Barrett::of(mpn, plan, v, shift, reciprocal))
    }

    /// The same for a number of `bits` bits whose reciprocal is known, so that it may be secret.
    pub(crate) fn with_reciprocal(
        mpn: Mpn,
        plan: &'static Plan,
        d: &Nat,
        bits: usize,
        reciprocal: Nat,
    ) -> Barrett {
        let n = d.width();
        let shift = n * LIMB_BITS - bits;
        Barrett::of(mpn, plan, d.shl(shift).truncate(n), shift, reciprocal)
    }

    fn of(mpn: Mpn, plan: &'static Plan, v: Nat, shift: usize, reciprocal: Nat) -> Barrett {
        Barrett {
            spectra: Spectra::new(&mpn, plan, &reciprocal, &v),
            mpn,
            plan,
            v,
            shift,
            reciprocal,
        }
    }

    /// `floor(2^bits 2^(64n) / d) - 2^(64n)`, n the width and `bits` the bit length of the number.
    pub(crate) fn reciprocal(&self) -> &[Limb] {
        self.reciprocal.limbs()
    }

    /// The number itself.
    pub fn nat(&self) -> Nat {
        self.v.shr(self.shift)
    }

    /// Its width in limbs: that of every residue.
    pub fn width(&self) -> usize {
        self.v.width()
    }

    /// `a mod d` for an `a` of any width: two products for each width of d in a that is not the first.
    pub fn reduce(&self, a: &Nat) -> Nat {
        let n = self.width();
        let a = a.shl(self.shift);
        let mut chunks = a.limbs().chunks(n).rev();
        // In the upper half what is left so far, below v; in the lower half the next limbs.
        let mut u = Nat::zeros(2 * n);
        let first = chunks.next().expect("a limb");
        u.limbs_mut()[n..][..first.len()].copy_from_slice(first);
        self.subtract_once(&mut u.limbs_mut()[n..], 0);
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
    ///
    /// With the reciprocal rounded down and u_0 left out, the quotient is at most 3 too small. So what is left is below 4 v:
    /// it is found modulo `2^(64m) - 1`, m > n, where that is less work.
    fn step(&self, u: &mut [Limb]) {
        let (mpn, plan, n) = (&self.mpn, self.plan, self.width());
        let m = match &self.spectra {
            Some(spectra) => spectra.v.limbs(),
            None => (n + 1).next_multiple_of(8),
        };
        let mut product = Zeroizing::new(vec![0; 2 * n]);
        let mut q = Zeroizing::new(vec![0; m]);
        match &self.spectra {
            Some(spectra) => spectra.reciprocal.mul(mpn, &mut product, &u[n..]),
            None => mul(mpn, plan, &mut product, &u[n..], self.reciprocal.limbs()),
        }
        mpn.add_n.call(&mut q[..n], &product[n..], &u[n..]);
        let mut r = Zeroizing::new(vec![0; m]);
        if self.spectra.is_none() && n < plan.bnm1 {
            mul(mpn, plan, &mut product, &q[..n], self.v.limbs());
            mpn.sub_n
                .call(&mut r[..n + 1], &u[..n + 1], &product[..n + 1]);
        } else {
            match &self.spectra {
                Some(spectra) => spectra.v.mul_wrapped(mpn, &mut r, &q[..n]),
                None => mul_bnm1(mpn, plan, &mut r, &q, self.v.truncate(m).limbs()),
            }
            let (low, high) = u.split_at_mut(m);
            let carry = add_at(mpn, low, high) as i64;
            let borrow = mpn.sub_n.call_reversed(&mut r, low) as i64;
            add_folded(mpn, &mut r, carry - borrow);
            settle(mpn, &mut r);
        }
        let mut top = r[n];
        for _ in 0..3 {
            top = self.subtract_once(&mut r[..n], top);
        }
        u[n..].copy_from_slice(&r[..n]);
    }

    /// `(top, r) -= v` unless that is negative; returns the new top.
    fn subtract_once(&self, r: &mut [Limb], top: Limb) -> Limb {
        let borrow = self.mpn.sub_n.call_in_place(r, self.v.limbs());
        // 1 if it was negative; top is below 4.
        let negative = top.wrapping_sub(borrow) >> (LIMB_BITS - 1);
        self.mpn
            .cnd_add_n
            .call_in_place(negative, r, self.v.limbs());
        top - (borrow ^ negative)
    }
}

/// The width only.
impl fmt::Debug for Barrett {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Barrett({} limbs)", self.width())
    }
}
