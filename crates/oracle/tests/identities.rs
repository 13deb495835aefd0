//! The oracle against machine integers where they reach, and against published numbers where they do not.

use carrysave_oracle::Num;

fn num(value: u128) -> Num {
    Num::from_limbs(&[value as u64, (value >> 64) as u64])
}

/// Values around the boundaries of this radix, of limbs, and small.
fn edges() -> Vec<u128> {
    let mut edges: Vec<u128> = (0..20).collect();
    for bit in [
        1, 19, 20, 21, 39, 40, 41, 52, 59, 60, 61, 63, 64, 65, 80, 100, 119, 120, 126,
    ] {
        edges.extend([(1 << bit) - 1, 1 << bit, (1 << bit) + 1]);
    }
    edges.extend([
        0xfffff_00000_fffff,
        0x80000_00000_00001,
        u128::MAX >> 1,
        0x0123_4567_89ab_cdef_0123_4567_89ab_cdef,
    ]);
    edges
}

#[test]
fn agrees_with_u128_on_edges() {
    for a in edges() {
        assert_eq!(num(a).to_limbs(2), [a as u64, (a >> 64) as u64]);
        assert_eq!(num(a).to_hex(), format!("{a:x}"));
        assert_eq!(Num::from_hex(&format!("{a:x}")), Some(num(a)));
        assert_eq!(num(a).bits(), 128 - a.leading_zeros() as usize);
        assert_eq!(num(a).isqrt(), num(a.isqrt()));
        for shift in 0..64 {
            assert_eq!(num(a).shr(shift), num(a >> shift));
            assert_eq!(num(a >> 64).shl(shift), num(a >> 64 << shift));
            assert_eq!(num(a).low_bits(shift), num(a % (1 << shift)));
            assert_eq!(num(a).bit(shift), a >> shift & 1 == 1);
        }
        for b in edges() {
            assert_eq!(num(a).cmp(&num(b)), a.cmp(&b));
            assert_eq!(num(a).add(&num(b)), num(a + b));
            assert_eq!(num(a).checked_sub(&num(b)), a.checked_sub(b).map(num));
            if let Some(product) = a.checked_mul(b) {
                assert_eq!(num(a).mul(&num(b)), num(product));
            }
            if b > 0 {
                assert_eq!(
                    num(a).div_rem(&num(b)),
                    (num(a / b), num(a % b)),
                    "{a:x} / {b:x}"
                );
            }
        }
    }
}

#[test]
fn agrees_with_u128_on_every_small_case() {
    let gcd = |mut a: u128, mut b: u128| {
        while b > 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    for a in 0..40 {
        for b in 1..40 {
            assert_eq!(num(a).gcd(&num(b)), num(gcd(a, b)));
            let inverse = (0..b).find(|x| a * x % b == 1 % b);
            assert_eq!(num(a).inv_mod(&num(b)), inverse.map(num), "1/{a} mod {b}");
            for e in 0..8 {
                assert_eq!(num(a).pow_mod(&num(e), &num(b)), num(a.pow(e as u32) % b));
            }
        }
    }
    for a in 0..3000_u64 {
        let prime = a > 1 && (2..a).take_while(|d| d * d <= a).all(|d| a % d != 0);
        assert_eq!(Num::from(a).is_prime(), prime, "{a}");
    }
}

#[test]
fn long_division_undoes_multiplication() {
    let mut state = 1_u64;
    let mut limbs = |len: usize| -> Vec<u64> {
        (0..len)
            .map(|_| {
                state = state
                    .wrapping_mul(6364136223846793005)
                    .wrapping_add(1442695040888963407);
                // Half of the limbs are all zeros or all ones: those make rare quotient digits.
                [state, 0, state.rotate_left(17), u64::MAX][(state >> 60) as usize % 4]
            })
            .collect()
    };
    for (la, lb) in [(1, 1), (3, 2), (7, 7), (20, 3), (40, 39), (300, 150)] {
        for _ in 0..20 {
            let (q, d) = (
                Num::from_limbs(&limbs(la)),
                Num::from_limbs(&limbs(lb)).add(&Num::one()),
            );
            let r = Num::from_limbs(&limbs(lb)).rem(&d);
            assert!(r < d);
            assert_eq!(q.mul(&d).add(&r).div_rem(&d), (q.clone(), r.clone()));
            assert_eq!(
                q.add(&r).sqr(),
                q.sqr().add(&q.mul(&r).shl(1)).add(&r.sqr())
            );
        }
    }
}

#[test]
fn published_numbers() {
    let hex = |h| Num::from_hex(h).unwrap();
    let minus_one = |n: &Num| n.sub(&Num::one());
    // Mersenne exponents: which of 2^p - 1 are prime has been known since 1952.
    let primes: Vec<usize> = (2..620)
        .filter(|&p| Num::from(p as u64).is_prime())
        .collect();
    let mersenne = primes
        .into_iter()
        .filter(|&p| minus_one(&Num::one().shl(p)).is_prime());
    assert_eq!(
        mersenne.collect::<Vec<_>>(),
        [2, 3, 5, 7, 13, 17, 19, 31, 61, 89, 107, 127, 521, 607]
    );
    // 2^67 - 1 = 193707721 * 761838257287 (Cole, 1903).
    let cole = minus_one(&Num::one().shl(67));
    assert_eq!(cole, Num::from(193707721).mul(&Num::from(761838257287)));
    // F7 = 2^128 + 1 (Morrison and Brillhart, 1970).
    let f7 = Num::one().shl(128).add(&Num::one());
    assert_eq!(f7.div_rem(&Num::from(59649589127497217)).1, Num::zero());
    // The order of the group of curve P-256, and a Carmichael number.
    assert!(hex("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551").is_prime());
    assert!(!Num::from(3215031751).is_prime());
    // 100! has 525 bits and 97 trailing zeros in binary.
    let factorial = (1..=100).fold(Num::one(), |product, i| product.mul(&Num::from(i)));
    assert_eq!(
        (factorial.bits(), factorial.low_bits(97), factorial.bit(97)),
        (525, Num::zero(), true)
    );
    // The leading bits of sqrt(2) (Knuth, TAOCP 1, appendix A).
    assert_eq!(Num::one().shl(2 * 64 + 1).isqrt(), hex("16a09e667f3bcc908"));
}

#[test]
fn inverse_of_long_numbers() {
    let p = Num::one().shl(521).sub(&Num::one());
    let a = Num::from_hex("123456789abcdef")
        .unwrap()
        .pow_mod(&Num::from(77), &p);
    let inverse = a.inv_mod(&p).unwrap();
    assert_eq!(inverse.mul_mod(&a, &p), Num::one());
    assert_eq!(inverse, a.pow_mod(&p.sub(&Num::from(2)), &p));
    assert_eq!(p.mul(&a).inv_mod(&p), None);
}
