//! Fields against numbers of any size.

use super::*;
use crate::field::*;
use carrysave::arith::Nat;
use carrysave::system_rng;

type Binary = unsafe extern "C" fn(i32, *mut u64, *const u64, *const u64, usize) -> cs_error;
type Unary = unsafe extern "C" fn(i32, *mut u64, *const u64, usize) -> cs_error;
type OfVectors = unsafe extern "C" fn(*mut cs_field_vector, *const cs_field_vector) -> cs_error;
type OfVector = unsafe extern "C" fn(*mut cs_field_vector) -> cs_error;

/// The primes, by their codes.
fn primes() -> [Nat; 6] {
    let prime = |w, c: u64| Nat::power_of_two(w).sub(&Nat::from_limb(c)).unwrap().trim();
    [
        prime(127, 1),
        prime(127, 735),
        prime(128, 159),
        prime(255, 19),
        prime(256, 189),
        prime(256, 4_294_968_273),
    ]
}

fn padded(x: &Nat, len: usize) -> Vec<u64> {
    x.resize(len).unwrap().limbs().to_vec()
}

#[test]
fn elements_are_numbers_modulo_the_prime() {
    let binary: [(Binary, OfVectors); 3] = [
        (cs_field_add, cs_field_vector_add),
        (cs_field_sub, cs_field_vector_sub),
        (cs_field_mul, cs_field_vector_mul),
    ];
    let unary: [(Unary, OfVector); 3] = [
        (cs_field_neg, cs_field_vector_neg),
        (cs_field_sqr, cs_field_vector_sqr),
        (cs_field_inv, cs_field_vector_inv),
    ];
    for (i, p) in primes().iter().enumerate() {
        let (field, len, count) = (i as i32 + 1, cs_field_limbs(i as i32 + 1), 11);
        assert_eq!(len, p.width());
        let below = || padded(&Nat::random_below(p, &mut system_rng()), len);
        let (a, b): (Vec<u64>, Vec<u64>) = (
            (0..count).flat_map(|_| below()).collect(),
            (0..count).flat_map(|_| below()).collect(),
        );
        let number = |x: &[u64]| Nat::from_limbs(x);
        let modulo = |x: Nat| padded(&x.div_rem_vartime(p).1, len);
        // SAFETY: pointers lead to what lengths say; objects are freed once.
        unsafe {
            let total = a.len();
            for (k, (single, many)) in binary.into_iter().enumerate() {
                let x = made(|x| cs_field_vector_new(field, a.as_ptr(), total, x));
                let y = made(|y| cs_field_vector_new(field, b.as_ptr(), total, y));
                assert_eq!(many(x, y), CS_OK);
                let mut all = vec![0; total];
                assert_eq!(cs_field_vector_read(x, all.as_mut_ptr(), total), CS_OK);
                for ((a, b), r) in a.chunks(len).zip(b.chunks(len)).zip(all.chunks(len)) {
                    let expected = match k {
                        0 => modulo(number(a).add(&number(b))),
                        1 => modulo(number(a).add(p).sub(&number(b)).unwrap()),
                        _ => modulo(number(a).mul(&number(b))),
                    };
                    let mut one = vec![0; len];
                    assert_eq!(
                        single(field, one.as_mut_ptr(), a.as_ptr(), b.as_ptr(), len),
                        CS_OK
                    );
                    assert_eq!((&one[..], r), (&expected[..], &expected[..]));
                    // In place.
                    one.copy_from_slice(a);
                    assert_eq!(
                        single(field, one.as_mut_ptr(), one.as_ptr(), b.as_ptr(), len),
                        CS_OK
                    );
                    assert_eq!(one, expected);
                }
                // With itself.
                assert_eq!(cs_field_vector_sub(x, x), CS_OK);
                assert_eq!(cs_field_vector_read(x, all.as_mut_ptr(), total), CS_OK);
                assert!(all.iter().all(|&limb| limb == 0));
                cs_field_vector_free(x);
                cs_field_vector_free(y);
            }
            for (k, (single, many)) in unary.into_iter().enumerate() {
                let x = made(|x| cs_field_vector_new(field, a.as_ptr(), total, x));
                assert_eq!(many(x), CS_OK);
                let mut all = vec![0; total];
                assert_eq!(cs_field_vector_read(x, all.as_mut_ptr(), total), CS_OK);
                for (a, r) in a.chunks(len).zip(all.chunks(len)) {
                    let expected = match k {
                        0 => modulo(p.sub(&number(a)).unwrap()),
                        1 => modulo(number(a).sqr()),
                        _ => padded(
                            &carrysave::arith::inv_mod_vartime(&number(a), p).unwrap(),
                            len,
                        ),
                    };
                    let mut one = vec![0; len];
                    assert_eq!(single(field, one.as_mut_ptr(), a.as_ptr(), len), CS_OK);
                    assert_eq!((&one[..], r), (&expected[..], &expected[..]));
                }
                cs_field_vector_free(x);
            }
            // The prime is no element.
            let p = padded(p, len);
            let mut one = vec![0; len];
            assert_eq!(
                cs_field_sqr(field, one.as_mut_ptr(), p.as_ptr(), len),
                CS_ERROR_RANGE
            );
            assert_eq!(
                refused(|x| cs_field_vector_new(field, p.as_ptr(), len, x)),
                CS_ERROR_RANGE
            );
        }
    }
}

