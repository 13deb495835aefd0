//! Long numbers, their products, lanes, fields and curves, on secret numbers.

use carrysave_arith::{
    Barrett, FixedBase, Modulus, NEVER, Nat, PLANS, Plan, Product,
    curve::{
        BaseTable, Curve, Edwards25519Table, P256, P384, P521, Point, Secp256k1, X25519_BASE,
        x25519, x25519_in_lanes,
    },
    field::{F127, F128M159, Fe, FeBatch, Vectors, invert_batch},
    lanes::{Element, LANES, ModulusLanes},
};
use carrysave_contract::{self as contract, Rng};
use carrysave_kernels::Cpu;
use carrysave_secrets::valgrind::{poison, reveal, secret};
use carrysave_team::{Barrier, Member, Team};
use std::{hint::black_box, iter};

/// Arithmetic modulo a secret number, with secret residues and exponents.
///
/// The modulus is made secret once its context stands: making it publishes its bit length, as documented.
pub fn residues(cpu: Cpu, plan: &'static Plan, rng: &mut Rng) {
    for &width in if cfg!(miri) {
        &[1, 2, 5][..]
    } else {
        &[1, 2, 5, 8, 16]
    } {
        let mut number = contract::limbs(rng, width);
        number[0] |= 1;
        number[width - 1] |= 1 << 63;
        let modulus = Modulus::with_plan(&Nat::from_limbs(&number), cpu, plan);
        let modulus = modulus.expect("odd and above 1");
        let any = |rng: &mut Rng, width| Nat::from_limbs(&contract::limbs(rng, width));
        let (a, b) = (
            modulus.reduce(&any(rng, width)),
            modulus.reduce(&any(rng, 2 * width)),
        );
        let (exponent, long) = (any(rng, 2), any(rng, 2 * width + 1));
        let expected = modulus.pow_vartime(&a, &exponent);
        for nat in [modulus.nat(), &a, &b, &exponent, &long] {
            poison(nat.limbs());
        }
        let comb = FixedBase::new(&modulus, &a, 128);
        let (first, second) = comb.pow_pair(&exponent, &comb, &exponent);
        let powers = [
            modulus.pow(&a, &exponent),
            comb.pow(&exponent),
            first,
            second,
        ];
        for power in powers {
            reveal(power.limbs());
            assert_eq!(power.limbs(), expected.limbs(), "width {width}");
        }
        let residues = [
            modulus.add(&a, &b),
            modulus.sub(&a, &b),
            modulus.neg(&a),
            modulus.mul(&a, &b),
            modulus.sqr(&a),
            modulus.reduce(&long),
            a.add(&b),
            a.mul(&b),
            a.sqr(),
            a.gcd(&b),
            modulus.inv(&a).unwrap_or_default(),
        ];
        black_box((
            residues,
            a.lt(&b),
            a == b,
            a.is_zero(),
            a.is_odd(),
            a.is_one(),
            a.bits(),
        ));
    }
}

/// Arithmetic modulo several secret numbers at once, with secret residues and exponents.
///
/// There are fewer than lanes, so that some are unused, of lengths that make one block of digits and two.
pub fn lanes(cpu: Cpu, plan: &'static Plan, rng: &mut Rng) {
    for width in [1, 5] {
        let mut moduli = |width: usize| -> Vec<Modulus> {
            let modulus = || {
                let mut number = contract::limbs(rng, width);
                number[0] |= 1;
                number[width - 1] |= 1 << 63;
                Modulus::with_plan(&Nat::from_limbs(&number), cpu, plan).expect("odd and above 1")
            };
            iter::repeat_with(modulus).take(LANES - 3).collect()
        };
        let (short, long) = (moduli(width), moduli(2 * width));
        let mut any = |width| -> Vec<Nat> {
            let number = || Nat::from_limbs(&contract::limbs(rng, width));
            iter::repeat_with(number).take(LANES - 3).collect()
        };
        let reduce = |moduli: &[Modulus], x: Vec<Nat>| -> Vec<Nat> {
            moduli.iter().zip(x).map(|(n, x)| n.reduce(&x)).collect()
        };
        let (a, b) = (reduce(&short, any(width)), reduce(&short, any(width)));
        let (x, exps) = (reduce(&long, any(2 * width)), any(2));
        let powers = short.iter().zip(&a).zip(&exps);
        let powers: Vec<Nat> = powers.map(|((n, a), e)| n.pow_vartime(a, e)).collect();
        let numbers = short.iter().chain(&long).map(Modulus::nat);
        for nat in numbers.chain(&a).chain(&b).chain(&x).chain(&exps) {
            poison(nat.limbs());
        }
        let lanes = |moduli| ModulusLanes::new(&Vec::from_iter(moduli));
        let load = |n: &ModulusLanes<'_>, x: &[Nat]| n.load(&Vec::from_iter(x));
        let (p, n) = (lanes(&short), lanes(&long));
        let (a, b) = (load(&p, &a), load(&p, &b));
        let (base, exps) = (p.montgomery(&a), Vec::from_iter(&exps));
        let (first, second) = p.pow_pair(&base, &exps, &p, &base, &exps, 128);
        for mut power in [p.pow(&base, &exps, 128), first, second] {
            p.redc(&mut power);
            for (power, expected) in p.store(&power).iter().zip(&powers) {
                reveal(power.limbs());
                assert_eq!(power.limbs(), expected.limbs(), "width {width}");
            }
        }
        let kept = p.split(&a);
        let reduced = |mut x: Element| {
            p.sqr(&mut x);
            p.mul(&mut x, &b);
            p.store(&x)
        };
        black_box((
            reduced(p.add(&a, &b)),
            reduced(p.sub(&a, &b)),
            reduced(p.reduce(&load(&n, &x))),
            reduced(p.join(&Vec::from_iter(&kept))),
            n.store(&n.widen(&a)),
            p.store(&p.pow_vartime(&a, &Nat::from_limb(65_537))),
        ));
    }
}

