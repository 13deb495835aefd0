//! Products: schoolbook below the plan's thresholds, Toom-Cook's methods above.

use super::Nat;
use super::toom::{Toom, add_at};
use crate::plan::{Plan, Product, choose};
use carrysave_kernels::{Limb, mpn::Mpn};
use zeroize::Zeroizing;

impl Nat {
    /// `self * other`, as wide as both together.
    pub fn mul(&self, other: &Nat) -> Nat {
        self.mul_with(other, Plan::native())
    }

    /// `self^2`, twice as wide.
    pub fn sqr(&self) -> Nat {
        self.sqr_with(Plan::native())
    }

    /// [`Nat::mul`] by the methods of a plan.
    ///
    /// # Panics
    /// If the plan is not well formed: see [`Plan::check`].
    pub fn mul_with(&self, other: &Nat, plan: &Plan) -> Nat {
        let mut r = Nat::zeros(self.width() + other.width());
        mul(
            Mpn::native(),
            plan,
            r.limbs_mut(),
            self.limbs(),
            other.limbs(),
        );
        r
    }

    /// [`Nat::sqr`] by the methods of a plan.
    ///
    /// # Panics
    /// If the plan is not well formed: see [`Plan::check`].
    pub fn sqr_with(&self, plan: &Plan) -> Nat {
        let mut r = Nat::zeros(2 * self.width());
        sqr(Mpn::native(), plan, r.limbs_mut(), self.limbs());
        r
    }

    /// `self * limb`, one limb wider.
    pub fn mul_limb(&self, limb: Limb) -> Nat {
        let mut r = Nat::zeros(self.width() + 1);
        let (top, low) = r.limbs_mut().split_last_mut().expect("two limbs at least");
        *top = Mpn::native().mul_1.call(low, self.limbs(), limb);
        r
    }
}

/// `r := a * b` for any widths; `r` is as wide as both together.
pub(crate) fn mul(mpn: &Mpn, plan: &Plan, r: &mut [Limb], a: &[Limb], b: &[Limb]) {
    let (a, b) = if a.len() >= b.len() { (a, b) } else { (b, a) };
    let m = b.len();
    if choose(plan.mul, m) == Product::Schoolbook {
        return mpn.mul_basecase.call(r, a, b);
    }
    let toom = Toom {
        mpn,
        methods: plan.mul,
    };
    let mut scratch = Zeroizing::new(vec![0; Toom::scratch(m)]);
    toom.product(&mut r[..2 * m], (&a[..m], Some(b)), &mut scratch);
    if a.len() == m {
        return;
    }
    // Slices of a as long as b: each product covers the upper half of the one before, and goes on from there.
    let mut part = Zeroizing::new(vec![0; 2 * m]);
    for (i, slice) in a.chunks(m).enumerate().skip(1) {
        let (part, r) = (&mut part[..slice.len() + m], &mut r[i * m..]);
        match slice.len() == m {
            true => toom.product(part, (slice, Some(b)), &mut scratch),
            false => mul(mpn, plan, part, b, slice),
        }
        r[m..part.len()].copy_from_slice(&part[m..]);
        add_at(mpn, &mut r[..part.len()], &part[..m]);
    }
}

