//! Points of Edwards25519: encodings, and multiples by every method against sums.

use carrysave_arith::{
    Cpu,
    curve::{Edwards25519Order, Edwards25519Point, Edwards25519Table},
    field::Fe,
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
