//! Products: schoolbook below the plan's thresholds, Toom-Cook's methods above, and Fourier transforms above those.

use super::Nat;
use super::carry::add_at;
use super::fft;
use super::toom::{Elsewhere, Factors, Toom};
use crate::plan::{Plan, Product, choose};
use crate::work::note;
use carrysave_kernels::{Limb, mpn::Mpn};
use carrysave_team::Team;
use core::cell::RefCell;
use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::OnceLock;
use zeroize::Zeroizing;

impl Nat {
    /// `self * other`, as wide as both together.
    pub fn mul(&self, other: &Nat) -> Nat {
        self.mul_with(other, Plan::native())
    }

    /// `self * other` by a team, where it pays by the plan and the team's [round trip](Team::round_trip), and members come
    /// [in time](Team::is_prompt). The members share transforms, or the seven products of Toom-4, whose factors have a
    /// quarter of the width.
    ///
    /// # Panics
    /// If a member of the team panics.
    ///
    /// # Timing
    /// Depends on the widths, and on when the system schedules the threads.
    ///
    /// ```
    /// use carrysave_arith::Nat;
    /// use carrysave_team::Serial;
    /// let (a, b) = (Nat::from_limb(6), Nat::from_limb(7));
    /// assert_eq!(a.mul_on(&Serial, &b), Nat::from_limb(42));
    /// ```
    pub fn mul_on(&self, team: &dyn Team, other: &Nat) -> Nat {
        self.mul_on_with(team, other, Plan::native())
    }

    /// [`Nat::mul_on`] with the methods of a plan.
    ///
    /// # Panics
    /// As [`Nat::mul_on`], or if the plan is malformed: see [`Plan::check`].
    pub fn mul_on_with(&self, team: &dyn Team, other: &Nat, plan: &Plan) -> Nat {
        match plan.mul_members(team, self.width().min(other.width())) {
            members if members > 1 && team.is_prompt() => {
                mul_on(team, members, Mpn::native(), plan, self, other)
            }
            _ => self.mul_with(other, plan),
        }
    }

    /// `self^2`, twice as wide.
    pub fn sqr(&self) -> Nat {
        self.sqr_with(Plan::native())
    }

    /// [`Nat::mul`] with the methods of a plan.
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

    /// [`Nat::sqr`] with the methods of a plan.
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
    match choose(plan.mul, m) {
        Product::Schoolbook => {
            note("mul_basecase", a.len() * m);
            return mpn.mul_basecase.call(r, a, b);
        }
        // Above this, slices take less memory, and little more time.
        Product::Fft if a.len() <= 4 * m && fft::product(mpn, r, a, Some(b)) => return,
        _ => {}
    }
    let toom = Toom {
        mpn,
        methods: plan.mul,
        elsewhere: None,
    };
    let mut scratch = Zeroizing::new(vec![0; Toom::scratch(m)]);
    toom.product(&mut r[..2 * m], (&a[..m], Some(b)), &mut scratch);
    if a.len() == m {
        return;
    }
    // Slices of a as long as b: each product overlaps the upper half of the one before.
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

/// `a * b` by some members of a team, for widths that transforms or Toom-4 take.
///
/// Toom-4 runs twice, which works because its steps never depend on values. The first run only records all products
/// with their factors. After the team has multiplied those, the second run reads them one after the other.
fn mul_on(team: &dyn Team, members: usize, mpn: &Mpn, plan: &Plan, a: &Nat, b: &Nat) -> Nat {
    let mut r = Nat::zeros(a.width() + b.width());
    let (a, b) = match a.width() >= b.width() {
        true => (a.limbs(), b.limbs()),
        false => (b.limbs(), a.limbs()),
    };
    let m = b.len();
    if choose(plan.mul, m) == Product::Fft
        && a.len() <= 4 * m
        && fft::product_on(team, members, mpn, r.limbs_mut(), a, b)
    {
        return r;
    }
    let noted = RefCell::new(Vec::new());
    in_parts(mpn, r.limbs_mut(), a, b, &|_, (a, b): Factors<'_>| {
        let factors = (a.to_vec(), b.expect("a product").to_vec());
        noted.borrow_mut().push(Zeroizing::new(factors));
    });
    let tasks = noted.into_inner().into_iter();
    let tasks: Vec<_> = tasks.map(|factors| (factors, OnceLock::new())).collect();
    let next = AtomicUsize::new(0);
    team.offer_few(members, &|_| {
        while let Some((factors, product)) = tasks.get(next.fetch_add(1, Relaxed)) {
            let (a, b) = &**factors;
            product.get_or_init(|| {
                let mut product = Zeroizing::new(vec![0; a.len() + b.len()]);
                mul(mpn, plan, &mut product, a, b);
                product
            });
        }
    });
    let ready = RefCell::new(tasks.into_iter());
    in_parts(mpn, r.limbs_mut(), a, b, &|r, _| {
        let task = ready.borrow_mut().next();
        let product = task.and_then(|(_, product)| product.into_inner());
        r.copy_from_slice(&product.expect("as many products as were noted"));
    });
    r
}

