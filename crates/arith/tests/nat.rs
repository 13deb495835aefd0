//! Naturals against the oracle.
#![allow(missing_docs)]

mod support;
use carrysave_arith::{Modulus, Nat, inv_mod, inv_mod_vartime, xgcd_vartime};
use support::{TestRng, num, same};
use zeroize::Zeroize;

#[test]
fn sums_differences_shifts_and_orderings() {
    let mut rng = TestRng(1);
    for i in 0..4000 {
        let (wa, wb) = (1 + rng.below(9), 1 + rng.below(9));
        let (a, b) = (rng.nat(wa), rng.nat(wb));
        let (x, y) = (num(&a), num(&b));
        same(&a.add(&b), &x.add(&y));
        match a.sub(&b) {
            Some(d) => same(&d, &x.sub(&y)),
            None => assert!(x < y, "case {i}"),
        }
        assert_eq!(a.lt(&b), x < y);
        assert_eq!(a.cmp_vartime(&b), x.cmp(&y));
        assert_eq!(a == b, x == y);
        let s = rng.below(200);
        same(&a.shl(s), &x.shl(s));
        same(&a.shr(s), &x.shr(s));
        assert_eq!(a.bits(), x.bits());
        assert_eq!(a.bits_vartime(), x.bits());
        assert_eq!(a.resize(1).is_some(), x.bits() <= 64);
    }
}

#[test]
fn products_at_every_width_up_to_karatsubas_third_level() {
    let mut rng = TestRng(2);
    for wa in (1..60).chain([63, 64, 65, 95, 96, 97, 128, 191, 200, 257]) {
        for wb in [1, 2, 7, 8, 31, 47, 48, 49, 96, 129, wa] {
            let (a, b) = (rng.nat(wa), rng.nat(wb));
            same(&a.mul(&b), &num(&a).mul(&num(&b)));
        }
        for _ in 0..5 {
            let a = rng.nat(wa);
            same(&a.sqr(), &num(&a).sqr());
            assert_eq!(a.sqr(), a.mul(&a.clone()));
        }
    }
}

#[test]
fn a_million_bits() {
    let mut rng = TestRng(3);
    let (a, b) = (
        Nat::random_bits(1_048_576, &mut rng),
        Nat::random_bits(1_000_003, &mut rng),
    );
    let p = a.mul(&b);
    let (q, r) = p.add_limb(5).div_rem_vartime(&a);
    assert_eq!(q, b);
    assert_eq!(r, Nat::from_limb(5));
    // (a + b)^2 - (a - b)^2 = 4 a b
    let (s, d) = (a.add(&b).sqr(), a.sub(&b).unwrap().sqr());
    assert_eq!(s.sub(&d).unwrap(), p.shl(2));
}

#[test]
fn quotients_and_remainders() {
    let mut rng = TestRng(4);
    for _ in 0..4000 {
        let (wa, wb) = (1 + rng.below(12), 1 + rng.below(6));
        let (a, d) = (rng.nat(wa), rng.nat(wb));
        if d.is_zero() {
            continue;
        }
        let (q, r) = num(&a).div_rem(&num(&d));
        let fast = a.div_rem_vartime(&d);
        same(&fast.0, &q);
        same(&fast.1, &r);
        let constant = a.div_rem(&d);
        assert!(constant == fast);
        let limb = d.limbs()[0].max(1);
        same(
            &Nat::from_limb(a.rem_limb_vartime(limb)),
            &num(&a).rem(&num(&Nat::from_limb(limb))),
        );
    }
}

#[test]
fn divisors_that_make_the_estimate_too_large() {
    // Knuth 4.3.1, exercise 21: top limbs equal, the rest as large or as small as can be.
    let top = 1u64 << 63;
    for low in [0, 1, u64::MAX - 1, u64::MAX] {
        for mid in [0, 1, u64::MAX] {
            let d = Nat::from_limbs(&[low, mid, top]);
            for a in [
                [0, 0, 0, top - 1, top],
                [u64::MAX, u64::MAX, u64::MAX, top, top - 1],
                [0, 1, mid, low, top],
            ] {
                let a = Nat::from_limbs(&a);
                let (q, r) = a.div_rem_vartime(&d);
                assert!(r.lt(&d));
                assert_eq!(q.mul(&d).add(&r), a);
            }
        }
    }
}

