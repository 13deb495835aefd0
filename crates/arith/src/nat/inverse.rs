//! Division by reciprocals of long numbers.

use super::bnm1::{add_folded, mul_bnm1, settle};
use super::carry::add_at;
use super::mul::mul;
use super::{LIMB_BITS, Nat, Spectrum};
use crate::plan::{Plan, Product, choose};
use carrysave_kernels::{Limb, mpn::Mpn};
use zeroize::Zeroizing;

/// The reciprocal of a number v of n limbs whose top bit is set.
#[derive(Clone)]
pub(super) struct Inverse {
    /// `floor((2^(128n) - 1) / v) - 2^(64n)`
    reciprocal: Nat,
    /// Boxed: what is not there must not hold what was on the stack, where all this is made.
    spectra: Option<Box<Spectra>>,
}

/// The transforms of both, where products use transforms: of v for products that wrap around above n limbs.
#[derive(Clone)]
struct Spectra {
    reciprocal: Spectrum,
    v: Spectrum,
}

impl Inverse {
    /// Whether a division of 2n limbs by n is faster by a reciprocal, including the work of finding it.
    pub(super) fn pays(plan: &Plan, n: usize) -> bool {
        Inverse::by_transforms(plan, n / 36)
    }

    /// Whether several divisions are faster by a reciprocal, including the work of finding it.
    pub(super) fn pays_for_several(plan: &Plan, n: usize) -> bool {
        Inverse::by_transforms(plan, n / 4)
    }

    /// Whether products of such numbers use transforms, so that those of both numbers are kept.
    pub(super) fn by_transforms(plan: &Plan, n: usize) -> bool {
        choose(plan.mul, n) == Product::Fft
    }

    /// Division by a number whose reciprocal is known; the number may be secret.
    pub(super) fn of(mpn: &Mpn, plan: &Plan, v: &[Limb], reciprocal: Nat) -> Inverse {
        Inverse::with(mpn, v, wrapped(mpn, plan, v), |_| reciprocal)
    }

    /// Division by a number whose reciprocal is found here, from the transform of the number if that pays.
    pub(super) fn with(
        mpn: &Mpn,
        v: &[Limb],
        wrapped: Option<Spectrum>,
        reciprocal: impl FnOnce(Option<&Spectrum>) -> Nat,
    ) -> Inverse {
        let reciprocal = reciprocal(wrapped.as_ref());
        let whole = || Spectrum::whole(mpn, reciprocal.limbs(), v.len());
        let spectra = wrapped.and_then(|v| {
            let reciprocal = whole()?;
            Some(Box::new(Spectra { reciprocal, v }))
        });
        Inverse {
            reciprocal,
            spectra,
        }
    }

    pub(super) fn reciprocal(&self) -> &[Limb] {
        self.reciprocal.limbs()
    }

    /// `u_1 := u mod v` for `u = u_1 2^(64n) + u_0` with `u_1 < v`, and the quotient if it is wanted. All may be
    /// secret.
    ///
    /// With the reciprocal rounded down and u_0 left out, the quotient is at most 3 too small. So the remainder is
    /// below 4 v: it is found modulo `2^(64m) - 1`, m > n, where that is less work.
    pub(super) fn divide(
        &self,
        mpn: &Mpn,
        plan: &Plan,
        v: &[Limb],
        u: &mut [Limb],
        quotient: Option<&mut [Limb]>,
    ) {
        let n = v.len();
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
            mul(mpn, plan, &mut product, &q[..n], v);
            mpn.sub_n
                .call(&mut r[..n + 1], &u[..n + 1], &product[..n + 1]);
        } else {
            let spectrum = self.spectra.as_ref().map(|spectra| &spectra.v);
            product_wrapped(mpn, plan, &mut r, v, &q[..n], spectrum);
            let (low, high) = u.split_at_mut(m);
            let carry = add_at(mpn, low, high) as i64;
            let borrow = mpn.sub_n.call_reversed(&mut r, low) as i64;
            add_folded(mpn, &mut r, carry - borrow);
            settle(mpn, &mut r);
        }
        let mut top = r[n];
        let mut more = 0;
        for _ in 0..3 {
            let negative;
            (top, negative) = subtract_once(mpn, &mut r[..n], v, top);
            more += 1 ^ negative;
        }
        u[n..].copy_from_slice(&r[..n]);
        if let Some(quotient) = quotient {
            quotient.copy_from_slice(&q[..n]);
            mpn.add_1.call_in_place(quotient, more);
        }
    }
}

/// `(top, r) -= v` unless that is negative, for a top below 4; returns the new top, and 1 if it would have been
/// negative.
pub(super) fn subtract_once(mpn: &Mpn, r: &mut [Limb], v: &[Limb], top: Limb) -> (Limb, Limb) {
    let borrow = mpn.sub_n.call_in_place(r, v);
    let negative = top.wrapping_sub(borrow) >> (LIMB_BITS - 1);
    mpn.cnd_add_n.call_in_place(negative, r, v);
    (top - (borrow ^ negative), negative)
}

/// The transform of v for products that wrap around above n limbs, if it pays.
pub(super) fn wrapped(mpn: &Mpn, plan: &Plan, v: &[Limb]) -> Option<Spectrum> {
    let n = v.len();
    if !Inverse::by_transforms(plan, n) {
        return None;
    }
    Spectrum::wrapped(mpn, v, n + 1).filter(|v| v.limbs() < 2 * n)
}

/// `r := v * q mod 2^(64m) - 1` for an r of m limbs, and numbers of no more; 0 may come as all ones.
pub(super) fn product_wrapped(
    mpn: &Mpn,
    plan: &Plan,
    r: &mut [Limb],
    v: &[Limb],
    q: &[Limb],
    spectrum: Option<&Spectrum>,
) {
    let long = |x: &[Limb]| {
        let mut long = Zeroizing::new(vec![0; r.len()]);
        long[..x.len()].copy_from_slice(x);
        long
    };
    match spectrum {
        Some(spectrum) => spectrum.mul_wrapped(mpn, r, q),
        None => {
            let (v, q) = (long(v), long(q));
            mul_bnm1(mpn, plan, r, &q, &v);
        }
    }
}
