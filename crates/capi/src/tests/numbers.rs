//! Numbers against the facade.

use super::*;
use crate::numbers::power::*;
use crate::numbers::prime::*;
use crate::numbers::*;
use crate::threads::{cs_threads, cs_threads_free, cs_threads_new};
use carrysave::arith::{Modulus, Nat, prime};
use carrysave::system_rng;

/// A number of this many limbs, all of its bits random.
fn limbs(len: usize) -> Vec<u64> {
    Nat::random_bits(64 * len, &mut system_rng()).limbs()[..len].to_vec()
}

fn odd(len: usize) -> Vec<u64> {
    let mut m = limbs(len);
    m[0] |= 1;
    m[len - 1] |= 1 << 63;
    m
}

fn nat(limbs: &[u64]) -> Nat {
    Nat::from_limbs(limbs)
}

/// `base^exp mod m` by products and divisions.
fn power(base: &[u64], exp: &[u64], m: &[u64]) -> Vec<u64> {
    let (m, mut r) = (nat(m), Nat::one());
    let base = nat(base).div_rem_vartime(&m).1;
    for i in (0..64 * exp.len()).rev() {
        r = r.sqr().div_rem_vartime(&m).1;
        if nat(exp).bit(i) {
            r = r.mul(&base).div_rem_vartime(&m).1;
        }
    }
    r.div_rem_vartime(&m).1.limbs().to_vec()
}

fn powm(base: &[u64], exp: &[u64], m: &[u64]) -> Result<Vec<u64>, cs_error> {
    let mut r = vec![!0; m.len()];
    let (b, e, n) = (base.as_ptr(), exp.as_ptr(), m.as_ptr());
    // SAFETY: the pointers lead to what the lengths say.
    match unsafe { cs_powm(r.as_mut_ptr(), b, base.len(), e, exp.len(), n, m.len()) } {
        CS_OK => Ok(r),
        error => Err(error),
    }
}

fn powm_sec(base: &[u64], exp: &[u64], m: &[u64]) -> Result<Vec<u64>, cs_error> {
    let mut r = vec![!0; m.len()];
    let (b, e, n) = (base.as_ptr(), exp.as_ptr(), m.as_ptr());
    let p = r.as_mut_ptr();
    // SAFETY: the pointers lead to what the lengths say.
    match unsafe { cs_powm_sec(null(), p, b, base.len(), e, exp.len(), n, m.len()) } {
        CS_OK => Ok(r),
        error => Err(error),
    }
}

#[test]
fn powers_of_all_moduli_are_right() {
    for len in 1..5 {
        for _ in 0..8 {
            let (base, exp, m) = (limbs(len + 1), limbs(len), odd(len));
            assert_eq!(powm(&base, &exp, &m), Ok(power(&base, &exp, &m)));
            assert_eq!(powm_sec(&base, &exp, &m), Ok(power(&base, &exp, &m)));
            // Even ones, and a power of two.
            let mut even = m.clone();
            even[0] &= !1;
            assert_eq!(powm(&base, &exp, &even), Ok(power(&base, &exp, &even)));
            assert_eq!(powm_sec(&base, &exp, &even), Err(CS_ERROR_MODULUS));
        }
    }
    // Zeros at the top of each, and what has no limbs.
    assert_eq!(powm(&[3, 0], &[5, 0, 0], &[7, 0]), Ok(vec![5, 0]));
    assert_eq!(powm_sec(&[3, 0], &[5, 0, 0], &[7, 0]), Ok(vec![5, 0]));
    assert_eq!(powm(&[], &[], &[7]), Ok(vec![1]));
    assert_eq!(powm(&[3], &[], &[1]), Ok(vec![0]));
    assert_eq!(powm(&[3], &[1], &[]), Err(CS_ERROR_ZERO));
    assert_eq!(powm(&[3], &[1], &[0]), Err(CS_ERROR_ZERO));
    assert_eq!(powm_sec(&[3], &[1], &[0, 0]), Err(CS_ERROR_ZERO));
    assert_eq!(powm_sec(&[3], &[1], &[1]), Err(CS_ERROR_MODULUS));
}

/// The result may overwrite each input.
#[test]
fn a_power_may_overwrite_its_inputs() {
    let (base, exp, m) = (limbs(3), limbs(3), odd(3));
    let expected = power(&base, &exp, &m);
    for which in 0..3 {
        let mut all = [base.clone(), exp.clone(), m.clone()];
        let r = all[which].as_mut_ptr();
        let [b, e, n] = [&all[0], &all[1], &all[2]].map(|x| x.as_ptr());
        // SAFETY: the pointers lead to three limbs each.
        assert_eq!(unsafe { cs_powm(r, b, 3, e, 3, n, 3) }, CS_OK);
        assert_eq!(all[which], expected);
    }
}

