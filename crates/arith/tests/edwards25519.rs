//! Points of Edwards25519: encodings, and multiples by every method against sums.

use carrysave_arith::{
    Cpu,
    curve::{Edwards25519Order, Edwards25519Point, Edwards25519Table, X25519_BASE, x25519},
    field::{Fe, Vectors},
};
use getrandom::SysRng;
use rand_core::{Rng, UnwrapErr};

type Scalar = Fe<Edwards25519Order>;
type Point = Edwards25519Point;

/// A multiple by doublings and additions of single bits.
fn multiple(k: &Scalar, p: &Point) -> Point {
    let mut r = Point::identity();
    for octet in k.to_le_bytes().iter().rev() {
        for bit in (0..8).rev() {
            r = r.double();
            if octet >> bit & 1 == 1 {
                r = r.add(p);
            }
        }
    }
    r
}

/// Scalars at the ends, with runs of ones and of one digit, and at random.
fn scalars() -> Vec<Scalar> {
    let one = Scalar::one();
    let mut all: Vec<Scalar> = [0, 1, 2, 15, 16, 31, 32, 33, 127, 128, 255]
        .map(Scalar::from_limb)
        .into();
    all.extend([-one, -(one + one), one.half(), -one.half()]);
    all.extend([0xff, 0x55, 0xaa, 0x80, 0x01].map(|octet| Scalar::reduce_wide(&[octet; 64])));
    let mut power = one;
    for _ in 0..252 {
        all.extend([power, power - one]);
        power += power;
    }
    all.extend((0..50).map(|_| Scalar::random(&mut UnwrapErr(SysRng))));
    all
}

fn tables() -> impl Iterator<Item = Edwards25519Table> {
    [Cpu::native(), Cpu::portable()]
        .into_iter()
        .map(Edwards25519Table::new)
}

#[test]
fn the_base_point_has_order_l() {
    let b = Point::base();
    // L - 1 and 1
    assert_eq!(multiple(&-Scalar::one(), &b), b.neg());
    for table in tables() {
        assert_eq!(table.mul(&-Scalar::one()).add(&b), Point::identity());
        assert!(table.mul(&Scalar::zero()).is_identity());
    }
    assert_eq!(b.mul_by_cofactor(), multiple(&Scalar::from_limb(8), &b));
    assert!(!b.is_small_order() && !b.is_identity());
}

#[test]
fn tables_and_windows_give_multiples() {
    let b = Point::base();
    let p = multiple(&Scalar::from_limb(0x1234_5678_9abc_def1), &b);
    let scalars = scalars();
    for table in tables() {
        for (i, k) in scalars.iter().enumerate() {
            let expected = multiple(k, &b);
            assert_eq!(table.mul(k), expected, "{i}");
            let other = &scalars[scalars.len() - 1 - i];
            let sum = expected.add(&multiple(other, &p));
            assert_eq!(table.double_mul_vartime(k, other, &p), sum, "{i}");
        }
    }
}

#[test]
fn sums_of_many_are_sums() {
    let rng = &mut UnwrapErr(SysRng);
    let torsion = torsion();
    for table in tables() {
        for count in [0, 1, 2, 3, 10, 100, 200, 300, 1000] {
            let mut next = Point::base();
            let mut terms: Vec<(Scalar, Point)> = vec![];
            for i in 0..count {
                next = next.double().add(&torsion[i % 8]);
                let mut octets = [0; 64];
                rng.fill_bytes(&mut octets[..if i % 2 == 0 { 16 } else { 64 }]);
                let k = match i % 10 {
                    9 => -Scalar::one(),
                    7 => Scalar::zero(),
                    _ => Scalar::reduce_wide(&octets),
                };
                terms.push((k, next));
            }
            let base = Scalar::random(rng);
            let expected = terms.iter().fold(table.mul(&base), |sum, (k, p)| {
                sum.add(&table.double_mul_vartime(&Scalar::zero(), k, p))
            });
            assert_eq!(table.sum_vartime(&base, &terms), expected, "{count}");
        }
    }
}

