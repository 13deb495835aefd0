//! Long numbers: products, division and reduction at sizes around every threshold.
#![allow(missing_docs)]

mod support;
use carrysave_arith::{Barrett, Nat};
use carrysave_oracle::Num;
use support::{TestRng, num, same};

#[test]
fn barretts_reduction() {
    let mut rng = TestRng(11);
    for _ in 0..2000 {
        let (wd, wa) = (1 + rng.below(6), 1 + rng.below(20));
        let (d, a) = (rng.nat(wd), rng.nat(wa));
        let Some(barrett) = Barrett::new(&d) else {
            assert!(d.is_zero());
            continue;
        };
        assert_eq!(barrett.nat(), d);
        let residue = barrett.reduce(&a);
        assert_eq!(residue.width(), barrett.width());
        same(&residue, &num(&a).rem(&num(&d)));
        // The largest residue too, whose square needs the most corrections.
        let largest = d.sub_limb(1).unwrap().resize(barrett.width()).unwrap();
        for x in [&residue, &largest] {
            same(
                &barrett.mul(x, &residue),
                &num(x).mul(&num(&residue)).rem(&num(&d)),
            );
            same(&barrett.sqr(x), &num(x).sqr().rem(&num(&d)));
        }
    }
}

#[test]
fn barretts_reduction_of_long_numbers() {
    let mut rng = TestRng(12);
    for width in [100, 101, 340, 700] {
        let (d, a) = (rng.nat(width), rng.nat(5 * width / 2));
        if let Some(barrett) = Barrett::new(&d) {
            assert_eq!(barrett.reduce(&a), a.div_rem_vartime(&d).1);
        }
    }
}

#[test]
fn digits_and_back() {
    let mut rng = TestRng(13);
    for width in (1..40).chain([59, 60, 61, 120, 121, 250]) {
        let a = rng.nat(width);
        for radix in 2..=36 {
            let text = a.to_radix_vartime(radix);
            assert!(text == "0" || !text.starts_with('0'));
            assert_eq!(Nat::from_radix(&text, radix).unwrap(), a, "radix {radix}");
            let padded = format!("{:0>200}", text.to_uppercase());
            assert_eq!(Nat::from_radix(&padded, radix).unwrap(), a, "radix {radix}");
        }
        assert_eq!(a.to_radix_vartime(16), a.to_hex_vartime());
        let text = a.to_decimal_vartime();
        let digits = text.bytes().map(|c| Num::from(u64::from(c - b'0')));
        let ten = Num::from(10);
        same(&a, &digits.fold(Num::zero(), |n, d| n.mul(&ten).add(&d)));
    }
}

/// Long enough that division uses reciprocals, found by Newton's iteration.
#[test]
fn longer_numbers_are_divided_and_written() {
    let mut rng = TestRng(14);
    for (width, of) in [(1650, 3300), (6401, 9000), (6500, 20_000), (7001, 14_002)] {
        let (mut d, a) = (rng.nat(width), rng.nat(of));
        d.set_bit(64 * width - 1);
        let (q, r) = a.div_rem_vartime(&d);
        assert!(r.lt(&d) && q.mul(&d).add(&r) == a, "{of} limbs by {width}");
    }
    for (width, radix) in [(8000, 10), (13_100, 7), (900, 36), (1800, 2)] {
        let mut a = rng.nat(width);
        a.set_bit(64 * width - 1);
        let text = a.to_radix_vartime(radix);
        assert!(Nat::from_radix(&text, radix).unwrap() == a, "radix {radix}");
        let ending = &text[text.len() - 15..];
        let (_, r) = a.div_rem_vartime(&Nat::from_limb(u64::from(radix).pow(12)));
        let ending = u128::from_str_radix(ending, radix).unwrap() % u128::from(radix).pow(12);
        assert_eq!(r, Nat::from_limb(ending as u64));
    }
}

#[test]
fn powers_of_ten_and_their_neighbours() {
    for zeros in [
        0, 1, 18, 19, 20, 37, 38, 39, 300, 570, 571, 2000, 10_000, 70_000,
    ] {
        let text = format!("1{}", "0".repeat(zeros));
        let power = Nat::from_decimal(&text).unwrap();
        assert_eq!(power.to_decimal_vartime(), text);
        let below = power.sub_limb(1).unwrap().to_decimal_vartime();
        let nines = "9".repeat(zeros);
        assert_eq!(below, if zeros == 0 { "0" } else { &nines });
    }
}

#[test]
fn only_digits_of_the_radix_are_numbers() {
    for text in ["", " 1", "-1", "12a", "1_0", "１"] {
        assert!(Nat::from_decimal(text).is_none(), "{text}");
    }
    assert!(Nat::from_radix("102", 2).is_none());
    assert_eq!(Nat::from_radix("zZ", 36).unwrap(), Nat::from_limb(35 * 37));
}