fn with_threads(test: impl Fn(*const cs_threads)) {
    test(null());
    // SAFETY: the object is freed once.
    unsafe {
        let threads = made(|threads| cs_threads_new(2, threads));
        test(threads);
        cs_threads_free(threads);
    }
}

#[test]
fn many_powers_are_those_of_one() {
    let (len, count) = (4, 21);
    let (bases, exps, m) = (limbs(5 * count), limbs(3 * count), odd(len));
    let at = |numbers: &[u64], i: usize, len: usize| numbers[i * len..][..len].to_vec();
    with_threads(|threads| {
        let mut r = vec![!0; len * count];
        let (p, n) = (r.as_mut_ptr(), m.as_ptr());
        // SAFETY: the pointers lead to what the lengths say.
        let error = unsafe {
            cs_powm_bases(
                threads,
                p,
                bases.as_ptr(),
                5,
                count,
                exps.as_ptr(),
                3,
                n,
                len,
            )
        };
        assert_eq!(error, CS_OK);
        for i in 0..count {
            assert_eq!(at(&r, i, len), power(&at(&bases, i, 5), &exps[..3], &m));
        }
        // Few are without a table, many have one.
        for count in [1, count] {
            // SAFETY: the pointers lead to what the lengths say.
            let error = unsafe {
                cs_powm_exps(
                    threads,
                    p,
                    bases.as_ptr(),
                    5,
                    exps.as_ptr(),
                    3,
                    count,
                    n,
                    len,
                )
            };
            assert_eq!(error, CS_OK);
            for i in 0..count {
                assert_eq!(at(&r, i, len), power(&bases[..5], &at(&exps, i, 3), &m));
            }
        }
    });
}

#[test]
fn powers_of_mixed_moduli_have_a_status_each() {
    let moduli = [odd(2), odd(2), odd(5), vec![4], vec![0], odd(2)];
    let (base, exp) = (limbs(3), limbs(2));
    with_threads(|threads| {
        let mut results: Vec<Vec<u64>> = moduli.iter().map(|m| vec![!0; m.len()]).collect();
        let mut powers: Vec<cs_power> = (moduli.iter().zip(&mut results))
            .map(|(m, r)| cs_power {
                r: r.as_mut_ptr(),
                base: base.as_ptr(),
                base_len: 3,
                exp: exp.as_ptr(),
                exp_len: 2,
                modulus: m.as_ptr(),
                modulus_len: m.len(),
                status: 77,
            })
            .collect();
        powers[5].r = null_mut();
        // SAFETY: the pointers lead to what the lengths say.
        let error = unsafe { cs_powm_many(threads, powers.as_mut_ptr(), powers.len()) };
        assert_eq!(error, CS_ERROR_MODULUS);
        let statuses: Vec<i32> = powers.iter().map(|power| power.status).collect();
        let expected = [
            CS_OK,
            CS_OK,
            CS_OK,
            CS_ERROR_MODULUS,
            CS_ERROR_ZERO,
            CS_ERROR_NULL,
        ];
        assert_eq!(statuses, expected.map(|error| error as i32));
        for i in 0..3 {
            assert_eq!(results[i], power(&base, &exp, &moduli[i]));
        }
        // SAFETY: there are none.
        assert_eq!(unsafe { cs_powm_many(threads, null_mut(), 0) }, CS_OK);
    });
}

