//! What "Panics" in the documentation promises: each misuse panics, with the condition that was not kept.

use carrysave_arith::{
    Cpu, FixedBase, METHODS, Modulus, Nat,
    curve::{Edwards25519Point, Edwards25519Table},
    field::{F25519, Fe, FeBatch, Vectors},
    inv_mod,
    prime::{PrimeOptions, random_prime, random_safe_prime, random_safe_prime_with_square_vartime},
    published::{mont_mul::ALGORITHMS, pow::Version},
};
use carrysave_team::Serial;
use getrandom::SysRng;
use rand_core::UnwrapErr;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Checks that a call panics with a message that contains the text.
fn panics<T>(text: &str, misuse: impl FnOnce() -> T) {
    let panic = catch_unwind(AssertUnwindSafe(|| drop(misuse()))).expect_err(text);
    let message = match panic.downcast_ref::<String>() {
        Some(message) => message,
        None => *panic.downcast_ref::<&str>().expect("a message"),
    };
    assert!(message.contains(text), "{message}, not {text}");
}

#[test]
fn numbers_that_have_no_answer() {
    let (zero, four) = (Nat::zero(), Nat::from_limb(4));
    let rng = &mut UnwrapErr(SysRng);
    panics("no number is below 0", || Nat::random_below(&zero, rng));
    panics("division by zero", || four.div_rem_vartime(&zero));
    panics("division by zero", || four.div_rem(&zero));
    panics("division by zero", || four.rem_limb_vartime(0));
    panics("an odd number below", || four.jacobi_vartime(&four));
    panics("an odd number or an odd modulus", || {
        inv_mod(&Nat::from_limb(2), &four)
    });
    for radix in [0, 1, 37] {
        panics("a radix from 2 to 36", || Nat::from_radix("0", radix));
        panics("a radix from 2 to 36", || four.to_radix_vartime(radix));
    }
}

/// Digits depend on the vectors.
#[test]
fn batches_that_do_not_fit() {
    let all: Vec<Vectors> = Vectors::all(Cpu::native()).collect();
    let batch = |vectors, len| FeBatch::<F25519>::on(vectors, &vec![-Fe::one(); len]);
    let mut nine = batch(all[0], 9);
    panics("batches of one length", || nine.mul(&batch(all[0], 8)));
    panics("batches of one length", || {
        nine.select(&batch(all[0], 8), &[1; 9])
    });
    for &other in &all[1..] {
        panics("batches in the same vectors", || nine.mul(&batch(other, 9)));
        panics("batches in the same vectors", || {
            nine.select(&batch(other, 9), &[1; 9])
        });
    }
    let (table, point) = (
        Edwards25519Table::new(Cpu::native()),
        Edwards25519Point::base(),
    );
    let numbers = |len| vec![Fe::one(); len];
    panics("a point for each number", || {
        table.mul_add_batch_vartime(&numbers(2), &[point; 3], &numbers(3))
    });
    panics("a number for each point", || {
        table.mul_add_batch_vartime(&numbers(3), &[point; 3], &numbers(2))
    });
}

#[test]
fn lengths_of_no_random_prime() {
    let rng = &mut UnwrapErr(SysRng);
    panics("needs 16 bits", || {
        random_prime(15, &PrimeOptions::default(), rng, &mut || ())
    });
    panics("needs 17 bits", || {
        random_safe_prime(16, None, rng, &mut || ())
    });
    // More bits than the prime has, no power of two, and nothing to be congruent by.
    for congruent in [(1 << 19 | 1, 1 << 20), (1, 3), (1, 1), (1, 0)] {
        let options = PrimeOptions {
            congruent: Some(congruent),
            ..Default::default()
        };
        panics("a number of its length, modulo a power of two", || {
            random_prime(16, &options, rng, &mut || ())
        });
    }
    panics("0 generates nothing", || {
        random_safe_prime_with_square_vartime(64, &Nat::zero(), None, rng, &mut || ())
    });
}

#[test]
fn numbers_as_wide_as_no_residue() {
    let modulus = |bits| Modulus::new(&Nat::power_of_two(bits).sub_limb(1).unwrap()).unwrap();
    let (n, m) = (&modulus(1023), &modulus(1024));
    let (good, exp) = (n.reduce(&Nat::from_limb(5)), Nat::from_limb(3));
    for bad in [Nat::one(), good.add_limb(0)] {
        assert_ne!(bad.width(), n.width());
        let wide = "a residue has the modulus's width";
        panics(wide, || n.pow(&bad, &exp));
        panics(wide, || n.pow_bits(&bad, &exp, 2));
        panics(wide, || n.pow_vartime(&bad, &exp));
        panics(wide, || n.pow_pair(&bad, &exp, m, &good, &exp, 2));
        panics(wide, || n.pow_pair(&good, &exp, m, &bad, &exp, 2));
        panics(wide, || {
            n.pow_product_vartime(&[(&good, &exp), (&bad, &exp)])
        });
        panics(wide, || n.pow_many_vartime(&bad, &[&exp]));
        panics(wide, || FixedBase::new(n, &bad, 10));
        panics(wide, || n.multiplier(&bad));
        panics(wide, || n.mul_by(&bad, &n.multiplier(&good)));
        panics(wide, || {
            n.pow_threaded_vartime(&Serial, Version::V1, &bad, &exp)
        });
        panics(wide, || {
            n.pow_by_team(&Serial, &ALGORITHMS[0], &METHODS[0], &bad, &exp)
        });
    }
    panics("there is an exponent", || FixedBase::new(n, &good, 0));
    for width in [0, 17] {
        panics("1 to 16 bits", || n.pow_windows_vartime(&good, &exp, width));
    }
}