#[test]
fn wrong_pointers_lengths_and_fields_are_refused() {
    let (a, mut r) = ([1; 8], [0; 8]);
    let (x, y, none) = (r.as_mut_ptr(), a.as_ptr(), null());
    let binary: [Binary; 3] = [cs_field_add, cs_field_sub, cs_field_mul];
    let unary: [Unary; 3] = [cs_field_neg, cs_field_sqr, cs_field_inv];
    // SAFETY: pointers lead to what lengths say; objects are freed once.
    unsafe {
        for f in binary {
            let errors = [
                f(4, null_mut(), y, y, 4),
                f(4, x, none, y, 4),
                f(4, x, y, none, 4),
            ];
            assert_eq!(errors, [CS_ERROR_NULL; 3]);
            assert_eq!(
                [0, 2, 5, 8].map(|len| f(4, x, y, y, len)),
                [CS_ERROR_LENGTH; 4]
            );
            assert_eq!(
                [0, 7, -1].map(|field| f(field, x, y, y, 4)),
                [CS_ERROR_ARGUMENT; 3]
            );
        }
        for f in unary {
            assert_eq!(
                [f(4, null_mut(), y, 4), f(4, x, none, 4)],
                [CS_ERROR_NULL; 2]
            );
            assert_eq!(
                [0, 2, 5, 8].map(|len| f(4, x, y, len)),
                [CS_ERROR_LENGTH; 4]
            );
            assert_eq!(
                [0, 7, -1].map(|field| f(field, x, y, 4)),
                [CS_ERROR_ARGUMENT; 3]
            );
        }
        assert_eq!([0, 7, -1].map(|field| cs_field_limbs(field)), [0; 3]);
        assert_eq!(
            refused(|v| cs_field_vector_new(4, none, 4, v)),
            CS_ERROR_NULL
        );
        assert_eq!(
            refused(|v| cs_field_vector_new(4, y, 5, v)),
            CS_ERROR_LENGTH
        );
        assert_eq!(
            refused(|v| cs_field_vector_new(7, y, 4, v)),
            CS_ERROR_ARGUMENT
        );
        assert_eq!(cs_field_vector_new(4, y, 4, null_mut()), CS_ERROR_NULL);
        let v = made(|v| cs_field_vector_new(4, y, 4, v));
        let longer = made(|v| cs_field_vector_new(4, y, 8, v));
        let other = made(|v| cs_field_vector_new(5, y, 4, v));
        for f in [
            cs_field_vector_add,
            cs_field_vector_sub,
            cs_field_vector_mul,
        ] {
            assert_eq!(
                [f(null_mut(), v), f(v, null()), f(null_mut(), null())],
                [CS_ERROR_NULL; 3]
            );
            assert_eq!(
                [f(v, longer), f(v, other)],
                [CS_ERROR_LENGTH, CS_ERROR_ARGUMENT]
            );
        }
        for f in [
            cs_field_vector_neg,
            cs_field_vector_sqr,
            cs_field_vector_inv,
        ] {
            assert_eq!(f(null_mut()), CS_ERROR_NULL);
        }
        assert_eq!(cs_field_vector_read(v, x, 8), CS_ERROR_LENGTH);
        assert_eq!(cs_field_vector_read(v, null_mut(), 4), CS_ERROR_NULL);
        assert_eq!(cs_field_vector_read(null(), x, 4), CS_ERROR_NULL);
        for v in [v, longer, other, null_mut()] {
            cs_field_vector_free(v);
        }
    }
}