/// `r := a^2`; `r` is twice as wide.
pub(crate) fn sqr(mpn: &Mpn, plan: &Plan, r: &mut [Limb], a: &[Limb]) {
    if choose(plan.sqr, a.len()) == Product::Schoolbook {
        return mpn.sqr_basecase.call(r, a);
    }
    let toom = Toom {
        mpn,
        methods: plan.sqr,
    };
    let mut scratch = Zeroizing::new(vec![0; Toom::scratch(a.len())]);
    toom.product(r, (a, None), &mut scratch);
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::plan::{NEVER, PLANS, Steps};
    use Product::{Schoolbook, Toom22, Toom33, Toom44};

    /// Each method wherever it works, so that few limbs reach every level; the first is what the others are compared with.
    const METHODS: [Steps<Product>; 5] = [
        &[(NEVER, Schoolbook)],
        &[(3, Schoolbook), (NEVER, Toom22)],
        &[(3, Schoolbook), (27, Toom22), (NEVER, Toom33)],
        &[(27, Schoolbook), (51, Toom33), (NEVER, Toom44)],
        &[(51, Schoolbook), (NEVER, Toom44)],
    ];

    /// Widths around thresholds and multiples of three and four, and some with several levels.
    const WIDTHS: [usize; 22] = [
        4, 5, 7, 28, 29, 30, 31, 51, 52, 53, 54, 55, 56, 57, 96, 97, 131, 161, 212, 260, 391, 500,
    ];

    /// Numbers whose sums carry far: all ones, a single bit, runs of ones and zeros, and noise.
    pub(in crate::nat) fn patterns(n: usize) -> Vec<Vec<Limb>> {
        let limbs = |f: &dyn Fn(usize) -> Limb| (0..n).map(f).collect();
        let runs =
            |from: usize, to: usize| move |i| ((from..to).contains(&i) as Limb).wrapping_neg();
        let noise = |i| {
            (i as Limb + 1)
                .wrapping_mul(0x9e37_79b9_7f4a_7c15)
                .wrapping_pow(3)
        };
        let third = n.div_ceil(3);
        vec![
            limbs(&|_| Limb::MAX),
            limbs(&|i| Limb::from(i == n - 1) << 63),
            limbs(&|i| Limb::from(i == 0)),
            limbs(&runs(third, 2 * third)),
            limbs(&runs(n / 2, n)),
            limbs(&runs(1, n - 1)),
            limbs(&|i| ((i * i / 5 % 3 > 0) as Limb).wrapping_neg()),
            limbs(&noise),
        ]
    }

    fn plan(methods: Steps<Product>) -> Plan {
        Plan {
            mul: methods,
            sqr: methods,
            ..Plan::native().clone()
        }
    }

    #[test]
    fn methods_agree_on_numbers_that_carry_far() {
        let mpn = Mpn::native();
        let [schoolbook, others @ ..] = METHODS.map(plan);
        for n in WIDTHS {
            let patterns = patterns(n);
            for (i, a) in patterns.iter().enumerate() {
                let mut expected = vec![0; 2 * n];
                // What the result lies in is not zero before.
                let mut r = vec![Limb::MAX; 2 * n];
                sqr(mpn, &schoolbook, &mut expected, a);
                for plan in &others {
                    sqr(mpn, plan, &mut r, a);
                    assert!(r == expected, "pattern {i} of {n} limbs, {:?}", plan.sqr);
                }
                for (j, b) in patterns[i..].iter().enumerate() {
                    mul(mpn, &schoolbook, &mut expected, a, b);
                    for plan in &others {
                        mul(mpn, plan, &mut r, a, b);
                        assert!(
                            r == expected,
                            "patterns {i}, {} of {n} limbs, {:?}",
                            i + j,
                            plan.mul
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn methods_agree_on_factors_of_two_widths() {
        let mpn = Mpn::native();
        let [schoolbook, others @ ..] = METHODS.map(plan);
        for (m, n) in [
            (53, 52),
            (200, 61),
            (200, 100),
            (301, 100),
            (57, 3),
            (4, 1),
            (130, 28),
        ] {
            for (a, b) in patterns(m).iter().zip(patterns(n).iter().rev()) {
                let (mut expected, mut r) = (vec![0; m + n], vec![Limb::MAX; m + n]);
                mul(mpn, &schoolbook, &mut expected, a, b);
                for plan in &others {
                    mul(mpn, plan, &mut r, a, b);
                    assert!(r == expected, "{m} x {n} limbs, {:?}", plan.mul);
                    mul(mpn, plan, &mut r, b, a);
                    assert!(r == expected, "{n} x {m} limbs, {:?}", plan.mul);
                }
            }
        }
    }

    /// What is chosen on processors of all kinds, where one method ends and the next begins, and some levels up.
    #[test]
    fn plans_agree_around_their_thresholds() {
        let mpn = Mpn::native();
        let schoolbook = plan(METHODS[0]);
        for plan in PLANS {
            let steps = plan.mul.iter().chain(plan.sqr);
            let thresholds = steps.map(|step| step.0).filter(|&n| n != NEVER);
            for n in thresholds.flat_map(|n| [n, n + 1, 3 * n + 1, 4 * n + 1]) {
                let (mut expected, mut r) = (vec![0; 2 * n], vec![Limb::MAX; 2 * n]);
                for pair in patterns(n).windows(2) {
                    mul(mpn, &schoolbook, &mut expected, &pair[0], &pair[1]);
                    mul(mpn, plan, &mut r, &pair[0], &pair[1]);
                    assert!(r == expected, "product of {n} limbs");
                    sqr(mpn, &schoolbook, &mut expected, &pair[1]);
                    sqr(mpn, plan, &mut r, &pair[1]);
                    assert!(r == expected, "square of {n} limbs");
                }
            }
        }
    }
}
