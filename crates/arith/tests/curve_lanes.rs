//! Products of many points and scalars in vector lanes, against products one by one.

use carrysave_arith::{
    Cpu, Isa,
    curve::{BaseTable, Curve, P256, P384, P521, Point, Secp256k1, lanes_from},
    field::{Fe, Field, InLanes, Residue, Vectors},
};

#[cfg(feature = "every-curve")]
use carrysave_arith::curve::{A, Affine, P256Field, P256Order};

/// P-256, whose a is not known to be -3.
#[cfg(feature = "every-curve")]
#[derive(Clone, Copy, Debug)]
struct AnyA;

#[cfg(feature = "every-curve")]
impl Curve for AnyA {
    const NAME: &'static str = "P-256 for any a";
    type Base = P256Field;
    type BaseInLanes = P256Field;
    type Scalar = P256Order;
    const A: A = A::Any;
    const PRIME_ORDER: bool = true;
    fn a() -> Fe<P256Field> {
        P256::a()
    }
    fn b() -> Fe<P256Field> {
        P256::b()
    }
    fn g() -> Affine<AnyA> {
        P256::g()
    }
}

/// Numbers around 0, the order and powers of two, and others.
fn scalars<F: Field>() -> Vec<Fe<F>> {
    let [zero, one] = [Fe::<F>::zero(), Fe::one()];
    let mut all = vec![zero, one, -one, -one - one, one + one];
    all.extend((3..70).step_by(7).map(Fe::from_limb));
    let mut power = one;
    for i in 0..F::Residue::BITS {
        if i % 29 == 4 || i % 64 == 0 || i + 2 > F::Residue::BITS {
            all.extend([power, power - one, -power]);
        }
        power = power + power;
    }
    let mut state = power;
    for _ in 0..20 {
        state = state.sqr() + one + one + one;
        all.push(state);
    }
    all
}

fn mul<C: Curve>(cpu: Cpu, point: &Point<C>, scalar: &Fe<C::Scalar>) -> Point<C> {
    let bytes = scalar.to_le_bytes();
    let limbs: Vec<u64> = bytes
        .as_ref()
        .chunks(8)
        .map(|bytes| {
            let limb = bytes.iter().rev();
            limb.fold(0, |limb, &byte| limb << 8 | u64::from(byte))
        })
        .collect();
    point.mul(cpu, &limbs)
}

fn products_are_those_one_by_one<C: Curve>()
where
    <C::BaseInLanes as Field>::Residue: InLanes,
{
    let cpu = Cpu::native();
    let table = BaseTable::<C>::new(cpu);
    let scalars = scalars::<C::Scalar>();
    let words = BaseTable::<C>::new(Cpu::portable());
    let of_base: Vec<_> = scalars.iter().map(|k| words.mul(k)).collect();
    // Points with any z, infinity among them, each with a scalar of its own and with its inverse.
    let mut points = of_base.clone();
    points.rotate_left(7);
    let mut expected: Vec<_> = points
        .iter()
        .zip(&scalars)
        .map(|(point, k)| mul(cpu, point, k))
        .collect();
    let mut numbers = scalars.clone();
    points.extend([
        Point::generator(),
        Point::generator().neg(),
        Point::identity(),
    ]);
    numbers.extend([-Fe::one(), Fe::one(), Fe::from_limb(5)]);
    let g = Point::<C>::generator().neg();
    expected.extend([g, g, Point::identity()]);
    for vectors in Vectors::all(cpu) {
        // One scalar in all lanes.
        for (k, product) in scalars.iter().zip(&of_base) {
            let expected = (*product, BaseTable::<C>::count(k));
            let spread = BaseTable::<C>::mul_spread(vectors, k);
            assert!(spread == expected, "{} {vectors:?} {k:?}", C::NAME);
        }
        let (products, counts) = table.mul_in_lanes_counted(vectors, &scalars);
        let count = scalars.iter().map(BaseTable::<C>::count);
        assert_eq!(*counts, count.collect::<Vec<_>>(), "{vectors:?}");
        for ((product, expected), scalar) in products.iter().zip(&of_base).zip(&scalars) {
            let k = scalar.to_be_bytes();
            assert!(
                product == expected,
                "{} {vectors:?} {:02x?}",
                C::NAME,
                k.as_ref()
            );
        }
        let products = Point::mul_in_lanes(vectors, &points, &numbers);
        for ((product, expected), scalar) in products.iter().zip(&expected).zip(&numbers) {
            let k = scalar.to_be_bytes();
            assert!(
                product == expected,
                "{} {vectors:?} {:02x?}",
                C::NAME,
                k.as_ref()
            );
        }
    }
    for len in 0..18 {
        assert_eq!(table.mul_batch(&scalars[..len]), of_base[..len]);
        let products = Point::mul_batch(cpu, &points[..len], &numbers[..len]);
        assert_eq!(products, expected[..len]);
        // Sums of any, of the equal and of the opposite.
        let u = &scalars[9..][..len];
        let sums = table.mul_add_batch(u, &points[..len], &numbers[..len]);
        for (i, sum) in sums.iter().enumerate() {
            assert_eq!(*sum, of_base[9 + i].add(&expected[i]));
        }
        let base = vec![Point::generator(); len];
        let twice = table.mul_add_batch(u, &base, u);
        let minus: Vec<_> = u.iter().map(|u| -*u).collect();
        let none = table.mul_add_batch(u, &base, &minus);
        for i in 0..len {
            assert_eq!(twice[i], of_base[9 + i].add(&of_base[9 + i]));
            assert_eq!(none[i], Point::identity());
        }
        let affine: Vec<_> = of_base[..len].iter().map(Point::to_affine).collect();
        assert_eq!(Point::to_affine_batch(&of_base[..len]), affine);
    }
    // Lesser processors.
    let (u, q, v) = (&scalars[..9], &points[..9], &numbers[..9]);
    let sums = table.mul_add_batch(u, q, v);
    for cpu in [
        Cpu::portable(),
        cpu.without(Isa::AVX512IFMA),
        cpu.without(Isa::AVX512F),
        cpu.without(Isa::AVX512IFMA.and(Isa::AVXIFMA)),
    ] {
        assert_eq!(BaseTable::new(cpu).mul_add_batch(u, q, v), sums);
        assert_eq!(lanes_from(cpu), cpu.has(Isa::AVXIFMA).then_some(4));
    }
}

#[test]
fn p256_in_lanes() {
    products_are_those_one_by_one::<P256>();
}

#[test]
fn p384_in_lanes() {
    products_are_those_one_by_one::<P384>();
}

#[test]
fn p521_in_lanes() {
    products_are_those_one_by_one::<P521>();
}

#[cfg(feature = "every-curve")]
#[test]
fn a_curve_with_any_a_in_lanes() {
    products_are_those_one_by_one::<AnyA>();
}

#[test]
fn secp256k1_in_lanes() {
    products_are_those_one_by_one::<Secp256k1>();
}