/// Products, squares and remainders of secret numbers, at the least width of each method, and arithmetic modulo one.
pub fn products(rng: &mut Rng) {
    let plan = Plan::native();
    for (up_to, _) in plan.mul.iter().chain(plan.sqr) {
        if *up_to == NEVER {
            continue;
        }
        let [a, b] = [(); 2].map(|()| Nat::from_limbs(&contract::limbs(rng, up_to + 1)));
        let d = Barrett::new(&b.add_limb(1)).expect("it is not 0");
        poison(a.limbs());
        poison(b.limbs());
        let residue = d.reduce(&a);
        black_box((a.mul(&b), a.sqr(), d.mul(&residue, &residue)));
    }
    // Moduli that reduce by products, themselves secret.
    for width in [plan.barrett, plan.redc_n] {
        let mut number = contract::limbs(rng, width);
        number[0] |= 1;
        number[width - 1] |= 1 << 60;
        let number = Nat::from_limbs(&number);
        poison(number.limbs());
        let modulus = Modulus::new(&number).expect("odd and above 1");
        let residue = modulus.reduce(&Nat::from_limbs(&contract::limbs(rng, 2 * width)));
        black_box((
            modulus.mul(&residue, &residue),
            modulus.sqr(&residue),
            modulus.pow(&residue, &Nat::from_limb(secret(5))),
        ));
    }
}

/// A plan that makes all products by transforms, from the least modulus on whose transforms are kept.
pub fn by_transforms() -> &'static Plan {
    Box::leak(Box::new(Plan {
        mul: &[(8, Product::Schoolbook), (NEVER, Product::Fft)],
        sqr: &[(8, Product::Schoolbook), (NEVER, Product::Fft)],
        barrett: 9,
        redc_n: 9,
        radix52: NEVER,
        team_mul: 52,
        ..Plan::native().clone()
    }))
}

/// A team of two whose members run one after the other: the first does all the work.
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

/// Products and squares by transforms, and arithmetic modulo a secret number whose transforms are kept: for
/// Montgomery's reduction, also McLaughlin's form, and for Barrett's.
pub fn transforms(cpu: Cpu, rng: &mut Rng) {
    let plan = by_transforms();
    plan.check().expect("a plan that works");
    let mclaughlin = &*Box::leak(Box::new(Plan {
        mclaughlin: 1,
        ..plan.clone()
    }));
    // The least widths whose transforms, those of the product, of the modulus and of its reciprocal alike, are modulo
    // three, four and five primes; and the least that a team shares.
    for width in [15, 17, 23, plan.team_mul] {
        let mut number = contract::limbs(rng, width);
        number[0] |= 1;
        number[width - 1] |= 1 << 60;
        let mut any = |width| Nat::from_limbs(&contract::limbs(rng, width));
        // Long enough for McLaughlin's form.
        let (number, exponent) = (Nat::from_limbs(&number), any(width / 8 + 1));
        let (a, b, long) = (any(width), any(width), any(3 * width));
        let elsewhere = Modulus::with_plan(&number, cpu, &PLANS[PLANS.len() - 1]);
        let expected = elsewhere.expect("odd and above 1").pow(&a, &exponent);
        for nat in [&number, &exponent, &a, &b, &long] {
            poison(nat.limbs());
        }
        let [modulus, other] = [plan, mclaughlin]
            .map(|plan| Modulus::with_plan(&number, cpu, plan).expect("odd and above 1"));
        let (x, y) = (modulus.reduce(&a), modulus.reduce(&long));
        for modulus in [&modulus, &other] {
            let power = modulus.pow(&x, &exponent);
            reveal(power.limbs());
            assert_eq!(power.limbs(), expected.limbs(), "width {width}");
        }
        black_box((
            modulus.mul(&x, &y),
            modulus.sqr(&x),
            a.mul_with(&b, plan),
            a.sqr_with(plan),
            a.mul_on_with(&OneByOne, &b, plan),
        ));
    }
}

