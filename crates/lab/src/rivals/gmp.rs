//! GMP through `rug`: `mpz_powm`, whose time depends on the exponent, and `mpz_powm_sec`, whose time does not; the
//! operations of `mpz`.
//!
//! `crates/lab/peers` has GMP built for one processor. Without it, a "fat" one is built: it picks its kernels at run time
//! and knows few recent processors. The feature `system-gmp` takes the system's.

use super::{Answer, Modexp, Numbers, Operation, Power, Refusal, Rival, arithmetic, padded};
use rug::{Integer, integer::Order};

pub(super) const POWM: Rival = Rival {
    modexp: Some(|_, power| modexp(power, mpz_powm)),
    ..Rival::new("gmp/powm", version)
};

pub(super) const POWM_SEC: Rival = Rival {
    modexp: Some(|_, power| modexp(power, mpz_powm_sec)),
    ..Rival::new("gmp/powm_sec", version)
};

/// A name in tables and records that says which build of GMP it is.
macro_rules! label {
    ($name:expr) => {
        if cfg!(feature = "system-gmp") {
            concat!("gmp/", $name, " (system)")
        } else {
            concat!("gmp/", $name, " (", env!("LAB_GMP_BUILD"), ")")
        }
    };
}
pub(super) use label;

pub(super) const MPZ: Rival = Rival {
    arithmetic: Some(|operation, numbers| {
        let Numbers {
            a,
            b,
            n,
            wide,
            decimal,
        } = numbers;
        let [a, b, n, wide] = [a, b, n, wide].map(|bytes| Integer::from_digits(bytes, Order::Msf));
        let decimal = decimal.clone();
        let bytes = |x: &Integer| x.to_digits::<u8>(Order::Msf);
        let write = move |x: &Integer| vec![bytes(x)];
        Ok(match operation {
            Operation::Mul => arithmetic(move || Integer::from(&a * &b), write),
            Operation::Sqr => arithmetic(move || Integer::from(a.square_ref()), write),
            Operation::DivRem => arithmetic(
                move || <(Integer, Integer)>::from(wide.div_rem_ref(&n)),
                move |(q, r)| vec![bytes(q), bytes(r)],
            ),
            Operation::MulMod => arithmetic(move || Integer::from(&a * &b) % &n, write),
            Operation::ToDecimal => arithmetic(
                move || a.to_string(),
                |text| vec![text.clone().into_bytes()],
            ),
            Operation::FromDecimal => arithmetic(
                move || decimal.parse::<Integer>().expect("decimal digits"),
                write,
            ),
        })
    }),
    ..Rival::new(label!("mpz"), version)
};

pub(super) fn version() -> String {
    let origin = if cfg!(feature = "system-gmp") {
        "the system's"
    } else {
        env!("LAB_GMP_BUILD")
    };
    format!(
        "gmp-mpfr-sys {} ({origin})",
        env!("LAB_VERSION_GMP_MPFR_SYS")
    )
}

fn mpz_powm(base: &Integer, exponent: &Integer, modulus: &Integer) -> Option<Integer> {
    base.pow_mod_ref(exponent, modulus).map(Integer::from)
}

fn mpz_powm_sec(base: &Integer, exponent: &Integer, modulus: &Integer) -> Option<Integer> {
    Some(Integer::from(base.secure_pow_mod_ref(exponent, modulus)))
}

fn modexp(
    power: &Power,
    pow: fn(&Integer, &Integer, &Integer) -> Option<Integer>,
) -> Answer<Modexp> {
    let number = |bytes: &[u8]| Integer::from_digits(bytes, Order::Msf);
    let [base, exponent, modulus] = [
        number(&power.base),
        number(&power.exponent),
        number(&power.modulus),
    ];
    if exponent.is_zero() || modulus.is_even() {
        return Err(Refusal::NotOffered);
    }
    let len = power.modulus.len();
    Ok(Box::new(move || {
        let result = pow(&base, &exponent, &modulus).unwrap_or_default();
        padded(&result.to_digits::<u8>(Order::Msf), len)
    }))
}