#[test]
fn divisors_and_multiples() {
    let mut rng = TestRng(5);
    for _ in 0..150 {
        let (wa, wb, wc) = (1 + rng.below(4), 1 + rng.below(4), 1 + rng.below(3));
        let c = rng.nat(wc);
        let (a, b) = (rng.nat(wa).mul(&c), rng.nat(wb).mul(&c));
        let g = num(&a).gcd(&num(&b));
        same(&a.gcd(&b), &g);
        same(&a.gcd_vartime(&b), &g);
        if !a.is_zero() && !b.is_zero() {
            same(&a.lcm(&b), &num(&a).mul(&num(&b)).div_rem(&g).0);
        }
        same(&combined(&a, &b), &g);
    }
    for a in 0..20 {
        for b in 0..20 {
            combined(&Nat::from_limb(a), &Nat::from_limb(b));
        }
    }
}

/// The greatest common divisor that `xgcd_vartime` gives, which is a x + b y; 0 has no sign.
fn combined(a: &Nat, b: &Nat) -> Nat {
    let (g, x, y) = xgcd_vartime(a, b);
    for factor in [&x, &y] {
        assert!(!factor.negative || !factor.magnitude.is_zero());
    }
    // The negative term on the other side.
    let (ax, by) = (a.mul(&x.magnitude), b.mul(&y.magnitude));
    match (x.negative, y.negative) {
        (false, false) => assert_eq!(ax.add(&by), g),
        (true, false) => assert_eq!(g.add(&ax), by),
        (false, true) => assert_eq!(g.add(&by), ax),
        (true, true) => panic!("a sum of two negatives cannot be a gcd"),
    }
    g
}

#[test]
fn inverses_modulo_odd_and_even_numbers() {
    let mut rng = TestRng(6);
    let mut found = 0;
    for _ in 0..300 {
        let (wa, wm) = (1 + rng.below(5), 1 + rng.below(5));
        let (mut a, m) = (rng.nat(wa), rng.odd(wm));
        let m = if rng.below(2) == 0 {
            m.clone()
        } else {
            m.add_limb(1)
        };
        if !m.is_odd() {
            a.set_bit(0);
        }
        let expected = num(&a).inv_mod(&num(&m));
        found += usize::from(expected.is_some());
        for inverse in [inv_mod(&a, &m), inv_mod_vartime(&a, &m)] {
            match (&inverse, &expected) {
                (Some(i), Some(e)) => same(i, e),
                (None, None) => {}
                _ => panic!("{} mod {}", a.to_hex_vartime(), m.to_hex_vartime()),
            }
        }
    }
    assert!(found > 80);
}

/// Numbers of every width up to 40 limbs and of some beyond, with long runs of ones and zeros among them, and as close to
/// the modulus, to 0 and to half of it as can be.
#[test]
fn inverses_and_divisors_of_long_numbers() {
    let mut rng = TestRng(16);
    for width in (1..=40).chain([63, 64, 65, 100, 128, 300]) {
        let m = rng.odd(width).add(&Nat::power_of_two(64 * width - 1));
        let m = m.resize(width).unwrap_or_else(|| rng.odd(width));
        if m.is_one() {
            continue;
        }
        let less = |x| m.sub_limb(x).unwrap();
        let half = m.shr(1).resize(width).unwrap();
        let numbers = [rng.nat(width), less(1), less(2), half, Nat::one()];
        for a in numbers {
            let g = a.gcd(&m);
            same(&g, &num(&a.gcd_vartime(&m)));
            assert_eq!(g.width(), width);
            match inv_mod(&a, &m) {
                Some(x) => {
                    assert_eq!(x.width(), width);
                    assert!(x.lt(&m) && g.is_one(), "{width} limbs");
                    assert!(num(&a).mul_mod(&num(&x), &num(&m)) == num(&Nat::one()));
                }
                None => assert!(!g.is_one(), "{width} limbs"),
            }
            // With a common factor there is no inverse, and the factor is found.
            let c = rng.odd(2).add(&Nat::from_limb(2));
            let (ca, cm) = (a.mul(&c), m.mul(&c));
            assert_eq!(ca.gcd(&cm), g.mul(&c));
            assert_eq!(ca.shl(75).gcd(&cm.shl(70)), g.mul(&c).shl(70));
            assert!(inv_mod(&ca, &cm).is_none());
        }
    }
}

#[test]
fn exhaustive_inverses_of_small_numbers() {
    for m in 1..60u64 {
        for a in 0..2 * m {
            let expected = (0..m).find(|x| x * a % m == 1);
            let (a, m) = (Nat::from_limb(a), Nat::from_limb(m));
            assert_eq!(inv_mod_vartime(&a, &m), expected.map(Nat::from_limb));
            if a.is_odd() || m.is_odd() {
                assert_eq!(inv_mod(&a, &m), expected.map(Nat::from_limb));
            }
        }
    }
}

