//! `num-bigint`: general arithmetic in plain Rust. Its time depends on the exponent.

use super::{Numbers, Operation, Rival, arithmetic, padded};
use ::num_bigint::BigUint;
use num_integer::Integer;

pub(super) const RIVAL: Rival = Rival {
    modexp: Some(|_, power| {
        let [base, exponent, modulus] = [&power.base, &power.exponent, &power.modulus]
            .map(|bytes| BigUint::from_bytes_be(bytes));
        let len = power.modulus.len();
        Ok(Box::new(move || {
            padded(&base.modpow(&exponent, &modulus).to_bytes_be(), len)
        }))
    }),
    arithmetic: Some(
        |operation,
         Numbers {
             a,
             b,
             n,
             wide,
             decimal,
         }| {
            let [a, b, n, wide] = [a, b, n, wide].map(|bytes| BigUint::from_bytes_be(bytes));
            let decimal = decimal.clone();
            let write = |x: &BigUint| vec![x.to_bytes_be()];
            Ok(match operation {
                Operation::Mul => arithmetic(move || &a * &b, write),
                Operation::Sqr => arithmetic(move || &a * &a, write),
                Operation::DivRem => arithmetic(
                    move || wide.div_rem(&n),
                    |(q, r)| vec![q.to_bytes_be(), r.to_bytes_be()],
                ),
                Operation::MulMod => arithmetic(move || &a * &b % &n, write),
                Operation::ToDecimal => arithmetic(
                    move || a.to_string(),
                    |text| vec![text.clone().into_bytes()],
                ),
                Operation::FromDecimal => arithmetic(
                    move || decimal.parse::<BigUint>().expect("decimal digits"),
                    write,
                ),
            })
        },
    ),
    ..Rival::new("num-bigint", || {
        concat!("num-bigint ", env!("LAB_VERSION_NUM_BIGINT")).to_owned()
    })
};
