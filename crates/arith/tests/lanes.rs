//! Many moduli at once give the results of each alone.

use carrysave_arith::{
    Cpu, Modulus, NEVER, Nat, PLANS, Plan,
    lanes::{self, LANES, ModulusLanes},
};
use std::iter;

mod support;
use support::TestRng;

fn moduli(rng: &mut TestRng, bits: usize, count: usize) -> Vec<Modulus> {
    let modulus = || Modulus::new(&rng.odd_of(bits)).unwrap();
    iter::repeat_with(modulus).take(count).collect()
}

/// Every processor with its plan, and this one with every plan changed to always use lanes, on portable kernels if
/// necessary.
fn plans() -> Vec<(Cpu, &'static Plan)> {
    let (cpu, lanes) = (Cpu::native(), &[(NEVER, 1)]);
    let always = PLANS.iter().map(|plan| Plan {
        lanes,
        ..plan.clone()
    });
    let always = always.map(|plan| (cpu, &*Box::leak(Box::new(plan))));
    let best = cpu.masks().map(|cpu| (cpu, Plan::best(cpu)));
    best.chain(always).collect()
}

/// Two moduli of one length under plans with windows of other widths, which give powers by steps of their own.
#[test]
fn powers_in_pairs_under_two_plans() {
    let (mut rng, cpu) = (TestRng(7), Cpu::native());
    let plan = |width| {
        let plan = Plan {
            lane_pairs: 100,
            lane_window: Box::leak(Box::new([(NEVER, width)])),
            ..PLANS[0].clone()
        };
        &*Box::leak(Box::new(plan))
    };
    let [p, q] =
        [4, 5].map(|width| Modulus::with_plan(&rng.odd_of(1024), cpu, plan(width)).unwrap());
    let (a, b) = (p.reduce(&rng.nat(16)), q.reduce(&rng.nat(16)));
    let exps = [rng.nat(2), rng.nat(2)];
    for (p, a, q, b) in [(&p, &a, &q, &b), (&q, &b, &p, &a)] {
        let lanes = [p, q].map(|n| ModulusLanes::new(&[n]));
        let [x, y] = [0, 1].map(|i| lanes[i].montgomery(&lanes[i].load(&[[a, b][i]])));
        let (mut x, mut y) = lanes[0].pow_pair(&x, &[&exps[0]], &lanes[1], &y, &[&exps[1]], 128);
        lanes[0].redc(&mut x);
        lanes[1].redc(&mut y);
        assert_eq!(lanes[0].store(&x), [p.pow(a, &exps[0])]);
        assert_eq!(lanes[1].store(&y), [q.pow(b, &exps[1])]);
    }
}

#[test]
fn powers_are_those_of_each_alone() {
    let mut rng = TestRng(1);
    for (cpu, plan) in plans() {
        for bits in [64, 130, 512, 516, 517, 1000, 1024, 1536] {
            for count in [1, 2, 7, LANES] {
                let modulus = || Modulus::with_plan(&rng.odd_of(bits), cpu, plan).unwrap();
                let moduli: Vec<Modulus> = iter::repeat_with(modulus).take(count).collect();
                let bases: Vec<Nat> = moduli
                    .iter()
                    .map(|n| n.reduce(&rng.nat(n.width() + 1)))
                    .collect();
                let exps: Vec<Nat> = (0..count).map(|i| rng.nat(i % 3 + 1)).collect();
                let powers = (0..count).map(|i| moduli[i].pow(&bases[i], &exps[i]));
                let powers: Vec<Nat> = powers.collect();
                let jobs = (0..count).map(|i| (&moduli[i], &bases[i], &exps[i]));
                let jobs: Vec<_> = jobs.collect();
                assert_eq!(lanes::pow(&jobs), powers, "{count} of {bits} bits, {cpu}");
                // Side by side regardless of the plan, in pairs and not.
                let lanes = ModulusLanes::new(&moduli.iter().collect::<Vec<_>>());
                let loaded = lanes.load(&bases.iter().collect::<Vec<_>>());
                let base = lanes.montgomery(&loaded);
                let exps: Vec<&Nat> = exps.iter().collect();
                let (a, b) = lanes.pow_pair(&base, &exps, &lanes, &base, &exps, 192);
                for mut power in [lanes.pow(&base, &exps, 192), a, b] {
                    lanes.redc(&mut power);
                    assert_eq!(lanes.store(&power), powers, "{count} of {bits} bits, {cpu}");
                }
                // Of longer exponents the lowest bits count, in windows that do not fill up.
                let mut power = lanes.pow(&base, &exps, 43);
                lanes.redc(&mut power);
                let each = (0..count).map(|i| moduli[i].pow_bits(&bases[i], exps[i], 43));
                assert_eq!(lanes.store(&power), each.collect::<Vec<_>>());
                // With the powers of other bases, whose exponents are in another order.
                let others: Vec<&Nat> = exps.iter().rev().copied().collect();
                let mut other = base.clone();
                lanes.sqr(&mut other);
                let factors = [(&base, &exps[..]), (&other, &others[..])];
                let mut product = lanes.pow_product(factors, 192);
                lanes.redc(&mut product);
                let each = (0..count).map(|i| {
                    let n = &moduli[i];
                    n.mul(&powers[i], &n.pow(&n.sqr(&bases[i]), others[i]))
                });
                assert_eq!(lanes.store(&product), each.collect::<Vec<_>>());
            }
        }
    }
}