/// The eight points of small order: multiples of one of order 8 (ZIP 215's list).
fn torsion() -> Vec<Point> {
    let hex = "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05";
    let octets = core::array::from_fn(|i| u8::from_str_radix(&hex[2 * i..][..2], 16).unwrap());
    let p = Point::from_octets_vartime(Cpu::native(), &octets).unwrap();
    (0..8)
        .map(|k| multiple(&Scalar::from_limb(k), &p))
        .collect()
}

#[test]
fn eight_points_have_small_order() {
    let torsion = torsion();
    for (i, p) in torsion.iter().enumerate() {
        assert!(p.is_small_order());
        assert_eq!(p.is_identity(), i == 0);
        assert!(!torsion[..i].contains(p));
        assert!(!p.add(&Point::base()).is_small_order());
    }
}

#[test]
fn points_survive_their_encoding() {
    let torsion = torsion();
    let mut p = Point::base();
    for cpu in [Cpu::native(), Cpu::portable()] {
        for i in 0..100 {
            p = p.double().add(&torsion[i % 8]);
            for p in [p, p.neg(), torsion[i % 8]] {
                let octets = p.to_octets();
                assert_eq!(Point::from_octets_vartime(cpu, &octets), Some(p));
                assert_eq!(Point::from_octets_zip215_vartime(cpu, &octets), Some(p));
            }
        }
    }
}

#[test]
fn octets_that_are_no_point_are_refused() {
    let (mut points, mut none) = (0, 0);
    for y in 0..200_u8 {
        let mut octets = [0; 32];
        octets[0] = y;
        match Point::from_octets_vartime(Cpu::native(), &octets) {
            Some(p) => {
                assert_eq!(p.to_octets(), octets);
                points += 1;
            }
            None => none += 1,
        }
    }
    assert!(points > 50 && none > 50, "{points} and {none}");
}

/// y from p to 2^255 - 1, and a sign of x = 0: there are 26 such encodings, of which only ZIP 215 accepts some.
#[test]
fn encodings_that_are_not_canonical_are_for_zip_215() {
    let mut liberal = 0;
    let mut check = |octets: [u8; 32]| {
        assert_eq!(Point::from_octets_vartime(Cpu::native(), &octets), None);
        if let Some(p) = Point::from_octets_zip215_vartime(Cpu::native(), &octets) {
            assert_ne!(p.to_octets(), octets);
            liberal += 1;
        }
    };
    for low in 0xed..=0xff {
        for high in [0x7f, 0xff] {
            let mut octets = [0xff; 32];
            (octets[0], octets[31]) = (low, high);
            check(octets);
        }
    }
    // x = 0 for y of 1 and -1.
    let mut octets = [0; 32];
    (octets[0], octets[31]) = (1, 0x80);
    check(octets);
    octets = [0xff; 32];
    octets[0] = 0xec;
    check(octets);
    assert_eq!(liberal, 26);
}

#[test]
fn wide_numbers_are_reduced() {
    // 2^8 at a time, from the top.
    let mut octets = [0; 64];
    for round in 0..100 {
        UnwrapErr(SysRng).fill_bytes(&mut octets);
        if round == 0 {
            octets = [0xff; 64];
        }
        let number = octets.iter().rev().fold(Scalar::zero(), |number, &octet| {
            number * Scalar::from_limb(256) + Scalar::from_limb(octet.into())
        });
        assert_eq!(Scalar::reduce_wide(&octets), number);
    }
}

/// Points of every order, a base point's multiple plus each point of small order.
fn points() -> Vec<Point> {
    // Of order 8: its multiples are the eight points of small order.
    let mut octets = [0; 32];
    hex(
        &mut octets,
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    );
    let torsion = Point::from_octets_vartime(Cpu::native(), &octets).expect("a point");
    let p = multiple(&Scalar::from_limb(0x1234_5678_9abc_def1), &Point::base());
    let mut all = vec![p];
    let mut small = torsion;
    for _ in 0..8 {
        all.extend([small, small.add(&p)]);
        small = small.add(&torsion);
    }
    all
}

