//! `num-bigint`: general arithmetic in plain Rust. Its time depends on the exponent.

use super::{Rival, padded};
use ::num_bigint::BigUint;

pub(super) const RIVAL: Rival = Rival {
    modexp: Some(|_, power| {
        let [base, exponent, modulus] = [&power.base, &power.exponent, &power.modulus]
            .map(|bytes| BigUint::from_bytes_be(bytes));
        let len = power.modulus.len();
        Ok(Box::new(move || {
            padded(&base.modpow(&exponent, &modulus).to_bytes_be(), len)
        }))
    }),
    ..Rival::new("num-bigint", || {
        concat!("num-bigint ", env!("LAB_VERSION_NUM_BIGINT")).to_owned()
    })
};
