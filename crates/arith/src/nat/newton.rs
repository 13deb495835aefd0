//! Reciprocals of long numbers, found by Newton's iteration.

use super::bnm1::settle;
use super::carry::add_at;
use super::divider::Divider;
use super::inverse::{Inverse, product_wrapped, wrapped};
use super::mul::mul;
use super::{Nat, Spectrum};
use crate::plan::Plan;
use carrysave_kernels::{Limb, mpn::Mpn};

/// Division by a public number whose top bit is set.
pub(super) fn inverse(mpn: &Mpn, plan: &Plan, v: &[Limb]) -> Inverse {
    Inverse::with(mpn, v, wrapped(mpn, plan, v), |wrapped| {
        Nat::from_vec(reciprocal(mpn, plan, v, wrapped))
    })
}

/// Whether Newton's iteration finds a reciprocal faster than division; always where division itself uses a reciprocal.
fn newton_pays(plan: &Plan, n: usize) -> bool {
    Inverse::by_transforms(plan, n / 8) || Inverse::pays(plan, n)
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

/// The reciprocal, or one less: by division, or, from that of the upper half of v, by Newton's iteration (Modern Computer
/// Arithmetic, algorithm 3.5).
fn nearly_reciprocal(mpn: &Mpn, plan: &Plan, v: &[Limb], spectrum: Option<&Spectrum>) -> Vec<Limb> {
    let n = v.len();
    if !newton_pays(plan, n) {
        let mut u = vec![Limb::MAX; n];
        u.extend(v.iter().map(|limb| !limb));
        let mut q = vec![0; n];
        Divider::new(v, plan, None).divide(&mut u, &mut q);
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
    use crate::plan::Product;

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
                let made = inverse(mpn, &plan, &v);
                let mut product = vec![0; 2 * n];
                mul(mpn, &plan, &mut product, &v, made.reciprocal());
                assert_eq!(add_at(mpn, &mut product[n..], &v), 0, "{n} limbs");
                // B^2n - 1 - product is what is left, less one.
                product.iter_mut().for_each(|limb| *limb = !*limb);
                let (low, high) = product.split_at(n);
                assert!(high.iter().all(|&limb| limb == 0), "{n} limbs");
                assert_eq!(mpn.cmp.call(low, &v), Limb::MAX, "{n} limbs");
            }
        }
    }

    /// If methods alternate, the division that finds a reciprocal must not need the same reciprocal.
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
        Divider::new(&v, &plan, Some(inverse)).divide(&mut u, &mut q);
        let expected = Nat::from_limbs(&[5; 800]).div_rem_vartime(&Nat::from_limbs(&v));
        assert!(Nat::from_limbs(&q) == expected.0.resize(400).expect("as long as v"));
    }

    #[test]
    fn division_inverts_multiplication() {
        let (mpn, plan) = (Mpn::native(), plan());
        for n in [20, 33, 128, 201] {
            for mut v in patterns(n) {
                v[n - 1] |= 1 << 63;
                let made = inverse(mpn, &plan, &v);
                for (q, mut r) in patterns(n).into_iter().zip(patterns(n).into_iter().rev()) {
                    while r.iter().rev().cmp(v.iter().rev()).is_ge() {
                        mpn.rshift.call_in_place(&mut r, 1);
                    }
                    let mut u = vec![0; 2 * n];
                    mul(mpn, &plan, &mut u, &v, &q);
                    assert_eq!(add_at(mpn, &mut u, &r), 0);
                    let mut quotient = vec![0; n];
                    made.divide(mpn, &plan, &v, &mut u, Some(&mut quotient));
                    assert!(quotient == q && u[n..] == r, "{n} limbs");
                }
            }
        }
    }
}