/// By squares for primes; by factors for their products (HAC 2.149).
#[test]
fn jacobi_symbols() {
    let small = |n: u64| Nat::from_limb(n);
    let legendre = |a: u64, p: u64| match a % p {
        0 => 0,
        a if (1..p).any(|x| x * x % p == a) => 1,
        _ => -1,
    };
    let primes = [3, 5, 7, 11, 13, 17, 19, 23];
    for p in primes {
        for q in primes {
            for a in 0..2 * p * q {
                let symbol = small(a).jacobi_vartime(&small(p * q));
                assert_eq!(symbol, legendre(a, p) * legendre(a, q), "({a} / {p} {q})");
            }
        }
    }
    assert_eq!(small(5).jacobi_vartime(&Nat::one()), 1);
    // Euler's criterion, at lengths of several limbs.
    let mut rng = TestRng(14);
    for exponent in [127, 521, 607] {
        let p = Nat::power_of_two(exponent).sub_limb(1).unwrap();
        let modulus = Modulus::new(&p).unwrap();
        for _ in 0..40 {
            let width = 1 + rng.below(12);
            let a = rng.nat(width);
            let power = modulus.pow(&modulus.reduce(&a), &p.shr(1));
            let symbol = match (power.is_zero(), power.is_one()) {
                (true, _) => 0,
                (_, true) => 1,
                _ => -1,
            };
            assert_eq!(a.jacobi_vartime(&p), symbol);
        }
    }
}

#[test]
fn jacobi_symbols_keep_their_laws_at_every_width() {
    let mut rng = TestRng(32);
    for round in 0..3_000 {
        let mut number = |most| {
            let width = 1 + rng.below(most);
            rng.nat(width)
        };
        let (a, b, mut n) = (number(34), number(34), number(34));
        n.set_bit(0);
        let symbol = |x: &Nat| x.jacobi_vartime(&n);
        assert_eq!(symbol(&a) * symbol(&b), symbol(&a.mul(&b)), "round {round}");
        assert_eq!(symbol(&a.add(&n)), symbol(&a), "round {round}");
        assert_eq!(
            symbol(&a) == 0,
            !a.gcd_vartime(&n).is_one(),
            "round {round}"
        );
        // Reciprocity.
        let mut m = a;
        m.set_bit(0);
        let sign = if m.limbs()[0] & n.limbs()[0] & 2 == 2 {
            -1
        } else {
            1
        };
        assert_eq!(symbol(&m), sign * n.jacobi_vartime(&m), "round {round}");
    }
}

#[test]
fn choices_by_bits_that_are_data() {
    let mut rng = TestRng(33);
    for _ in 0..1_000 {
        let width = 1 + rng.below(5);
        let (a, b) = (rng.nat(width), rng.nat(width));
        assert_eq!(a.below(&b), u64::from(a.cmp_vartime(&b).is_lt()));
        assert_eq!(a.equal(&b), u64::from(a.cmp_vartime(&b).is_eq()));
        assert_eq!(a.equal(&a.add_limb(0)), 1);
        assert_eq!(a.select(0, &b), a);
        assert_eq!(a.select(1, &b), b);
    }
}

/// A number fits in as many octets as its bits need, and in no fewer. Text is read as it is written, with zeros in front
/// and in capitals, too.
#[test]
fn octets_and_hexadecimal_digits() {
    let mut rng = TestRng(21);
    for bits in (0..200).cycle().take(1000) {
        let a = Nat::random_bits(bits, &mut rng);
        let least = a.bits_vartime().div_ceil(8);
        for len in 0..=least + 9 {
            match a.to_be_bytes(len) {
                Some(octets) => {
                    assert!(octets.len() == len && len >= least);
                    assert_eq!(Nat::from_be_bytes(&octets), a);
                }
                None => assert!(len < least, "{len} octets for {} bits", a.bits_vartime()),
            }
        }
        assert_eq!(a.to_be_bytes_vartime().len(), least);
        let wide = a.resize(a.width() + 3).unwrap();
        for trimmed in [wide.clone().trim(), wide.trim_vartime()] {
            assert_eq!(trimmed, a);
            assert_eq!(trimmed.width(), a.bits().div_ceil(64).max(1));
        }
        let text = a.to_hex_vartime();
        assert!(text == "0" || !text.starts_with('0'));
        for text in [text.to_uppercase(), format!("000{text}"), text] {
            assert_eq!(Nat::from_hex(&text).as_ref(), Some(&a), "{text}");
        }
    }
    for text in ["", "g", "-1", "+1", "0x1", " 1", "1 ", "1_0", "\u{661}"] {
        assert!(Nat::from_hex(text).is_none(), "{text:?}");
    }
}

#[test]
fn wiped_numbers_are_zero_and_as_wide() {
    let mut n = Nat::from_limbs(&[1, 2, 3]);
    n.zeroize();
    assert_eq!(n.limbs(), [0; 3]);
    assert_eq!(n.add(&Nat::one()).limbs()[..3], [1, 0, 0]);
}
