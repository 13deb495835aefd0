//! Modular arithmetic against the oracle, on every processor that this one can emulate.
#![allow(missing_docs)]

mod support;
use carrysave_arith::{Cpu, Modulus, NEVER, Nat, PLANS, Plan, Product};
use std::sync::LazyLock;
use support::{TestRng, num, same};

/// Saturated limbs, and every reduction by products.
static BY_PRODUCTS: LazyLock<Plan> = LazyLock::new(|| Plan {
    barrett: 1,
    bnm1: 9,
    redc_n: 1,
    radix52: NEVER,
    ..PLANS[0].clone()
});

/// [`BY_PRODUCTS`] with every product by transforms.
static BY_TRANSFORMS: LazyLock<Plan> = LazyLock::new(|| Plan {
    mul: &[(1, Product::Schoolbook), (NEVER, Product::Fft)],
    sqr: &[(1, Product::Schoolbook), (NEVER, Product::Fft)],
    mclaughlin: 1,
    ..BY_PRODUCTS.clone()
});

/// Powers in radix 2^52 by whole products.
static BY_BLOCKS: LazyLock<Plan> = LazyLock::new(|| Plan {
    radix52: 1,
    radix52_alone: 1,
    blocks52: 1,
    mclaughlin: NEVER,
    ..PLANS[0].clone()
});

/// Both on this processor, and the latter without its vectors.
fn by_products() -> [(Cpu, &'static Plan); 3] {
    [
        (Cpu::native(), &*BY_PRODUCTS),
        (Cpu::native(), &*BY_TRANSFORMS),
        (Cpu::portable(), &*BY_TRANSFORMS),
    ]
}

#[test]
fn ring_operations() {
    let best = Cpu::native().masks().map(|cpu| (cpu, Plan::best(cpu)));
    for (cpu, plan) in best.chain(by_products()) {
        let mut rng = TestRng(11);
        for width in (1..20).chain([24, 25, 32, 33, 40]) {
            for _ in 0..6 {
                let n = Modulus::with_plan(&rng.odd(width), cpu, plan).unwrap();
                let m = num(n.nat());
                let wide_width = 1 + rng.below(3 * width);
                let wide = rng.nat(wide_width);
                same(&n.reduce(&wide), &num(&wide).rem(&m));
                let (a, b) = (n.reduce(&rng.nat(width)), n.reduce(&rng.nat(width)));
                let (x, y) = (num(&a), num(&b));
                same(&n.add(&a, &b), &x.add(&y).rem(&m));
                same(&n.sub(&a, &b), &x.add(&m).sub(&y).rem(&m));
                same(&n.neg(&a), &m.sub(&x).rem(&m));
                same(&n.mul(&a, &b), &x.mul_mod(&y, &m));
                same(&n.sqr(&a), &x.mul_mod(&x, &m));
                let mut factor = n.multiplier(&b);
                same(&n.mul_by(&a, &factor), &x.mul_mod(&y, &m));
                n.square(&mut factor);
                same(&n.mul_by(&a, &factor), &x.mul_mod(&y.mul_mod(&y, &m), &m));
                assert_eq!(n.mul(&a, &b).width(), n.width());
            }
        }
    }
}

/// Every processor that this one can emulate, under every plan, including plans not made for it.
#[test]
fn powers() {
    let masks = Cpu::native().masks();
    let plans = masks.flat_map(|cpu| PLANS.iter().map(move |plan| (cpu, plan)));
    let by_blocks = [Cpu::native(), Cpu::portable()].map(|cpu| (cpu, &*BY_BLOCKS));
    for (cpu, plan) in plans.chain(by_products()).chain(by_blocks) {
        let mut rng = TestRng(12);
        for width in [1, 2, 3, 7, 8, 9, 13, 16, 17, 24, 33, 150] {
            for exponent_width in if width < 64 { 1..=3 } else { 1..=1 } {
                let n = Modulus::with_plan(&rng.odd(width), cpu, plan).unwrap();
                let base = n.reduce(&rng.nat(width));
                let exp = rng.nat(exponent_width);
                let expected = num(&base).pow_mod(&num(&exp), &num(n.nat()));
                same(&n.pow(&base, &exp), &expected);
                same(&n.pow_vartime(&base, &exp), &expected);
            }
        }
        // Blocks of digits that end within the highest limb.
        for bits in [400, 1240] {
            let n = Modulus::with_plan(&rng.odd_of(bits), cpu, plan).unwrap();
            let (base, exp) = (n.reduce(&rng.nat(n.width())), rng.nat(1));
            let expected = num(&base).pow_mod(&num(&exp), &num(n.nat()));
            same(&n.pow(&base, &exp), &expected);
            same(&n.pow_vartime(&base, &exp), &expected);
        }
    }
}

#[test]
fn small_moduli_exhaustively() {
    for n in (3..40u64).step_by(2) {
        let modulus = Modulus::new(&Nat::from_limb(n)).unwrap();
        for a in 0..n {
            let mut power = 1 % n;
            for e in 0..=17u64 {
                let (base, exp) = (Nat::from_limb(a), Nat::from_limb(e));
                assert_eq!(modulus.pow(&base, &exp), Nat::from_limb(power));
                assert_eq!(modulus.pow_vartime(&base, &exp), Nat::from_limb(power));
                for bits in [5, 6, 7, 64] {
                    assert_eq!(modulus.pow_bits(&base, &exp, bits), Nat::from_limb(power));
                }
                power = power * a % n;
            }
        }
    }
}

#[test]
fn only_odd_numbers_above_one_are_moduli() {
    for n in [0, 1, 2, 4, 1 << 63] {
        assert!(Modulus::new(&Nat::from_limb(n)).is_none());
    }
    let leading_zeros = Nat::from_limbs(&[3, 0, 0]);
    assert_eq!(Modulus::new(&leading_zeros).unwrap().width(), 1);
}

#[test]
fn powers_in_pairs() {
    for cpu in Cpu::native().masks() {
        let mut rng = TestRng(13);
        for (width, other_width) in [
            (1, 1),
            (7, 7),
            (8, 8),
            (16, 16),
            (24, 24),
            (32, 32),
            (40, 40),
            (8, 9),
        ] {
            let p = Modulus::with_cpu(&rng.odd(width), cpu).unwrap();
            let q = Modulus::with_cpu(&rng.odd(other_width), cpu).unwrap();
            let (x, y) = (p.reduce(&rng.nat(width)), q.reduce(&rng.nat(width)));
            let (d, e) = (rng.nat(2), rng.nat(2));
            for bits in [1, 17, 128] {
                let (r, s) = p.pow_pair(&x, &d, &q, &y, &e, bits);
                same(&r, &num(&x).pow_mod(&num(&d).low_bits(bits), &num(p.nat())));
                same(&s, &num(&y).pow_mod(&num(&e).low_bits(bits), &num(q.nat())));
            }
        }
    }
}