/// `r := a * b` for an a not shorter than b, by Toom-4 for each slice of a as long as b; `elsewhere` computes the
/// products.
fn in_parts(mpn: &Mpn, r: &mut [Limb], a: &[Limb], b: &[Limb], elsewhere: &Elsewhere<'_>) {
    let m = b.len();
    let toom = Toom {
        mpn,
        methods: &[],
        elsewhere: Some(elsewhere),
    };
    let mut scratch = Zeroizing::new(vec![0; Toom::scratch(m)]);
    let mut part = Zeroizing::new(vec![0; 2 * m]);
    r.fill(0);
    for (i, slice) in a.chunks(m).enumerate() {
        let part = &mut part[..slice.len() + m];
        match slice.len() == m {
            true => toom.toom44(part, (slice, Some(b)), &mut scratch),
            false => elsewhere(part, (b, Some(slice))),
        }
        add_at(mpn, &mut r[i * m..], part);
    }
}

/// `r := a^2`; `r` is twice as wide.
pub(crate) fn sqr(mpn: &Mpn, plan: &Plan, r: &mut [Limb], a: &[Limb]) {
    match choose(plan.sqr, a.len()) {
        Product::Schoolbook => {
            note("sqr_basecase", a.len() * a.len());
            return mpn.sqr_basecase.call(r, a);
        }
        Product::Fft if fft::product(mpn, r, a, None) => return,
        _ => {}
    }
    let toom = Toom {
        mpn,
        methods: plan.sqr,
        elsewhere: None,
    };
    let mut scratch = Zeroizing::new(vec![0; Toom::scratch(a.len())]);
    toom.product(r, (a, None), &mut scratch);
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::plan::{NEVER, PLANS, Steps};
    use Product::{Fft, Schoolbook, Toom22, Toom33, Toom44};
    use carrysave_team::{Barrier, Member};

    /// Each method wherever it works, so that few limbs reach every level; the first is the reference.
    const METHODS: [Steps<Product>; 6] = [
        &[(NEVER, Schoolbook)],
        &[(3, Schoolbook), (NEVER, Toom22)],
        &[(3, Schoolbook), (27, Toom22), (NEVER, Toom33)],
        &[(27, Schoolbook), (51, Toom33), (NEVER, Toom44)],
        &[(51, Schoolbook), (NEVER, Toom44)],
        &[(3, Schoolbook), (NEVER, Fft)],
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

    /// Members that run one after the other.
    struct OneByOne;

    impl Team for OneByOne {
        fn size(&self) -> usize {
            2
        }

        fn run(&self, part: &(dyn Fn(&Member<'_>) + Sync)) {
            let barrier = Barrier::new(2);
            (0..2).for_each(|rank| barrier.enter(rank, part));
            barrier.finish();
        }
    }

    #[test]
    fn products_by_a_team_are_those_of_one_thread() {
        let mpn = Mpn::native();
        let plans = [Plan::native().clone(), plan(METHODS[5])];
        for (n, m) in [
            (52, 52),
            (60, 53),
            (57, 57),
            (110, 55),
            (300, 64),
            (260, 260),
        ] {
            for a in patterns(n) {
                for b in patterns(m) {
                    let [a, b] = [&a, &b].map(|limbs| Nat::from_limbs(limbs));
                    let expected = a.mul(&b);
                    for (plan, a, b) in plans.iter().flat_map(|p| [(p, &a, &b), (p, &b, &a)]) {
                        let product = mul_on(&OneByOne, 3, mpn, plan, a, b);
                        assert!(product == expected, "{n} and {m} limbs, {:?}", plan.mul);
                    }
                }
            }
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
                // The result's memory is not zero before.
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

    /// The choices on processors of all kinds, where one method ends and the next begins, and some levels up.
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