/// Key agreements with secret scalars and points, and what a field does with secret elements.
pub fn curves(cpu: Cpu) {
    let k = *b"thirty-two octets of a secret...";
    let expected = x25519(cpu, &k, &X25519_BASE);
    let point = Point::<P256>::generator().mul(cpu, &[2, 3, 5, 7]);
    let k = k.map(|octet| secret(octet.into()) as u8);
    let shared = x25519(cpu, &k, &X25519_BASE);
    reveal(&shared);
    assert_eq!(shared, expected);
    let public = Edwards25519Table::new(cpu).x25519_public(&k);
    reveal(&public);
    assert_eq!(public, expected);
    let scalar = [2, 3, 5, 7].map(secret);
    assert_eq!(
        publish_octets(&Point::<P256>::generator().mul(cpu, &scalar)),
        publish_octets(&point)
    );
    black_box(Point::<P384>::generator().mul(cpu, &scalar[..1]));
    black_box(Point::<P521>::generator().mul(cpu, &scalar[..1]));
    black_box(publish_octets(
        &Point::<Secp256k1>::generator().mul(cpu, &scalar),
    ));
    let below = Fe::from_limb(secret(7)) * Fe::from_limb(11);
    let expected_base = publish_octets(&Point::<P256>::generator().mul(cpu, &[77]));
    assert_eq!(
        publish_octets(&BaseTable::<P256>::new(cpu).mul(&below)),
        expected_base
    );
    let lanes = Vectors::best(cpu);
    let of_base = BaseTable::<P256>::new(cpu).mul_in_lanes(lanes, &[below; 9]);
    let of_points = Point::mul_in_lanes(lanes, &[Point::<P256>::generator(); 9], &[below; 9]);
    for points in [of_base, of_points] {
        assert_eq!(publish_octets(&points[8]), expected_base);
    }
    let (spread, _) = BaseTable::<P256>::mul_spread(lanes, &below);
    assert_eq!(publish_octets(&spread), expected_base);
    let of_base = BaseTable::<P521>::new(cpu).mul_in_lanes(lanes, &[Fe::from_limb(secret(7)); 9]);
    let of_points = [Point::<P521>::generator(); 9];
    let of_points = Point::mul_in_lanes(lanes, &of_points, &[Fe::from_limb(secret(7)); 9]);
    assert_eq!(publish_octets(&of_base[8]), publish_octets(&of_points[8]));
    let table = BaseTable::<Secp256k1>::new(cpu);
    let of_base = table.mul_in_lanes(lanes, &[Fe::from_limb(secret(7)); 9]);
    let of_points = [Point::<Secp256k1>::generator(); 9];
    let of_points = Point::mul_in_lanes(lanes, &of_points, &[Fe::from_limb(secret(7)); 9]);
    assert_eq!(publish_octets(&of_base[8]), publish_octets(&of_points[8]));
    let edwards = Edwards25519Table::new(cpu);
    let keys = edwards.x25519_public_in_lanes(lanes, &[k; 9]);
    reveal(&keys[8]);
    assert_eq!(keys[8], expected);
    let number = Fe::reduce_le_bytes(&k);
    let alone = edwards.mul(&number).to_octets();
    let in_lanes = edwards.mul_in_lanes(lanes, &[number; 9])[8].to_octets();
    let spread = Edwards25519Table::mul_spread(lanes, &number).0.to_octets();
    for octets in [&alone, &in_lanes, &spread] {
        reveal(octets);
        assert_eq!(*octets, alone);
    }
    black_box(x25519(cpu, &k, &k));
    let [shared, other] =
        [k, X25519_BASE].map(|u| x25519_in_lanes(Vectors::best(cpu), &[k; 9], &[u; 9]));
    reveal(&other[0]);
    assert_eq!(other[0], expected);
    black_box(shared);
    let [a, b] = [3, 5].map(|limb| Fe::<F127>::from_limb(secret(limb)));
    let mut batch = [a, b, Fe::from_limb(secret(0))];
    invert_batch(&mut batch);
    black_box((
        a * b,
        a.inv(),
        (a.sqr() * b).sqrt(),
        a.pow(&scalar),
        a == b,
        batch,
    ));
    let mut lanes = FeBatch::new(cpu, &[a, b, a * b]);
    let others = lanes.clone();
    lanes.inv();
    FeBatch::swap(&mut lanes, &mut others.clone(), &[1, 0, 1].map(secret));
    black_box(lanes.to_elements());
    let c = Fe::<F128M159>::from_le_bytes((a * b).to_le_bytes().as_ref());
    black_box(c.map(|c| c.sqrt()));
}

/// The encoding of a point, public from here on.
fn publish_octets<C: Curve>(point: &Point<C>) -> Option<Vec<u8>> {
    let octets = point.to_sec1()?;
    reveal(&octets);
    Some(octets)
}