#[test]
fn products_and_quotients_are_right() {
    with_threads(|threads| {
        for (a_len, b_len) in [(1, 1), (5, 3), (3, 5), (40, 40), (4, 0), (0, 0)] {
            let (a, b) = (limbs(a_len.max(1)), limbs(b_len.max(1)));
            let (a, b) = (&a[..a_len], &b[..b_len]);
            let mut r = vec![!0; a_len + b_len];
            // SAFETY: the pointers lead to what the lengths say.
            let error = unsafe {
                cs_mul(
                    threads,
                    r.as_mut_ptr(),
                    a.as_ptr(),
                    a_len,
                    b.as_ptr(),
                    b_len,
                )
            };
            assert_eq!(error, CS_OK);
            assert_eq!(nat(&r), nat(a).mul(&nat(b)));
            if b_len == 0 {
                continue;
            }
            let (mut q, mut rest) = (vec![!0; r.len()], vec![!0; b_len]);
            // SAFETY: the pointers lead to what the lengths say.
            unsafe {
                let (r, len, b) = (r.as_ptr(), r.len(), b.as_ptr());
                assert_eq!(
                    cs_div(q.as_mut_ptr(), rest.as_mut_ptr(), r, len, b, b_len),
                    CS_OK
                );
                assert_eq!(cs_div(null_mut(), null_mut(), r, len, b, b_len), CS_OK);
            }
            assert_eq!(nat(&q), nat(a));
            assert!(nat(&rest).is_zero());
        }
    });
    let a = limbs(6);
    let mut r = [0; 12];
    // SAFETY: the pointers lead to what the lengths say.
    unsafe {
        assert_eq!(cs_sqr(r.as_mut_ptr(), a.as_ptr(), 6), CS_OK);
        assert_eq!(
            cs_div(null_mut(), null_mut(), a.as_ptr(), 6, [0; 2].as_ptr(), 2),
            CS_ERROR_ZERO
        );
        assert_eq!(
            cs_div(null_mut(), null_mut(), a.as_ptr(), 6, null(), 0),
            CS_ERROR_ZERO
        );
        assert_eq!(
            cs_mul(
                null(),
                r.as_mut_ptr(),
                a.as_ptr(),
                usize::MAX,
                a.as_ptr(),
                2
            ),
            CS_ERROR_LENGTH
        );
        assert_eq!(
            cs_sqr(r.as_mut_ptr(), a.as_ptr(), usize::MAX / 4),
            CS_ERROR_LENGTH
        );
    }
    assert_eq!(nat(&r), nat(&a).sqr());
}

/// Whether two numbers have no common factor, by Euclid's algorithm.
fn coprime(a: &Nat, b: &Nat) -> bool {
    let (mut a, mut b) = (a.clone(), b.clone());
    while !b.is_zero() {
        (a, b) = (b.clone(), a.div_rem_vartime(&b).1);
    }
    a.is_one()
}

#[test]
fn inverses_are_right() {
    let mut top = odd(3);
    top.push(0);
    let moduli = [
        odd(3),
        top,
        vec![1 << 40],
        vec![10],
        vec![7, 0],
        vec![1],
        vec![1, 0],
    ];
    for m in moduli {
        for a in [
            odd(3),
            odd(9),
            vec![3],
            vec![6],
            vec![1],
            vec![0],
            vec![],
            m.clone(),
        ] {
            let (a, n) = (&a, nat(&m));
            let exists = coprime(&nat(a), &n);
            for invert in [cs_invert, cs_invert_sec] {
                let mut r = vec![!0; m.len()];
                // SAFETY: the pointers lead to what the lengths say.
                let error =
                    unsafe { invert(r.as_mut_ptr(), a.as_ptr(), a.len(), m.as_ptr(), m.len()) };
                if !exists {
                    assert_eq!(error, CS_ERROR_NO_INVERSE, "{a:x?} modulo {m:x?}");
                    continue;
                }
                assert_eq!(error, CS_OK, "{a:x?} modulo {m:x?}");
                let (r, one) = (nat(&r), Nat::one().div_rem_vartime(&n).1);
                assert!(r.lt(&n), "{r:?} is below {m:x?}");
                assert_eq!(nat(a).mul(&r).div_rem_vartime(&n).1, one);
            }
        }
    }
    let mut r = [0; 1];
    for invert in [cs_invert, cs_invert_sec] {
        // SAFETY: the pointers lead to what the lengths say.
        let error = unsafe { invert(r.as_mut_ptr(), [3].as_ptr(), 1, [0].as_ptr(), 1) };
        assert_eq!(error, CS_ERROR_ZERO);
    }
}