fn hex(octets: &mut [u8], digits: &str) {
    for (i, octet) in octets.iter_mut().enumerate() {
        *octet = u8::from_str_radix(&digits[2 * i..][..2], 16).expect("hexadecimal");
    }
}

#[test]
fn lanes_give_what_is_calculated_alone() {
    let table = Edwards25519Table::new(Cpu::native());
    let (u, points) = (scalars(), points());
    let v: Vec<Scalar> = u.iter().rev().copied().collect();
    let p: Vec<Point> = points.iter().cycle().take(u.len()).copied().collect();
    let expected: Vec<Point> = u.iter().map(|k| table.mul(k)).collect();
    let pairs = v.iter().zip(&p).zip(&expected);
    let sums: Vec<Point> = pairs
        .map(|((v, p), base)| multiple(v, p).add(base))
        .collect();
    for vectors in Vectors::all(Cpu::native()) {
        let products = table.mul_in_lanes(vectors, &u);
        assert!(products.iter().all(Point::is_on_curve));
        assert_eq!(products, expected, "{vectors:?}");
        let products = table.mul_add_in_lanes(vectors, &u, &p, &v);
        assert!(products.iter().all(Point::is_on_curve));
        assert_eq!(products, sums, "{vectors:?}");
    }
    let (_, counts) = table.mul_batch_counted(&u);
    let count = u.iter().map(Edwards25519Table::count);
    assert_eq!(*counts, count.collect::<Vec<_>>());
    for len in 0..20 {
        assert_eq!(table.mul_batch(&u[..len]), expected[..len]);
        assert_eq!(
            table.mul_add_batch_vartime(&u[..len], &p[..len], &v[..len]),
            sums[..len]
        );
    }
}

#[test]
fn public_keys_in_lanes_are_those_of_the_ladder() {
    let table = Edwards25519Table::new(Cpu::native());
    let mut secrets = vec![[0; 32], [0xff; 32], [0x55; 32]];
    secrets.extend((0..14).map(|_| {
        let mut octets = [0; 32];
        UnwrapErr(SysRng).fill_bytes(&mut octets);
        octets
    }));
    let ladder = |k: &[u8; 32]| x25519(Cpu::native(), k, &X25519_BASE);
    let expected: Vec<[u8; 32]> = secrets.iter().map(ladder).collect();
    for vectors in Vectors::all(Cpu::native()) {
        assert_eq!(table.x25519_public_in_lanes(vectors, &secrets), expected);
    }
    for len in 0..secrets.len() {
        assert_eq!(table.x25519_public_batch(&secrets[..len]), expected[..len]);
    }
}

#[test]
fn multiples_count_their_numbers() {
    for table in tables() {
        for k in scalars() {
            let (point, count) = table.mul_counted(&k);
            assert_eq!(count, Edwards25519Table::count(&k));
            assert!(point.is_on_curve());
            let opposite = Edwards25519Table::count(&-k);
            assert!(k.is_zero() || opposite != count);
        }
    }
}

/// The base point times a scalar that is spread over lanes, on all vectors.
#[test]
fn spread_products_are_those_of_words() {
    let table = Edwards25519Table::new(Cpu::portable());
    for vectors in Vectors::all(Cpu::native()) {
        for k in scalars() {
            let product = Edwards25519Table::mul_spread(vectors, &k);
            assert_eq!(product, table.mul_counted(&k), "{vectors:?}");
        }
    }
}

#[test]
fn coordinates_are_those_of_their_points() {
    let points = points();
    for (i, affine) in Point::to_affine_batch(&points).iter().enumerate() {
        for (j, point) in points.iter().enumerate() {
            let same = point == &points[i];
            assert_eq!(point.is_at(affine), same, "{i} {j}");
            assert_eq!(point.to_octets() == affine.to_octets(), same, "{i} {j}");
        }
    }
}
