//! Every method of exponentiation, against the oracle and against the others.
#![allow(missing_docs)]

mod support;
use carrysave_arith::{Cpu, FixedBase, METHODS, Method, Modulus, Nat, PLANS};
use carrysave_kernels::mpn::mont_mul;
use support::{TestRng, num, same};

/// A modulus under every plan, and by every kernel of `mpn_mont_mul` that this processor runs.
fn contexts(n: &Nat) -> Vec<Modulus> {
    let cpu = Cpu::native();
    let plans = PLANS.iter().map(|plan| Modulus::with_plan(n, cpu, plan));
    let kernels = mont_mul::OP
        .admitted(cpu)
        .map(|i| mont_mul::OP.kernels[i].0);
    let studied = kernels.map(|name| Modulus::with_kernel_vartime(n, cpu, name));
    plans.chain(studied).map(|n| n.unwrap()).collect()
}

/// 0, 1, 2, all ones, single bits, runs, and anything, of up to `bits` bits.
fn exponents(rng: &mut TestRng, bits: usize) -> Vec<Nat> {
    let ones = |bits: usize| Nat::power_of_two(bits).sub_limb(1).unwrap();
    let mut all = vec![Nat::zero(), Nat::one(), Nat::from_limb(2), ones(bits)];
    for _ in 0..2 {
        let (at, len) = (rng.below(bits), 1 + rng.below(bits));
        all.push(Nat::power_of_two(at));
        all.push(ones(len.min(bits - at)).shl(at));
        all.push(rng.nat(bits.div_ceil(64)));
    }
    all
}

#[test]
fn all_methods_agree_with_the_oracle() {
    let mut rng = TestRng(21);
    let sizes = [
        (1, 64),
        (1, 300),
        (2, 100),
        (3, 70),
        (5, 64),
        (7, 130),
        (8, 64),
        (9, 70),
        (16, 64),
        (17, 40),
        (33, 20),
    ];
    for (width, bits) in sizes {
        let number = rng.odd(width);
        let contexts = contexts(&number);
        let base = contexts[0].reduce(&rng.nat(width));
        let exps = exponents(&mut rng, bits);
        let powers: Vec<_> = exps
            .iter()
            .map(|exp| num(&base).pow_mod(&num(exp), &num(&number)))
            .collect();
        for n in &contexts {
            let base = base.resize(n.width()).unwrap();
            for (exp, power) in exps.iter().zip(&powers) {
                METHODS
                    .iter()
                    .for_each(|method| same(&n.pow_by(method, &base, exp), power));
            }
            let many = n.pow_many_vartime(&base, &exps.iter().collect::<Vec<_>>());
            many.iter()
                .zip(&powers)
                .for_each(|(many, power)| same(many, power));
            assert_eq!(many.len(), powers.len());
            let square = n.sqr(&base);
            let product = n.pow_product_vartime(&[(&base, &exps[0]), (&square, &exps[1])]);
            let expected = n.mul(&n.pow(&base, &exps[0]), &n.pow(&square, &exps[1]));
            assert_eq!(product, expected);
            assert!(n.pow_product_vartime(&[]).is_one());
        }
    }
}

/// Exponents long enough for every width of window, and lengths around each policy's limits.
#[test]
fn methods_agree_on_long_exponents() {
    let mut rng = TestRng(22);
    let number = rng.odd(1);
    let n = Modulus::new(&number).unwrap();
    let base = n.reduce(&rng.nat(1));
    for limit in [
        6, 24, 96, 320, 960, 2688, 17, 47, 159, 479, 1343, 3583, 12288,
    ] {
        for bits in [limit, limit + 1usize] {
            let exp = rng
                .nat(bits.div_ceil(64))
                .shr(bits.next_multiple_of(64) - bits);
            let power = num(&base).pow_mod(&num(&exp), &num(&number));
            METHODS
                .iter()
                .for_each(|method| same(&n.pow_by(method, &base, &exp), &power));
        }
    }
}

#[test]
fn small_moduli_exhaustively() {
    const EXPONENTS: usize = 36;
    let exps: Vec<Nat> = (0..EXPONENTS as u64).map(Nat::from_limb).collect();
    for number in (3..40u64).step_by(2) {
        let n = Modulus::new(&Nat::from_limb(number)).unwrap();
        for a in 0..number {
            let powers = std::iter::successors(Some(1), |power| Some(power * a % number));
            let powers: Vec<Nat> = powers.take(EXPONENTS).map(Nat::from_limb).collect();
            let a = Nat::from_limb(a);
            let comb = FixedBase::new(&n, &a, 6);
            for (exp, power) in exps.iter().zip(&powers) {
                for method in METHODS {
                    assert_eq!(n.pow_by(method, &a, exp), *power, "{method:?}");
                }
                assert_eq!(comb.pow(exp), *power);
            }
            assert_eq!(
                n.pow_many_vartime(&a, &exps.iter().collect::<Vec<_>>()),
                powers
            );
        }
    }
}

#[test]
fn a_comb_agrees_with_the_window() {
    let masks = Cpu::native().masks();
    for (cpu, plan) in masks.flat_map(|cpu| PLANS.iter().map(move |plan| (cpu, plan))) {
        let mut rng = TestRng(23);
        for width in [1, 2, 8, 16, 32] {
            let n = Modulus::with_plan(&rng.odd(width), cpu, plan).unwrap();
            let m = Modulus::with_plan(&rng.odd(width), cpu, plan).unwrap();
            let base = n.reduce(&rng.nat(width));
            let second = rng.nat(17);
            for bits in [1, 2, 3, 31, 64, 65, 130, 300, 513, 1030] {
                let comb = FixedBase::new(&n, &base, bits);
                assert_eq!(comb.bits(), bits);
                let others = [(&n, bits), (&m, bits), (&m, bits + 1)];
                let others = others.map(|(m, bits)| FixedBase::new(m, &m.reduce(&base), bits));
                let long = rng.nat(bits.div_ceil(64) + 1);
                for exp in [
                    Nat::zero(),
                    Nat::power_of_two(bits - 1),
                    Nat::power_of_two(bits),
                    long,
                ] {
                    let power = n.pow_bits(&base, &exp, bits);
                    assert_eq!(comb.pow(&exp), power);
                    for other in &others {
                        let pair = comb.pow_pair(&exp, other, &second);
                        assert_eq!(pair, (power.clone(), other.pow(&second)));
                    }
                }
            }
        }
    }
}

#[test]
fn several_exponents_or_none() {
    let n = Modulus::new(&Nat::from_limb(101)).unwrap();
    let (base, zero) = (Nat::from_limb(7), Nat::zero());
    assert!(n.pow_many_vartime(&base, &[]).is_empty());
    assert_eq!(
        n.pow_many_vartime(&base, &[&zero, &zero]),
        [Nat::one(), Nat::one()]
    );
}

#[test]
fn names() {
    for method in METHODS {
        let found = Method::named(method.name).unwrap();
        assert!(std::ptr::eq(found, method));
    }
    assert!(Method::named("addition_chain").is_none());
    let n = Nat::from_limb(101);
    assert!(Modulus::with_kernel_vartime(&n, Cpu::native(), "nonsense").is_none());
    assert!(
        Modulus::with_kernel_vartime(&Nat::from_limb(100), Cpu::native(), "portable").is_none()
    );
}