#[test]
fn no_jobs_give_no_results() {
    assert!(lanes::pow(&[]).is_empty());
}

#[test]
fn public_exponents() {
    let mut rng = TestRng(2);
    let moduli = moduli(&mut rng, 1024, 8);
    let bases: Vec<Nat> = moduli.iter().map(|n| n.reduce(&rng.nat(16))).collect();
    let lanes = ModulusLanes::new(&moduli.iter().collect::<Vec<_>>());
    let base = lanes.load(&bases.iter().collect::<Vec<_>>());
    for exp in [0, 1, 2, 3, 6, 65_537, u64::MAX] {
        let exp = Nat::from_limb(exp);
        let power = lanes.pow_vartime(&base, &exp);
        let each = moduli.iter().zip(&bases).map(|(n, base)| n.pow(base, &exp));
        assert_eq!(lanes.store(&power), each.collect::<Vec<_>>());
    }
}

/// Sums, differences and reductions of any lengths, also of numbers next to the bounds.
#[test]
fn ring_operations() {
    let mut rng = TestRng(3);
    for round in 0..200 {
        // With a bit less than ten digits, sums of residues need another one.
        let bits = [65, 500, 512, 519, 1030][round % 5];
        let long = moduli(&mut rng, 2 * bits, 5);
        let short = moduli(&mut rng, bits - round % 3, 5);
        let (wide, narrow) = (
            ModulusLanes::new(&long.iter().collect::<Vec<_>>()),
            ModulusLanes::new(&short.iter().collect::<Vec<_>>()),
        );
        let residues = |rng: &mut TestRng, moduli: &[Modulus]| -> Vec<Nat> {
            moduli
                .iter()
                .map(|n| match rng.below(4) {
                    0 => n.sub(&n.reduce(&Nat::zero()), &n.reduce(&Nat::one())),
                    1 => n.reduce(&Nat::from_limb(rng.below(2) as u64)),
                    _ => n.reduce(&rng.nat(n.width() + 1)),
                })
                .collect()
        };
        let (x, a, b) = (
            residues(&mut rng, &long),
            residues(&mut rng, &short),
            residues(&mut rng, &short),
        );
        let refs = |numbers: &[Nat]| -> Vec<Nat> { numbers.to_vec() };
        let load = |lanes: &ModulusLanes<'_>, numbers: &[Nat]| {
            lanes.load(&refs(numbers).iter().collect::<Vec<_>>())
        };
        // x mod n, out of Montgomery form by way of a multiplication.
        let mut reduced = narrow.reduce(&load(&wide, &x));
        narrow.redc(&mut reduced);
        let expected: Vec<Nat> = short.iter().zip(&x).map(|(n, x)| n.reduce(x)).collect();
        assert_eq!(narrow.store(&reduced), expected);
        // (a + b)^2 and (a - b) a
        let (la, lb) = (
            narrow.montgomery(&load(&narrow, &a)),
            narrow.montgomery(&load(&narrow, &b)),
        );
        let mut square = narrow.add(&la, &lb);
        narrow.sqr(&mut square);
        narrow.redc(&mut square);
        let mut product = narrow.sub(&la, &lb);
        narrow.mul(&mut product, &la);
        narrow.redc(&mut product);
        let expected = (0..5).map(|i| {
            let (n, a, b) = (&short[i], &a[i], &b[i]);
            (n.sqr(&n.add(a, b)), n.mul(&n.sub(a, b), a))
        });
        let expected: (Vec<Nat>, Vec<Nat>) = expected.unzip();
        assert_eq!((narrow.store(&square), narrow.store(&product)), expected);
        // Stored and restored.
        let kept = narrow.split(&la);
        let again = narrow.join(&kept.iter().collect::<Vec<_>>());
        assert_eq!(narrow.store(&again), narrow.store(&la));
        let wider = wide.widen(&load(&narrow, &a));
        let expected: Vec<Nat> = long.iter().zip(&a).map(|(n, a)| n.reduce(a)).collect();
        assert_eq!(wide.store(&wider), expected);
    }
}

#[test]
#[should_panic = "one class at a time"]
fn classes_do_not_mix() {
    let [n, m] = [101, u64::MAX].map(|n| Modulus::new(&Nat::from_limb(n)).unwrap());
    lanes::pow(&[
        (&n, &Nat::one(), &Nat::one()),
        (&m, &Nat::one(), &Nat::one()),
    ]);
}

/// Ten digits have 520 bits, and nine limbs 576.
#[test]
#[should_panic = "too many digits"]
fn numbers_that_are_too_long_are_refused() {
    let n = Modulus::new(&TestRng(4).odd_of(513)).unwrap();
    let mut limbs = [0; 9];
    limbs[8] = 1 << (520 - 512);
    ModulusLanes::new(&[&n]).load(&[&Nat::from_limbs(&limbs)]);
}

#[test]
#[should_panic = "below its modulus"]
fn bases_that_are_not_reduced_are_refused() {
    let n = Modulus::new(&Nat::from_limb(101)).unwrap();
    lanes::pow(&[(&n, &Nat::from_limb(101), &Nat::one())]);
}