#[test]
fn primes_are_found_and_known() {
    let known = |n: &[u64]| {
        let mut result = 7;
        assert_eq!(
            // SAFETY: the pointers lead to what the lengths say.
            unsafe { cs_is_prime(n.as_ptr(), n.len(), 2, &mut result) },
            CS_OK
        );
        result
    };
    assert_eq!(
        [2, 3, 4, 0, 1, 561, 65_537].map(|n| known(&[n])),
        [1, 1, 0, 0, 0, 0, 1]
    );
    assert_eq!(known(&[!0, !0 >> 1]), 1); // 2^127 - 1
    for (bits, flags) in [
        (17, 0),
        (64, 0),
        (65, CS_PRIME_TOP_TWO),
        (60, CS_PRIME_SAFE),
    ] {
        let len = usize::div_ceil(bits, 64);
        let mut r = vec![!0; 3 * len];
        with_threads(|threads| {
            let r = r.as_ptr().cast_mut();
            assert_eq!(
                // SAFETY: there are limbs for three.
                unsafe { cs_random_primes(threads, r, bits, flags, 3) },
                CS_OK
            );
        });
        assert_eq!(
            // SAFETY: there are limbs for three.
            unsafe { cs_random_prime(r.as_mut_ptr(), bits, flags) },
            CS_OK
        );
        for p in r.chunks(len).map(nat) {
            assert!(prime::is_prime_vartime(&p) && p.bits() == bits);
            assert!(flags != CS_PRIME_TOP_TWO || p.bit(bits - 2));
            assert!(flags != CS_PRIME_SAFE || prime::is_prime_vartime(&p.shr(1)));
        }
    }
    for (bits, flags) in [(16, 0), (usize::MAX, 0), (64, 3), (64, -1)] {
        // SAFETY: refused before anything is written.
        let error = unsafe { cs_random_prime([0; 1].as_mut_ptr(), bits, flags) };
        assert_eq!(error, CS_ERROR_ARGUMENT);
    }
}

/// Each pointer null in turn.
#[test]
fn null_is_refused() {
    let (x, mut y) = ([3, 5], [0; 4]);
    let (a, r) = (x.as_ptr(), y.as_mut_ptr());
    let (none, nowhere): (*const u64, *mut u64) = (null(), null_mut());
    // SAFETY: the other pointers lead to what the lengths say.
    let errors = unsafe {
        [
            cs_powm(nowhere, a, 2, a, 2, a, 2),
            cs_powm(r, none, 2, a, 2, a, 2),
            cs_powm(r, a, 2, none, 2, a, 2),
            cs_powm(r, a, 2, a, 2, none, 2),
            cs_powm_sec(null(), nowhere, a, 2, a, 2, a, 2),
            cs_powm_sec(null(), r, none, 2, a, 2, a, 2),
            cs_powm_sec(null(), r, a, 2, none, 2, a, 2),
            cs_powm_sec(null(), r, a, 2, a, 2, none, 2),
            cs_powm_bases(null(), nowhere, a, 1, 2, a, 2, a, 2),
            cs_powm_bases(null(), r, none, 1, 2, a, 2, a, 2),
            cs_powm_bases(null(), r, a, 1, 2, none, 2, a, 2),
            cs_powm_bases(null(), r, a, 1, 2, a, 2, none, 2),
            cs_powm_exps(null(), nowhere, a, 2, a, 1, 2, a, 2),
            cs_powm_exps(null(), r, none, 2, a, 1, 2, a, 2),
            cs_powm_exps(null(), r, a, 2, none, 1, 2, a, 2),
            cs_powm_exps(null(), r, a, 2, a, 1, 2, none, 2),
            cs_powm_many(null(), null_mut(), 1),
            cs_mul(null(), nowhere, a, 2, a, 2),
            cs_mul(null(), r, none, 2, a, 2),
            cs_mul(null(), r, a, 2, none, 2),
            cs_sqr(nowhere, a, 2),
            cs_sqr(r, none, 2),
            cs_div(r, r, none, 2, a, 2),
            cs_div(r, r, a, 2, none, 2),
            cs_invert(nowhere, a, 2, a, 2),
            cs_invert(r, none, 2, a, 2),
            cs_invert(r, a, 2, none, 2),
            cs_invert_sec(nowhere, a, 2, a, 2),
            cs_invert_sec(r, none, 2, a, 2),
            cs_invert_sec(r, a, 2, none, 2),
            cs_is_prime(none, 2, 0, &mut 0),
            cs_is_prime(a, 2, 0, null_mut()),
            cs_random_prime(nowhere, 64, 0),
            cs_random_primes(null(), nowhere, 64, 0, 2),
            cs_threads_new(2, null_mut()),
            // Not aligned.
            cs_sqr(r, a.byte_add(1), 1),
        ]
    };
    assert_eq!(errors, [CS_ERROR_NULL; 36]);
    assert_eq!(y, [0; 4]);
    // SAFETY: nothing is freed.
    unsafe { cs_threads_free(null_mut()) };
    for count in [0, 1025, usize::MAX] {
        // SAFETY: the pointer is that of `refused`.
        let error = refused(|threads| unsafe { cs_threads_new(count, threads) });
        assert_eq!(error, CS_ERROR_ARGUMENT);
    }
    assert!(Modulus::new(&nat(&x)).is_some());
}
