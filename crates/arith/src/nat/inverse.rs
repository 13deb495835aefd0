//! Reciprocals of long numbers, and division by them.

use super::bnm1::{add_folded, mul_bnm1, settle};
use super::div::Divider;
use super::mul::mul;
use super::toom::add_at;
use super::{LIMB_BITS, Nat, Spectrum};
use crate::plan::{Plan, Product, choose};
use carrysave_kernels::{Limb, mpn::Mpn};
use zeroize::Zeroizing;

/// The reciprocal of a number v of n limbs whose top bit is set.
#[derive(Clone)]
pub(super) struct Inverse {
    /// `floor((2^(128n) - 1) / v) - 2^(64n)`
    reciprocal: Nat,
    spectra: Option<Spectra>,
}

/// The transforms of both, where products are made of transforms: of v for products that wrap around above n limbs.
#[derive(Clone)]
struct Spectra {
    reciprocal: Spectrum,
    v: Spectrum,
}

impl Inverse {
    /// Whether a division of 2n limbs by n is faster by a reciprocal, the work of finding it included.
    pub(super) fn pays(plan: &Plan, n: usize) -> bool {
        Inverse::by_transforms(plan, n / 36)
    }

    /// Whether a reciprocal is found faster by Newton's iteration than by division, in any case where that is by a
    /// reciprocal itself.
    fn newton_pays(plan: &Plan, n: usize) -> bool {
        Inverse::by_transforms(plan, n / 8) || Inverse::pays(plan, n)
    }

    /// The same for several divisions.
    pub(super) fn pays_for_several(plan: &Plan, n: usize) -> bool {
        Inverse::by_transforms(plan, n / 4)
    }

    /// Whether products of such numbers are made of transforms, so that those of both numbers are kept.
    fn by_transforms(plan: &Plan, n: usize) -> bool {
        choose(plan.mul, n) == Product::Fft
    }

    /// The reciprocal of a public number.
    pub(super) fn new(mpn: &Mpn, plan: &Plan, v: &[Limb]) -> Inverse {
        Inverse::with(mpn, v, wrapped(mpn, plan, v), |wrapped| {
            Nat::from_vec(reciprocal(mpn, plan, v, wrapped))
        })
    }

    /// The same where it is known, and v may be secret.
    pub(super) fn of(mpn: &Mpn, plan: &Plan, v: &[Limb], reciprocal: Nat) -> Inverse {
        Inverse::with(mpn, v, wrapped(mpn, plan, v), |_| reciprocal)
    }

