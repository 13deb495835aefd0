//! Montgomery reduction by two products, for sizes where products are faster than schoolbook.
//!
//! Montgomery 1985, with one digit of k limbs; GMP, mpn_redc_n.

use super::Words;
use crate::nat::{Barrett, LIMB_BITS, Nat, Spectrum, add_at, mul, mul_bnm1, settle};
use crate::plan::{Plan, Product, choose};
use carrysave_kernels::{Limb, mpn::Mpn};

/// `-n^-1 mod R` for an odd n of k limbs, R = 2^(64k).
pub(crate) struct RedcN {
    inverse: Words,
    /// Boxed: what is not there must not hold what was on the stack, where all this is made.
    spectra: Option<Box<Spectra>>,
}

/// Its transforms, and those of n for products that wrap around at k limbs or above.
struct Spectra {
    inverse: Spectrum,
    n: Spectrum,
}

impl RedcN {
    /// By Newton's iteration x (n x + 2), which doubles the correct limbs, from `n0` on.
    pub(crate) fn new(mpn: &Mpn, plan: &Plan, n: &[Limb], n0: Limb) -> RedcN {
        let k = n.len();
        let mut x = Words::new(vec![0; k]);
        x[0] = n0;
        let mut right = 1;
        while right < k {
            let next = (2 * right).min(k);
            let (x, new) = x[..next].split_at_mut(right);
            // n x + 1 is zero in the correct limbs; above them it is the missing part of x divided by x.
            let mut product = Words::new(vec![0; next + right]);
            mul(mpn, plan, &mut product, &n[..next], x);
            let mut rest = Words::new(product[right..next].to_vec());
            mpn.add_1.call_in_place(&mut rest, 1);
            mul(mpn, plan, &mut product[..next], x, &rest);
            new.copy_from_slice(&product[..next - right]);
            right = next;
        }
        RedcN {
            inverse: x,
            spectra: None,
        }
    }

    /// The inverse for many reductions: with the transforms, if the plan uses transforms for products.
    pub(crate) fn with_spectra(mpn: &Mpn, plan: &Plan, n: &[Limb], n0: Limb) -> RedcN {
        let k = n.len();
        let mut redc_n = RedcN::new(mpn, plan, n, n0);
        if choose(plan.mul, k) == Product::Fft {
            let inverse = Spectrum::whole(mpn, &redc_n.inverse, k);
            let spectra = inverse.zip(Spectrum::wrapped(mpn, n, k));
            redc_n.spectra = spectra.map(|(inverse, n)| Box::new(Spectra { inverse, n }));
        }
        redc_n
    }

    /// The inverse as limbs.
    pub(crate) fn inverse(&self) -> &[Limb] {
        &self.inverse
    }

    /// `r := t / R mod n` for `t` below n R, which is destroyed.
    pub(crate) fn call(&self, mpn: &Mpn, plan: &Plan, r: &mut [Limb], t: &mut [Limb], n: &[Limb]) {
        let k = n.len();
        let mut products = Words::new(vec![0; 4 * k]);
        let (q, qn) = products.split_at_mut(2 * k);
        match &self.spectra {
            Some(spectra) => spectra.inverse.mul(mpn, q, &t[..k]),
            None => mul(mpn, plan, q, &t[..k], &self.inverse),
        }
        let carry = if let Some(Spectra { n, .. }) = self.spectra.as_deref() {
            // Modulo 2^(64m) - 1 the sum t + q n, whose lower half is 0, is the upper half, k limbs up and around, if q
            // n takes the lower of t.
            let mut sum = Words::new(vec![0; n.limbs()]);
            n.mul_wrapped(mpn, &mut sum, &q[..k]);
            let carry = add_at(mpn, &mut sum, &t[..k]);
            mpn.add_1.call_in_place(&mut sum, carry);
            settle(mpn, &mut sum);
            let (low, high) = sum.split_at(k);
            let above = high.len().min(k);
            let upper = &mut qn[..k];
            upper[..above].copy_from_slice(&high[..above]);
            upper[above..].copy_from_slice(&low[..k - above]);
            mpn.add_n.call_in_place(&mut t[k..], upper)
        } else if k.is_multiple_of(2) && k >= plan.bnm1 {
            // Modulo R - 1 the sum t + q n, whose lower half is 0, is the upper half, if q n takes the lower of t.
            let sum = &mut qn[..k];
            mul_bnm1(mpn, plan, sum, &q[..k], n);
            let carry = mpn.add_n.call_in_place(sum, &t[..k]);
            mpn.add_1.call_in_place(sum, carry);
            settle(mpn, sum);
            mpn.add_n.call_in_place(&mut t[k..], sum)
        } else {
            mul(mpn, plan, qn, &q[..k], n);
            mpn.add_n.call_in_place(t, qn)
        };
        let borrow = mpn.sub_n.call(r, &t[k..], n);
        mpn.cnd_add_n.call_in_place(borrow & (1 ^ carry), r, n);
    }

    /// The context for Barrett's reduction by n, of `bits` bits, from `R^2 mod n` without a division: n may be secret.
    ///
    /// With v = n 2^s, whose top bit is set, and w = R^2 / 2^s mod n, the remainder of R^2 by v is w 2^s. So the
    /// reciprocal is (R^2 / 2^s - w) / n without a remainder, which modulo R is -w / n.
    pub(crate) fn barrett(
        &self,
        mpn: &Mpn,
        plan: &'static Plan,
        n: &Nat,
        bits: usize,
        r2: &Nat,
    ) -> Barrett {
        let (k, mut w) = (n.width(), r2.clone());
        for _ in 0..k * LIMB_BITS - bits {
            // There is no carry: the top bit of n is not set.
            let w = w.limbs_mut();
            mpn.cnd_add_n.call_in_place(w[0] & 1, w, n.limbs());
            mpn.rshift.call_in_place(w, 1);
        }
        let mut product = Words::new(vec![0; 2 * k]);
        mul(mpn, plan, &mut product, w.limbs(), self.inverse());
        let reciprocal = Nat::from_limbs(&product[..k]);
        Barrett::with_reciprocal(mpn.clone(), plan, n, bits, reciprocal)
    }
}