    fn with(
        mpn: &Mpn,
        v: &[Limb],
        wrapped: Option<Spectrum>,
        reciprocal: impl FnOnce(Option<&Spectrum>) -> Nat,
    ) -> Inverse {
        let reciprocal = reciprocal(wrapped.as_ref());
        let whole = || Spectrum::whole(mpn, reciprocal.limbs(), v.len());
        let spectra = wrapped.and_then(|v| {
            Some(Spectra {
                reciprocal: whole()?,
                v,
            })
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
    /// With the reciprocal rounded down and u_0 left out, the quotient is at most 3 too small. So what is left is below
    /// 4 v: it is found modulo `2^(64m) - 1`, m > n, where that is less work.
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

/// The transform of v for products that wrap around above n limbs, where it is worth one.
fn wrapped(mpn: &Mpn, plan: &Plan, v: &[Limb]) -> Option<Spectrum> {
    let n = v.len();
    if !Inverse::by_transforms(plan, n) {
        return None;
    }
    Spectrum::wrapped(mpn, v, n + 1).filter(|v| v.limbs() < 2 * n)
}

/// `r := v * q mod 2^(64m) - 1` for an r of m limbs, and numbers of no more; 0 may come as all ones.
fn product_wrapped(
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

/// `floor((2^(128n) - 1) / v) - 2^(64n)`
fn reciprocal(mpn: &Mpn, plan: &Plan, v: &[Limb], spectrum: Option<&Spectrum>) -> Vec<Limb> {
    let n = v.len();
    let mut r = nearly_reciprocal(mpn, plan, v, spectrum);
    let rest = rest(mpn, plan, v, &r, spectrum);
    let above = rest[n] > 0 || mpn.cmp.call(&rest[..n], v) == 1;
    mpn.add_1.call_in_place(&mut r, above.into());
    r
}

/// The same, or one less: by division, or, from that of the upper half of v, by Newton's iteration (Modern Computer
/// Arithmetic, algorithm 3.5).
fn nearly_reciprocal(mpn: &Mpn, plan: &Plan, v: &[Limb], spectrum: Option<&Spectrum>) -> Vec<Limb> {
    let n = v.len();
    if !Inverse::newton_pays(plan, n) {
        let mut u = vec![Limb::MAX; n];
        u.extend(v.iter().map(|limb| !limb));
        let mut q = vec![0; n];
        Divider::new(v, plan).divide(&mut u, &mut q);
        return q;
    }
    // B = 2^64; v (B^h + x) is nearly B^(n + h).
    let l = (n - 1) / 2;
    let h = n - l;
    let upper = &v[l..];
    let mut x = nearly_reciprocal(mpn, plan, upper, wrapped(mpn, plan, upper).as_ref());
    let mut rest = rest(mpn, plan, v, &x, spectrum);
    while rest[n] > 1 {
        // It is negative: x is too large.
        mpn.sub_1.call_in_place(&mut x, 1);
        let carry = add_at(mpn, &mut rest, v);
        mpn.add_1.call_in_place(&mut rest, carry);
        settle(mpn, &mut rest);
    }
    // (B^h + x) rest / B^(n + h) is what B^h + x lacks.
    let left = &rest[l..=n];
    let mut more = vec![0; 2 * h + 1];
    mul(mpn, plan, &mut more, left, &x);
    mpn.add_n.call_in_place(&mut more[h..], left);
    let (low, high) = more[2 * h - l..].split_at(l);
    mpn.add_1.call_in_place(&mut x, high[0]);
    [low, &x].concat()
}

/// `B^(n + k) - v (B^k + x)` modulo `2^(64m) - 1` for an x of k limbs, m > n, B = 2^64.
fn rest(mpn: &Mpn, plan: &Plan, v: &[Limb], x: &[Limb], spectrum: Option<&Spectrum>) -> Vec<Limb> {
    let (n, k) = (v.len(), x.len());
    let m = spectrum.map_or((n + 1).next_multiple_of(8), Spectrum::limbs);
    let mut r = vec![0; m];
    product_wrapped(mpn, plan, &mut r, v, x, spectrum);
    let mut shifted = vec![0; m];
    shifted[..n].copy_from_slice(v);
    shifted.rotate_right(k % m);
    let carry = mpn.add_n.call_in_place(&mut r, &shifted);
    mpn.add_1.call_in_place(&mut r, carry);
    r.iter_mut().for_each(|limb| *limb = !*limb);
    let one = (n + k) % m;
    let carry = mpn.add_1.call_in_place(&mut r[one..], 1);
    mpn.add_1.call_in_place(&mut r, carry);
    settle(mpn, &mut r);
    r
}

#[cfg(test)]
mod tests {
    use super::super::mul::tests::patterns;
    use super::*;

    /// Transforms from eight limbs on, so that Newton's iteration begins at 64.
    fn plan() -> Plan {
        Plan {
            mul: &[(7, Product::Schoolbook), (usize::MAX, Product::Fft)],
            ..Plan::native().clone()
        }
    }

    /// By definition: 0 < B^2n - v (B^n + r) <= v.
    #[test]
    fn a_reciprocal_leaves_less_than_the_number() {
        let (mpn, plan) = (Mpn::native(), plan());
        for n in [1, 2, 31, 63, 64, 65, 66, 127, 128, 129, 130, 255, 257] {
            for mut v in patterns(n) {
                v[n - 1] |= 1 << 63;
                let inverse = Inverse::new(mpn, &plan, &v);
                let mut product = vec![0; 2 * n];
                mul(mpn, &plan, &mut product, &v, inverse.reciprocal());
                assert_eq!(add_at(mpn, &mut product[n..], &v), 0, "{n} limbs");
                // B^2n - 1 - product is what is left, less one.
                product.iter_mut().for_each(|limb| *limb = !*limb);
                let (low, high) = product.split_at(n);
                assert!(high.iter().all(|&limb| limb == 0), "{n} limbs");
                assert_eq!(mpn.cmp.call(low, &v), Limb::MAX, "{n} limbs");
            }
        }
    }

    /// Where methods alternate, a reciprocal is not looked for by a division that looks for the same one.
    #[test]
    fn plans_may_leave_transforms_again() {
        let plan = Plan {
            mul: &[
                (7, Product::Schoolbook),
                (12, Product::Fft),
                (60, Product::Toom22),
                (usize::MAX, Product::Fft),
            ],
            ..Plan::native().clone()
        };
        let (mut u, v, mut q) = (vec![5; 800], vec![Limb::MAX; 400], vec![0; 400]);
        Divider::new(&v, &plan).divide(&mut u, &mut q);
        let expected = Nat::from_limbs(&[5; 800]).div_rem_vartime(&Nat::from_limbs(&v));
        assert!(Nat::from_limbs(&q) == expected.0.resize(400).expect("as long as v"));
    }

    #[test]
    fn division_inverts_multiplication() {
        let (mpn, plan) = (Mpn::native(), plan());
        for n in [20, 33, 128, 201] {
            for mut v in patterns(n) {
                v[n - 1] |= 1 << 63;
                let inverse = Inverse::new(mpn, &plan, &v);
                for (q, mut r) in patterns(n).into_iter().zip(patterns(n).into_iter().rev()) {
                    while r.iter().rev().cmp(v.iter().rev()).is_ge() {
                        mpn.rshift.call_in_place(&mut r, 1);
                    }
                    let mut u = vec![0; 2 * n];
                    mul(mpn, &plan, &mut u, &v, &q);
                    assert_eq!(add_at(mpn, &mut u, &r), 0);
                    let mut quotient = vec![0; n];
                    inverse.divide(mpn, &plan, &v, &mut u, Some(&mut quotient));
                    assert!(quotient == q && u[n..] == r, "{n} limbs");
                }
            }
        }
    }
}
